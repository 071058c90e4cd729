public import EntityStore
import HTTPFoundation

/// The requests of an entity type as values, with any method; see ``Request``. They use the client of the task that makes them.
extension RemoteEntity {
  /// A request of the entity, which is sent later.
  ///
  /// ```swift
  /// let users = try await User.sending(.get, "active", query: ["page": 1]).send().objects
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1). With DELETE the row is deleted too, if the resource is the URL of one
  ///     object, as with `delete(_:query:in:deletesOn404:allowing:modify:progress:)`.
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public nonisolated static func sending(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = []
  ) -> Request<EntityResponse<Self>> {
    let client = Result { try Client.current }
    return Request { try made(ResourceRequest(method, resource, query, options), client, store, $0) }
  }

  /// A request about the object with a uid, which is sent later. No character of the uid has a meaning in the URL.
  ///
  /// ```swift
  /// try await User.sending(.put, uid: 42).modifying { try $0.setJSON(["email": email]) }.send()
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1). With DELETE the object's row is deleted too.
  ///   - uid: The uid. A uid that names no object throws when the request is sent, as `resource(uid:)` does.
  ///   - query: Added to the query of the base path.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``.
  public nonisolated static func sending(
    _ method: HTTPMethod, uid: some ResourceUID, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = []
  ) -> Request<EntityResponse<Self>> {
    let client = Result { try Client.current }
    let resource = Result { try Self.resource(uid: uid) }
    return Request { try made(ResourceRequest(method, resource.get(), query, options), client, store, $0) }
  }

  nonisolated static func made(
    _ named: ResourceRequest<Self>, _ client: Result<Client, any Error>, _ store: EntityStore?,
    _ modify: (inout URLRequest) throws -> Void
  ) throws -> MadeRequest<EntityResponse<Self>> {
    let client = try client.get()
    return MadeRequest(try EntityExchange<Self>(named, client, store ?? client.store, modify))
  }
}
