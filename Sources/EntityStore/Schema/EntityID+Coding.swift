public import Foundation

// An id as text is the name of its entity, a slash and the row id: `User/42`. Row ids are never reused within a file, and
// mean nothing in another one.

extension EntityID: Codable where Entity: ManagedEntity {
  /// Writes the id as one string: `"User/42"`.
  public func encode(to encoder: any Encoder) throws { try untyped.encode(to: encoder) }

  /// Reads an id that was written by a program with the same file.
  ///
  /// - Throws: `DecodingError` for what is no id, and for the id of another entity.
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

  /// The id that a text is; `nil` for what is none, and for the id of another entity.
  public init?(_ description: String) {
    guard let id = AnyEntityID(text: description) else { return nil }
    self.init(id)
  }
}

extension EntityID where Entity: ManagedEntity {
  /// The id as a URL, for what keeps URLs: `entity-store:User/42`. It says nothing of the file, and leads nowhere else.
  public var url: URL { untyped.url }

  /// The id that a URL is; `nil` for what is none, and for the id of another entity.
  public init?(url: URL) {
    guard let id = AnyEntityID(url: url) else { return nil }
    self.init(id)
  }
}

extension AnyEntityID: Codable {
  /// Writes the id as one string: `"User/42"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Reads an id that was written by a program with the same file.
  ///
  /// - Throws: `DecodingError` for what is no id.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = Self(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "An id is the name of an entity, a slash and a number: 'User/42'.")
    }
    self = id
  }

  /// The id as a URL, for what keeps URLs: `entity-store:User/42`.
  public var url: URL {
    var parts = URLComponents()
    parts.scheme = Self.scheme
    parts.path = text
    // The scheme has only letters and a hyphen, and a path that begins with no slash needs no host: there is such a URL.
    return parts.url ?? URL(filePath: text)
  }

  /// The id that a URL is; `nil` for what is none.
  public init?(url: URL) {
    guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false), parts.scheme == Self.scheme,
      parts.host == nil, parts.query == nil, parts.fragment == nil
    else { return nil }
    self.init(text: parts.path)
  }

  private static let scheme = "entity-store"

  var text: String { "\(entityName)/\(pk)" }

  init?(text: String) {
    guard let slash = text.lastIndex(of: "/"), slash > text.startIndex else { return nil }
    let number = text[text.index(after: slash)...]
    // Another spelling of the number would be another text of the same id.
    guard let pk = Int64(number), pk > 0, String(pk) == number else { return nil }
    self.init(entityName: String(text[..<slash]), pk: pk)
  }
}
