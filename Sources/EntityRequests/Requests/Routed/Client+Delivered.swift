public import EntityStore
public import HTTPFoundation

extension Client {
  /// Reads a response that another HTTP client delivered, as the client's routes say; see ``Route``.
  ///
  /// ```swift
  /// let request = try client.request(.get, "users")
  /// let response = try await client.read(try await other.send(request), to: request)
  /// ```
  ///
  /// - Parameters:
  ///   - response: The response, with any status.
  ///   - request: The request. Without it the URL of the response is the path, and only routes for all methods match.
  ///   - store: Where objects are kept; by default the client's store.
  ///   - options: How the response is read; see ``ValueOptions``.
  /// - Throws: ``RequestError`` as the verbs do; `CancellationError`.
  @discardableResult
  public nonisolated(nonsending) func read(
    _ response: HTTPResponse, to request: URLRequest? = nil, in store: EntityStore? = nil, options: ValueOptions = []
  ) async throws -> RoutedResponse {
    let method = request.map { $0.method(or: .get) }
    let request = request ?? response.url.map { URLRequest(url: $0) }
    let routes = RequestRoutes(self, method, request?.url)
    let facts = RequestFacts(request: request, method: method, bodies: BodyReading(options, self, routes))
    let reading = try RoutedReading(self, method, routes, store, options)
    let result: RoutedResponse
    do { result = atCaller(try await reading.take(delivered: response, facts)) } catch { throw atCaller(error) }
    return MainMerge.merged(result, #isolation)
  }
}
