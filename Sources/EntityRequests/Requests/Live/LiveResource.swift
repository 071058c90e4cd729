public import EntityStore
public import Observation
public import HTTPFoundation

/// The objects of a URL, kept up to date, and their state: whether they are being loaded, how the last load failed, how
/// old they are, and what the server does not know yet. A screen can show all of it, because all of it is observable.
///
/// ```swift
/// let users = try LiveResource<User>("active")
/// users.loadIfNeeded()
/// // users.objects, users.isLoading, users.error, users.isStale
/// ```
///
/// ``objects`` are the objects of the last answer, in its order, as the main context has them. Before the first load of
/// a process, they are the objects of the answer that the store knows. Or they are the objects of a query, which the
/// URL loads. An error does not take the objects away.
///
/// Resources with equal requests share the load, its error and its progress. Observers do not hear of the passing of
/// time.
@MainActor
public final class LiveResource<E: RemoteEntity>: Observable {
  private let registrar = ObservationRegistrar()
  private let request: Request
  private let staleAfter: Duration?
  private let retryAfter: Duration
  private let now = AnswerClock.now
  /// The query for the objects; `nil` when they are the objects of the answer.
  private let query: LiveQuery<E>?
  private var current: ResourceLoading<E>
  /// The number of this resource in the shared loading.
  private var owner: Int
  /// The loads of the pages behind a stored collection and before it; empty for other resources.
  private var further: [ListStep: Further] = [:]
  private lazy var unsent = PendingCount<E>(in: request.store)

  /// The loads of one direction, with the number of this resource in them.
  private struct Further {
    let loading: ResourceLoading<E>
    let owner: Int
  }

  /// The request of each load, and the way to its store.
  private struct Request {
    let client: Client
    let store: EntityStore
    /// The directions besides the refresh in which loads go.
    var steps: [ListStep] = []
    /// Makes the exchange of a step. With another identity it is another request.
    let exchange: @MainActor (ListStep) throws -> any LoadedExchange<E>

    @MainActor func loading(_ exchange: some LoadedExchange<E>) -> ResourceLoading<E> {
      guard exchange.isShared else { return ResourceLoading(exchange, in: store) }
      return client.caching.shared.object(for: exchange.sharingKey(after: "")) { ResourceLoading(exchange, in: store) }
    }
  }

  /// The objects in the answer to a GET of a resource. Nothing is sent yet.
  ///
  /// ```swift
  /// let user = try LiveResource<User>("42")
  /// label.text = user.object?.firstName
  /// ```
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the objects are; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``. A cache policy among them is ignored: each load
  ///     asks the server, with the validators of the last answer.
  ///   - staleAfter: The age at which an answer is stale; `nil` leaves it to the answer's `Cache-Control` or `Expires`.
  ///   - retryAfter: How long after a failure ``loadIfNeeded()`` does nothing, so that a view that calls it each time
  ///     it is shown does not ask in a circle.
  ///   - modify: Changes the request after all defaults. It runs now, and once.
  /// - Throws: ``RequestError``, also of kind `invalidRequest` for a method other than GET, and of kind `unsafeResource` for a
  ///   resource that leads to a place which the options don't allow; `StoreError` for an entity that the store does not have;
  ///   the errors of `modify`.
  public convenience init(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<E> = [], staleAfter: Duration? = .seconds(30), retryAfter: Duration = .seconds(1),
    modify: (inout URLRequest) throws -> Void = { _ in }
  ) throws {
    try self.init(nil, ResourceRequest(.get, resource, query, options), store, staleAfter, retryAfter, modify)
  }

  /// The objects of a query, and the GET that loads them.
  ///
  /// ```swift
  /// let users = try LiveResource(User.where { $0.active == true }.sorted(by: \.firstName), loadedBy: "active")
  /// ```
  ///
  /// The objects are all objects that the query finds, even if the answer does not have them: an object that was made
  /// here is in the list at once. All other state is the request's.
  ///
  /// - Parameters:
  ///   - objects: The query.
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the objects are; by default the client's.
  ///   - options: How the response is read, as in ``init(_:query:in:options:staleAfter:retryAfter:modify:)``.
  ///   - staleAfter: The age at which an answer is stale; `nil` leaves it to the answer.
  ///   - retryAfter: How long after a failure ``loadIfNeeded()`` does nothing.
  ///   - modify: Changes the request after all defaults. It runs now, and once.
  /// - Throws: As the initializer without a query.
  public convenience init(
    _ objects: EntityQuery<E>, loadedBy resource: String? = nil, query: QueryParameters = [:],
    in store: EntityStore? = nil, options: ResponseOptions<E> = [], staleAfter: Duration? = .seconds(30),
    retryAfter: Duration = .seconds(1), modify: (inout URLRequest) throws -> Void = { _ in }
  ) throws {
    try self.init(objects, ResourceRequest(.get, resource, query, options), store, staleAfter, retryAfter, modify)
  }

