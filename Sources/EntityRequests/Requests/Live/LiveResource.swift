public import EntityStore
public import Observation
public import HTTPFoundation

/// The objects of a URL, kept up to date, and how it stands with them: whether they are being loaded, how that failed, how
/// old they are, and what the server does not know yet. All of it is observable: what a screen shows.
///
/// ```swift
/// let users = try LiveResource<User>("active")
/// users.loadIfNeeded()
/// // users.objects, users.isLoading, users.error, users.isStale
/// ```
///
/// ``objects`` are those of the last answer, in its order, as the main context has them; before the first load of a process
/// they are those that the store knows. Or they are those of a query, which the URL loads. An error does not take them away.
///
/// Resources of one request share it: its load, its error and its progress. The passing of time tells no observer.
@MainActor
public final class LiveResource<E: RemoteEntity>: Observable {
  private let registrar = ObservationRegistrar()
  private let request: Request
  private let staleAfter: Duration?
  private let retryAfter: Duration
  private let now = AnswerClock.now
  /// The objects, where they are not those of the answer.
  private let query: LiveQuery<E>?
  private var current: ResourceLoading<E>
  /// The resource among those that share the loading.
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

    /// Where another identity asks, it is another request.
    @MainActor func loading(_ exchange: CachedExchange<E>) -> ResourceLoading<E> {
      guard exchange.isShared else { return ResourceLoading(exchange, in: store) }
      return client.caching.shared.object(for: exchange.sharingKey()) { ResourceLoading(exchange, in: store) }
    }
  }

  /// The objects that a GET of a resource answers with. Nothing is sent yet.
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
  ///   - options: How the response is read; see ``ResponseOptions``. A policy among them is passed over: each load asks the
  ///     server, with the validators of the last answer.
  ///   - staleAfter: The age at which an answer is stale; `nil` leaves it to the answer's `Cache-Control` or `Expires`.
  ///   - retryAfter: How long after a failure ``loadIfNeeded()`` does nothing, so that a view that calls it whenever it is
  ///     shown does not ask in a circle.
  ///   - modify: Changes the request after all defaults. It runs now, and once.
  /// - Throws: ``RequestError``, also of kind `invalidRequest` for a method other than GET, and of kind `unsafeResource` for a
  ///   resource that leads to a place which the options don't allow; `StoreError` for an entity that the store does not have;
  ///   the errors of `modify`.
  public convenience init(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<E> = [], staleAfter: Duration? = .seconds(30), retryAfter: Duration = .seconds(1),
    modify: (inout URLRequest) throws -> Void = { _ in }
  ) throws {
    try self.init(nil, resource, query, store, options, staleAfter, retryAfter, modify)
  }

  /// The objects of a query, and the GET that loads them.
  ///
  /// ```swift
  /// let users = try LiveResource(User.where { $0.active == true }.sorted(by: \.firstName), loadedBy: "active")
  /// ```
  ///
  /// The objects are those that the query finds, also where the answer does not have them: one that was made here is in the
  /// list at once. All else is of the request.
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
  /// - Throws: As the other one.
  public convenience init(
    _ objects: EntityQuery<E>, loadedBy resource: String? = nil, query: QueryParameters = [:],
    in store: EntityStore? = nil, options: ResponseOptions<E> = [], staleAfter: Duration? = .seconds(30),
    retryAfter: Duration = .seconds(1), modify: (inout URLRequest) throws -> Void = { _ in }
  ) throws {
    try self.init(objects, resource, query, store, options, staleAfter, retryAfter, modify)
  }

  private init(
    _ objects: EntityQuery<E>?, _ resource: String?, _ query: QueryParameters, _ store: EntityStore?,
    _ options: ResponseOptions<E>, _ staleAfter: Duration?, _ retryAfter: Duration,
    _ modify: (inout URLRequest) throws -> Void
  ) throws {
    let client = try Client.current
    let store = try store ?? client.store
    _ = try store.core.schema.model(E.self)
    let exchange = try EntityExchange<E>(.get, resource, query, client, store, options, modify)
    self.request = Request(
      client: client, request: exchange.fetch.request, options: [options, .cache(.networkOnly)], store: store)
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

  /// The objects: those of the last answer in its order, without those that were deleted since, or those of the query. Values
  /// of an object are observed at the object.
  public var objects: [E] { list.objects }

  /// The first of ``objects``: of a resource that is one object, that object.
  public var object: E? { objects.first }

  /// Whether a request is under way, for this resource or for another one that shares it.
  public var isLoading: Bool { loading.isLoading }

  /// How the last load failed, beside the objects from before; `nil` once one has succeeded. A cancelled load is no failure.
  /// Where the objects can't be read from the store, the error of that.
  public var error: (any Error)? { loading.error ?? list.error }

  /// Whether a load would be due: nothing was loaded, or the last answer is older than it may be, or something has ended its
  /// freshness, as a verb that wrote to the entity.
  ///
  /// Observers hear of a new answer and of an end, and not of the passing of time.
  public var isStale: Bool { loading.freshness.map { !$0.holds(for: staleAfter, at: now()) } ?? true }

  /// When the server last said that the objects are these, with a 304 too; `nil` where no answer is known.
  public var lastLoaded: Date? { loading.freshness.map { Date(timeIntervalSince1970: $0.time) } }

  /// How many objects of the entity have saved changes that the server has not acknowledged: edits, new objects and deletions
  /// that wait to be sent, or for their answer. Those of other lists count too. See `store.pending`.
  public var pending: Int { unsent.value }

  /// How far the load has come, from 0 to 1; `nil` where none is under way.
  public var progress: Double? { loading.progress }

  private var loading: ResourceLoading<E> {
    registrar.access(self, keyPath: \.loading)
    return current
  }

  private var list: LiveQuery<E> { query ?? loading.objects }

  // MARK: Loading

  /// Asks the server, whether the objects are stale or not. A load that is under way and was sent after the last write of the
  /// entity is joined. A 304 leaves the objects as they are.
  ///
  /// A task that is cancelled leaves the load; it ends where no one else waits for it, or has asked for it with
  /// ``loadIfNeeded()``.
  ///
  /// - Returns: The response. The state is up to date by then.
  /// - Throws: ``RequestError``; `CancellationError`; other errors of the verb. It is in ``error``, too, the second one aside.
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

  /// Asks the server where the objects are stale, and does not wait for the answer: call it whenever the objects are shown.
  /// Nothing is sent while a load is under way, nor shortly after a failure. A failure is told by ``error``.
  public func loadIfNeeded() {
    // The request was made before: what is thrown here was thrown then.
    try? follow()
    current.lookUp()
    guard isStale, current.isLoadingWhatIsNew || !current.hasFailed(within: retryAfter) else { return }
    current.want(for: owner)
  }

  /// Takes back what this resource has asked for: each ``load()`` that waits throws `CancellationError`. The request is
  /// cancelled, unless another resource waits for it. The objects and the error stay.
  public func cancel() { current.cancel(owner) }

  /// Goes over to the loading of who is logged in now: the answers of one are not another's.
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
