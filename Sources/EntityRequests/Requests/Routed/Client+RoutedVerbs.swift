public import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs of the client that name no type: the client's routes say how a response is read; see ``Route``. A client
/// without routes to models reads each body as JSON.
///
/// ```swift
/// let users = try await client.get("users").objects(of: User.self)
/// let city = try await client.get("status").json?["place.city"]?.string
/// try await client.delete("sessions/7")
/// ```
///
/// They throw ``RequestError``: of kind `status` for a refusal, with its error model; of kind `unmatched` for a body that no route
/// leads to, with the way of the search; of kind `noStore`, before anything is sent, where a route leads to an entity and there is no
/// store. For an entity they throw as its verbs do, for a value as the verbs with a type do. An empty body is no error, and neither is
/// the body of a DELETE that no route reads. They can be called from any isolation; the transfer, the parsing and the writing happen
/// apart from it. On the main actor the objects of the main context are up to date when they return.
extension Client {
  /// Gets what the route of the path leads to.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func get(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(.get, resource, query, store, options, modify, progress)
  }

  /// Posts the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func post(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(.post, resource, query, store, options, modify, progress)
  }

  /// Puts the body that `modify` sets in the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func put(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(.put, resource, query, store, options, modify, progress)
  }

  /// Patches with the body that `modify` puts into the request, and reads the answer.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(.patch, resource, query, store, options, modify, progress)
  }

  /// Deletes a resource, and reads the answer. Where a route leads to an entity and the URL is that of an object, base path and
  /// uid, its row is deleted too.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func delete(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(.delete, resource, query, store, options, modify, progress)
  }

  /// Asks for the headers alone.
  ///
  /// - Parameters:
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func head(
    _ resource: String? = nil, query: QueryParameters = [:], allowing allowed: ResourceAllowance = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(.head, resource, query, nil, .allowing(allowed), modify, progress)
  }

  /// Sends a request with any method, and reads the answer.
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent. If it throws, nothing is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func send(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ValueOptions = [],
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> RoutedResponse {
    try await run(method, resource, query, store, options, modify, progress)
  }

  private nonisolated(nonsending) func run(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ store: EntityStore?,
    _ options: ValueOptions, _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?
  ) async throws -> RoutedResponse {
    let request = try request(method, resource, query, options.allowed, modify)
    // The closure may have changed the method.
    let method = request.method(or: method)
    let meter = progress.map { ProgressMeter($0) }
    let routes = RequestRoutes(self, method, request.url)
    let reading = try RoutedReading(self, method, request.url, routes, store, options)
    let exchange = RoutedExchange(
      fetch: ResponseFetch(
        request: request, method: method, adapter: adapter, reading: BodyReading(options, self, routes),
        progress: meter?.transferHandler),
      reading: reading, core: reading.store?.core, meter: meter)
    let response: RoutedResponse
    do { response = atCaller(try await exchange.run()) } catch { throw atCaller(error) }
    MainMerge.merge(reading.store, #isolation)
    return response
  }
}
