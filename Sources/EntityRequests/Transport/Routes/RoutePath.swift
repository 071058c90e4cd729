import EntityJSON
package import Foundation

/// The path of a request as patterns see it: below the base URL, split into components, each percent-decoded.
///
/// The path is split before it is decoded, so that `%2F` separates nothing. Slashes at both ends mean nothing. An empty
/// component between two slashes counts.
package struct RoutePath: Sendable, Hashable {
  /// Why a URL has no path that a pattern could match.
  package enum Obstacle: Sendable, Hashable {
    /// The URL is of another origin than the base URL (RFC 6454 §5).
    case otherOrigin
    /// The path does not begin with the components of the base path.
    case outsideBase
    /// No URL is known.
    case noURL
  }

  /// The path of a response that was delivered without a URL.
  static let unknown = RoutePath(components: [], obstacle: .noURL)

  private init(components: [String], obstacle: Obstacle?) {
    self.components = components
    self.obstacle = obstacle
  }

  package let components: [String]
  package let obstacle: Obstacle?

  /// - Parameter path: A path as it stands in a URL. A query and a fragment behind it are left out.
  package init(_ path: String) {
    components = Self.components(path)
    obstacle = nil
  }

  /// The path of a URL below a base URL, component by component: `/v1` is no beginning of `/v10/users`.
  ///
  /// - Parameters:
  ///   - url: The URL of a request, and not of a redirect, which the routes don't know.
  ///   - base: The base URL, with or without a slash at its end.
  package init(_ url: URL, below base: URL) {
    let all = Self.components(url.path(percentEncoded: true))
    let root = Self.components(base.path(percentEncoded: true))
    if !url.hasSameOrigin(as: base) {
      obstacle = .otherOrigin
    } else {
      obstacle = all.starts(with: root) ? nil : .outsideBase
    }
    components = obstacle == nil ? Array(all.dropFirst(root.count)) : all
  }

  private static func components(_ path: String) -> [String] {
    let slash = UInt8(ascii: "/")
    var path = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    while path.first == slash { path.removeFirst() }
    while path.last == slash { path.removeLast() }
    guard !path.isEmpty else { return [] }
    return path.split(separator: slash, omittingEmptySubsequences: false).map {
      PercentEncoding.decoded(Substring($0))
    }
  }

  /// The path, for people: not encoded, and cut off where it is long.
  var shown: String {
    let text = components.prefix(20).map { Self.cut($0) }.joined(separator: "/")
    return text.isEmpty ? "/" : text + (components.count > 20 ? "/…" : "")
  }

  /// A component, for people.
  func quoted(_ index: Int) -> String { "'\(Self.cut(components[index]))'" }

  private static func cut(_ text: String) -> String { (text.count > 60 ? text.prefix(60) + "…" : text).escaped }
}
