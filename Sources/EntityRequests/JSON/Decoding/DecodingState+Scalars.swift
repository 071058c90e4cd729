import Foundation

/// The scalars of the tape as the types that `Codable` has, and why one is none.
extension DecodingState {
  @inline(__always)
  func bool(at index: Int, path: () -> CodingPathNode?) throws -> Bool {
    switch tag(at: index) {
    case .true: return true
    case .false: return false
    // Of null too, as JSONDecoder has it: there `valueNotFound` is for the other types.
    default: throw typeMismatch(Bool.self, at: index, path())
    }
  }

  @inline(__always)
  func string(at index: Int, path: () -> CodingPathNode?) throws -> String {
    switch tag(at: index) {
    case .string, .escapedString: return JSONText.decode(document.bytes, document.word(at: index))
    default: throw mismatch(String.self, at: index, path())
    }
  }

  @inline(__always)
  func integer<I: FixedWidthInteger>(at index: Int, path: () -> CodingPathNode?) throws -> I {
    guard tag(at: index) == .number else { throw mismatch(I.self, at: index, path()) }
    let number = document.source(of: document.word(at: index))
    let value =
      I.isSigned
      ? JSONNumber.int64(number).flatMap { I(exactly: $0) } : JSONNumber.uint64(number).flatMap { I(exactly: $0) }
    if let value { return value }
    throw unrepresentable(I.self, at: index, path())
  }

  /// As `integer(at:path:)`, for types of more than 64 bits.
  func wide<I: FixedWidthInteger>(at index: Int, path: () -> CodingPathNode?) throws -> I {
    guard tag(at: index) == .number else { throw mismatch(I.self, at: index, path()) }
    let lexeme = document.source(of: document.word(at: index))
    if let value = JSONNumber.int64(lexeme) {
      if let value = I(exactly: value) { return value }
    } else if let value: I = JSONNumber(lexeme: lexeme).integer() {
      return value
    }
    throw unrepresentable(I.self, at: index, path())
  }

  @inline(__always)
  func double(at index: Int, path: () -> CodingPathNode?) throws -> Double {
    guard tag(at: index) == .number else {
      return try nonConforming(Double.self, at: index, path: path)
    }
    let lexeme = document.source(of: document.word(at: index))
    if let value = JSONNumber.double(lexeme), value != 0 || JSONNumber.isZero(lexeme) { return value }
    throw unrepresentable(Double.self, at: index, path())
  }

  func float(at index: Int, path: () -> CodingPathNode?) throws -> Float {
    guard tag(at: index) == .number else { return try nonConforming(Float.self, at: index, path: path) }
    let lexeme = document.source(of: document.word(at: index))
    if let value = JSONNumber.float(lexeme), value != 0 || JSONNumber.isZero(lexeme) { return value }
    throw unrepresentable(Float.self, at: index, path())
  }

  private func nonConforming<F: BinaryFloatingPoint>(
    _ type: F.Type, at index: Int, path: () -> CodingPathNode?
  ) throws -> F {
    if case .convertFromString(let positive, let negative, let nan) = options.nonConformingFloatDecodingStrategy,
      let text = value(at: index).string
    {
      if text == positive { return .infinity }
      if text == negative { return -.infinity }
      if text == nan { return .nan }
    }
    throw mismatch(type, at: index, path())
  }

  // MARK: Errors

  /// Where the value is, for an error's text.
  func mark(_ index: Int) -> String {
    index == Self.absent ? "" : " at byte \(document.range(at: index).lowerBound)"
  }

  func mismatch(_ type: Any.Type, at index: Int, _ path: CodingPathNode?) -> DecodingError {
    if tag(at: index) == .null {
      return .valueNotFound(
        type,
        DecodingError.Context(codingPath: path.keys, debugDescription: "Expected \(type), found null\(mark(index))."))
    }
    return typeMismatch(type, at: index, path)
  }

  private func typeMismatch(_ type: Any.Type, at index: Int, _ path: CodingPathNode?) -> DecodingError {
    let found = value(at: index).kindName
    return .typeMismatch(
      type,
      DecodingError.Context(codingPath: path.keys, debugDescription: "Expected \(type), found \(found)\(mark(index))."))
  }

  func unrepresentable(_ type: Any.Type, at index: Int, _ path: CodingPathNode?) -> DecodingError {
    let number = value(at: index).lexeme.map { $0.count > 60 ? $0.prefix(60) + "…" : $0 } ?? ""
    return corrupted("The number \(number) is not representable as \(type)", at: index, path)
  }

  func corrupted(_ text: String, at index: Int, _ path: CodingPathNode?) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: path.keys, debugDescription: "\(text)\(mark(index))."))
  }
}

extension String {
  /// In quotes and bounded: keys come from anywhere.
  var quotedForError: String { "'\((count > 60 ? prefix(60) + "…" : self).escaped)'" }
}

extension JSONNumber {
  /// The value as an integer of any width; nil where it is none or does not fit.
  func integer<I: FixedWidthInteger>() -> I? {
    guard !digits.isEmpty else { return 0 }
    // No type has more digits than bits.
    guard let exponent, exponent >= 0, exponent < I.bitWidth, digits.count < I.bitWidth else { return nil }
    var value: I = 0
    for position in 0..<digits.count + exponent {
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let digit = position < digits.count ? I(truncatingIfNeeded: digits[position]) : 0
      let (sum, carry) =
        isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
      guard !overflow, !carry else { return nil }
      value = sum
    }
    return value
  }

  /// Whether the number is zero, and not only too small for a floating-point type.
  static func isZero(_ lexeme: ArraySlice<UInt8>) -> Bool {
    lexeme.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(0x31...0x39).contains($0) }
  }

  /// Correctly rounded; nil where that is an infinity.
  static func float(_ lexeme: ArraySlice<UInt8>) -> Float? {
    if let double = double(lexeme), abs(double) >= Double(Float.leastNormalMagnitude) || double == 0 {
      // Rounding twice errs only where the first one hits the middle between two Floats, which has these low bits.
      // A Double that is zero is so because the number is, or by far too small for a Float.
      if double.bitPattern & 0x1FFF_FFFF != 0x1000_0000 {
        let float = Float(double)
        return float.isFinite ? float : nil
      }
    }
    guard let value = Float(String(decoding: lexeme, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}
