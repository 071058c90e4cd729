public import EntityStore
public import HTTPFoundation

/// The verbs of the client that name no type: the client's routes say how a response is read; see ``Route``. A client
/// without routes to models reads each body as JSON.
///
/// ```swift
/// let users = try await client.get("users").objects(of: User.self)
/// let city = try await client.get("status").json?["place.city"]?.string
/// try await client.delete("sessions/7")
/// ```
///
/// For other methods use ``sending(_:_:query:in:options:)``.
///
/// They throw ``RequestError``: of kind `status` for a refusal, with its error model; of kind `unmatched` for a body
/// that no route leads to, with the trace of the search; of kind `noStore`, before anything is sent, when a route leads
/// to an entity and there is no store. For an entity they throw the errors of its verbs, for a value the errors of the
/// verbs with a type. An empty body is no error, and neither is the body of a DELETE that no route reads. They can be
/// called from any isolation; the transfer, the parsing and the writing happen apart from it. On the main actor the
/// objects of the main context are up to date when they return.
extension Client {
  /// Gets the model that the route of the path leads to.
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
    try await sending(.get, resource, query: query, in: store, options: options).run(modify, progress)
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
    try await sending(.post, resource, query: query, in: store, options: options).run(modify, progress)
  }

  /// Deletes a resource, and reads the answer. If a route leads to an entity and the URL is the own URL of an object,
  /// base path and uid, the object's row is deleted too.
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
    try await sending(.delete, resource, query: query, in: store, options: options).run(modify, progress)
  }
}
