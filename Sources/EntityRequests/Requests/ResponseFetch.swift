import EntityJSON
import EntityStore
import HTTPFoundation

/// The first half of an exchange: one request, and its response as it came. It knows neither entities nor a store.
struct ResponseFetch: Sendable {
  var request: URLRequest
  /// The method of the request, which the caller's closure may have changed.
  let method: HTTPMethod
  var adapter: any RequestAdapter
  let bodies: BodyReading
  var progress: TransferProgressHandler?
  /// Whether the request only reads, whatever its method is.
  var onlyReads = false
  /// The handlers that hear of the end of the exchange.
  var observers: ExchangeObservers?

  /// The response to the request, with any status.
  func send() async throws -> HTTPResponse {
    try Task.checkCancellation()
    do {
      return atCaller(
        try await ObjectTurns.$isServing.withValue(true) {
          try await adapter.response(to: request, progress: progress)
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// The response to the request as soon as its head is there, with any status.
  func stream(_ progress: TransferProgressHandler?) async throws -> StreamedHTTPResponse {
    try Task.checkCancellation()
    do {
      return atCaller(
        try await ObjectTurns.$isServing.withValue(true) {
          try await adapter.streamedResponse(to: request, progress: progress)
        })
    } catch {
      throw atCaller(error)
    }
  }

  var facts: RequestFacts { RequestFacts(request: request, method: method, bodies: bodies, onlyReads: onlyReads) }
}

extension RequestAdapter {
  /// The response to a request with the body that is in it, with any status.
  ///
  /// - Throws: ``RequestError`` of kind `transport`, or the adapter's own ``RequestError``; `CancellationError`.
  @concurrent func response(to request: URLRequest, progress: TransferProgressHandler?) async throws -> HTTPResponse {
    let reports = progress.map { TransferReports($0) }
    defer { reports?.end() }
    do {
      return try await send(request, body: RequestBody(of: request), progress: reports?.handler)
    } catch {
      throw RequestError.ofTransport(error, "No response", of: request)
    }
  }

  /// As ``response(to:progress:)``, but the caller pulls the body.
  @concurrent func streamedResponse(
    to request: URLRequest, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    do {
      return try await stream(request, body: RequestBody(of: request), progress: progress)
    } catch {
      throw RequestError.ofTransport(error, "No response", of: request)
    }
  }
}

extension RequestError {
  /// An error of an adapter, in the form that an exchange throws.
  ///
  /// - Parameter request: The request, where none of its response is here yet.
  static func ofTransport(
    _ error: any Error, _ what: String, _ response: HTTPResponse? = nil, of request: URLRequest? = nil
  ) -> any Error {
    if error is CancellationError { return error }
    if let error = error as? RequestError {
      // An adapter may ask another client for its token. The status of that request is not that of this one.
      let isOfOther = request != nil && error.url != nil && error.url?.absoluteURL != request?.url?.absoluteURL
      if !isOfOther { return error }
    }
    return RequestError(.transport, "\(what): \(shown(error))", response: response, underlying: error)
  }
}
