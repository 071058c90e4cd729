import EntityJSON
import Foundation

/// The step from a page to the next one. It asks the pagination, and checks its answer by the rules of a walk.
struct PageStep: Sendable {
  let pagination: any Pagination
  /// The request of the page.
  let request: PageToken
  let number: Int
  let objectsBefore: Int?
  /// The requests of the walk, including the one of the page.
  let visited: Set<PageToken>
  let origins: PageOrigins
  /// The digest of the objects of the page before, if that page led here with a query.
  let digestBefore: Int?
  /// The doubts of the pages before.
  let doubts: PageDoubts
  /// The rows of the pages so far, if the walk deletes the rows that no page had.
  let walk: PageWalk?
  /// The objects of the pages so far, where older versions of them may follow.
  var versions: SeenVersions?

  private var deletesMissing: Bool { walk != nil }

  /// The status of a response to a range behind the last object (RFC 9110 §15.5.17).
  static let outOfRange = 416

  /// Whether a refusal of the page's range says that the pages have ended: objects came before it, or there are none at
  /// all, and no range of an empty list can be satisfied.
  func mayEndOutOfRange(_ response: HTTPResponse) -> Bool {
    guard pagination.takesRanges, request.range != nil else { return false }
    return !pagination.isFirst(request) || ContentRange(response)?.total == 0
  }

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
      url: request.url, response: response, body: body, objects: content.objects, number: number,
      objectsBefore: objectsBefore, deletesMissing: deletesMissing, objectCount: content.count,
      sentBody: request.body.flatMap { try? JSONValue(parsing: $0) }, range: request.range)
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
      if next?.isOfSameURL == true, pagination.comparesPages { outcome.digest = digest ?? content.digest }
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
    let token: PageToken
    switch next {
    case .query(let query):
      token = PageToken(url: try request.url.replacingQuery(query), body: request.body, range: request.range)
    case .body(let values):
      token = PageToken(url: request.url, body: try page.body(with: values), range: request.range)
    case .range(let range): token = PageToken(url: request.url, body: request.body, range: range)
    case .url(let text):
      token = PageToken(url: try origins.resolved(text, from: page.response.url ?? request.url), body: request.body)
    case .unconfirmedEnd(let reason):
      guard deletesMissing else { return nil }
      throw Self.unconfirmed(reason)
    }
    guard !visited.contains(token) else {
      throw RequestError(.pagination, "The pages run in a circle: '\(token)' was requested already.")
    }
    return token
  }

  private static func unconfirmed(_ reason: String) -> RequestError {
    RequestError(.pagination, "\(reason) So the missing objects are not known, and nothing was deleted.")
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
    first =
      first ?? doubt(page, pagination) ?? page.doubt(lacks: lacks, isLast: isLast, isRange: pagination.takesRanges)
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
  /// Whether a page without a body says that there are no more objects: 204 and 205 do, but on the first page of a list they may
  /// mean anything. A 416 that is no error says that nothing is in the range.
  func saysNoMore(isFirst: Bool) -> Bool {
    response.status == PageStep.outOfRange || !isFirst && [204, 205].contains(response.status)
  }

  /// The reason why it is not known which objects the page has.
  fileprivate func doubt(lacks: String?, isLast: Bool, isRange: Bool) -> String? {
    if response.status == 206, !isRange { return "Page \(number) is a part of one (RFC 9110 §15.3.7)." }
    if body != nil { return lacks.map { "Page \(number) has no list \($0)." } }
    if isLast, saysNoMore(isFirst: number == 1) { return nil }
    return "Page \(number) has no body, which would say which objects there are."
  }
}
