import Foundation

/// The scalars of the tape as the types of `Codable`, and the errors where a scalar is of another type.
extension DecodingState {
  @inline(__always)
  func bool(at index: Int, path: () -> CodingPathNode?) throws -> Bool {
    if index != Self.absent, let bool = document.bool(at: index) ?? document.boolOfText(at: index) { return bool }
    // Also for null, as in Foundation's decoder: there, `valueNotFound` is for the other types.
    throw typeMismatch(Bool.self, at: index, path())
  }

  @inline(__always)
  func string(at index: Int, path: () -> CodingPathNode?) throws -> String {
    if index != Self.absent, let string = document.string(at: index) { return string }
    throw mismatch(String.self, at: index, path())
  }

  @inline(__always)
  func integer<I: FixedWidthInteger>(at index: Int, path: () -> CodingPathNode?) throws -> I {
    if index != Self.absent, let integer: I = document.integer(at: index) { return integer }
    throw noNumber(I.self, at: index, path())
  }

  /// The same as `integer(at:path:)`, for types of more than 64 bits.
  func wide<I: FixedWidthInteger>(at index: Int, path: () -> CodingPathNode?) throws -> I {
    if index != Self.absent, let integer: I = document.wide(at: index) { return integer }
    throw noNumber(I.self, at: index, path())
  }

  @inline(__always)
  func double(at index: Int, path: () -> CodingPathNode?) throws -> Double {
    if index != Self.absent, let double = document.double(at: index) { return double }
    return try nonConforming(Double.self, at: index, path: path)
  }

  func float(at index: Int, path: () -> CodingPathNode?) throws -> Float {
    if index != Self.absent, let float = document.float(at: index) { return float }
    return try nonConforming(Float.self, at: index, path: path)
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
    throw noNumber(type, at: index, path())
  }

  // MARK: Errors

  /// The place of the value, for an error's text.
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

  /// The reason why a value can't be read as a type of number.
  private func noNumber(_ type: Any.Type, at index: Int, _ path: CodingPathNode?) -> DecodingError {
    tag(at: index) == .number ? unrepresentable(type, at: index, path) : mismatch(type, at: index, path)
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
  /// In quotes and shortened: keys come from anywhere.
  var quotedForError: String { "'\((count > 60 ? prefix(60) + "…" : self).escaped)'" }
}
