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
  private lazy var unsent = PendingCount<E>(in: request.store)

  /// The request of each load, and the way to its store.
  private struct Request {
    let client: Client
    let request: URLRequest
    let options: ResponseOptions<E>
    let store: EntityStore

    @MainActor func exchange() throws -> CachedExchange<E> {
      let exchange = EntityExchange<E>(
        request, request.method(or: .get), client, store.core, .collection, options)
      return try CachedExchange(exchange, .networkOnly)
    }

    /// With another identity it is another request.
    @MainActor func loading(_ exchange: CachedExchange<E>) -> ResourceLoading<E> {
      guard exchange.isShared else { return ResourceLoading(exchange, in: store) }
      return client.caching.shared.object(for: exchange.sharingKey()) { ResourceLoading(exchange, in: store) }
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

  private init(
    _ objects: EntityQuery<E>?, _ named: ResourceRequest<E>, _ store: EntityStore?, _ staleAfter: Duration?,
    _ retryAfter: Duration, _ modify: (inout URLRequest) throws -> Void
  ) throws {
    let client = try Client.current
    let store = try store ?? client.store
    _ = try store.core.schema.model(E.self)
    let exchange = try EntityExchange<E>(named, client, store, modify)
    self.request = Request(
      client: client, request: exchange.fetch.request, options: [named.options, .cache(.networkOnly)], store: store)
    self.staleAfter = staleAfter
    self.retryAfter = retryAfter
    self.query = objects.map { LiveQuery($0, in: store) }
    current = self.request.loading(try self.request.exchange())
    owner = current.newOwner()
  }

  deinit {
    Task { @MainActor [current, owner] in current.depart(owner) }
  }

  // MARK: The state

  /// The objects of the last answer in its order, without objects that were deleted since; or the objects of the query.
  /// Values of an object are observed at the object.
  public var objects: [E] { list.objects }

  /// The first of ``objects``: for a resource of one object, that object.
  public var object: E? { objects.first }

  /// Whether a request is under way, for this resource or for another one with an equal request.
  public var isLoading: Bool { loading.isLoading }

  /// The error of the last load; `nil` once a load has succeeded. The objects from before stay. A cancelled load is no
  /// failure. If the objects can't be read from the store, the error of that read.
  public var error: (any Error)? { loading.error ?? list.error }

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
  public var progress: Double? { loading.progress }

  private var loading: ResourceLoading<E> {
    registrar.access(self, keyPath: \.loading)
    return current
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
  public func cancel() { current.cancel(owner) }

  /// Changes to the loading of the account that is logged in now: an account must not see the answers of another one.
  private func follow() throws {
    let exchange = try request.exchange()
    guard exchange.sharingKey() != current.key else { return }
    let loading = request.loading(exchange)
    current.cancel(owner)
    current.depart(owner)
    registrar.withMutation(of: self, keyPath: \.loading) {
      current = loading
      owner = loading.newOwner()
    }
  }
}
