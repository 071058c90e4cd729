public import EntityJSON
public import EntityStore
public import HTTPFoundation

extension RemoteEntity {
  /// The pages of a list that is asked for with a body: a search, a filter, GraphQL.
  ///
  /// ```swift
  /// let pages = User.pages(
  ///   posting: ["filter": ["active": true]], to: "search",
  ///   by: .offsets("page.offset", size: 100, "page.limit", total: .body("total")).inBody)
  /// ```
  ///
  /// A pagination that is `inBody` has its parameters at key paths of the body; with another one each request has the
  /// same body. A next page that is a URL is asked for with the same method and body. The requests count as reads: no
  /// cached response ends, and no answer to a write is overtaken. All else is as for
  /// `pages(_:query:by:from:limit:allowing:in:options:modify:progress:)`.
  ///
  /// - Parameters:
  ///   - body: The body of the first request, an object. Each page has it, with its own place in it.
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - method: The method of each request.
  ///   - query: Added to the query of the first page.
  ///   - pagination: How the next page is found.
  ///   - token: The ``EntityResponse/next`` of a page: the walk begins there, and `query` and `body` are not used.
  ///   - limit: The most pages to request.
  ///   - origins: URLs whose scheme, host and port next pages may have, besides the collection's.
  ///   - store: Where the pages are kept; by default the client's.
  ///   - options: How each page is read; see ``ResponseOptions``.
  ///   - modify: Changes each request before it is sent.
  ///   - progress: Called with the progress of each page, on any thread, one call after the other.
  public nonisolated static func pages(
    posting body: JSONValue, to resource: String? = nil, method: HTTPMethod = .post, query: QueryParameters = [:],
    by pagination: some Pagination, from token: PageToken? = nil, limit: Int? = nil, allowing origins: [URL] = [],
    in store: EntityStore? = nil, options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }, progress: PageProgressHandler? = nil
  ) -> EntityPages<Self> {
    EntityPages(
      client: Result { try Client.current }, method: method, body: body, resource: resource, query: query,
      pagination: pagination, start: token, limit: limit, allowed: origins, store: store, options: options,
      modify: modify, progress: progress)
  }
}
