import EntityJSON
public import EntityStore
public import HTTPFoundation

/// The pages of a collection, each requested when it is asked for, and taken into the store in one transaction.
///
/// ```swift
/// for try await page in User.pages(by: .link) {
///   print(page.ids.count, page.counts.inserted)
/// }
/// ```
///
/// A page that was handed out is committed, even if a later page fails. The error of a failed page is the error of its
/// request, and ``RequestError/page`` is its number; the sequence then ends. Cancelling the task that iterates cancels
/// the walk, within a page and between pages. Each iteration begins anew.
public struct EntityPages<Entity: RemoteEntity>: AsyncSequence, Sendable {
  public typealias Element = EntityResponse<Entity>
  public typealias Failure = any Error

  var client: Result<Client, any Error>
  var method = HTTPMethod.get
  /// The body of the first request; `nil` for requests without one.
  var body: JSONValue?
  let resource: String?
  let query: QueryParameters
  let pagination: any Pagination
  let start: PageToken?
  let limit: Int?
  let allowed: [URL]
  let store: EntityStore?
  let options: ResponseOptions<Entity>
  let modify: @Sendable (inout URLRequest) throws -> Void
  let progress: PageProgressHandler?
  /// Keeps the places of the pages' objects in a list; `nil` where the walk is of no such list.
  var listing: PageListing?
  /// The versions that earlier pages of the same walk have had; `nil` where the walk begins here.
  var versions: SeenVersions?

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// Requests one page after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let pages: EntityPages
    private var following: Following = .first
    private var number = 0
    private var visited: Set<PageToken> = []
    private var origins = PageOrigins()
    /// The number of objects on the pages so far; `nil` in a walk that did not begin with the first page.
    private var objectCount: Int?
    private var digest: Int?
    private var doubts = PageDoubts()
    private var walk: PageWalk?
    private var versions: SeenVersions?

    private enum Following {
      case first
      case page(PageToken)
      case failure(any Error)
      case end
    }

    init(_ pages: EntityPages) { self.pages = pages }

