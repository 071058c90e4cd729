public import EntityJSON
public import Foundation

/// How a collection is divided into pages: where the next page is, said by the page that was received.
///
/// A project's own is a few lines:
///
/// ```swift
/// struct Sequel: Pagination {
///   func next(after page: ReceivedPage) throws -> NextPage? {
///     page.body?["sequel"]?.string.map { .url($0) }
///   }
/// }
/// for try await page in User.pages(by: Sequel()) { … }
/// ```
///
/// It has no state: all its knowledge of the walk stands in the page and its URL, so that a walk can go on from any
/// page.
public protocol Pagination: Sendable {
  /// The parameters to add to the query of the first request, where the caller has not set it; by default nothing.
  var firstQuery: QueryParameters { get }

  /// Whether a walk that begins at `url` begins with the first page. One that doesn't can't tell which objects are
  /// missing.
  ///
  /// By default it does where the query has the values of ``firstQuery``. Where a parameter that is not in it leads to
  /// another page, or one that is in it says something else, such as a page's size, look at the one that counts.
  func isFirst(_ url: URL) -> Bool

  /// Where to go on after `page`; `nil` when the server said that it was the last one. A walk with `.deleteMissing`
  /// relies on it. Where the end is only likely, it is ``NextPage/unconfirmedEnd(_:)``.
  ///
  /// - Throws: An error of your choice that says why the way on is not known. `page` is taken into the store and handed
  ///   out all the same; the error comes in place of the page after it.
  func next(after page: ReceivedPage) throws -> NextPage?

  /// Whether two pages in a row are compared where the next page is a ``NextPage/query(_:)``; by default they are. A
  /// server that does not heed a number sends the same page for each number, and the walk would not end.
  ///
  /// Say no where a page that comes again leads to the URL that led to it, as a cursor of the page itself does: a URL
  /// is requested once in a walk anyway, and pages with the same objects may follow each other.
  var comparesPages: Bool { get }

  /// Whether the pagination looks at more of a page's objects than their number and the last one; by default it does. A walk whose
  /// pages are streamed has no more of them, and is refused then; see ``Streaming``.
  var readsAllObjects: Bool { get }

  /// The number of all objects, where the page says it; by default `nil`. A walk that deletes the rows that no page has
  /// fails, and deletes nothing, where the number changes between the pages.
  func total(of page: ReceivedPage) -> Int?
}

extension Pagination {
  public var firstQuery: QueryParameters { [:] }

  public var comparesPages: Bool { true }

  public var readsAllObjects: Bool { true }

  public func total(of page: ReceivedPage) -> Int? { nil }

  public func isFirst(_ url: URL) -> Bool {
    let query = url.queryFields
    let first = Dictionary(firstQuery.items.map { ($0.name, $0.value ?? "") }) { $1 }
    return first.allSatisfy { query[$0.key] == $0.value }
  }
}

/// A page as it came.
public struct ReceivedPage: Sendable {
  /// The URL that was requested.
  public let url: URL
  /// The response's status, headers, and the URL that answered.
  public let response: HTTPResponse
  /// The whole body as parsed; `nil` when there was none.
  public let body: JSONValue?
  /// The objects of the page: the list under the envelope, or where there is none the longest list of the request's
  /// ``ResponsePart``s. Of a streamed page it is the last object alone, and its list in ``body`` is empty.
  public let objects: JSONArray
  /// How many objects the page has.
  public let objectCount: Int
  /// Counted from 1 in this walk.
  public let number: Int
  /// How many objects the walk's pages before this one had; `nil` in a walk that did not begin with the first page.
  public let objectsBefore: Int?
  /// Whether the walk deletes the rows that no page has: then an end that is only likely should not be taken for one.
  public let deletesMissing: Bool

  /// Makes a page, for the tests of a pagination.
  public init(
    url: URL, response: HTTPResponse, body: JSONValue? = nil, objects: JSONArray = [], number: Int = 1,
    objectsBefore: Int? = 0, deletesMissing: Bool = false, objectCount: Int? = nil
  ) {
    self.url = url
    self.response = response
    self.body = body
    self.objects = objects
    self.number = number
    self.objectsBefore = objectsBefore
    self.deletesMissing = deletesMissing
    self.objectCount = objectCount ?? objects.count
  }

  /// Whether it is the first page, so that no other one led to it.
  public var isFirst: Bool { number == 1 && objectsBefore != nil }
}

/// Where the next page is.
public enum NextPage: Sendable {
  /// A URL: absolute, or relative to the page that named it (RFC 3986 §5).
  case url(String)
  /// The same URL, with these parameters of its query in place of the ones of their names.
  case query(QueryParameters)
  /// There is none, and yet it is not certain that the pages had every object; the text says why. The walk ends, but
  /// one that deletes missing objects deletes none, and fails with that text.
  case unconfirmedEnd(String)
}

/// How far one page of a walk has come.
public struct PageProgress: Sendable, Equatable {
  /// Counted from 1 in this walk.
  public let page: Int
  /// Of this page alone.
  public let request: RequestProgress
}

/// Called with the progress of each page, on any thread, one call after the other.
public typealias PageProgressHandler = @Sendable (PageProgress) -> Void
