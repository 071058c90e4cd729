public import EntityJSON
public import Foundation

/// Pages counted by a parameter of the query; see ``Pagination/numbers(_:from:size:_:total:pages:)``.
public struct NumberPagination: Pagination {
  let parameter: String
  let first: Int
  let step: Step
  let sizeParameter: String
  let size: Int?
  let total: PageTotal?
  /// Where a response says how many pages there are.
  var pages: PageTotal?
  var place = ParameterPlace.query
  /// How many objects the first page had, in a walk that goes on from the middle; `nil` where that is not known.
  var firstCount: Int?

  /// The unit that the number counts.
  enum Step: Sendable { case pages, objects }

  /// The same pages, with the parameters at key paths of the body; see `pages(posting:)`.
  public var inBody: NumberPagination {
    var pagination = self
    pagination.place = .body
    return pagination
  }

  public var firstQuery: QueryParameters {
    guard place == .query else { return [:] }
    var query: QueryParameters = [parameter: first]
    if let size { query.append(sizeParameter, size) }
    return query
  }

  public var firstBody: [String: JSONValue] {
    guard place == .body else { return [:] }
    return [parameter: JSONValue(first)].merging(size.map { [sizeParameter: JSONValue($0)] } ?? [:]) { $1 }
  }

  public var readsAllObjects: Bool { false }

  public func isFirst(_ request: PageToken) -> Bool {
    place.value(parameter, in: request).map { Int($0) == first } ?? true
  }

  public func isFirst(_ url: URL) -> Bool { isFirst(PageToken(url: url)) }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    let count = page.objectCount
    let current = try number(of: page)
    if let pages {
      if try isLast(current, of: pages.value(of: page)) { return nil }
      guard count > 0 else {
        _ = try page.end()
        return .unconfirmedEnd("The pages end before the last one.")
      }
    } else if let total {
      let all = try total.value(of: page)
      let reached = try objectsBefore(page, current) + count
      guard reached < all else {
        return reached == all ? nil : .unconfirmedEnd("The pages had \(reached) objects, and the total is \(all).")
      }
      guard count > 0 else {
        _ = try page.end()
        return .unconfirmedEnd("The pages end after \(reached) of \(all) objects.")
      }
    } else {
      guard count > 0 else { return try page.end() }
      // The size in the caller's query comes first.
      let size = place.value(sizeParameter, in: page).flatMap { Int($0) } ?? self.size
      if let size, count < size, !page.deletesMissing, Self.wereFull(page, size) { return nil }
    }
    let (next, overflow) = current.addingReportingOverflow(step == .objects ? count : 1)
    guard !overflow else { throw RequestError(.pagination, "The pages have no numbers left.") }
    return place == .query ? .query([parameter: next]) : .body([parameter: JSONValue(next)])
  }

  /// Whether ``total(of:)`` is the number of pages, and not of objects.
  var countsPages: Bool { total == nil && pages != nil }

  public func total(of page: ReceivedPage) -> Int? { try? (total ?? pages)?.value(of: page) }

  private func isLast(_ current: Int, of count: Int) -> Bool {
    let (before, overflow) = current.subtractingReportingOverflow(first)
    return !overflow && before >= count - 1
  }

  private func number(of page: ReceivedPage) throws -> Int {
    guard let text = place.value(parameter, in: page) else { return first }
    guard let number = Int(text) else {
      throw RequestError(.pagination, "The parameter '\(parameter.prefix(60).escaped)' is no number.")
    }
    return number
  }

  /// A short page is the last one if all pages before it were full. Otherwise the server's pages may never be longer.
  private static func wereFull(_ page: ReceivedPage, _ size: Int) -> Bool {
    guard page.number > 1 else { return false }
    let (expected, overflow) = (page.number - 1).multipliedReportingOverflow(by: size)
    return !overflow && page.objectsBefore == expected
  }

  /// The number of objects on the pages before. In a walk that began in the middle, those pages count as having as many
  /// objects as the first one. Where that number is not known, the result is at most the true one, so that the walk
  /// rather asks for a page too many: a server may give less than it is asked for, and no page has more than a full one.
  private func objectsBefore(_ page: ReceivedPage, _ current: Int) throws -> Int {
    if let before = page.objectsBefore { return before }
    let (distance, isFar) = current.subtractingReportingOverflow(first)
    let (before, isMany) = distance.multipliedReportingOverflow(
      by: step == .objects ? 1 : firstCount ?? page.objectCount)
    guard !isFar, !isMany, before <= Int.max / 2 else {
      throw RequestError(.pagination, "The parameter '\(parameter.prefix(60).escaped)' is too large a number.")
    }
    return max(0, before)
  }
}

