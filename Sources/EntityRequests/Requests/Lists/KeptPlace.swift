import EntityJSON
import HTTPFoundation

/// The place of a page, as the note of a list has it in the file.
///
/// The parts that the URL shares with the first page are left out: they may hold secrets, and the program knows them. So the
/// file has what the server said, a cursor for example, and nothing else.
struct KeptPlace: Codable, Equatable, Sendable {
  /// The URL without its query; `nil` where it is the first page's.
  private var url: String?
  /// The fields of the query as they are written. `#2` is the field of that number in the query of the first page.
  private var fields: [String]
  /// The value of the header field `Range`; `nil` for a request without it.
  private var range: String?

  /// A URL with more bytes is not kept.
  static let limit = 32_768

  /// - Parameter home: The URL of the first page.
  /// - Throws: ``RequestError`` of kind `pagination` for a URL that is too long.
  init(_ token: PageToken, from home: URL) throws {
    let page = token.url
    guard page.absoluteString.utf8.count <= Self.limit else {
      throw RequestError(.pagination, "The URL of the next page has more than \(Self.limit) bytes.")
    }
    let known = Self.fields(of: home)
    url = Self.base(of: page) == Self.base(of: home) ? nil : Self.base(of: page)
    // A server may encode the same field in another way.
    let decoded = known.map { URL.decodedField($0[...]) }
    fields = Self.fields(of: page).map { field in
      decoded.firstIndex(of: URL.decodedField(field[...])).map { "#\($0)" } ?? field
    }
    range = token.range
  }

  /// Reads a place from its text; `nil` for a text in another form.
  init?(_ text: String) {
    guard let place = try? JSONValueDecoder().decode(KeptPlace.self, from: text) else { return nil }
    self = place
  }

  var text: String {
    get throws { String(decoding: try JSONValueEncoder(format: .sorted).bytes(of: self), as: UTF8.self) }
  }

  /// The place; `nil` for one that something else wrote.
  func token(from home: URL) -> PageToken? {
    let known = Self.fields(of: home)
    var query: [String] = []
    for field in fields {
      guard field.hasPrefix("#") else {
        query.append(field)
        continue
      }
      guard let index = Int(field.dropFirst()), known.indices.contains(index) else { return nil }
      query.append(known[index])
    }
    let url = URL(string: (url ?? Self.base(of: home)) + (query.isEmpty ? "" : "?" + query.joined(separator: "&")))
    return url.map { PageToken(url: $0, range: range) }
  }

  private static func base(of url: URL) -> String { String(url.absoluteString.prefix { $0 != "?" && $0 != "#" }) }

  private static func fields(of url: URL) -> [String] {
    (url.query(percentEncoded: true) ?? "").split(separator: "&").map(String.init)
  }
}
