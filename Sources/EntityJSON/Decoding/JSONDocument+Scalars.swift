/// Scalars as the types of `Codable`; nil for values of another kind, and for numbers that do not fit.
extension JSONDocument {
  @inline(__always)
  func bool(at index: Int) -> Bool? {
    switch word(at: index).tag {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// The boolean of a text in a format without types, in the forms of XML Schema (part 2, §3.3.2).
  func boolOfText(at index: Int) -> Bool? {
    guard isUntyped else { return nil }
    switch string(at: index) {
    case "true", "1": return true
    case "false", "0": return false
    default: return nil
    }
  }

  @inline(__always)
  func string(at index: Int) -> String? {
    let word = word(at: index)
    switch word.tag {
    case .string: return withSource(of: word) { String(decoding: $0, as: UTF8.self) }
    case .escapedString: return JSONText.decode(bytes, word)
    default: return nil
    }
  }

  @inline(__always)
  func integer<I: FixedWidthInteger>(at index: Int) -> I? {
    withNumber(at: index) { lexeme in
      I.isSigned
        ? JSONNumber.int64(lexeme).flatMap { I(exactly: $0) } : JSONNumber.uint64(lexeme).flatMap { I(exactly: $0) }
    }
  }

  /// The same as `integer(at:)`, for types of more than 64 bits.
  func wide<I: FixedWidthInteger>(at index: Int) -> I? {
    withNumber(at: index) { lexeme in
      if let value = JSONNumber.int64(lexeme) { return I(exactly: value) }
      return JSONNumber(lexeme: lexeme).integer()
    }
  }

  /// Also nil for a number that is not zero and would become zero.
  @inline(__always)
  func double(at index: Int) -> Double? {
    withNumber(at: index) { lexeme in
      guard let value = JSONNumber.double(lexeme), value != 0 || JSONNumber.isZero(lexeme) else { return nil }
      return value
    }
  }

  /// The same as `double(at:)`.
  func float(at index: Int) -> Float? {
    withNumber(at: index) { lexeme in
      guard let value = JSONNumber.float(lexeme), value != 0 || JSONNumber.isZero(lexeme) else { return nil }
      return value
    }
  }
}

extension JSONNumber {
  /// The value as an integer of any width; nil where the value is no integer or does not fit.
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

  /// Whether the number is exactly zero, and not only too small for a floating-point type.
  static func isZero(_ lexeme: LentBytes) -> Bool {
    lexeme.prefix { $0 | 0x20 != UInt8(ascii: "e") }.allSatisfy { !(0x31...0x39).contains($0) }
  }

  /// Correctly rounded; nil where the result would be an infinity.
  static func float(_ lexeme: LentBytes) -> Float? {
    if let double = double(lexeme), abs(double) >= Double(Float.leastNormalMagnitude) || double == 0 {
      // Rounding twice only errs where the first result is in the middle between two Floats, which has these low bits.
      // A Double of zero means that the number is zero, or far too small for a Float.
      if double.bitPattern & 0x1FFF_FFFF != 0x1000_0000 {
        let float = Float(double)
        return float.isFinite ? float : nil
      }
    }
    guard let value = Float(String(decoding: lexeme, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}
