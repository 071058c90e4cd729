public import EntityStore
public import HTTPFoundation

/// The requests of the client itself as values, with any method; see ``Request``.
extension Client {
  /// A request about no entity, which is sent later and whose response is a value.
  ///
  /// ```swift
  /// let usage = try await client.sending(report, "usage", as: Usage.self).send().value     // HTTPMethod(rawValue: "REPORT")
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1).
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - type: The type of the value. An Optional is `nil` when the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  public func sending<Value: Decodable & Sendable>(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], as type: Value.Type,
    options: ValueOptions = []
  ) -> Request<ValueResponse<Value>> {
    Request { modify in
      // The closure may have changed the method.
      let request = try request(method, resource, query, options.allowed, modify)
      return MadeRequest(exchange(request, request.method(or: method), options))
    }
  }

  /// A request that was made before, as a value. It is sent with the headers that it has.
  ///
  /// ```swift
  /// var request = try client.request(.post, "login")
  /// try request.setForm(["name": name])
  /// let token = try await client.sending(request, as: Token.self).send().value
  /// ```
  ///
  /// - Parameters:
  ///   - request: The request, with its body.
  ///   - type: The type of the value. An Optional is `nil` when the response has no body; other types throw then.
  ///   - options: How the response is read; see ``ValueOptions``.
  public func sending<Value: Decodable & Sendable>(
    _ request: URLRequest, as type: Value.Type, options: ValueOptions = []
  ) -> Request<ValueResponse<Value>> {
    Request { modify in
      var request = request
      try modify(&request)
      return MadeRequest(exchange(request, request.method(or: .get), options))
    }
  }

  /// A request that names no type, which is sent later: the client's routes say how the response is read; see ``Route``.
  ///
  /// ```swift
  /// try await client.sending(.delete, "sessions/7").send()
  /// ```
  ///
  /// - Parameters:
  ///   - method: Any token (RFC 9110 §9.1). With DELETE the row of an object is deleted too, if a route leads to an
  ///     entity and the URL is the object's own, base path and uid.
  ///   - resource: A path relative to ``baseURL``, or an absolute URL; `nil` means the base URL itself.
  ///   - query: Added to the query that the resource has.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  public func sending(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:], in store: EntityStore? = nil,
    options: ValueOptions = []
  ) -> Request<RoutedResponse> {
    Request { modify in
      let request = try request(method, resource, query, options.allowed, modify)
      // The closure may have changed the method.
      let method = request.method(or: method)
      let routes = RequestRoutes(self, method, request.url)
      let reading = try RoutedReading(self, method, routes, store, options)
      return MadeRequest(RequestExchange(fetch(request, method, routes, options), reading))
    }
  }

  private func exchange<Value>(
    _ request: URLRequest, _ method: HTTPMethod, _ options: ValueOptions
  ) -> RequestExchange<ValueReading<Value>> {
    let routes = RequestRoutes(self, method, request.url)
    return RequestExchange(
      fetch(request, method, routes, options),
      ValueReading(EnvelopeChoice(request: options.envelope, routes, self), self))
  }

  private func fetch(
    _ request: URLRequest, _ method: HTTPMethod, _ routes: RequestRoutes?, _ options: ValueOptions
  ) -> ResponseFetch {
    ResponseFetch(
      request: request, method: method, adapter: adapter, bodies: BodyReading(options, self, routes),
      observers: caching.observers)
  }

  /// A request with the client's headers, changed by the caller.
  private func request(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ allowed: ResourceAllowance,
    _ modify: (inout URLRequest) throws -> Void
  ) throws -> URLRequest {
    var request = try unchecked(method, resource, query)
    let named = request.url
    try request.change(modify) { $0.hasSameOrigin(as: baseURL) ? [headers] : [] }
    // A place that the closure has set is the caller's own. A query that the closure adds does not change the place.
    if let named, request.url?.isSamePlace(as: named) == true { try check(request, of: resource, allowed) }
    return request
  }
}
