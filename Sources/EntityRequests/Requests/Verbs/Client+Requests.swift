import EntityStore
public import HTTPFoundation

/// Requests that are about no entity: a login, a batch, and anything else that a server offers. They are sent as all
/// other requests are.
///
/// ```swift
/// var request = try Client.current.request(.post, "login")
/// try request.setJSON(["name": name, "password": password])
/// let answer = try JSONObject(parsing: try await Client.current.send(request).body)
/// ```
extension Client {
  /// A request with the client's headers, which can be changed and sent.
  ///
  /// - Parameters:
  ///   - method: The HTTP method.
  ///   - resource: A path relative to ``baseURL``, otherwise as in the entities' `request(_:_:query:allowing:)`; `nil` and the empty
  ///     string mean the base URL itself. The headers go to its origin alone.
  ///   - query: Added to the query that the resource has.
  ///   - allowed: Where the resource may lead besides the URLs below the base URL; see ``ResourceAllowance``.
  /// - Throws: ``RequestError`` of kind `invalidRequest` or `unsafeResource`.
  public func request(
    _ method: HTTPMethod, _ resource: String? = nil, query: QueryParameters = [:],
    allowing allowed: ResourceAllowance = []
  ) throws -> URLRequest {
    let request = try unchecked(method, resource, query)
    try check(request, of: resource, allowed)
    return request
  }

  /// - Throws: ``RequestError`` of kind `unsafeResource`.
  func check(_ request: URLRequest, of resource: String?, _ allowed: ResourceAllowance) throws {
    guard let url = request.url else { return }
    try ResourceCheck(home: baseURL, origins: [baseURL], allowed: allowed)
      .check(resource, url, request.method(or: .get))
  }

  /// A request to a resource, wherever that leads.
  func unchecked(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters
  ) throws -> URLRequest {
    var url = base
    if let resource, !resource.isEmpty { url = try url.resolving(resource) }
    url.appendQuery(query.encoded)
    let target = try url.url()
    return try URLRequest(method, target, defaults: target.hasSameOrigin(as: baseURL) ? [headers] : [])
  }

  /// Sends a request through the client's adapter, with the body that is in it. The store is left as it is;
  /// `upsert(from:in:options:)` takes in the objects of the answer.
  ///
  /// - Parameters:
  ///   - request: The request, with its body.
  ///   - progress: Called on any thread.
  /// - Returns: A response whose status is 2xx, or 304 to GET and HEAD, and that ``verdict`` calls no refusal.
  /// - Throws: ``RequestError``, of kind `status` with the response for any other status; `CancellationError`.
  @concurrent @discardableResult
  public func send(_ request: URLRequest, progress: TransferProgressHandler? = nil) async throws -> HTTPResponse {
    var request = request
    if request.url?.hasSameOrigin(as: baseURL) == true { request.leaveOutContentType(headers["Content-Type"]) }
    let method = request.method(or: .get)
    let fetch = ResponseFetch(
      request: request, method: method, adapter: adapter,
      bodies: BodyReading([], self, RequestRoutes(self, method, request.url)), progress: progress)
    do {
      let numbers = RequestSequence.ofNoStore
      let number = numbers.begin(isWrite: !method.isSafe)
      defer { numbers.end(number) }
      let moment = TransferMoment(numbers, number, hints: (try? store)?.core.requests)
      defer { _ = moment.end() }
      let response = try await TransferMoment.$current.withValue(method.isSafe ? moment : nil) {
        try await fetch.send()
      }
      try fetch.facts.check(response)
      if fetch.bodies.refusal != nil { try fetch.facts.judge(response, try? fetch.facts.body(of: response)) }
      return response
    } catch {
      throw fetch.facts.told(error)
    }
  }
}
