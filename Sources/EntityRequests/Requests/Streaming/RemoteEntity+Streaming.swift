public import EntityStore
public import HTTPFoundation

extension RemoteEntity {
  /// Gets a list of objects, and upserts them while they arrive.
  ///
  /// ```swift
  /// do {
  ///   let export = try await User.get("export", streaming: .groups(), options: .envelope("data"))
  ///   print(export.counts)
  /// } catch let error as RequestError {
  ///   print(error.committed?.elements ?? 0, "users are here")
  /// }
  /// ```
  ///
  /// The list may stand below an envelope, with other values before and behind it. An envelope that a route's closure
  /// chooses is chosen without the body. With the last group, parts (``ResponsePart``) are taken in, and objects that
  /// the whole response lacks are deleted; after a break none is deleted. A body without a list is taken in as by the
  /// verb that does not stream.
  ///
  /// All groups are one request in the order of requests: no group overwrites values that a newer answer has written
  /// meanwhile. Objects may be edited and saved between groups; the edits are kept as ever. With the option `.limits`,
  /// the limits hold for the whole body. Without it, the standard limits hold for each element, and for the body
  /// without the elements.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - streaming: Whether the list is committed in groups, or as a whole.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``. A cache policy and `.reportingUnreadKeys` are refused, `.dryRun` and
  ///     `.upserting(.insertOnly)` go with ``Streaming/atomically`` alone, and properties that `origins` fills from the body are errors.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``. All of it is transfer, except for the end.
  /// - Throws: ``RequestError``, with ``RequestError/committed``; `CancellationError`; the errors of `modify`. With
  ///   ``Streaming/groups(of:committed:)`` the committed groups stay in the store. On the main actor the objects of the
  ///   main context are up to date even then.
  @discardableResult
  public nonisolated(nonsending) static func get(
    _ resource: String? = nil, query: QueryParameters = [:], streaming: Streaming, in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> StreamedResponse<Self> {
    try await sending(.get, resource, query: query, streaming: streaming, in: store, options: options)
      .run(modify, progress)
  }

  /// A request whose list is taken into the store while it arrives, as `get(_:query:streaming:in:options:modify:progress:)` does.
  ///
  /// - Parameters:
  ///   - method: GET. No other answer is streamed: with another method the sending throws.
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - streaming: Whether the list is committed in groups, or as a whole.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read, as for the verb.
  public nonisolated static func sending(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], streaming: Streaming,
    in store: EntityStore? = nil, options: ResponseOptions<Self> = []
  ) -> Request<StreamedResponse<Self>> {
    let client = Result { try Client.current }
    let named = ResourceRequest(method, resource, query, options.streamed(streaming))
    return Request { try made(named, client, store, $0).map { StreamedResponse($0) } }
  }

  /// The pages of a collection, each of which is taken into the store while it arrives; see ``EntityPages`` and ``Streaming``.
  ///
  /// ```swift
  /// for try await page in User.pages(by: .link, streaming: .groups()) { print(page.counts) }
  /// ```
  ///
  /// A pagination gets the number of a page's objects, and the last object. A project's own pagination says with
  /// ``Pagination/readsAllObjects`` that it needs no more.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the first page.
  ///   - pagination: How the next page is found.
  ///   - streaming: Whether a page is committed in groups, or as a whole.
  ///   - token: The ``StreamedResponse/next`` of a page: the walk begins there, and `query` is not used.
  ///   - limit: The most pages to request.
  ///   - origins: As in `pages(_:query:by:from:limit:allowing:in:options:modify:progress:)`.
  ///   - store: Where the pages are kept; by default the client's.
  ///   - options: How each page is read, as in `get(_:query:streaming:in:options:modify:progress:)`.
  ///   - modify: Changes each request before it is sent.
  ///   - progress: Called with the progress of each page, on any thread, one call after the other.
  public nonisolated static func pages(
    _ resource: String? = nil, query: QueryParameters = [:], by pagination: some Pagination, streaming: Streaming,
    from token: PageToken? = nil, limit: Int? = nil, allowing origins: [URL] = [], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }, progress: PageProgressHandler? = nil
  ) -> StreamedPages<Self> {
    StreamedPages(
      pages: pages(
        resource, query: query, by: pagination, from: token, limit: limit, allowing: origins, in: store,
        options: options.streamed(streaming), modify: modify, progress: progress))
  }
}

/// The pages of a collection, each requested when it is asked for, and taken into the store while it arrives.
///
/// It is the same as ``EntityPages``, without the ids. An error has the number of its page in ``RequestError/page``,
/// and the part of that page that is in the store in ``RequestError/committed``.
public struct StreamedPages<Entity: RemoteEntity>: AsyncSequence, Sendable {
  public typealias Element = StreamedResponse<Entity>
  public typealias Failure = any Error

  let pages: EntityPages<Entity>

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: pages.makeAsyncIterator()) }

  /// Requests one page after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var base: EntityPages<Entity>.AsyncIterator

    /// The next page, once it is in the store; `nil` after the last one.
    ///
    /// - Throws: ``RequestError``; `CancellationError`; the errors of the closure that changes the requests.
    public mutating func next() async throws -> StreamedResponse<Entity>? {
      do { return atCaller(try await next(isolation: #isolation)) } catch { throw atCaller(error) }
    }

    /// As ``next()``. On the main actor the objects of the main context are up to date when it returns.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> StreamedResponse<Entity>? {
      try await base.next(isolation: actor).map { StreamedResponse($0) }
    }
  }
}

extension ResponseOptions {
  fileprivate func streamed(_ streaming: Streaming) -> Self {
    var options = self
    options.streaming = streaming
    return options
  }
}
