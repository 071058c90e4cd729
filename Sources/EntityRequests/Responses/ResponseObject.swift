public import EntityJSON
public import Foundation

/// An object of a response, as `update(with:)` receives it: a JSON object, and where in the response it stands.
///
/// Nested values are plain JSON: `JSONValue` and `JSONObject`.
public struct ResponseObject: Sendable {
  /// The object's JSON.
  public var json: JSONObject {
    noteUse(fields.value)
    return fields
  }
  let fields: JSONObject
  /// The response that the object came with, and its place there.
  public let context: ResponseContext
  /// The upsert that the object is read for.
  let upsert: CurrentUpsert.Token?

  /// An object that is not of a response: for calls of `update(with:)` and tests.
  ///
  /// - Parameters:
  ///   - json: The object.
  ///   - context: The context of the object.
  public init(_ json: JSONObject, context: ResponseContext? = nil) {
    self.init(json, context ?? ResponseContext(MappingError.Place()))
  }

  init(_ json: JSONObject, _ context: ResponseContext, in upsert: CurrentUpsert.Token? = nil) {
    fields = json
    self.context = context
    self.upsert = upsert
  }

  /// The place, for errors, of the object or of the object that contains it.
  var place: MappingError.Place { context.place }

  /// This object as a value.
  public var value: JSONValue { json.value }

  // MARK: Fields

  /// The number of different keys. Counting takes time in proportion to it, as `keys` and iteration do.
  public var count: Int { fields.count }

  /// The keys in their order, each once.
  public var keys: [String] { fields.keys }

  /// True when there is a value under the key path; a null is a value.
  public func contains(_ keyPath: String) -> Bool { self[keyPath] != nil }

  /// The value under a key, or under keys separated by dots; nil when there is none. A null is a value.
  ///
  /// See `JSONObject.subscript(_:)`.
  public subscript(_ keyPath: String) -> JSONValue? {
    let value = fields[keyPath]
    noteUse(value)
    return value
  }

  // MARK: Objects in it

  /// The object under a key path, for a service that wraps the fields of an object; `nil` when there is none.
  ///
  /// ```swift
  /// // {"id": 7, "attributes": {"title": "…"}}
  /// try assignDeclared(from: response.object("attributes") ?? response)
  /// ```
  public func object(_ keyPath: String) -> ResponseObject? {
    fields[keyPath]?.object.map { ResponseObject($0, context, in: upsert) }
  }

  /// An object of some fields of this object, for a child whose values stand in its parent.
  ///
  /// See `JSONObject.picking(_:)`.
  public func picking(_ keyPaths: String...) -> ResponseObject {
    for keyPath in keyPaths { noteUse(fields[keyPath]) }
    return ResponseObject(fields.picking(keyPaths), context, in: upsert)
  }

  /// An object of some fields of this object, under other keys than here.
  ///
  /// ```swift
  /// // {"id": 7, "address_street": "Main St. 1", "address_city": "Oslo"}
  /// try response.picking(["address_street": "street", "address_city": "city"]).assign(to: &address)
  /// ```
  public func picking(_ keys: KeyValuePairs<String, String>) -> ResponseObject {
    for (keyPath, _) in keys { noteUse(fields[keyPath]) }
    return ResponseObject(fields.picking(keys), context, in: upsert)
  }

  // MARK: Other forms

  /// The object as a `Decodable` type.
  ///
  /// - Throws: `DecodingError`, as `JSONValueDecoder.decode(_:from:)`.
  public func decode<T: Decodable>(
    _ type: T.Type = T.self, using decoder: JSONValueDecoder = JSONValueDecoder()
  ) throws -> T {
    try json.decode(type, using: decoder)
  }

  /// As `JSONValue.data(format:)`.
  public func data(format: JSONFormat) -> Data { json.data(format: format) }
}

extension ResponseObject: Sequence {
  public func makeIterator() -> JSONObject.Iterator { json.makeIterator() }

  public var underestimatedCount: Int { 0 }
}

extension ResponseObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(JSONObject(fields: elements)) }
}

/// Two objects are equal when their JSON is equal, wherever they stand.
extension ResponseObject: Equatable {
  public static func == (left: ResponseObject, right: ResponseObject) -> Bool { left.fields == right.fields }
}

extension ResponseObject: CustomStringConvertible {
  /// As `JSONValue.description`.
  public var description: String { fields.description }
}
