public import EntityJSON
public import Foundation

/// A cursor that goes from the page into the query of the next one; see
/// ``Pagination/cursor(_:parameter:first:mayBeAbsent:more:)``.
public struct CursorPagination: Pagination {
  let parameter: String
  /// The parameter's value on the first page, if it has one.
  var first: String?
  let source: CursorSource
  var place = ParameterPlace.query
  /// The other parameters by which a page is not the first one.
  var places: [String] = []

  enum CursorSource: Sendable {
    /// A key path of the body, and the key path that says whether there is more.
    case body(String, mayBeAbsent: Bool, more: String? = nil)
    /// A key path of the page's first object, and the key path of the body that says whether there is more.
    case firstObject(String, more: String?)
    /// A key path of the page's last object, and the key path of the body that says whether there is more.
    case lastObject(String, more: String?)
  }

  /// The same pages, with the cursor at a key path of the body; see `pages(posting:)`.
  public var inBody: CursorPagination {
    var pagination = self
    pagination.place = .body
    return pagination
  }

  public var firstQuery: QueryParameters { place == .query ? first.map { [parameter: $0] } ?? [:] : [:] }

  public var firstBody: [String: JSONValue] {
    place == .body ? first.map { [parameter: JSONValue($0)] } ?? [:] : [:]
  }

  public var readsAllObjects: Bool { if case .firstObject = source { true } else { false } }

  /// If the server ignores a cursor, the same page comes again, and its URL is known then.
  public var comparesPages: Bool { false }

  public func isFirst(_ request: PageToken) -> Bool {
    // A page without a cursor is the newest one: older objects are never walked from there.
    if case .firstObject = source { return false }
    return (place.value(parameter, in: request) ?? "") == first ?? ""
      && places.allSatisfy { place.value($0, in: request) == nil }
  }

  public func isFirst(_ url: URL) -> Bool { isFirst(PageToken(url: url)) }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    switch source {
    case .body(let keyPath, let mayBeAbsent, let more):
      if let more, try !isMore(more, page) { return nil }
      guard let cursor = try page.declared(keyPath, mayBeAbsent: mayBeAbsent), !cursor.saysEnd else {
        guard more == nil else {
          throw RequestError(
            .pagination,
            "The page says that there are more, and has no cursor under '\(keyPath.prefix(200).escaped)' to go on from."
          )
        }
        return nil
      }
      return try query(cursor, keyPath, page)
    case .firstObject(let keyPath, let more): return try next(after: page, at: 0, "first", keyPath, more)
    case .lastObject(let keyPath, let more):
      return try next(after: page, at: page.objects.count - 1, "last", keyPath, more)
    }
  }

  /// Whether the body says that there are more pages.
  private func isMore(_ keyPath: String, _ page: ReceivedPage) throws -> Bool {
    guard let value = try page.declared(keyPath, mayBeAbsent: false, onAnyPage: true) else { return false }
    guard let isMore = value.bool else { throw page.mistyped(keyPath, value, "true or false") }
    return isMore
  }

  private func next(
    after page: ReceivedPage, at index: Int, _ name: String, _ keyPath: String, _ more: String?
  ) throws -> NextPage? {
    if let more, try !isMore(more, page) { return nil }
    guard let object = page.objects[index] else {
      if more == nil { return try page.end() }
      throw RequestError(.pagination, "The page says that there are more, and has no object to go on from.")
    }
    guard let cursor = object[keyPath], !cursor.saysEnd else {
      throw RequestError(
        .pagination, "The page's \(name) object has no cursor under '\(keyPath.prefix(200).escaped)' to go on from.")
    }
    return try query(cursor, keyPath, page)
  }

  private func query(_ cursor: JSONValue, _ keyPath: String, _ page: ReceivedPage) throws -> NextPage {
    guard let text = cursor.string ?? cursor.lexeme else { throw page.mistyped(keyPath, cursor, "a cursor") }
    return place == .query ? .query([parameter: text]) : .body([parameter: cursor])
  }
}

extension Pagination where Self == CursorPagination {
  /// A cursor under a key path of the body, which goes into a parameter of the next query.
  ///
  /// The last page has null there, false or an empty string; on the pages after the first, absence means the same.
  ///
  /// - Parameters:
  ///   - keyPath: Where the cursor stands in the body.
  ///   - parameter: The parameter of the next query that takes the cursor.
  ///   - first: The cursor of the first page, if the server wants one: `*` for example.
  ///   - mayBeAbsent: As in ``Pagination/body(_:mayBeAbsent:)``.
  ///   - more: The key path of the body that says with true or false on every page whether there are more, where the
  ///     last page has a cursor too: `hasNextPage` of GraphQL.
  public static func cursor(
    _ keyPath: String, parameter: String = "cursor", first: String? = nil, mayBeAbsent: Bool = false,
    more: String? = nil
  ) -> CursorPagination {
    CursorPagination(parameter: parameter, first: first, source: .body(keyPath, mayBeAbsent: mayBeAbsent, more: more))
  }

  /// A value of the page's last object as the cursor: `.cursor(ofLast: "id", parameter: "starting_after", more: "has_more")`.
  ///
  /// A page that is not the last must have an object with a cursor. Where the query may have another parameter that says where a
  /// page begins, name that parameter in `places`: without the name, a walk from the middle with `.deleteMissing(in:)` takes
  /// the objects before it for missing, and deletes them.
  ///
  /// - Parameters:
  ///   - keyPath: Where the cursor stands in the last object.
  ///   - parameter: The parameter of the next query that takes the cursor.
  ///   - more: The key path of the body that says with true or false on every page whether there are more; without it the
  ///     last page is an empty one.
  ///   - places: Other parameters that say where a page begins, such as `ending_before`. A walk whose request has one of
  ///     them does not begin with the first page, and refuses `.deleteMissing(in:)`.
  public static func cursor(
    ofLast keyPath: String, parameter: String, more: String? = nil, places: [String] = []
  ) -> CursorPagination {
    CursorPagination(parameter: parameter, source: .lastObject(keyPath, more: more), places: places)
  }

  /// A value of the page's first object as the cursor, for a walk backward:
  /// `.cursor(ofFirst: "id", parameter: "ending_before", more: "has_more")`.
  ///
  /// The walk goes from an object to newer ones, and does not see older ones: it refuses `.deleteMissing(in:)`.
  ///
  /// - Parameters:
  ///   - keyPath: Where the cursor stands in the first object.
  ///   - parameter: The parameter of the next query that takes the cursor.
  ///   - more: As in ``Pagination/cursor(ofLast:parameter:more:places:)``.
  public static func cursor(ofFirst keyPath: String, parameter: String, more: String? = nil) -> CursorPagination {
    CursorPagination(parameter: parameter, source: .firstObject(keyPath, more: more))
  }
}
