import Foundation

/// The state that all encoders and containers of one call share.
final class EncodingState {
  let options: JSONValueEncoder
  /// The first error in a call that can't throw. The next call that can throw throws it.
  private(set) var misuse: EncodingError?
  private var stack = StackRoom()

  init(options: JSONValueEncoder) { self.options = options }

  func note(_ misuse: EncodingError) { if self.misuse == nil { self.misuse = misuse } }

  /// Notes a container that is nested too deep for any reader, or for the stack.
  ///
  /// - Parameter depth: The number of nested arrays and objects, with the container.
  func checkDepth(_ depth: Int, _ path: CodingPathNode?) {
    if depth > JSONLimits.standard.depth {
      note(tooDeep { path })
    } else if stack.isShort(at: depth) {
      note(
        invalid(
          "a container", "\(depth) nested arrays and objects are more than the stack of this thread has room for."
        ) { path })
    }
  }

  // MARK: Any type

  /// The JSON of a value; nil where the value's own `encode(to:)` encodes nothing.
  ///
  /// - Parameter depth: The number of arrays and objects around the value.
  func part<T: Encodable>(of value: T, depth: Int, path: () -> CodingPathNode?) throws -> EncodedPart? {
    if let scalar = try scalar(value, path: path) { return scalar }
    // Each level of nesting is at least one call of `encode(to:)`: the reader's limit also protects the stack.
    if let misuse { throw misuse }
    let encoder = PartEncoder(state: self, depth: depth, path: path())
    try value.encode(to: encoder)
    if case .array(let array)? = encoder.part, let type = T.self as? any UnorderedElements.Type {
      array.group = type.encodedGroup
    }
    return encoder.part
  }

  /// The JSON of a value whose type has its own form here, or that would come back as the same scalar after two more
  /// calls.
  private func scalar<T: Encodable>(_ value: T, path: () -> CodingPathNode?) throws -> EncodedPart? {
    if T.self == String.self, let value = value as? String { return .string(value) }
    if T.self == Int.self, let value = value as? Int { return integer(value) }
    if T.self == Double.self, let value = value as? Double { return try number(value, path: path) }
    if T.self == Bool.self, let value = value as? Bool { return .bool(value) }
    if T.self == Date.self, let value = value as? Date { return try date(value, path: path) }
    if T.self == Data.self, let value = value as? Data { return .string(value.base64EncodedString()) }
    if T.self == URL.self, let value = value as? URL { return .string(value.absoluteString) }
    if T.self == Decimal.self, let value = value as? Decimal { return try decimal(value, path: path) }
    return nil
  }

  // MARK: Scalars

  func integer(_ value: some FixedWidthInteger) -> EncodedPart { .number(String(value)) }

  func number(
    _ value: some BinaryFloatingPoint & LosslessStringConvertible, path: () -> CodingPathNode?
  ) throws -> EncodedPart {
    guard let text = JSONWriter.text(of: value) else { throw notFinite(value, path) }
    return .number(text)
  }

  private func decimal(_ value: Decimal, path: () -> CodingPathNode?) throws -> EncodedPart {
    guard let text = JSONWriter.text(of: value) else { throw notFinite(value, path) }
    return .number(text)
  }

  private func date(_ value: Date, path: () -> CodingPathNode?) throws -> EncodedPart {
    if let text = ISO8601Text.text(of: value) { return .string(text) }
    switch options.dateEncodingStrategy {
    case .iso8601: throw invalid(value, "The date is outside of the years 0 to 9999, which ISO 8601 can't write.", path)
    case .iso8601OrSeconds: return try number(value.timeIntervalSince1970, path: path)
    }
  }

  // MARK: Errors

  private func notFinite(_ value: Any, _ path: () -> CodingPathNode?) -> EncodingError {
    invalid(value, "JSON has no number that is not finite.", path)
  }

  func tooDeep(_ path: () -> CodingPathNode?) -> EncodingError {
    invalid("a container", "There are more than \(JSONLimits.standard.depth) nested arrays and objects.", path)
  }

  func invalid(_ value: Any, _ text: String, _ path: () -> CodingPathNode?) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: path().keys, debugDescription: text))
  }
}
