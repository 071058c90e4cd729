public import EntityStore
public import HTTPFoundation

/// The verbs on an entity type that name an object by its uid. No character of a uid has a meaning in the URL, so a
/// text from elsewhere leads to no other resource: an empty text throws ``RequestError/Kind/missingUID``; `.` and `..`,
/// also between slashes, throw ``RequestError/Kind/invalidRequest``; all else is percent-encoded. Parameters and errors
/// are the same as for the other verbs. For other methods use `sending(_:uid:query:in:options:)`.
extension RemoteEntity {
  /// Gets the object with a uid, and upserts it.
  ///
  /// ```swift
  /// let user = try await User.get(uid: 42).object
  /// ```
  ///
  /// - Parameters:
  ///   - uid: The uid.
  ///   - query: Added to the query of the base path.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func get(
    uid: some ResourceUID, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.get, uid: uid, query: query, in: store, options: options).run(modify, progress)
  }

  /// Patches the object with a uid with the body that `modify` puts into the request, and upserts the answer's objects.
  ///
  /// - Parameters:
  ///   - uid: The uid.
  ///   - query: Added to the query of the base path.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func patch(
    uid: some ResourceUID, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.patch, uid: uid, query: query, in: store, options: options).run(modify, progress)
  }

  /// Deletes the object with a uid, and its row, as the object's own verb does.
  ///
  /// ```swift
  /// try await User.delete(uid: 42)
  /// ```
  ///
  /// - Parameters:
  ///   - uid: The uid.
  ///   - query: Added to the query of the base path.
  ///   - store: Where the row is; by default the client's.
  ///   - deletesOn404: Whether a 404 means that the object is gone; otherwise it is thrown as any failure. 410 always
  ///     means it.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func delete(
    uid: some ResourceUID, query: QueryParameters = [:], in store: EntityStore? = nil, deletesOn404: Bool = false,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await sending(.delete, uid: uid, query: query, in: store, options: .deleting([], on404: deletesOn404))
      .run(modify, progress)
  }
}
