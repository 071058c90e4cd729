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
/// - `resource`, `query`: As in `request(_:_:query:)`.
/// - `store`: Where the response is kept; by default the client's.
/// - `envelope`: The key path under which the response holds its objects, before that of the entity and the client; the
///   empty string means the whole body.
/// - `parts`: Where the response holds objects of other entities; see ``ResponsePart``.
/// - `localEdits`: What becomes of columns that were edited here and that the server does not know yet.
/// - `modify`: Changes the request after all defaults and before it is sent; what it throws is thrown, and nothing is sent.
/// - `progress`: Called on any thread; see ``RequestProgress``.
///
/// They throw ``RequestError``; `CancellationError`; what `modify` throws. Whatever they throw, nothing of the response
/// was written. They can be called from any isolation; the transfer, the parsing and the writing happen apart from it. On
/// the main actor the objects of the main context are up to date when they return.
extension RemoteEntity {
  /// Gets objects and takes them into the store.
  ///
  /// ```swift
  /// let users = try await User.get(query: ["page": 1]).objects
  /// ```
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - envelope: The key path under which the response holds its objects; the empty string means the whole body.
  ///   - parts: Where the response holds objects of other entities; see ``ResponsePart``.
  ///   - missing: What happens to objects that the response lacks: by default nothing.
  ///   - localEdits: What becomes of columns that were edited here and that the server does not know yet.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func get(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], missing: MissingObjects<Self> = .keep, localEdits: LocalEdits = .keep,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.get, resource, query, store, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.missing = missing
      $0.localEdits = localEdits
    }
  }

  /// Asks for the headers alone. The store is left as it is.
  @discardableResult
  public nonisolated(nonsending) static func head(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.head, resource, query, store, modify, progress) { _ in }
  }

  /// Posts what `modify` puts into the request, and takes the answer's objects into the store.
  @discardableResult
  public nonisolated(nonsending) static func post(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], localEdits: LocalEdits = .keep, modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.post, resource, query, store, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Puts what `modify` puts into the request, and takes the answer's objects into the store.
  @discardableResult
  public nonisolated(nonsending) static func put(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], localEdits: LocalEdits = .keep, modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.put, resource, query, store, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Patches with what `modify` puts into the request, and takes the answer's objects into the store.
  @discardableResult
  public nonisolated(nonsending) static func patch(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, envelope: String? = nil,
    parts: [ResponsePart] = [], localEdits: LocalEdits = .keep, modify: (inout URLRequest) throws -> Void = { _ in },
    progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    try await run(.patch, resource, query, store, modify, progress) {
      $0.envelope = envelope ?? $0.envelope
      $0.parts = parts
      $0.localEdits = localEdits
    }
  }

  /// Deletes a resource. Where that is the URL of one object, base path and uid, the object's row is deleted too, as with
  /// the object's own verb; other resources leave the store as it is.
  ///
  /// - Parameters:
  ///   - resource: As in `request(_:_:query:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the row is; by default the client's.
  ///   - deletesOn404: Whether a 404 means that the object is gone; otherwise it is thrown as any failure. 410 always
  ///     means it.
  ///   - modify: Changes the request after all defaults and before it is sent.
  ///   - progress: Called on any thread; see ``RequestProgress``.
  @discardableResult
  public nonisolated(nonsending) static func delete(
    _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil, deletesOn404: Bool = false,
    modify: (inout URLRequest) throws -> Void = { _ in }, progress: RequestProgressHandler? = nil
  ) async throws -> EntityResponse<Self> {
    let builder = try RequestBuilder(client: Client.current)
    return try await run(.delete, resource, query, store, modify, progress) {
      $0.deletion = RowRemoval(of: $0.request.url, on404: deletesOn404, builder: builder, core: $0.core)
    }
  }

  private nonisolated(nonsending) static func run(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ store: EntityStore?,
    _ modify: (inout URLRequest) throws -> Void, _ progress: RequestProgressHandler?,
    _ configure: (inout RequestExchange<Self>) -> Void
  ) async throws -> EntityResponse<Self> {
    let client = try Client.current
    let builder = RequestBuilder(client: client)
    var request = try builder.request(Self.self, method, builder.url(Self.self, resource, query: query))
    try builder.modify(Self.self, &request, modify)
    let store = store ?? client.store
    var exchange = RequestExchange<Self>(request, method, client, store.core, progress)
    configure(&exchange)
    let response: EntityResponse<Self>
    do { response = atCaller(try await exchange.run()) } catch { throw atCaller(error) }
    MainMerge.merge(store, #isolation)
    return response
  }
}

extension RequestExchange {
  init(
    _ request: URLRequest, _ method: HTTPMethod, _ client: Client, _ core: StoreCore,
    _ progress: RequestProgressHandler?
  ) {
    self.init(
      request: request, method: request.httpMethod.flatMap(HTTPMethod.init) ?? method,
      adapter: E.adapter ?? client.adapter, core: core,
      envelope: Envelope.keyPath(E.self, request: nil, client: client), meter: progress.map { ProgressMeter($0) })
  }
}

/// A caller on the main actor finds the objects of the main context up to date.
enum MainMerge {
  static func merge(_ store: EntityStore?, _ isolation: (any Actor)?) {
    guard let store, isolation === MainActor.shared else { return }
    // `isolation` is the caller's own, and this is synchronous: what runs here runs on the main actor. The response is
    // committed, so the request did not fail: what fails here fails for the next read too, which says so.
    MainActor.assumeIsolated { try? store.mergeMain() }
  }
}
