public import Foundation

/// The place where an iteration over pages goes on. An app can keep it, and go on from it later.
///
/// It is a URL as the server named it, so it may hold anything that the server puts into a URL.
public struct PageToken: Sendable, Hashable, Codable {
  public let url: URL

  public init(url: URL) { self.url = url }

  public init(from decoder: any Decoder) throws {
    url = try decoder.singleValueContainer().decode(URL.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(url)
  }
}

extension PageToken: CustomStringConvertible, CustomReflectable {
  /// The URL without user info and the values of its query.
  public var description: String { url.shown }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
