public import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

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
    let url = request?.url ?? response.url
    let routes = RequestRoutes(self, method, url)
    let delivered = RoutedDelivery(
      response: response, method: method, url: url, body: BodyReading(options, self, routes),
      reading: try RoutedReading(self, method, url, routes, store, options))
    let result: RoutedResponse
    do { result = atCaller(try await delivered.run()) } catch { throw atCaller(error) }
    MainMerge.merge(delivered.reading.store, #isolation)
    return result
  }
}

/// A response that came by other ways.
private struct RoutedDelivery: Sendable {
  let response: HTTPResponse
  let method: HTTPMethod?
  let url: URL?
  let body: BodyReading
  let reading: RoutedReading

  @concurrent func run() async throws -> RoutedResponse {
    do {
      try Task.checkCancellation()
      try ResponseStatus.check(
        response, to: method ?? .get, at: url, alsoSuccess: try await reading.alsoSuccess(response), body)
      await reading.endAnswers()
      do {
        return try await reading.read(response, reading.body(of: response, body), nil, body)
      } catch var error as RequestError {
        error.wasAccepted = method?.isSafe == false
        throw error
      }
    } catch var error as RequestError {
      error.reading = body
      error.response = error.response ?? response
      throw error.about(method, url)
    }
  }
}