    /// The next page, once it is in the store; `nil` after the last one.
    ///
    /// - Throws: ``RequestError``; `CancellationError`; the errors of the closure that changes the requests.
    public mutating func next() async throws -> EntityResponse<Entity>? {
      do { return atCaller(try await next(isolation: #isolation)) } catch { throw atCaller(error) }
    }

    /// As ``next()``. On the main actor the objects of the main context are up to date when it returns.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> EntityResponse<Entity>? {
      if case .end = following { return nil }
      // A next page that is not known is an error even at the limit. Without the error the walk would seem whole.
      if case .failure = following {
      } else if let limit = pages.limit, number >= limit {
        finish()
        return nil
      }
      number += 1
      do {
        let client = try pages.client.get()
        let builder = RequestBuilder(client: client)
        let store = try pages.store ?? client.store
        let token = try token(builder, store)
        try Task.checkCancellation()
        let request = try request(token, builder)
        let page = PageStep(
          pagination: pages.pagination, request: token, number: number, objectsBefore: objectCount, visited: visited,
          origins: origins, digestBefore: digest, doubts: doubts, walk: walk, versions: versions)
        var exchange = EntityExchange<Entity>(
          request, request.method(or: pages.method), client, store.core, .page(page), pages.options)
        exchange.fetch.onlyReads = true
        exchange.reading.listing = pages.listing
        let (answer, step) = try await exchange.heard(by: progress).run()
        let response = MainMerge.merged(answer, actor)
        objectCount = objectCount.map { $0 + step.objectCount }
        digest = step.digest
        doubts = step.doubts
        switch step.next {
        case .success(let token?): following = .page(token)
        case .success(nil): finish()
        case .failure(let error): following = .failure(error)
        }
        return response
      } catch {
        finish()
        // A part of the page may be in the store.
        if pages.options.streaming != nil { MainMerge.merge(try? pages.store ?? pages.client.get().store, actor) }
        guard var error = error as? RequestError else { throw error }
        error.page = number
        throw error
      }
    }

    private mutating func finish() {
      following = .end
      walk = nil
    }

    private var progress: RequestProgressHandler? {
      guard let handler = pages.progress else { return nil }
      return { [number] in handler(PageProgress(page: number, request: $0)) }
    }

    /// The request of a page, with the caller's changes.
    private func request(_ token: PageToken, _ builder: RequestBuilder) throws -> URLRequest {
      var request = try builder.request(Entity.self, pages.method, token.url)
      if let body = token.body { try request.setJSON(JSONValue(parsing: body)) }
      if let range = token.range {
        // PostgREST has the unit in a field of its own.
        if !range.contains("=") { try request.setHeaders(["Range-Unit": "items"]) }
        try request.setHeaders(["Range": range])
      }
      try builder.modify(Entity.self, &request, pages.modify)
      return request
    }

    /// The place of the page to request now.
    private mutating func token(_ builder: RequestBuilder, _ store: EntityStore) throws -> PageToken {
      let token: PageToken
      switch following {
      case .first: token = try first(builder, store)
      case .page(let next): token = next
      case .failure(let error): throw RequestError.untold(error)
      case .end: throw CancellationError()
      }
      visited.insert(token)
      return token
    }

    private mutating func first(_ builder: RequestBuilder, _ store: EntityStore) throws -> PageToken {
      try pages.options.upsert.checkPages(limit: pages.limit)
      if pages.options.streaming != nil, pages.pagination.readsAllObjects {
        throw RequestError(
          .invalidRequest,
          "The pagination reads the objects of each page, and a streamed page has only the last one. Where it reads no more than "
            + "`objectCount` and the last object, let its `readsAllObjects` be false.")
      }
      let home = try builder.url(Entity.self, pages.resource, query: pages.query)
      try check(home, builder)
      origins = PageOrigins(urls: [home] + pages.allowed, takesAll: pages.options.allowed.contains(.otherOrigins))
      let token =
        try pages.start.map { start in
          let url = try RequestURL(absolute: start.url.absoluteString).url()
          return PageToken(url: url, body: start.body, range: start.range)
        } ?? begin(home)
      try origins.check(token.url)
      let isFirst = pages.start == nil && pages.pagination.isFirst(token)
      if isFirst { objectCount = 0 }
      if pages.options.upsert.isNewestFirst { versions = pages.versions ?? SeenVersions() }
      guard pages.options.deletesMissing else { return token }
      guard isFirst else {
        throw RequestError(
          .invalidRequest,
          "A walk that begins in the middle does not know what the pages before it had, so it can't tell what is missing."
        )
      }
      walk = PageWalk(store.core)
      return token
    }

    /// - Throws: ``RequestError`` of kind `unsafeResource` for a resource that leads to a place that the caller has not
    ///   allowed.
    private func check(_ home: URL, _ builder: RequestBuilder) throws {
      let origins = pages.allowed.contains { home.hasSameOrigin(as: $0) }
      try builder.check(
        Entity.self, URLRequest(url: home), of: pages.resource,
        origins ? pages.options.allowed.union(.otherOrigins) : pages.options.allowed)
    }

    /// The collection with the parameters of the pagination, except for parameters that the caller has set.
    private func begin(_ home: URL) throws -> PageToken {
      let pagination = pages.pagination
      let present = home.queryFields
      var query = QueryParameters()
      for item in pagination.firstQuery.items where present[item.name] == nil { query.append(item) }
      let url = query.isEmpty ? home : try home.replacingQuery(query)
      let values = pagination.firstBody.filter { pages.body?[$0.key] == nil }
      guard pages.body != nil || values.isEmpty else {
        throw RequestError(
          .invalidRequest, "The pagination is `inBody`, and the requests have no body: begin with `pages(posting:)`.")
      }
      return PageToken(url: url, body: try pages.body?.setting(values).rawBytes, range: pagination.firstRange)
    }
  }

  /// Walks through all pages.
  ///
  /// ```swift
  /// let ids = try await User.pages(by: .link).all().ids
  /// ```
  /// - Throws: As the iterator. The pages before the failed one are committed.
  @discardableResult
  public nonisolated(nonsending) func all() async throws -> Summary {
    var summary = Summary()
    var seen: Set<EntityID<Entity>> = []
    var iterator = makeAsyncIterator()
    while let page = try await iterator.next() {
      for id in page.ids where seen.insert(id).inserted { summary.ids.append(id) }
      summary.counts.add(page.counts)
      summary.skipped.add(page.skipped)
      summary.refused.add(page.refused)
      summary.parts.add(page.parts)
      summary.pages += 1
      summary.next = page.next
    }
    return summary
  }
}

extension RemoteEntity {
  /// The pages of a collection as an asynchronous sequence; see ``EntityPages`` and ``Pagination``.
  ///
  /// ```swift
  /// for try await page in User.pages(query: ["sort": "name"], by: .numbers(size: 100)) { … }
  /// for try await page in User.pages(by: .body("links.next"), from: token) { … }     // where an earlier walk stopped
  /// ```
  ///
  /// Nothing is sent before the first page is asked for. The client is the client of the calling task. Next pages must
  /// be of the same origin as the collection, because requests may hold secrets. A server behind a proxy that ends TLS
  /// names its pages with `http`: at the host of a collection with `https`, they are requested with `https`. With
  /// `.allowing(.otherOrigins)` among the options next pages may be anywhere, but not without TLS where the collection
  /// has it. No page is requested twice in a walk.
  ///
  /// With `.deleteMissing(in:)` among the options, objects that no page has are deleted with the last page, if every
  /// page was received and complete. A page that does not say which objects it has (206, 304, no body, no list)
  /// prevents that. The walk then goes on as long as a page or its headers say where the next one is, fails with
  /// ``RequestError/Kind/pagination``, and deletes nothing. Objects that other requests brought meanwhile stay.
  ///
  /// Two things are yours to see to. First, the scope must not hold more than the pages do: objects that a filter in
  /// `query` leaves out count as missing. Second, the walk must begin with the first page. With numbers, offsets and
  /// cursors, a walk that begins elsewhere is refused. So is a first page that names a previous one in its `Link` or
  /// beside the body's `next`. But if a server says only where the next page is, `query: ["page": 2], by: .link`
  /// deletes the objects of page 1.
  ///
  /// A deletion on the server between two numbered pages may move other objects to a page that came already: they seem
  /// missing until they come again. Only a total tells that. If the total changes, the walk fails and deletes nothing.
  ///
  /// A list of the option `.parts` that deletes must be on all pages, empty once it has ended; if a page lacks it, the
  /// walk fails in the same way. The list must also end no later than the response's own list, which numbers and
  /// offsets count. Otherwise the rest of the list is not seen, and would be deleted.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the first page.
  ///   - pagination: How the next page is found.
  ///   - token: The ``EntityResponse/next`` of a page: the walk begins there, and `query` is not used.
  ///   - limit: The most pages to request.
  ///   - origins: URLs whose scheme, host and port next pages may have, besides the collection's. The default headers
  ///     of client and entity don't go there.
  ///   - store: Where the pages are kept; by default the client's.
  ///   - options: How each page is read; see ``ResponseOptions``.
  ///   - modify: Changes each request before it is sent.
  ///   - progress: Called with the progress of each page, on any thread, one call after the other.
  public nonisolated static func pages(
    _ resource: String? = nil, query: QueryParameters = [:], by pagination: some Pagination,
    from token: PageToken? = nil, limit: Int? = nil, allowing origins: [URL] = [], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }, progress: PageProgressHandler? = nil
  ) -> EntityPages<Self> {
    EntityPages(
      client: Result { try Client.current }, resource: resource, query: query, pagination: pagination, start: token,
      limit: limit, allowed: origins, store: store, options: options, modify: modify, progress: progress)
  }
}

extension RequestError {
  /// The error of a pagination that can't say where a page is.
  static func untold(_ error: any Error) -> RequestError {
    error as? RequestError
      ?? RequestError(
        .pagination, "Where the page is, could not be told: \(RequestError.shown(error))", underlying: error)
  }
}
