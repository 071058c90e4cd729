public import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// The verbs on an entity type.
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
    try await run(.get, resource, query, store, options, modify, progress)
  }

  /// Asks for the headers alone. The store is left as it is.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: The store that the request counts in; by default the client's.
  ///   - allowed: Where the resource may lead; see ``ResourceAllowance``.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func head(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    allowing allowed: ResourceAllowance = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.head, resource, query, store, .allowing(allowed), modify, progress)
  }

  /// Posts the body that `modify` puts into the request, and upserts the answer's objects.
  @discardableResult
  public nonisolated(nonsending) static func post(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, store, options, modify, progress)
  }

  /// Puts the body that `modify` sets in the request, and upserts the answer's objects.
  @discardableResult
  public nonisolated(nonsending) static func put(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.put, resource, query, store, options, modify, progress)
  }

  /// Patches with the body that `modify` puts into the request, and upserts the answer's objects.
  @discardableResult
  public nonisolated(nonsending) static func patch(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [], modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.patch, resource, query, store, options, modify, progress)
  }

  /// Deletes a resource. Where that is the URL of one object, base path and uid, the object's row is deleted too, as with
  /// the object's own verb; other resources leave the store as it is. A row that a delete rule holds stays, and
  /// `counts.denied` says so.
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
    try await run(.delete, resource, query, store, .allowing(allowed), modify, progress) { request, builder, core in
      RowRemoval(of: request.url, on404: deletesOn404, builder: builder, core: core)
    }
  }

  /// - Parameter removal: The row that goes when the request is a DELETE, where there is one.
  nonisolated(nonsending) static func run(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ store: EntityStore?,
    _ options: ResponseOptions<Self>, _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?,
    removal: (URLRequest, RequestBuilder, StoreCore) -> RowRemoval<Self>? = { _, _, _ in nil }
  ) async throws -> EntityResponse<Self> {
    let client = try Client.current
    let store = try store ?? client.store
    let builder = RequestBuilder(client: client)
    var request = try builder.request(Self.self, method, builder.url(Self.self, resource, query: query))
    try builder.modify(Self.self, &request, of: resource, options.allowed, modify)
    // The closure may have changed the method.
    let method = request.method(or: method)
    let purpose: ExchangePurpose<Self> =
      method == .delete ? .deletion(removal(request, builder, store.core)) : .collection
    let exchange = RequestExchange(request, method, client, store.core, purpose, options, progress)
    let response: EntityResponse<Self>
    do {
      response = atCaller(try await exchange.run())
    } catch {
      // A part of the response may be in the store.
      if options.streaming != nil { MainMerge.merge(store, #isolation) }
      throw atCaller(error)
    }
    return MainMerge.merged(response, into: store, #isolation)
  }
}

/// A caller on the main actor finds the objects of the main context up to date.
enum MainMerge {
  /// - Returns: The response, with the unsaved edits of the main context that hide values of it.
  static func merged<E>(
    _ response: EntityResponse<E>, into store: EntityStore?, _ isolation: (any Actor)?
  ) -> EntityResponse<E> {
    merge(store, isolation)
    return noted(response, isolation)
  }

  /// The response, with the unsaved edits of the main context that hide values of it, once that has merged it.
  static func noted<E>(_ response: EntityResponse<E>, _ isolation: (any Actor)?) -> EntityResponse<E> {
    guard isolation === MainActor.shared else { return response }
    // As in `merge`: `isolation` is the caller's own, and this is synchronous, so the code below runs on the main actor.
    return MainActor.assumeIsolated {
      var response = response
      response.noteUnsavedEdits()
      return response
    }
  }

  static func merge(_ store: EntityStore?, _ isolation: (any Actor)?) {
    guard let store, isolation === MainActor.shared else { return }
    // `isolation` is the caller's own, and this is synchronous: the code below runs on the main actor. The response is
    // committed, so the request did not fail: an error here comes again at the next read, which throws it.
    MainActor.assumeIsolated { try? store.mergeMain() }
  }
}
