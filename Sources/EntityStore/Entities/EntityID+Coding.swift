public import Foundation

// A typed id has the same text as an untyped one; see `AnyEntityID`.

extension EntityID: Codable where Entity: ManagedEntity {
  /// Writes the id as one string: `"User/42"`.
  public func encode(to encoder: any Encoder) throws { try untyped.encode(to: encoder) }

  /// Reads an id that was written by a program with the same file.
  ///
  /// - Throws: `DecodingError` for a value that is no id, and for the id of another entity.
  public init(from decoder: any Decoder) throws {
    let id = try AnyEntityID(from: decoder)
    guard let typed = Self(id) else {
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "The id is one of '\(id.entityName)', and one of '\(Entity.entityName)' was asked for."))
    }
    self = typed
  }
}

extension EntityID: CustomStringConvertible, LosslessStringConvertible where Entity: ManagedEntity {
  /// The id as text: `User/42`.
  public var description: String { untyped.text }

  /// The id in a text; `nil` for a text without an id, and for the id of another entity.
  public init?(_ description: String) {
    guard let id = AnyEntityID(text: description) else { return nil }
    self.init(id)
  }
}

extension EntityID where Entity: ManagedEntity {
  /// The id as a URL, for code that keeps URLs: `entity-store:User/42`. It does not name the file, and leads nowhere
  /// else.
  public var url: URL { untyped.url }

  /// The id in a URL; `nil` for a URL without an id, and for the id of another entity.
  public init?(url: URL) {
    guard let id = AnyEntityID(url: url) else { return nil }
    self.init(id)
  }
}
