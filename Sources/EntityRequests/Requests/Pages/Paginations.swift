import Foundation

/// The header field `Link` with the relation `next` (RFC 8288); see ``Pagination/link``.
public struct LinkPagination: Pagination {
  let relation: String

  public func next(after page: ReceivedPage) -> NextPage? {
    let base = page.response.url ?? page.url
    let links = page.response.headers.values(of: "Link").flatMap { LinkHeader.links(in: $0) }
    return links.first { $0.has(relation, base: base) }.map { .url($0.target) }
  }
}

/// A header field with the URL of the next page; see ``Pagination/header(_:)``.
public struct HeaderPagination: Pagination {
  let name: String

  public func next(after page: ReceivedPage) -> NextPage? {
    let value = page.response.headers[name]?.trimmingCharacters(in: [" ", "\t"]) ?? ""
    return value.isEmpty ? nil : .url(value)
  }
}

/// The URL of the next page in the body; see ``Pagination/body(_:)``.
public struct BodyPagination: Pagination {
  let keyPath: String

  public func next(after page: ReceivedPage) throws -> NextPage? {
    guard let value = page.body?[keyPath] else { return nil }
    switch value.kind {
    case .null: return nil
    case .bool where value.bool == false: return nil
    // A link object, as in JSON:API and HAL.
    case .string, .object:
      if let text = value.string ?? value["href"]?.string { return text.isEmpty ? nil : .url(text) }
      if value.kind == .object, value["href"]?.isNull == true { return nil }
    default: break
    }
    throw RequestError(
      .pagination, "Under '\(keyPath.prefix(200).escaped)' a URL was expected, and there is \(value.kindName).")
  }
}

/// Pages counted by a parameter of the query; see ``Pagination/numbers(_:from:size:_:total:)``.
public struct NumberPagination: Pagination {
  let parameter: String
  let first: Int
  let step: Step
  let sizeParameter: String
  let size: Int?
  let total: PageTotal?

  /// What the number counts.
  enum Step: Sendable { case pages, objects }

  public var firstQuery: QueryParameters {
    var query: QueryParameters = [parameter: first]
    if let size { query.append(sizeParameter, size) }
    return query
  }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    let count = page.objects.count
    guard count > 0 else { return nil }
    let query = page.url.queryFields
    let current: Int
    if let text = query[parameter] {
      guard let number = Int(text) else {
        throw RequestError(.pagination, "The parameter '\(parameter.prefix(60).escaped)' is no number.")
      }
      current = number
    } else {
      current = first
    }
    // What the caller has put into the query is what was asked for.
    let size = query[sizeParameter].flatMap { Int($0) } ?? self.size
    if let total = try total?.value(of: page) {
      let before = step == .objects ? current - first : (current - first) * (size ?? count)
      guard before + count < total else { return nil }
    } else if let size, count < size {
      return nil
    }
    let (next, overflow) = current.addingReportingOverflow(step == .objects ? count : 1)
    guard !overflow else { throw RequestError(.pagination, "The pages have no numbers left.") }
    return .query([parameter: next])
  }
}

/// Where a response says how many objects there are in all.
public enum PageTotal: Sendable {
  /// A header field: `X-Total-Count`, for example.
  case header(String)
  /// A key path of the body.
  case body(String)

  /// `nil` when the response does not say it.
  func value(of page: ReceivedPage) throws -> Int? {
    switch self {
    case .header(let name):
      return page.response.headers[name].flatMap { Int($0.trimmingCharacters(in: [" ", "\t"])) }
    case .body(let keyPath):
      return page.body?[keyPath].flatMap { value in value.int64.map { Int($0) } ?? value.string.flatMap { Int($0) } }
    }
  }
}

/// A cursor that goes from the page into the query of the next one; see ``Pagination/cursor(_:parameter:)``.
public struct CursorPagination: Pagination {
  let parameter: String
  let source: Source

