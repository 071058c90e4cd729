import EntityJSON
import Foundation

/// The URL of the next page in a list of links in the body, each with its relation; see
/// ``Pagination/listedLinks(_:relation:url:next:mayBeAbsent:)``.
public struct ListedLinkPagination: Pagination {
  let list: String
  let relationKey: String
  let urlKey: String
  let relation: String
  let mayBeAbsent: Bool

  public var readsAllObjects: Bool { false }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    guard let value = try page.declared(list, mayBeAbsent: mayBeAbsent), !value.isNull else { return nil }
    guard let links = value.array else { throw page.mistyped(list, value, "a list of links") }
    func link(_ names: [String]) throws -> JSONValue? {
      for (index, link) in links.enumerated() {
        guard let name = link[relationKey]?.string else {
          throw RequestError(
            .pagination,
            "The link '\(list.prefix(200).escaped)[\(index)]' has no text under '\(relationKey.prefix(200).escaped)'.")
        }
        if names.contains(name) { return link }
      }
      return nil
    }
    let back = relation == "next" ? ["prev", "previous"] : ["next"]
    if page.mustBeFirst, try link(back) != nil { throw page.isNotFirst }
    guard let next = try link(relation == "prev" ? [relation, "previous"] : [relation]) else { return nil }
    guard let url = next[urlKey], let text = url.string, !text.isEmpty else {
      throw RequestError(
        .pagination,
        "The link '\(relation.prefix(200).escaped)' under '\(list.prefix(200).escaped)' has no URL under "
          + "'\(urlKey.prefix(200).escaped)'.")
    }
    return .url(text)
  }
}

extension Pagination where Self == ListedLinkPagination {
  /// The URL of the next page in a list of links in the body: `.listedLinks("link", relation: "relation", url: "url")`
  /// reads FHIR's `{"link": [{"relation": "next", "url": "…"}]}`.
  ///
  /// The last page is the one whose list has no such link.
  ///
  /// - Parameters:
  ///   - list: The key path of the list.
  ///   - relation: The key of a link's relation.
  ///   - url: The key of its URL.
  ///   - next: The relation of the next page; `prev`, or `previous`, walks backward.
  ///   - mayBeAbsent: Whether a first page that is the only one lacks the list.
  public static func listedLinks(
    _ list: String = "links", relation: String = "rel", url: String = "href", next: String = "next",
    mayBeAbsent: Bool = false
  ) -> ListedLinkPagination {
    ListedLinkPagination(
      list: list, relationKey: relation, urlKey: url, relation: next, mayBeAbsent: mayBeAbsent)
  }
}
