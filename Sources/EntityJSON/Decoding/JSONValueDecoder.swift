public import Foundation

/// Decodes any `Decodable` type from JSON. The values are those of Foundation's decoder, read from the same tape as
/// responses.
///
/// ```swift
/// var decoder = JSONValueDecoder()
/// decoder.dateDecodingStrategy = .iso8601
/// let users = try decoder.decode([User].self, from: data)
/// let address = try response.object?["user.address"]?.decode(Address.self, using: decoder)
/// ```
///
/// Results, error cases and coding paths are those of Foundation's decoder. It differs where Foundation's is inexact or
/// lenient:
///
/// - The text is RFC 8259: no comma before a bracket, no byte order mark, no UTF-16.
/// - Integers and `Decimal` are exact, or an error that names the place of the number. A `Float` is the nearest one to
///   the written number.
/// - Of fields with the same key, the last one counts, as in ``JSONObject``. To refuse such fields, parse with
///   ``JSONValue/init(parsing:duplicateKeys:byteOrderMark:)`` and decode the value.
/// - `.iso8601` also reads dates with a fraction of the second, and refuses dates that do not exist.
/// - Values of more than 512 nested arrays and objects are refused, also values that were made here. With less nesting,
///   they are refused where the stack of the thread has no room for the types' own `init(from:)`.
/// - ``JSONValue``, ``JSONObject`` and ``JSONArray`` are properties like any other, and copy nothing.
public struct JSONValueDecoder: Sendable {
  /// How a `Date` is read.
  public var dateDecodingStrategy: DateDecodingStrategy = .deferredToDate
  /// How `Data` is read.
  public var dataDecodingStrategy: DataDecodingStrategy = .base64
  /// Whether certain strings are read as the infinities and NaN, which JSON does not have (RFC 8259 §6).
  public var nonConformingFloatDecodingStrategy: NonConformingFloatDecodingStrategy = .throw
  /// How the keys of objects become the keys of a type's `CodingKey`s. The keys of a `Dictionary` stay as they are.
  public var keyDecodingStrategy: KeyDecodingStrategy = .useDefaultKeys
  /// The user info that `init(from:)` finds in its decoder.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  public init() {}

  /// Decodes a JSON text.
  ///
  /// - Throws: `DecodingError`. For a text that is not JSON it is `dataCorrupted`, with the ``JSONError`` as
  ///   `underlyingError`. Errors of the type's own `init(from:)` are passed on.
  public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
    try decode(type) { () throws(JSONError) in try JSONValue(parsing: data) }
  }

  /// The same, from a text whose bytes are at hand.
  package func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    try decode(type) { () throws(JSONError) in
      JSONValue(document: try JSONDocument(unpadded: Array(text.utf8), limits: .standard), index: 0)
    }
  }

  private func decode<T: Decodable>(_ type: T.Type, _ parse: () throws(JSONError) -> JSONValue) throws -> T {
    let value: JSONValue
    do {
      value = try parse()
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "The given data was not valid JSON: \(error)", underlyingError: error))
    }
    return try decode(type, from: value)
  }

  /// Decodes a value that was parsed before.
  ///
  /// - Throws: `DecodingError`, with coding paths that begin at `value`; errors of the type's own `init(from:)`.
  public func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
    try DecodingState(document: value.document, options: self).decode(type, at: value.index) { nil }
  }
}

extension JSONValue {
  /// The value as a `Decodable` type.
  ///
  /// - Throws: as ``JSONValueDecoder/decode(_:from:)-(_,JSONValue)``.
  public func decode<T: Decodable>(_ type: T.Type = T.self, using decoder: JSONValueDecoder = JSONValueDecoder()) throws
    -> T
  {
    try decoder.decode(type, from: self)
  }
}

extension JSONObject {
  /// The object as a `Decodable` type.
  ///
  /// - Throws: as ``JSONValueDecoder/decode(_:from:)-(_,JSONValue)``.
  public func decode<T: Decodable>(_ type: T.Type = T.self, using decoder: JSONValueDecoder = JSONValueDecoder()) throws
    -> T
  {
    try decoder.decode(type, from: value)
  }
}

extension JSONArray {
  /// The array as a `Decodable` type.
  ///
  /// - Throws: as ``JSONValueDecoder/decode(_:from:)-(_,JSONValue)``.
  public func decode<T: Decodable>(_ type: T.Type = T.self, using decoder: JSONValueDecoder = JSONValueDecoder()) throws
    -> T
  {
    try decoder.decode(type, from: value)
  }
}
