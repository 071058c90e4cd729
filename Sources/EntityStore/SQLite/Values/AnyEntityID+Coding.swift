public import Foundation

// An id as text is the name of its entity, a slash and the row id: `User/42`. Row ids are never reused within a file,
// and mean nothing in another file.

extension AnyEntityID: Codable {
  /// Writes the id as one string: `"User/42"`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  /// Reads an id that was written by a program with the same file.
  ///
  /// - Throws: `DecodingError` for a value that is no id.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let id = Self(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "An id is the name of an entity, a slash and a number: 'User/42'.")
    }
    self = id
  }

  /// The id as a URL, for code that keeps URLs: `entity-store:User/42`.
  public var url: URL {
    var parts = URLComponents()
    parts.scheme = Self.scheme
    parts.path = text
    // The scheme has only letters and a hyphen, and a path without a leading slash needs no host: so the URL always
    // exists.
    return parts.url ?? URL(filePath: text)
  }

  /// The id in a URL; `nil` for a URL without an id.
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
    // Another spelling of the number would be another text for the same id.
    guard let pk = Int64(number), pk > 0, String(pk) == number else { return nil }
    self.init(entityName: String(text[..<slash]), pk: pk)
  }
}
