import EntityJSON
public import Foundation

/// Pages by the header fields `Range` and `Content-Range`; see ``Pagination/ranges(size:unit:)``.
public struct RangePagination: Pagination {
  let size: Int
  let unit: String?

  public var firstRange: String? { range(from: 0) }

  public var readsAllObjects: Bool { false }

  public var takesRanges: Bool { true }

  public func isFirst(_ request: PageToken) -> Bool { start(of: request.range) ?? 0 == 0 }

  public func isFirst(_ url: URL) -> Bool { true }

  public func next(after page: ReceivedPage) throws -> NextPage? {
    let start = start(of: page.range) ?? 0
    // Nothing begins at `start`. A server may say how many objects there are.
    if page.response.status == PageStep.outOfRange {
      guard let total = total(of: page), total != start else { return nil }
      return .unconfirmedEnd("The pages had \(start) objects, and the total is \(total).")
    }
    guard let found = ContentRange(page.response) else {
      // A server may ignore a range, and send all (RFC 9110 §14.2).
      if start == 0, page.response.status == 200, page.response.headers["Content-Range"] == nil { return nil }
      _ = try page.end()
      throw RequestError(
        .pagination,
        "The page has no header Content-Range that can be read (RFC 9110 §14.4), so its place is not known.")
    }
    guard let bounds = found.bounds else {
      guard page.objectCount == 0 else { throw misplaced("has objects and no place", start) }
      guard let total = found.total, total > start else { return try page.end() }
      return .unconfirmedEnd("The pages end after \(start) of \(total) objects.")
    }
    guard bounds.lowerBound == start else { throw misplaced("begins at \(bounds.lowerBound)", start) }
    guard bounds.count == page.objectCount else {
      throw misplaced("has \(page.objectCount) objects in a range of \(bounds.count)", start)
    }
    let reached = bounds.upperBound
    guard let total = found.total, total <= reached else { return .range(range(from: reached)) }
    return total == reached ? nil : .unconfirmedEnd("The pages had \(reached) objects, and the total is \(total).")
  }

  public func total(of page: ReceivedPage) -> Int? { ContentRange(page.response)?.total }

  private func misplaced(_ reason: String, _ start: Int) -> RequestError {
    RequestError(.pagination, "The page from \(start) \(reason), by its header Content-Range.")
  }

  private func range(from start: Int) -> String {
    let (end, overflow) = start.addingReportingOverflow(max(1, size) - 1)
    return (unit.map { "\($0)=" } ?? "") + "\(start)-\(overflow ? Int.max : end)"
  }

  private func start(of range: String?) -> Int? {
    guard let numbers = range?.split(separator: "=").last else { return nil }
    return Int(numbers.prefix { $0 != "-" })
  }
}

/// The header field `Content-Range` (RFC 9110 §14.4), with or without its unit: `items 0-99/1000`, `0-99/*`, `*/0`.
struct ContentRange {
  /// The places of the objects; `nil` for none.
  let bounds: Range<Int>?
  /// The number of all objects, if it is known.
  let total: Int?

  init?(_ response: HTTPResponse) {
    let values = response.headers.values(of: "Content-Range")
    guard values.count == 1, let text = values[0].split(separator: " ").last else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let total = Int(parts[1])
    guard parts[1] == "*" || total.map({ $0 >= 0 }) == true else { return nil }
    self.total = total
    guard parts[0] != "*" else {
      bounds = nil
      return
    }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, last >= first, last < Int.max else {
      return nil
    }
    bounds = first..<(last + 1)
  }
}

extension Pagination where Self == RangePagination {
  /// Pages by ranges of places: `Range: 0-99`, answered by `Content-Range: 0-99/1000`. PostgREST's way.
  ///
  /// The next page begins behind the objects that came. The last page is the one that reaches the total. Where the server
  /// does not say the total, `0-99/*`, the pages end with the first empty one, or with 416 to a range behind the objects
  /// (RFC 9110 §15.5.17). A 416 to the first range ends them only with the total 0, `*/0`. PostgREST says the total with
  /// `Prefer: count=exact`. A server that ignores ranges sends all at once. A page from another place than was asked for is
  /// an error.
  ///
  /// - Parameters:
  ///   - size: The number of objects to ask for on a page.
  ///   - unit: The unit in the header field, as in `items=0-99`; with `nil` the field has the numbers alone, and the
  ///     field `Range-Unit` says `items`.
  public static func ranges(size: Int, unit: String? = nil) -> RangePagination {
    RangePagination(size: size, unit: unit)
  }
}