/// Where a response says how many objects there are in all.
public enum PageTotal: Sendable {
  /// A header field: `X-Total-Count`, for example.
  case header(String)
  /// A key path of the body.
  case body(String)
  /// The header `Content-Range` (RFC 9110 §14.4), as in `0-99/1000`: PostgREST's way.
  case contentRange

  /// - Throws: ``RequestError`` of kind `pagination` when the response does not say it.
  func value(of page: ReceivedPage) throws -> Int {
    let total: Int?
    let place: String
    switch self {
    case .header(let name):
      total = page.response.headers[name].flatMap { Int($0.trimmingCharacters(in: [" ", "\t"])) }
      place = "the header '\(name.prefix(200).escaped)'"
    case .body(let keyPath):
      total = page.body?[keyPath].flatMap { value in value.int ?? value.string.flatMap { Int($0) } }
      place = "'\(keyPath.prefix(200).escaped)' of the body"
    case .contentRange:
      total = ContentRange(page.response)?.total
      place = "the header 'Content-Range'"
    }
    guard let total, total >= 0 else {
      throw RequestError(.pagination, "There is no number of all objects in \(place), where it was declared.")
    }
    return total
  }
}

extension Pagination where Self == NumberPagination {
  /// Numbered pages: `?page=1&per_page=100`, `?page=2&per_page=100`, …
  ///
  /// If the server tells the total, the last page is the one with which so many objects have come. An empty page before
  /// that ends the walk too, but then it is not known which objects are missing. Without a total, the last page is the
  /// first empty one. With a `size`, it is the first page that has fewer objects, if all pages before it were full. So
  /// a collection of less than one page takes a second request: the server may have given less than it was asked for. A
  /// walk that deletes goes on to the empty page, because a server that filters after paging gives short pages in the
  /// middle.
  ///
  /// Numbers count in the collection as it is at each request. Objects that are made or deleted meanwhile shift the
  /// others, so an object may be on no page. A walk that deletes then takes it for missing, unless the total changes:
  /// then the walk fails and deletes nothing. If the server has links or cursors, those are safer.
  ///
  /// - Parameters:
  ///   - parameter: The query's name for the number.
  ///   - first: The number of the first page.
  ///   - size: The number of objects to ask for on a page; with `nil` the request names no size.
  ///   - sizeParameter: The query's name for the size.
  ///   - total: Where each response says how many objects there are.
  ///   - pages: Where each response says how many pages there are, for a server that does not say how many objects:
  ///     `.header("X-WP-TotalPages")`. The last page is the one with that number. A `total` is safer, and comes second.
  public static func numbers(
    _ parameter: String = "page", from first: Int = 1, size: Int? = nil, _ sizeParameter: String = "per_page",
    total: PageTotal? = nil, pages: PageTotal? = nil
  ) -> NumberPagination {
    NumberPagination(
      parameter: parameter, first: first, step: .pages, sizeParameter: sizeParameter, size: size, total: total,
      pages: pages)
  }

  /// Pages by the number of objects before them: `?offset=0&limit=100`, `?offset=100&limit=100`, … The next offset is
  /// behind the objects that came. The pages end as with ``numbers(_:from:size:_:total:pages:)``.
  public static func offsets(
    _ parameter: String = "offset", size: Int? = nil, _ sizeParameter: String = "limit", total: PageTotal? = nil
  ) -> NumberPagination {
    NumberPagination(
      parameter: parameter, first: 0, step: .objects, sizeParameter: sizeParameter, size: size, total: total)
  }
}
