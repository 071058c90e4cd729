import EntityRequests
import HTTPFoundation

/// An adapter that has the default way of streaming.
struct BufferingAdapter: RequestAdapter {
  let fails: Bool

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try Task.checkCancellation()
    if fails { throw Stop() }
    return HTTPResponse(status: 204)
  }
}
