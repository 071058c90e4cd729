import EntityStore
public import HTTPFoundation

/// A list of the server that the store keeps: which objects are in it, in which order, where the next page is, and how
/// old all of that is.
///
/// ```swift
/// extension Post {
///   static let feed = StoredCollection<Post>(get: "feed", pages: .cursor("next"))
/// }
/// let feed = try LiveResource(Post.feed)     // the list of the last run is there at once
/// try await feed.load()                      // its beginning
/// try await feed.loadMore()                  // its next page
/// ```
///
/// The members are rows of the store, so that a member of several lists is one object, and a list has the values that any
/// response brought. An object that leaves the list stays in the store. An object that is deleted leaves the list.
///
/// The collection is a value, and holds nothing. The list stands in the store, under a name that depends on the URL of the
/// first page, on the header fields that `modify` sets, and on the account: `identity` of the ``Client``. Another account
/// has another list. The file has the name as a hash. It has the place of the next page as the server gave it, without the query of
/// the first page.
///
/// *Refreshing.* ``load(in:progress:)`` asks for the first page, with the validators of the last one. Where the page has
/// objects of the list, the rest of the list stays behind them: objects that are new on the server are put before them, and
/// objects that left are taken out. Where the page has no object of the list, or has them in another order with others
/// missing between, the list begins anew with the page: the server may have more new objects than a page. ``LiveResource/isComplete``
/// is then false, and ``LiveResource/loadMore()`` goes on behind the page.
///
/// *Completeness.* The list is complete when its pages were walked from the first to a last one that the server said to be
/// the last, with no page left out and no object refused. A pagination that counts pages or objects can't notice an object
/// that a deletion moves to a page that came already. With a total, the walk is then not complete; see
/// ``Pagination/total(of:)``.
public struct StoredCollection<E: RemoteEntity>: Sendable {
  let resource: String?
  let query: QueryParameters
  let pagination: any Pagination
  /// The way to the pages before the first one; `nil` where there are none.
  let earlier: (any Pagination)?
  let origins: [URL]
  let options: ResponseOptions<E>
  let changes: CollectionDelta<E>?
  let placing: CollectionPlacing<E>?
  let modify: @Sendable (inout URLRequest) throws -> Void

  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the first page.
  ///   - pagination: How the next page is found.
  ///   - earlier: How the page before the first one is found, from that page and then from each page before it: for a list
  ///     that begins in the middle, as a conversation with its latest messages. Its pages are put before all others.
  ///   - changes: How the changes since the last load are asked for; `nil` where each load asks for the first page.
  ///   - placing: Which objects that are made here stand in the list before the server has them.
  ///   - origins: URLs whose scheme, host and port pages may have, besides the collection's.
  ///   - options: How each page is read. A cache policy among them is ignored. Pages can't be streamed, be dry runs or
  ///     delete missing objects.
  ///   - modify: Changes each request before it is sent. A header field that it sets, other than credentials, makes another
  ///     list for each value.
  public init(
    get resource: String? = nil, query: QueryParameters = [:], pages pagination: some Pagination,
    earlier: (any Pagination)? = nil, changes: CollectionDelta<E>? = nil, placing: CollectionPlacing<E>? = nil,
    allowing origins: [URL] = [], options: ResponseOptions<E> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) {
    self.resource = resource
    self.query = query
    self.pagination = pagination
    self.earlier = earlier
    self.origins = origins
    self.changes = changes
    self.placing = placing
    var options = options
    options.cache = nil
    self.options = options
    self.modify = modify
  }

  /// A list that comes in one response.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query.
  ///   - options: How the response is read.
  ///   - modify: Changes each request before it is sent.
  public init(
    get resource: String? = nil, query: QueryParameters = [:], options: ResponseOptions<E> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) {
    self.init(get: resource, query: query, pages: OnePage(), options: options, modify: modify)
  }
}

/// The pages of a list that has one.
struct OnePage: Pagination {
  var readsAllObjects: Bool { false }
  var comparesPages: Bool { false }

  func next(after page: ReceivedPage) throws -> NextPage? { try page.end() }
}
