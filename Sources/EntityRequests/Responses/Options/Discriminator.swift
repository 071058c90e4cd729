import EntityJSON

/// The values of a key by which an object of a response says that it is one of an entity.
///
/// ```swift
/// // {"attachments": [{"type": "image", "id": 1, …}, {"type": "video", "id": 2, …}]}
/// extension Image: RemoteEntity {
///   static var basePath: String { "images" }
///   static var discriminator: Discriminator? { Discriminator("type", "image", "photo") }
/// }
/// ```
///
/// An object with another value is none of the entity:
/// - Among the response's own objects and in a part it is passed over, and told by ``EntityResponse/unrecognized``.
/// - Several relationships may have one key: each takes the objects of its entity, so that `@Key("attachments") var images:
///   [Image]` and `@Key("attachments") var videos: [Video]` divide a list between them. A to-one relationship to another
///   entity than the object's becomes `nil`. An object that none of them takes is told.
///
/// An object without the key is taken where the request or the relationship can mean one entity only, and is an error
/// where it can mean several. So is a bare id there, which says no type.
public struct Discriminator: Sendable, Hashable {
  /// The key path of the type in an object.
  public let key: String
  /// The values of the entity. Numbers and booleans are compared as they are written: `2`, `true`.
  public let values: Set<String>

  /// - Parameters:
  ///   - key: The key path of the type in an object; dots separate keys.
  ///   - values: The values of the entity.
  public init(_ key: String, _ values: String...) {
    self.key = key
    self.values = Set(values)
  }

  /// The type that an object says it is; `nil` where it says none.
  func type(of object: JSONObject) -> String? { Self.type(object[key]) }

  static func type(_ value: JSONValue?) -> String? {
    guard let value else { return nil }
    return value.string ?? value.lexeme ?? value.bool.map { $0 ? "true" : "false" }
  }
}
