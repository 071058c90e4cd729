public import EntityStore
public import HTTPFoundation

/// The verbs on an entity type. Each sends a ``Request``; other methods, events and completion handlers go by `sending(…)`.
///
/// Parameters that they share:
/// - `resource`, `query`: As in `request(_:_:query:allowing:)`.
/// - `store`: Where the response is kept; by default the client's. Without either, a verb throws
///   ``RequestError/Kind/noStore`` and sends nothing.
/// - `options`: How the response is read: its envelope, its parts, the treatment of missing objects and local edits;
///   see ``ResponseOptions``.
/// - `modify`: Changes the request after all defaults and before it is sent. If it throws, the verb throws that error
///   and sends nothing.
/// - `progress`: Called on any thread; see ``RequestProgress``.
///
/// They throw ``RequestError``; `CancellationError`; the errors of `modify`. When a verb throws, nothing of the
/// response was written. They can be called from any isolation; the transfer, the parsing and the writing happen apart
/// from it. On the main actor the objects of the main context are up to date when they return.
extension RemoteEntity {
  /// Gets objects and upserts them.
  ///
  /// ```swift
  /// let users = try await User.get(query: ["page": 1]).objects
  /// let active = try await User.get("active", options: .envelope("data")).ids
  /// ```
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func get(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.get, resource, query: query, in: store, options: options).run(modify, progress)
  }

  /// Asks for the headers alone. The store is left as it is.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: The store that counts the request; by default the client's.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func head(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    allowing allowed: ResourceAllowance = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.head, resource, query: query, in: store, options: .allowing(allowed)).run(modify, progress)
  }

  /// Posts the body that `modify` puts into the request, and upserts the answer's objects.
  @discardableResult
  public nonisolated(nonsending) static func post(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.post, resource, query: query, in: store, options: options).run(modify, progress)
  }

  /// Puts the body that `modify` sets in the request, and upserts the answer's objects.
  @discardableResult
  public nonisolated(nonsending) static func put(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.put, resource, query: query, in: store, options: options).run(modify, progress)
  }

  /// Patches with the body that `modify` puts into the request, and upserts the answer's objects.
  @discardableResult
  public nonisolated(nonsending) static func patch(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.patch, resource, query: query, in: store, options: options).run(modify, progress)
  }

  /// Deletes a resource. If that is the URL of one object, base path and uid, the object's row is deleted too, as with
  /// the object's own verb. Other resources leave the store as it is. A row that a delete rule holds stays, and
  /// `counts.denied` says so. Where the query of the URL names the object, a response without a body leaves the row of a
  /// query with further fields: nothing says whether these filters matched.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the row is; by default the client's.
  ///   - deletesOn404: Whether a 404 means that the object is gone; otherwise it is thrown as any failure. 410 always
  ///     means it.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``. The whole collection needs `.collection`.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func delete(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, deletesOn404: Bool = false,
    allowing allowed: ResourceAllowance = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.delete, resource, query: query, in: store, options: .deleting(allowed, on404: deletesOn404))
      .run(modify, progress)
  }
}
