public import Foundation

/// Encodes any `Encodable` type as JSON, with the same writer as all other JSON.
///
/// ```swift
/// let data = try JSONValueEncoder(format: .sorted).encode(user)
/// ```
///
/// The text is that of Foundation's encoder with unescaped slashes. Data is base64 (RFC 4648 §4), a URL its absolute
/// string, and a UUID upper case. A `Decimal` has all its digits. A dictionary is an object where its keys are strings
/// or integers. It differs where Foundation's is lenient:
///
/// - A number that is not finite is refused, also in a `Decimal`: JSON has no such number (RFC 8259 §6).
/// - More than 512 nested arrays and objects are refused, because no reader of this module would accept them.
/// - Dates are ISO 8601.
/// - Where keys are sorted, the elements of a `Set` are sorted too, and so are those of a dictionary whose keys are
///   neither strings nor integers. Foundation's encoder writes these in the order of their hashes. ``JSONValue`` keeps
///   the digits of its numbers.
/// - A second value in the place of a value, and a container in the place of a value, are errors and do not trap.
public struct JSONValueEncoder: Sendable {
  /// How a `Date` is written.
  public enum DateEncodingStrategy: Sendable {
    /// In ISO 8601 (RFC 3339), UTC; a date outside of the years 0 to 9999 is an error.
    case iso8601
    /// As in `iso8601`; a date outside of the years 0 to 9999 is a number, its seconds since 1970.
    case iso8601OrSeconds
  }

  public var format: JSONFormat
  public var dateEncodingStrategy: DateEncodingStrategy
  /// The user info that `encode(to:)` finds in its encoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init(format: JSONFormat = .compact, dateEncodingStrategy: DateEncodingStrategy = .iso8601) {
    self.format = format
    self.dateEncodingStrategy = dateEncodingStrategy
  }

  /// The JSON text of a value.
  ///
  /// - Throws: `EncodingError` with the coding path, for a value that JSON can't hold and for a value that encodes
  ///   nothing; the errors of the type's own `encode(to:)`.
  public func encode(_ value: some Encodable) throws -> Data { Data(try bytes(of: value)) }

  package func bytes<T: Encodable>(of value: T) throws -> [UInt8] {
    let state = EncodingState(options: self)
    guard let part = try state.part(of: value, depth: 0, path: { nil }) else {
      throw EncodingError.invalidValue(
        value, EncodingError.Context(codingPath: [], debugDescription: "The value of type \(T.self) encodes nothing."))
    }
    if let error = state.misuse { throw error }
    var writer = JSONWriter(format: format)
    writer.part(part)
    return writer.bytes
  }
}