  enum Source: Sendable {
    /// A key path of the body.
    case body(String)
    /// A key path of the page's last object, and the key path of the body that says whether there is more.
    case lastObject(String, more: String?)
  }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    let cursor: ResponseValue?
    let keyPath: String
    switch source {
    case .body(let path):
      cursor = page.body?[path]
      keyPath = path
    case .lastObject(let path, let more):
      if let more, page.body?[more]?.bool != true { return nil }
      guard let last = page.objects.reduce(nil, { $1 }) as ResponseValue? else { return nil }
      cursor = last[path]
      keyPath = path
    }
    guard let cursor, !cursor.isNull, cursor.bool != false else { return nil }
    guard let text = cursor.string ?? cursor.lexeme else {
      throw RequestError(
        .pagination, "Under '\(keyPath.prefix(200).escaped)' a cursor was expected, and there is \(cursor.kindName).")
    }
    return text.isEmpty ? nil : .query([parameter: text])
  }
}

extension Pagination where Self == LinkPagination {
  /// The header field `Link` with `rel="next"` (RFC 8288): GitHub's and many other services' way.
  public static var link: LinkPagination { LinkPagination(relation: "next") }
}

extension Pagination where Self == HeaderPagination {
  /// A header field with the URL of the next page, which the last page lacks: `Next-Page` is Kinto's.
  public static func header(_ name: String) -> HeaderPagination { HeaderPagination(name: name) }
}

extension Pagination where Self == BodyPagination {
  /// The URL of the next page under a key path of the body, or of an object there under `href`: `.body("links.next")`.
  /// The last page has none, or null, false or an empty string.
  public static func body(_ keyPath: String) -> BodyPagination { BodyPagination(keyPath: keyPath) }
}

extension Pagination where Self == NumberPagination {
  /// Numbered pages: `?page=1&per_page=100`, `?page=2&per_page=100`, …
  ///
  /// The last page is the one that reaches the total, where the server tells it. Else it is the first that has fewer
  /// objects than `size`; without a size the first that is empty.
  ///
  /// - Parameters:
  ///   - parameter: The query's name for the number.
  ///   - first: The number of the first page.
  ///   - size: The objects of a page to ask for, where that is to be asked. A server that gives less to each page than it
  ///     was asked for must tell the total, or `size` be what it gives.
  ///   - sizeParameter: The query's name for the size.
  ///   - total: Where the response says how many objects there are.
  public static func numbers(
    _ parameter: String = "page", from first: Int = 1, size: Int? = nil, _ sizeParameter: String = "per_page",
    total: PageTotal? = nil
  ) -> NumberPagination {
    NumberPagination(
      parameter: parameter, first: first, step: .pages, sizeParameter: sizeParameter, size: size, total: total)
  }

  /// Pages by the number of objects before them: `?offset=0&limit=100`, `?offset=100&limit=100`, … They end as those of
  /// ``numbers(_:from:size:_:total:)``.
  public static func offsets(
    _ parameter: String = "offset", size: Int? = nil, _ sizeParameter: String = "limit", total: PageTotal? = nil
  ) -> NumberPagination {
    NumberPagination(
      parameter: parameter, first: 0, step: .objects, sizeParameter: sizeParameter, size: size, total: total)
  }
}

extension Pagination where Self == CursorPagination {
  /// A cursor under a key path of the body, which goes into a parameter of the next query. The last page has none, or
  /// null, false or an empty string.
  public static func cursor(_ keyPath: String, parameter: String = "cursor") -> CursorPagination {
    CursorPagination(parameter: parameter, source: .body(keyPath))
  }

  /// A value of the page's last object as the cursor: `.cursor(ofLast: "id", parameter: "starting_after", more: "has_more")`.
  ///
  /// - Parameter more: The key path of the body that is true when there are more pages; without it the last page is an
  ///   empty one.
  public static func cursor(ofLast keyPath: String, parameter: String, more: String? = nil) -> CursorPagination {
    CursorPagination(parameter: parameter, source: .lastObject(keyPath, more: more))
  }
}
