// `URLRequest` belongs to this module on Linux, and to Foundation elsewhere.
public import HTTPFoundation

/// The one way out: sends a request through some transport and returns the response.
///
/// Transports and decorators (retry, authentication, logging) are both adapters; a decorator wraps another one.
/// A project's own adapter is a few lines:
///
/// ```swift
/// struct MyAdapter: RequestAdapter {
///   @concurrent func send(
///     _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
///   ) async throws -> HTTPResponse {
///     let (data, status, headers) = try await myTransport.run(request, body)
///     return HTTPResponse(status: status, headers: headers, url: request.url, body: data)
///   }
/// }
/// ```
///
/// An adapter returns every HTTP status as a response; it throws only when there is none (``TransportError``) and
/// `CancellationError` when its task was cancelled.
public protocol RequestAdapter: Sendable {
  /// Sends `request` with `body` and returns the whole response.
  ///
  /// - Parameters:
  ///   - request: URL, method and headers. Its `httpBody` and `httpBodyStream` are ignored: the body is passed beside
  ///     it.
  ///   - body: The body to send.
  ///   - progress: Called on any thread with cumulative byte counts that never decrease.
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse

  /// Sends `request` and returns as soon as the response's head is there; the body is pulled by the caller.
  ///
  /// The default implementation calls `send`, and hands over the buffered body in one piece.
  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse
}

extension RequestAdapter {
  @concurrent public func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    StreamedHTTPResponse(try await send(request, body: body, progress: progress))
  }
}
