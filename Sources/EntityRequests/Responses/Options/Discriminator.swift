import EntityJSON

/// The key and the values by which an object of a response says that it belongs to an entity.
///
/// ```swift
/// // {"attachments": [{"type": "image", "id": 1, …}, {"type": "video", "id": 2, …}]}
/// extension Image: RemoteEntity {
///   static var basePath: String { "images" }
///   static var discriminator: Discriminator? { Discriminator("type", "image", "photo") }
/// }
/// ```
///
/// An object with another value does not belong to the entity:
/// - Among the response's own objects and in a part it is passed over, and ``EntityResponse/unrecognized`` lists its
///   type.
/// - Several relationships may have one key: each takes the objects of its entity, so that
///   `@Key("attachments") var images: [Image]` and `@Key("attachments") var videos: [Video]` divide a list between
///   them. A to-one relationship becomes `nil` when the object belongs to another entity. An object that no
///   relationship takes is listed as well.
///
/// An object without the key is taken if the request or the relationship can mean one entity only, and is an error if
/// it can mean several. A bare id is then an error too, because it has no type.
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

  /// The type that an object names; `nil` when it names none.
  func type(of object: JSONObject) -> String? { Self.type(object[key]) }

  static func type(_ value: JSONValue?) -> String? {
    guard let value else { return nil }
    return value.string ?? value.lexeme ?? value.bool.map { $0 ? "true" : "false" }
  }
}
