import EntityJSON
import HTTPFoundation
import Synchronization

/// A pagination that notes what it said of a page, for a list that the store keeps.
struct ListedPagination: Pagination {
  let base: any Pagination
  /// The way to the page before; `nil` where nobody asks.
  let earlier: (any Pagination)?
  /// Where the page before may be.
  let origins: PageOrigins
  /// Whether the first page of the walk is a later page of the list.
  var isLater = false
  /// Finds the token of the changes in a page.
  var token: @Sendable (ReceivedPage) -> String? = { _ in nil }
  let heard: Heard

  /// The words of a pagination about the last page.
  final class Heard: Sendable {
    struct Content: Sendable {
      /// Whether the server said that the page is the last one.
      var isConfirmedEnd = false
      /// Whether the page says which objects there are: it has a body, or is an end without one.
      var isKnown = true
      var total: Int?
      /// The token of the changes.
      var token: String?
      /// The page before.
      var earlier: Result<PageToken?, any Error> = .success(nil)

      /// ``earlier``, if it is known.
      var earlierToken: PageToken? { (try? earlier.get()) ?? nil }
      /// Whether it can't be told where the page before is.
      var isEarlierUnknown: Bool { if case .failure = earlier { true } else { false } }
    }

    private let content = Mutex(Content())

    var value: Content { content.withLock(\.self) }

    func note(_ content: Content) { self.content.withLock { $0 = content } }
  }

  var firstQuery: QueryParameters { base.firstQuery }
  var firstBody: [String: JSONValue] { base.firstBody }
  var firstRange: String? { base.firstRange }
  var takesRanges: Bool { base.takesRanges }
  var comparesPages: Bool { base.comparesPages }
  var readsAllObjects: Bool { base.readsAllObjects }
  func isFirst(_ request: PageToken) -> Bool { base.isFirst(request) }
  func isFirst(_ url: URL) -> Bool { base.isFirst(url) }
  func total(of page: ReceivedPage) -> Int? { base.total(of: page) }

  func next(after page: ReceivedPage) throws -> NextPage? {
    heard.note(Heard.Content())
    // The list is as it was.
    if page.response.status == 304 { return nil }
    var content = Heard.Content()
    content.isKnown = page.body != nil || page.saysNoMore(isFirst: !isLater && page.number == 1)
    content.total = (base as? NumberPagination)?.countsPages == true ? nil : base.total(of: page)
    if let earlier {
      content.earlier = Result {
        switch try earlier.next(after: page) {
        case .url(let text): PageToken(url: try origins.resolved(text, from: page.response.url ?? page.url))
        case .query(let query): PageToken(url: try page.url.replacingQuery(query), range: page.range)
        case .range(let range): PageToken(url: page.url, range: range)
        // The list is asked for with GET, so no request has a body.
        case .body, .unconfirmedEnd, nil: nil
        }
      }
    }
    let next: NextPage?
    content.token = token(page)
    do {
      next = try base.next(after: page)
    } catch {
      heard.note(content)
      throw error
    }
    // Neither a part of a page nor a response without a body says which objects there are.
    content.isConfirmedEnd = next == nil && content.isKnown && (page.response.status != 206 || base.takesRanges)
    heard.note(content)
    return next
  }
}
