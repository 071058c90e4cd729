import EntityJSON
import Foundation

/// The step from a page to the next one. It asks the pagination, and checks its answer by the rules of a walk.
struct PageStep: Sendable {
  let pagination: any Pagination
  /// The URL of the page.
  let url: URL
  let number: Int
  let objectsBefore: Int?
  /// The URLs of the walk, including the URL of the page.
  let visited: Set<URL>
  let origins: [URL]
  /// The digest of the objects of the page before, if that page led here with a query.
  let digestBefore: Int?
  /// The doubts of the pages before.
  let doubts: PageDoubts
  /// The rows of the pages so far, if the walk deletes the rows that no page had.
  let walk: PageWalk?

  private var deletesMissing: Bool { walk != nil }

  /// The meaning of a page to the walk.
  struct Outcome: Sendable {
    /// The next page; `nil` at the end.
    var next: Result<PageToken?, any Error> = .success(nil)
    var objectCount = 0
    /// The digest that the next page is compared with.
    var digest: Int?
    var doubts = PageDoubts()

    /// Whether the pages are known to end here.
    var isLast: Bool { if case .success(nil) = next { true } else { false } }

    /// ``next``, if it is known.
    var token: PageToken? { (try? next.get()) ?? nil }
  }

  func outcome(_ response: HTTPResponse, _ body: JSONValue?, _ content: PageContent) -> Outcome {
    let page = ReceivedPage(
      url: url, response: response, body: body, objects: content.objects, number: number,
      objectsBefore: objectsBefore, deletesMissing: deletesMissing, objectCount: content.count)
    var outcome = Outcome(objectCount: page.objectCount, doubts: doubts)
    do {
      // This comes before any end is believed: the same page, sent often enough, reaches a total.
      let digest = digestBefore == nil ? nil : content.digest
      guard digest == nil || digest != digestBefore else {
        throw RequestError(
          .pagination, "Two pages in a row have the same objects: the server does not heed which one it is asked for.")
      }
      let next = try pagination.next(after: page)
      if deletesMissing { outcome.doubts.add(page, lacks: content.lacks, isLast: next == nil, pagination) }
      // If the server ignores a URL, the same page comes again, and names a URL that the walk knows.
      if case .query = next, pagination.comparesPages { outcome.digest = digest ?? content.digest }
      outcome.next = .success(try token(next, page, outcome.doubts))
    } catch {
      outcome.next = .failure(error)
    }
    return outcome
  }

  private func token(_ next: NextPage?, _ page: ReceivedPage, _ doubts: PageDoubts) throws -> PageToken? {
    guard let next else {
      if let doubt = doubts.first { throw Self.unconfirmed(doubt) }
      return nil
    }
    let url: URL
    switch next {
    case .query(let query): url = try self.url.replacingQuery(query)
    case .url(let text): url = try resolved(text, page.response)
    case .unconfirmedEnd(let reason):
      guard deletesMissing else { return nil }
      throw Self.unconfirmed(reason)
    }
    guard !visited.contains(url) else {
      throw RequestError(.pagination, "The pages run in a circle: '\(url.shown)' was requested already.")
    }
    return PageToken(url: url)
  }

  private static func unconfirmed(_ reason: String) -> RequestError {
    RequestError(.pagination, "\(reason) So the missing objects are not known, and nothing was deleted.")
  }

  private func resolved(_ text: String, _ response: HTTPResponse) throws -> URL {
    let base = response.url ?? url
    guard let resolved = URL(string: text, relativeTo: base)?.absoluteString else {
      throw RequestError(.pagination, "The next page's URL is malformed (RFC 3986).")
    }
    let next: URL
    do {
      next = try RequestURL(absolute: resolved).url()
    } catch let error as RequestError {
      throw RequestError(.pagination, "The next page's URL can't be requested: \(error.message)")
    }
    try Self.check(next, origins)
    return next
  }

  /// - Throws: ``RequestError`` of kind `pagination` for a URL of another origin.
  static func check(_ url: URL, _ origins: [URL]) throws {
    guard origins.contains(where: { url.hasSameOrigin(as: $0) }) else {
      throw RequestError(
        .pagination,
        "The next page is at another origin, '\(url.shown)'. Requests may hold secrets: allow it with `allowing:` if it is meant."
      )
    }
  }
}

/// The first reason in the pages for which a walk that deletes can't tell which rows are missing. The walk goes on as
/// long as the pages say where the next one is, and then fails.
struct PageDoubts: Sendable {
  private(set) var first: String?
  /// The number of all objects, by the first page that has it.
  private var total: Int?

  /// - Parameter lacks: As ``PageContent/lacks``.
  mutating func add(_ page: ReceivedPage, lacks: String?, isLast: Bool, _ pagination: any Pagination) {
    first = first ?? doubt(page, pagination) ?? page.doubt(lacks: lacks, isLast: isLast)
  }

  /// A deletion on the server meanwhile moves other objects to pages that have come already. The walk misses those
  /// objects. The total then changes between the pages, and reaching it proves nothing.
  private mutating func doubt(_ page: ReceivedPage, _ pagination: any Pagination) -> String? {
    guard let total = pagination.total(of: page) else { return nil }
    guard let before = self.total, before != total else {
      self.total = total
      return nil
    }
    return "The number of all objects went from \(before) to \(total) between the pages."
  }
}

extension ReceivedPage {
  /// The reason why it is not known which objects the page has.
  fileprivate func doubt(lacks: String?, isLast: Bool) -> String? {
    if response.status == 206 { return "Page \(number) is a part of one (RFC 9110 §15.3.7)." }
    if body != nil { return lacks.map { "Page \(number) has no list \($0)." } }
    // After other pages, 204 and 205 mean that there are no more. On the first page they may mean anything.
    if isLast, number > 1, [204, 205].contains(response.status) { return nil }
    return "Page \(number) has no body, which would say which objects there are."
  }
}

extension URL {
  /// The values of the query's parameters, decoded; of parameters of one name the last.
  var queryFields: [String: String] {
    var values: [String: String] = [:]
    for field in (query(percentEncoded: true) ?? "").split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[Self.decoded(parts[0])] = parts.count > 1 ? Self.decoded(parts[1]) : ""
    }
    return values
  }

  /// This URL with the parameters of `query` in place of parameters of the same names. The other parameters stay as
  /// they are written.
  func replacingQuery(_ query: QueryParameters) throws -> URL {
    let names = Set(query.items.map(\.name))
    let kept = (self.query(percentEncoded: true) ?? "").split(separator: "&").filter { field in
      !names.contains(Self.decoded(field.prefix { $0 != "=" }))
    }
    let text = absoluteString.prefix { $0 != "?" && $0 != "#" }
    let fields = kept.map(String.init) + (query.isEmpty ? [] : [query.encoded])
    guard let url = URL(string: text + (fields.isEmpty ? "" : "?" + fields.joined(separator: "&"))) else {
      throw RequestError(.pagination, "The next page's query makes no URL.")
    }
    return url
  }

  private static func decoded(_ text: Substring) -> String {
    let text = text.replacingOccurrences(of: "+", with: " ")
    return text.removingPercentEncoding ?? text
  }
}