  private convenience init(
    _ objects: EntityQuery<E>?, _ named: ResourceRequest<E>, _ store: EntityStore?, _ staleAfter: Duration?,
    _ retryAfter: Duration, _ modify: (inout URLRequest) throws -> Void
  ) throws {
    let client = try Client.current
    let store = try store ?? client.store
    _ = try store.core.schema.model(E.self)
    let request = try EntityExchange<E>(named, client, store, modify).fetch.request
    let options: ResponseOptions<E> = [named.options, .cache(.networkOnly)]
    try self.init(
      objects, staleAfter, retryAfter,
      Request(client: client, store: store) { _ in
        let exchange = EntityExchange<E>(
          request, request.method(or: .get), client, store.core, .collection, options)
        return try CachedExchange(exchange, .networkOnly)
      })
  }

  /// The members of a stored collection, in the order of the list. They are there before the first load of a process.
  ///
  /// ```swift
  /// let feed = try LiveResource(Post.feed)
  /// feed.loadIfNeeded()
  /// if feed.hasMore { try await feed.loadMore() }     // when the end of the list comes on the screen
  /// ```
  ///
  /// - Parameters:
  ///   - collection: The list.
  ///   - store: Where the list is; by default the client's.
  ///   - staleAfter: The age at which the list is stale; `nil` leaves it to the first page's `Cache-Control` or `Expires`.
  ///   - retryAfter: How long after a failure ``loadIfNeeded()`` does nothing.
  /// - Throws: ``RequestError``, also of kind `invalidRequest` for credentials of an account without a name; `StoreError`;
  ///   the errors of the closure that changes the requests.
  public convenience init(
    _ collection: StoredCollection<E>, in store: EntityStore? = nil, staleAfter: Duration? = .seconds(30),
    retryAfter: Duration = .seconds(1)
  ) throws {
    let client = try Client.current
    let store = try store ?? client.store
    try self.init(
      nil, staleAfter, retryAfter,
      Request(client: client, store: store, steps: [.more, .earlier]) {
        try CollectionExchange(collection, client, store, $0)
      })
  }

  private init(
    _ objects: EntityQuery<E>?, _ staleAfter: Duration?, _ retryAfter: Duration, _ request: Request
  ) throws {
    self.request = request
    self.staleAfter = staleAfter
    self.retryAfter = retryAfter
    query = objects.map { LiveQuery($0, in: request.store) }
    current = request.loading(try request.exchange(.refresh))
    owner = current.newOwner()
    further = try Self.further(request)
  }

  private static func further(_ request: Request) throws -> [ListStep: Further] {
    var further: [ListStep: Further] = [:]
    for step in request.steps {
      let loading = request.loading(try request.exchange(step))
      further[step] = Further(loading: loading, owner: loading.newOwner())
    }
    return further
  }

  deinit {
    Task { @MainActor [current, owner, further] in
      current.depart(owner)
      for (_, further) in further { further.loading.depart(further.owner) }
    }
  }

  // MARK: The state

  /// The objects of the last answer in its order, without objects that were deleted since; or the objects of the query.
  /// Values of an object are observed at the object.
  public var objects: [E] { list.objects }

  /// The first of ``objects``: for a resource of one object, that object.
  public var object: E? { objects.first }

  /// Whether a request is under way, for this resource or for another one with an equal request.
  public var isLoading: Bool { loading.isLoading || loadings.contains { $0.isLoading } }

  /// The error of the last load, of the list's beginning or of another page; `nil` once a load has succeeded. The objects
  /// from before stay. A cancelled load is no failure. If the objects can't be read from the store, the error of that read.
  public var error: (any Error)? {
    let all = [loading] + loadings
    // Reading `endedAt` would make each view run again at each load.
    guard all.contains(where: { $0.error != nil }) else { return list.error }
    let ended = all.compactMap { loading in loading.endedAt.map { (loading.error, $0) } }
    return ended.max { $0.1 < $1.1 }?.0 ?? list.error
  }

  /// True when a load is due: nothing was loaded, or the last answer is too old, or something has ended its freshness,
  /// for example a verb that wrote to the entity.
  ///
  /// Observers hear of a new answer and of an ended freshness, but not of the passing of time.
  public var isStale: Bool { loading.freshness.map { !$0.holds(for: staleAfter, at: now()) } ?? true }

  /// When the server last sent the objects, or confirmed them with a 304; `nil` when no answer is known.
  public var lastLoaded: Date? { loading.freshness.map { Date(timeIntervalSince1970: $0.time) } }

