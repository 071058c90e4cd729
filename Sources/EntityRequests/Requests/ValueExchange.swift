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
  /// The envelope that counts.
  let envelope: Envelope
  let meter: ProgressMeter?

  @concurrent func run<V: Decodable & Sendable>(_ type: V.Type) async throws -> ValueResponse<V> {
    try await response { body in
      try fetch.reading.value(type, in: body, at: body.flatMap { try envelope.keyPath(in: $0, expecting: .any, nil) })
    }
  }

  /// Without a type: the value is the body, or the part of it that an envelope of the request names.
  @concurrent func run() async throws -> ValueResponse<JSONValue?> {
    try await response { body in
      guard let body, let keyPath = try envelope.keyPath(in: body, expecting: .any, nil) else { return body }
      return try fetch.reading.value(JSONValue.self, in: body, at: keyPath)
    }
  }

  private func response<V: Sendable>(_ read: (JSONValue?) throws -> V) async throws -> ValueResponse<V> {
    do {
      let response = try await fetch.send()
      try fetch.check(response)
      try Task.checkCancellation()
      do {
        let body = try body(of: response, V.self)
        let value = try read(body)
        await meter?.finish()
        return ValueResponse(
          value: value, status: response.status, headers: response.headers, url: response.url, json: body,
          decoder: fetch.reading.decoder)
      } catch var error as RequestError {
        error.response = response
        error.wasAccepted = !fetch.method.isSafe
        throw error
      }
    } catch {
      throw fetch.told(error)
    }
  }

  /// A DELETE that asks for no type does not mind a body that is not JSON: the server has deleted.
  private func body<V>(of response: HTTPResponse, _ type: V.Type) throws -> JSONValue? {
    if fetch.method == .delete, type == JSONValue?.self { return try? fetch.body(of: response) }
    return try fetch.body(of: response)
  }
}

extension Client {
  /// - Parameter envelope: The envelope where the options name none.
  func exchange(
    _ request: URLRequest, _ method: HTTPMethod, _ options: ValueOptions, envelope: Envelope?,
    _ progress: RequestProgressHandler?
  ) -> ValueExchange {
    let meter = progress.map { ProgressMeter($0) }
    let fetch = ResponseFetch(
      request: request, method: method, adapter: adapter, reading: BodyReading(options, self),
      progress: meter?.transferHandler)
    return ValueExchange(fetch: fetch, envelope: options.envelope ?? envelope ?? .wholeBody, meter: meter)
  }

  /// A request with the client's headers, changed by the caller.
  func request(
    _ method: HTTPMethod, _ resource: String?, _ query: QueryParameters, _ modify: (inout URLRequest) throws -> Void
  ) throws -> URLRequest {
    var request = try request(method, resource, query: query)
    try request.change(modify) { $0.hasSameOrigin(as: baseURL) ? [headers] : [] }
    return request
  }
}
