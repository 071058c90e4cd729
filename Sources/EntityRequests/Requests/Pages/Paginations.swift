import EntityJSON
public import Foundation

/// The header field `Link` with the relation `next` (RFC 8288); see ``Pagination/link``.
public struct LinkPagination: Pagination {
  let relation: String
  /// The parameters of the query by which a page is not the first one; without any, a link back tells it.
  var places: [String] = []

  public var readsAllObjects: Bool { false }

  public func isFirst(_ url: URL) -> Bool {
    // The page without a place is the first one forward. Backward, the walk begins behind older objects.
    places.allSatisfy { url.queryFields[$0] == nil } && (places.isEmpty || !leadsBackward)
  }

  private var leadsBackward: Bool { ["prev", "previous"].contains(relation.lowercased()) }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    let base = page.response.url ?? page.url
    let fields = page.response.headers.values(of: "Link").map { LinkHeader.read($0) }
    let links = fields.flatMap(\.links)
    func link(_ relation: String) -> LinkHeader.Link? {
      // Some servers call it `previous` (RFC 8288 §3.3 has `prev`).
      let names = relation == "prev" ? [relation, "previous"] : [relation]
      return links.first { link in names.contains { link.has($0, base: base) } }
    }
    if page.mustBeFirst, places.isEmpty, link(relation == "prev" ? "next" : "prev") != nil { throw page.isNotFirst }
    if let next = link(relation) { return .url(next.target) }
    guard fields.allSatisfy(\.isWellFormed) else {
      throw RequestError(
        .pagination, "The header Link is malformed (RFC 8288 §3), so it can't be told whether there is a next page.")
    }
    return try page.end()
  }
}

/// A header field with the URL of the next page; see ``Pagination/header(_:)``.
public struct HeaderPagination: Pagination {
  let name: String

  public var readsAllObjects: Bool { false }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    let values = Set(page.response.headers.values(of: name).map { $0.trimmingCharacters(in: [" ", "\t"]) })
    guard values.count <= 1 else {
      throw RequestError(
        .pagination, "The header '\(name.prefix(200).escaped)' is there more than once, with different values.")
    }
    guard let value = values.first, !value.isEmpty else { return try page.end() }
    return .url(value)
  }
}

/// The URL of the next page in the body; see ``Pagination/body(_:mayBeAbsent:)``.
public struct BodyPagination: Pagination {
  let keyPath: String
  let mayBeAbsent: Bool

  public var readsAllObjects: Bool { false }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    if page.mustBeFirst, previousKeyPaths.contains(where: { page.body?[$0].map { !$0.saysEnd } ?? false }) {
      throw page.isNotFirst
    }
    guard let value = try page.declared(keyPath, mayBeAbsent: mayBeAbsent) else { return nil }
    // A link object, as in JSON:API and HAL.
    let url = value.kind == .object ? value["href"] : value
    if let url, url.saysEnd { return nil }
    guard let text = url?.string else { throw page.mistyped(keyPath, value, "a URL") }
    return .url(text)
  }

  /// The key paths of the page before, beside a `next`; of the page after, beside a `previous`.
  private var previousKeyPaths: [String] {
    let names = ["next": ["prev", "previous"], "prev": ["next"], "previous": ["next"]]
    guard let own = names.keys.first(where: { keyPath == $0 || keyPath.hasSuffix(".\($0)") }) else { return [] }
    return names[own, default: []].map { keyPath.dropLast(own.count) + $0 }
  }
}

extension ReceivedPage {
  /// The value in the body under the key path that the project declared for the next page; `nil` when its absence says
  /// that this is the last page.
  ///
  /// On the first page, absence can't be told from a wrong key path. A later page was found by that very key path.
  ///
  /// - Throws: ``RequestError`` of kind `pagination`.
  func declared(_ keyPath: String, mayBeAbsent: Bool, onAnyPage: Bool = false) throws -> JSONValue? {
    guard let body else {
      // 204 and 205 have nothing, and 304 does not say which objects there are.
      if objects.isEmpty, response.status != 304 { return nil }
      throw RequestError(.pagination, "The page has no body, which would say where the next one is.")
    }
    if let value = body[keyPath] { return value }
    if let sign = body.oddSign(keyPath) {
      throw RequestError(
        .pagination,
        "The body has nothing under '\(keyPath.prefix(200).escaped)', which would say whether there is a next page. \(sign)"
      )
    }
    if body.kind == .object, mayBeAbsent || (!isFirst && !onAnyPage) { return nil }
    let hint =
      onAnyPage || body.kind != .object ? "" : " If the last page leaves it out, declare it with `mayBeAbsent: true`."
    throw RequestError(
      .pagination,
      "The body has nothing under '\(keyPath.prefix(200).escaped)', which would say whether there is a next page.\(hint)"
    )
  }

