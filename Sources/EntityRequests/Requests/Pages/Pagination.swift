public import EntityJSON
public import Foundation

/// How a collection is divided into pages: the page that was received says where the next one is.
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
/// A pagination has no state: all it knows of the walk stands in the page and its request, so that a walk can go on from
/// any page.
public protocol Pagination: Sendable {
  /// The parameters to add to the query of the first request, unless the caller has set them; by default nothing.
  var firstQuery: QueryParameters { get }

  /// The values at key paths of the first request's body, unless the caller's body has them; by default none. They need a
  /// walk with a body: `pages(posting:)`.
  var firstBody: [String: JSONValue] { get }

  /// The value of the header field `Range` of the first request; by default `nil`.
  var firstRange: String? { get }

  /// Whether a page with status 206 is whole, because the pages are ranges; by default it is a part of a page.
  var takesRanges: Bool { get }

  /// Whether a walk that begins with a request begins with the first page. By default it does when its URL does,
  /// and the body has the values of ``Pagination/firstBody``.
  func isFirst(_ request: PageToken) -> Bool

  /// Whether a walk that begins at `url` begins with the first page. A walk that does not can't tell which objects are
  /// missing.
  ///
  /// By default it does when the query has the values of ``Pagination/firstQuery``. Write your own if another parameter
  /// leads to another page, or if one of those means something else, such as a page's size: then compare only the
  /// parameter that counts.
  func isFirst(_ url: URL) -> Bool

  /// The next page after `page`; `nil` when the server said that `page` was the last one. A walk with `.deleteMissing`
  /// relies on it. If the end is only likely, return ``NextPage/unconfirmedEnd(_:)``.
  ///
  /// - Throws: An error of your choice that says why the next page is not known. `page` is still taken into the store
  ///   and handed out; the error comes in place of the page after it.
  func next(after page: ReceivedPage) throws -> NextPage?

  /// Whether two pages in a row are compared if the next page is a ``NextPage/query(_:)``; by default they are. A
  /// server that ignores a number sends the same page for each number, and the walk would not end.
  ///
  /// Say no if a page that comes again leads to the URL that led to it, as a cursor of the page itself does. A walk
  /// requests each URL once anyway, and pages with the same objects may follow each other.
  var comparesPages: Bool { get }

  /// Whether the pagination looks at more of a page's objects than their number and the last one; by default it does. A
  /// walk over streamed pages has no more of them, and refuses such a pagination; see ``Streaming``.
  var readsAllObjects: Bool { get }

  /// The number of all objects, if the page says it; by default `nil`. If the number changes between the pages, a walk
  /// that deletes the rows that no page has fails, and deletes nothing.
  func total(of page: ReceivedPage) -> Int?
}

extension Pagination {
  public var firstQuery: QueryParameters { [:] }

  public var firstBody: [String: JSONValue] { [:] }

  public var firstRange: String? { nil }

  public var takesRanges: Bool { false }

  public func isFirst(_ request: PageToken) -> Bool {
    let body = request.body.flatMap { try? JSONValue(parsing: $0) }
    return isFirst(request.url) && firstBody.allSatisfy { body?[$0.key] == $0.value }
  }

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
  /// The body that was sent; `nil` when there was none.
  public let sentBody: JSONValue?
  /// The value of the header field `Range` that was sent.
  public let range: String?
  /// The response's status, headers, and the URL that answered.
  public let response: HTTPResponse
  /// The whole body as parsed; `nil` when there was none.
  public let body: JSONValue?
  /// The objects of the page: the list under the envelope, else the longest list of the request's ``ResponsePart``s.
  /// For a streamed page it is the last object alone, and the list in ``body`` is empty.
  public let objects: JSONArray
  /// How many objects the page has.
  public let objectCount: Int
  /// Counted from 1 in this walk.
  public let number: Int
  /// How many objects the walk's pages before this one had; `nil` in a walk that did not begin with the first page.
  public let objectsBefore: Int?
  /// Whether the walk deletes the rows that no page has. Then an end that is only likely must not be taken for the end.
  public let deletesMissing: Bool

  /// Makes a page, for the tests of a pagination.
  public init(
    url: URL, response: HTTPResponse, body: JSONValue? = nil, objects: JSONArray = [], number: Int = 1,
    objectsBefore: Int? = 0, deletesMissing: Bool = false, objectCount: Int? = nil, sentBody: JSONValue? = nil,
    range: String? = nil
  ) {
    self.url = url
    self.sentBody = sentBody
    self.range = range
    self.response = response
    self.body = body
    self.objects = objects
    self.number = number
    self.objectsBefore = objectsBefore
    self.deletesMissing = deletesMissing
    self.objectCount = objectCount ?? objects.count
  }

  /// True for the first page, to which no other page led.
  public var isFirst: Bool { number == 1 && objectsBefore != nil }
}

/// Where the next page is.
public enum NextPage: Sendable {
  /// A URL: absolute, or relative to the page that named it (RFC 3986 §5).
  case url(String)
  /// The same URL, with these parameters in place of parameters of the same names in its query.
  case query(QueryParameters)
  /// The same URL, and the body that was sent with these values at key paths, in place of the values that it has there.
  case body([String: JSONValue])
  /// The same URL, with this value of the header field `Range`.
  case range(String)
  /// There is no next page, but it is not certain that the pages had every object; the text says why. The walk ends. A
  /// walk that deletes missing objects deletes none, and fails with that text.
  case unconfirmedEnd(String)
}

/// How far one page of a walk has come.
public struct PageProgress: Sendable, Equatable {
  /// Counted from 1 in this walk.
  public let page: Int
  /// The progress of this page alone.
  public let request: RequestProgress
}

/// Called with the progress of each page, on any thread, one call after the other.
public typealias PageProgressHandler = @Sendable (PageProgress) -> Void