  /// How many objects of the entity have saved changes that the server has not acknowledged: edits, new objects and
  /// deletions that wait to be sent, or for their answer. Objects of other lists count too. See `store.pending`.
  public var pending: Int { unsent.value }

  /// How far the load has come, from 0 to 1; `nil` when none is under way.
  public var progress: Double? { loading.progress ?? loadings.lazy.compactMap(\.progress).first }

  /// Whether the server has a page behind the last of ``objects``: of a stored collection that was loaded. ``loadMore()``
  /// brings it.
  public var hasMore: Bool { loading.extent?.hasMore ?? false }

  /// Whether the server has a page before the first of ``objects``, which ``loadEarlier()`` brings.
  public var hasEarlier: Bool { loading.extent?.hasEarlier ?? false }

  /// Whether the objects are all that the server's pages had when they were walked. Of a resource that is no stored
  /// collection, whether an answer is known.
  public var isComplete: Bool { loading.extent?.isComplete ?? (request.steps.isEmpty && loading.freshness != nil) }

  private var loading: ResourceLoading<E> {
    registrar.access(self, keyPath: \.loading)
    return current
  }

  /// The loads of further pages.
  private var loadings: [ResourceLoading<E>] {
    registrar.access(self, keyPath: \.loading)
    return request.steps.compactMap { further[$0]?.loading }
  }

  private var list: LiveQuery<E> { query ?? loading.objects }

  // MARK: Loading

  /// Asks the server, even if the objects are not stale. Joins a load that is under way, if it was sent after the last
  /// write of the entity. A 304 leaves the objects as they are.
  ///
  /// A cancelled task leaves the load. The load ends, unless somebody else waits for it or has asked for it with
  /// ``loadIfNeeded()``.
  ///
  /// - Returns: The response. The state is up to date by then.
  /// - Throws: ``RequestError``; `CancellationError`; other errors of the verb. ``error`` has it too, except for a
  ///   `CancellationError`.
  @discardableResult
  public func load() async throws -> EntityResponse<E> {
    do {
      try Task.checkCancellation()
      try follow()
      return atCaller(try await current.response(for: owner))
    } catch {
      throw atCaller(error)
    }
  }

  /// Asks the server for the page behind the objects, and puts the page's objects at the end. Joins a load of that page
  /// that is under way. Where nothing was loaded yet, the first page is asked for.
  ///
  /// An error leaves the objects as they are, and ``error`` has it until a load has succeeded, of this page or another one.
  ///
  /// - Returns: The page. It has no objects, and nothing was sent, where there are no more, and for a resource that is no
  ///   stored collection.
  /// - Throws: As ``load()``.
  @discardableResult
  public func loadMore() async throws -> EntityResponse<E>? {
    do { return atCaller(try await load(.more)) } catch { throw atCaller(error) }
  }

  /// Asks the server for the page before the objects, and puts the page's objects at the beginning; else as ``loadMore()``.
  @discardableResult
  public func loadEarlier() async throws -> EntityResponse<E>? {
    do { return atCaller(try await load(.earlier)) } catch { throw atCaller(error) }
  }

  private func load(_ step: ListStep) async throws -> EntityResponse<E>? {
    try Task.checkCancellation()
    try follow()
    guard let further = further[step] else { return nil }
    do {
      let response = atCaller(try await further.loading.response(for: further.owner))
      current.lookUp()
      return response
    } catch {
      throw atCaller(error)
    }
  }

  /// Asks the server if the objects are stale, and does not wait for the answer: call it whenever the objects are
  /// shown. Nothing is sent while a load is under way, or shortly after a failure. ``error`` tells of a failure.
  public func loadIfNeeded() {
    // The initializer made the same request, so it would have thrown this error.
    try? follow()
    current.lookUp()
    guard isStale, current.isLoadingWhatIsNew || !current.hasFailed(within: retryAfter) else { return }
    current.want(for: owner)
  }

  /// Cancels the loads of this resource: each ``load()`` that waits throws `CancellationError`. The request is
  /// cancelled, unless another resource waits for it. The objects and the error stay.
  public func cancel() {
    current.cancel(owner)
    for (_, further) in further { further.loading.cancel(further.owner) }
  }

  /// Changes to the loading of the account that is logged in now: an account must not see the answers of another one.
  private func follow() throws {
    let exchange = try request.exchange(.refresh)
    guard exchange.sharingKey(after: "") != current.key else { return }
    let (loading, further) = (request.loading(exchange), try Self.further(request))
    cancel()
    current.depart(owner)
    for (_, old) in self.further { old.loading.depart(old.owner) }
    registrar.withMutation(of: self, keyPath: \.loading) {
      current = loading
      owner = loading.newOwner()
      self.further = further
    }
  }
}
