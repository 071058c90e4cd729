public import EntityStore

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension RemoteEntity {
  /// A request of the entity as a sequence of its progress and its response; see ``RequestEvents``.
  ///
  /// ```swift
  /// for try await event in User.events(.get, query: ["page": 1]) { … }
  /// ```
  ///
  /// Each iteration does what the verb does. The client is that of the task that calls this.
  ///
  /// - Parameters:
  ///   - method: The method of a verb.
  ///   - resource: As in `request(_:_:query:allowing:)`.
  ///   - query: Added to the query of the base path and the resource.
  ///   - store: Where the response is kept; by default the client's.
  ///   - options: How the response is read; see ``ResponseOptions``. HEAD and DELETE heed
  ///     `.allowing(_:)` alone.
  ///   - modify: Changes the request of each iteration after all defaults and before it is sent.
  public nonisolated static func events(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ResponseOptions<Self> = [],
    modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) -> RequestEvents<EntityResponse<Self>> {
    let client = Result { try Client.current }
    return RequestEvents { progress in
      try options.check(method)
      return try await Client.withClient(client.get()) {
        switch method {
        case .delete:
          try await delete(
            resource, query: query, in: store, allowing: options.allowed, modify: modify, progress: progress)
        case .head:
          try await head(
            resource, query: query, in: store, allowing: options.allowed, modify: modify, progress: progress)
        default: try await run(method, resource, query, store, options, modify, progress)
        }
      }
    } store: {
      $0.store
    }
  }
}

extension Client {
  /// A request with a value as a sequence of its progress and its response; see ``RequestEvents``.
  ///
  /// ```swift
  /// for try await event in client.events(.get, "people/1", as: Person.self) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` where the response has no body; other types fail then.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request of each iteration after all defaults and before it is sent.
  public func events<Value: Decodable & Sendable>(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type,
    options: ValueOptions = [], modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) -> RequestEvents<ValueResponse<Value>> {
    RequestEvents { progress in
      try await send(
        method, resource, query: query, as: type, options: options, modify: modify, progress: progress)
    } store: { _ in
      nil
    }
  }

  /// As the one with a type; the client's routes say how the response is read, see ``Route``.
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  ///   - modify: Changes the request of each iteration after all defaults and before it is sent.
  public func events(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ValueOptions = [], modify: @escaping @Sendable (inout URLRequest) throws -> Void = { _ in }
  ) -> RequestEvents<RoutedResponse> {
    RequestEvents { progress in
      try await send(method, resource, query: query, in: store, options: options, modify: modify, progress: progress)
    } store: { response in
      response.store
    }
  }
}
