public import Foundation

/// The place where an iteration over pages goes on: the request of a page. An app can keep it, and go on from it later.
///
/// The URL is as the server named it, so it may hold anything that the server puts into a URL. The body is the one that
/// the iteration was begun with, with the place of the page in it.
public struct PageToken: Sendable, Hashable, Codable {
  public let url: URL
  /// The body of the request, as JSON; `nil` for a request without one.
  public let body: Data?
  /// The value of the header field `Range`; `nil` for a request without it.
  public let range: String?

  /// Makes a token.
  ///
  /// - Parameters:
  ///   - url: The URL of the page.
  ///   - body: The body of the request, as JSON.
  ///   - range: The value of the header field `Range`.
  public init(url: URL, body: Data? = nil, range: String? = nil) {
    (self.url, self.body, self.range) = (url, body, range)
  }

  private enum Keys: String, CodingKey { case url, body, range }

  public init(from decoder: any Decoder) throws {
    if let url = try? decoder.singleValueContainer().decode(URL.self) {
      self.init(url: url)
      return
    }
    let container = try decoder.container(keyedBy: Keys.self)
    self.init(
      url: try container.decode(URL.self, forKey: .url), body: try container.decodeIfPresent(Data.self, forKey: .body),
      range: try container.decodeIfPresent(String.self, forKey: .range))
  }

  /// A URL alone is encoded as a single value.
  public func encode(to encoder: any Encoder) throws {
    guard body != nil || range != nil else {
      var container = encoder.singleValueContainer()
      return try container.encode(url)
    }
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(url, forKey: .url)
    try container.encodeIfPresent(body, forKey: .body)
    try container.encodeIfPresent(range, forKey: .range)
  }
}

extension PageToken: CustomStringConvertible, CustomReflectable {
  /// The URL without user info and the values of its query, and the size of the body.
  public var description: String {
    url.shown + (body.map { ", a body of \($0.count) bytes" } ?? "") + (range.map { ", range \($0)" } ?? "")
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
