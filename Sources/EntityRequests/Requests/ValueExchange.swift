import EntityJSON
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request about no entity, resolved in the task of the caller; it runs apart from the caller's actor.
///
/// It is the first half of an exchange, ``ResponseFetch``, and the decoding.
struct ValueExchange: Sendable {
  let fetch: ResponseFetch
  let envelope: EnvelopeChoice
  let meter: ProgressMeter?

  @concurrent func run<V: Decodable & Sendable>(_ type: V.Type) async throws -> ValueResponse<V> {
    do {
      let response = try await fetch.send()
      try fetch.check(response)
      try Task.checkCancellation()
      do {
        let body = try fetch.body(of: response)
        let keyPath = try body.flatMap {
          try envelope.envelope(of: response, $0).keyPath(in: $0, expecting: .any, nil)
        }
        let value = try fetch.reading.value(type, in: body, at: keyPath)
        await meter?.finish()
        return ValueResponse(
          value: value, status: response.status, headers: response.headers, url: response.url, json: body,
          metrics: response.metrics, decoder: fetch.reading.decoder)
      } catch var error as RequestError {
        error.response = response
        error.wasAccepted = !fetch.method.isSafe
        throw error
      }
    } catch {
      throw fetch.told(error)
    }
  }
}

extension Client {
  /// The exchange of a request that names the type of its value.
  func exchange(
    _ request: URLRequest, _ method: HTTPMethod, _ options: ValueOptions, _ progress: RequestProgressHandler?
  ) -> ValueExchange {
    let meter = progress.map { ProgressMeter($0) }
    let routes = RequestRoutes(self, method, request.url)
    let fetch = ResponseFetch(
      request: request, method: method, adapter: adapter, reading: BodyReading(options, self, routes),
      progress: meter?.transferHandler)
    return ValueExchange(
      fetch: fetch, envelope: EnvelopeChoice(request: options.envelope, routes, self), meter: meter)
  }

  /// A request with the client's headers, changed by the caller.
  func request(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ allowed: ResourceAllowance,
    _ modify: (inout URLRequest) throws -> Void
  ) throws -> URLRequest {
    var request = try unchecked(method, resource, query)
    let named = request.url
    try request.change(modify) { $0.hasSameOrigin(as: baseURL) ? [headers] : [] }
    // A place that the closure has set is the caller's own; a query that it adds leaves the place.
    if let named, request.url?.isSamePlace(as: named) == true { try check(request, of: resource, allowed) }
    return request
  }
}