  /// Ends the pages at a page without objects or without a next page. A 304 is no end, because it does not show the
  /// page.
  func end() throws -> NextPage? {
    guard response.status != 304 else {
      throw RequestError(.pagination, "The page was not modified, so it can't be told whether there are more.")
    }
    return nil
  }

  /// Whether the walk deletes missing rows, and this is the page with which it began.
  var mustBeFirst: Bool { deletesMissing && isFirst }

  var isNotFirst: RequestError {
    RequestError(
      .pagination,
      "The walk began with a page that has a previous one, so what is missing is not known, and nothing was deleted.")
  }

  func mistyped(_ keyPath: String, _ value: JSONValue, _ expected: String) -> RequestError {
    RequestError(
      .pagination,
      "Under '\(keyPath.prefix(200).escaped)' \(expected) was expected, and there is \(value.kindName).")
  }
}

extension JSONValue {
  /// True when the value stands in place of a URL or a cursor, and says that there is none.
  var saysEnd: Bool { isNull || bool == false || (kind == .string && string?.isEmpty == true) }

  /// Something that stands in a body in place of the key path, so that the absence of a value says nothing; `nil`
  /// without it.
  fileprivate func oddSign(_ keyPath: String) -> String? {
    var place = self
    for key in JSONKeyPath(keyPath).keys {
      guard let object = place.object else {
        // An empty list is how PHP writes an object without keys.
        let isNothing = place.saysEnd || place.array?.isEmpty == true
        return isNothing ? nil : "There is \(place.kindName) on the way to it."
      }
      if let next = object[key: key] {
        place = next
        continue
      }
      let other = object.keys.first { Self.spelling($0) == Self.spelling(key) }
      return other.map { "Is '\($0.prefix(200).escaped)' meant?" }
    }
    return nil
  }

  /// A key without the differences between key styles: case, `_` and `-`.
  private static func spelling(_ key: String) -> String { key.lowercased().filter { $0 != "_" && $0 != "-" } }
}

extension Pagination where Self == LinkPagination {
  /// The header field `Link` with `rel="next"` (RFC 8288): GitHub's and many other services' way.
  ///
  /// The last page is the one without such a link. A server that sends no link at all looks like one with a single
  /// page. A field that can't be read is an error, unless the link is found all the same.
  public static var link: LinkPagination { LinkPagination(relation: "next") }

  /// The header field `Link` with another relation, or of a server whose first page has a link back.
  ///
  /// ```swift
  /// .links("prev")                                                 // backward, from the last page
  /// .links("next", places: ["max_id", "min_id", "since_id"])       // Mastodon: "prev" leads to newer objects
  /// ```
  ///
  /// A walk that deletes must begin with the first page of its direction. A link the other way tells that it does not,
  /// unless `places` are named: then the first page is the one whose query has none of them, and a walk by `prev` never
  /// deletes.
  ///
  /// - Parameters:
  ///   - relation: The relation of the next page of the walk; `prev` is `previous` too.
  ///   - places: The parameters of the query that say where a page begins.
  public static func links(_ relation: String, places: [String] = []) -> LinkPagination {
    LinkPagination(relation: relation, places: places)
  }
}

extension Pagination where Self == HeaderPagination {
  /// A header field with the URL of the next page: `Next-Page` is Kinto's.
  ///
  /// The last page lacks the field, or has it empty. A name that no response has looks like a single page.
  public static func header(_ name: String) -> HeaderPagination { HeaderPagination(name: name) }
}

extension Pagination where Self == BodyPagination {
  /// The URL of the next page under a key path of the body, or of an object there under `href`: `.body("links.next")`.
  ///
  /// The last page has null there, false or an empty string; on the pages after the first, absence means the same.
  ///
  /// - Parameters:
  ///   - keyPath: Where the URL stands in the body.
  ///   - mayBeAbsent: Whether a first page that is the only one lacks the key too, as JSON:API and HAL allow. By default
  ///     that is an error, since a wrong key path would look the same.
  public static func body(_ keyPath: String, mayBeAbsent: Bool = false) -> BodyPagination {
    BodyPagination(keyPath: keyPath, mayBeAbsent: mayBeAbsent)
  }
}
