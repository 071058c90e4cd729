import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs on an object. They use the store that the object is in; without a resource its own URL, base path and uid,
/// or for POST the collection. Parameters and errors are those of the type's verbs; besides, they throw
/// ``RequestError`` of kind `missingUID` when the URL needs a uid and there is none.
///
/// The answer to POST, PUT and PATCH is about this very object: a new one gets its uid that way. Edits that were sent
/// are known to the server then; edits of what was not sent, and those that were made since, stay edits. A PUT or PATCH
/// to the object's own URL, however it was named, has sent the uid.
extension RemoteEntity {
  /// Gets this object anew.
  @discardableResult
  public nonisolated(nonsending) func get(
    _ resource: String? = nil, query: QueryParameters = [:], envelope: String? = nil, parts: [ResponsePart] = [],
    localEdits: LocalEdits = .keep,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.get, resource, query, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Asks for the headers alone. The store is left as it is.
  @discardableResult
  public nonisolated(nonsending) func head(
    _ resource: String? = nil, query: QueryParameters = [:], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.head, resource, query, modify, progress) { _ in }
  }

  /// Posts this object to its collection; the answer gives it its uid.
  ///
  /// ```swift
  /// try await user.post { try $0.setJSON(user.dictionary(for: \.email, \.firstName)) }
  /// ```
  @discardableResult
  public nonisolated(nonsending) func post(
    _ resource: String? = nil, query: QueryParameters = [:], envelope: String? = nil, parts: [ResponsePart] = [],
    localEdits: LocalEdits = .keep,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Puts this object to its URL.
  @discardableResult
  public nonisolated(nonsending) func put(
    _ resource: String? = nil, query: QueryParameters = [:], envelope: String? = nil, parts: [ResponsePart] = [],
    localEdits: LocalEdits = .keep,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.put, resource, query, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Patches this object at its URL.
  @discardableResult
  public nonisolated(nonsending) func patch(
    _ resource: String? = nil, query: QueryParameters = [:], envelope: String? = nil, parts: [ResponsePart] = [],
    localEdits: LocalEdits = .keep,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.patch, resource, query, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Deletes this object on the server and then its row here: on success, and on 410, which says that it is gone
  /// already. With a resource that is not its URL the row stays.
  ///
  /// - Parameters:
  ///   - resource: `nil` means the object's own URL; otherwise as in `request(_:_:query:)`.
  ///   - query: Added to the query of the URL.
  ///   - deletesOn404: Whether a 404 means that the object is gone; otherwise it is thrown as any failure.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) func delete(
    _ resource: String? = nil, query: QueryParameters = [:], deletesOn404: Bool = false,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    let builder = try RequestBuilder(client: Client.current)
    let own = try? builder.url(self, .delete, nil, query: [:])
    let id = entityID
    let response = try await run(.delete, resource, query, modify, progress) {
      if let own, let url = $0.request.url, url.isSamePlace(as: own) {
        $0.deletion = RowRemoval(row: .object(id), on404: deletesOn404)
      }
    }
    // Unsaved edits are gone with it, and must not stand in the way of the next save.
    if isDeleted { entityContext?.forgetEdits(of: self) }
    return response
  }

  private nonisolated(nonsending) func run(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters,
    _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?,
    _ configure: (inout RequestExchange<Self>) -> Void
  ) async throws -> EntityResponse<Self> {
    let client = try Client.current
    guard !isDetached, let core = entityContext?.core else {
      throw RequestError(.storeGone, "The store of an object of '\(Self.entityName)' is gone.")
    }
    let builder = RequestBuilder(client: client)
    var request = try builder.request(Self.self, method, builder.url(self, method, resource, query: query))
    try builder.modify(Self.self, &request, modify)
    var exchange = RequestExchange<Self>(request, method, client, core, progress)
    configure(&exchange)
    let own = try? builder.url(self, method, nil, query: [:])
    let isOwnURL = own.map { request.url?.isSamePlace(as: $0) == true } ?? false
    // The answer of another resource to GET may be any object. No answer can be about a deleted one.
    let target = isDeleted ? forwardedTo : entityID
    if isOwnURL || method.sendsEdits { exchange.target = target }
    exchange.targetIsUnsaved = isInserted
    if method.sendsEdits, !isDeleted {
      exchange.sent = .carried(by: request, of: self, isOwnURL: isOwnURL, namesUID: isOwnURL && method != .post)
    }
    let response: EntityResponse<Self>
    do {
      response = atCaller(try await exchange.run())
    } catch {
      exchange.sent?.marker.end()
      throw atCaller(error)
    }
    MainMerge.merge(core.store, #isolation)
    // After the merge: a new object has its row by then, so that nothing of it is left to save.
    // It passed over the columns that were edits, so what the server made of them is still to be told.
    if let sent = exchange.sent { tellingObservers { sent.settle(self) } }
    return response
  }
}
