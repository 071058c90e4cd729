import EntityJSON
public import EntityStore
import Foundation

/// How the changes of a list since the last load are asked for, in place of its first page: one request brings all that
/// changed, and what was deleted.
///
/// ```swift
/// static let all = StoredCollection<Note>(pages: .header("Next-Page"), changes: .delta("_since", from: .header("ETag")))
/// ```
///
/// The first load walks all pages. Later loads send the token that the walk began with, and take in the objects that come:
/// new members are put before the others in the order of the pages, and members stay where they are. Objects with `deletionKey` are deleted, and leave
/// the list. 410 says that the server does not know the token any more: the list is walked anew.
///
/// The token of a walk is that of its first page, because objects may change while the other pages come. It counts once the
/// last page is here, so that a walk that ends early is asked for again.
///
/// A server that gives the URL of the next changes gives it with the last page; see ``link(from:)``.
public struct CollectionDelta<E: RemoteEntity>: Sendable {
  /// The query's name for the token; `nil` where the token is a URL.
  let parameter: String?
  let source: Source
  let isOldestFirst: Bool

  /// Where the token of a page is.
  public struct Source: Sendable {
    enum Place: Sendable {
      case header(String)
      case body(String)
      case greatest(property: Int)
    }

    let place: Place

    /// A header field. Quotes, as those of an entity tag, are left out.
    public static func header(_ name: String) -> Self { Self(place: .header(name)) }

    /// A key path of the body.
    public static func body(_ keyPath: String) -> Self { Self(place: .body(keyPath)) }

    /// The greatest value of a property among the objects of the page, as the server writes it: numbers by size, texts such
    /// as dates in ISO 8601 by their characters.
    public static func maximum<V: AttributeValue>(_ property: KeyPath<E.Columns, Column<E, V>>) -> Self {
      Self(place: .greatest(property: E.columns[keyPath: property].index))
    }
  }

  /// - Parameters:
  ///   - parameter: The query's name for the token.
  ///   - source: Where the token of a page is.
  ///   - isOldestFirst: Whether the pages of changes come in the order of the changes. Each page then counts by its own token,
  ///     so that a walk that ends early goes on behind its last page.
  public static func delta(_ parameter: String, from source: Source, isOldestFirst: Bool = false) -> Self {
    Self(parameter: parameter, source: source, isOldestFirst: isOldestFirst)
  }

  /// A URL for the next changes, which the last page has: a delta link, as OData and Microsoft Graph give it.
  ///
  /// ```swift
  /// static let all = StoredCollection<Person>(
  ///   pages: .body(#"@odata\.nextLink"#, mayBeAbsent: true), changes: .link(from: .body(#"@odata\.deltaLink"#)))
  /// ```
  ///
  /// The URL is asked for as it is, with the protection that a next page has: it must be of the collection's origin, or of one
  /// that the collection allows. Another one is not followed: each load walks all pages, and the client's `onRefreshFailure` hears
  /// why. The file has the URL without the fields of the query that the first page has, too.
  ///
  /// - Parameter source: Where the last page has the URL.
  public static func link(from source: Source) -> Self { Self(parameter: nil, source: source, isOldestFirst: true) }

  /// Whether a page's token is a URL.
  var isLink: Bool { parameter == nil }

  /// The token of a page; `nil` for a page without one.
  func token(of page: ReceivedPage, _ model: EntityModel) -> String? {
    let text: String?
    switch source.place {
    case .header(let name):
      let value = page.response.headers[name]?.trimmingCharacters(in: [" ", "\t"])
      let tag = value.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
      text = tag.map {
        $0.count > 1 && $0.hasPrefix("\"") && $0.hasSuffix("\"") ? String($0.dropFirst().dropLast()) : $0
      }
    case .body(let keyPath): text = page.body?[keyPath].flatMap { $0.string ?? $0.lexeme }
    case .greatest(let property):
      guard model.properties.indices.contains(property) else { return nil }
      let key = model.properties[property].key
      text = page.objects.compactMap { $0[key].flatMap { $0.string ?? $0.lexeme } }.max { $0.isLess(than: $1) }
    }
    let limit = isLink ? KeptPlace.limit : 1_024
    return text.flatMap { $0.isEmpty || $0.utf8.count > limit ? nil : $0 }
  }
}

extension String {
  /// The order of two numbers, or else that of two texts.
  fileprivate func isLess(than other: String) -> Bool {
    if let own = Int64(self), let other = Int64(other) { return own < other }
    if let own = Double(self), let other = Double(other) { return own < other }
    return self < other
  }
}
