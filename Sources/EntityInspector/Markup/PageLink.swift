import EntityStore
import Foundation

/// The address of a page, below the root of the inspector.
struct PageLink {
  /// The path and the query, with all that is no plain character percent-encoded.
  let path: String

  init(_ parts: [String], _ query: [(name: String, value: String)] = []) {
    let base = parts.map(Self.encoded).joined(separator: "/")
    let rest = query.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    path = rest.isEmpty ? base : "\(base)?\(rest)"
  }

  init(_ part: String) { self.init([part]) }

  static func rows(_ query: RowsQuery) -> PageLink { PageLink(["e", query.entity.name], query.parameters) }

  static func entity(_ name: String, _ query: [(name: String, value: String)] = []) -> PageLink {
    PageLink(["e", name], query)
  }

  static func object(_ link: ObjectLink) -> PageLink { PageLink(["e", link.entity, "\(link.pk)"]) }

  static func object(_ entity: String, _ pk: Int64) -> PageLink { PageLink(["e", entity, "\(pk)"]) }

  static func commit(_ generation: Int64) -> PageLink { PageLink(["commits", "\(generation)"]) }

  static func sql(_ sql: String) -> PageLink { PageLink(["sql"], [("q", sql)]) }

  /// RFC 3986 §2.3: what needs no encoding anywhere.
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }
}
