public import EntityRequests

public import Foundation

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension RequestAdapter {
  /// This adapter, with requests changed before they are sent; headers of a session, for example:
  ///
  /// ```swift
  /// let adapter = CurlAdapter().modifying(requestsTo: baseURL) { request in
  ///   request.setValue("Bearer \(try await session.token())", forHTTPHeaderField: "Authorization")
  /// }
  /// ```
  ///
  /// Name the server if you add a secret: the URL of a next page, which the adapter sees too, comes from a response and
  /// may lead anywhere.
  ///
  /// - Parameters:
  ///   - server: Only requests to its scheme, host and port are changed (RFC 6454 §5); `nil` means all.
  ///   - modify: Runs once per request, on no particular actor. An error that it throws ends the request before it is
  ///     sent.
  public func modifying(
    requestsTo server: URL? = nil, _ modify: @escaping @Sendable (inout URLRequest) async throws -> Void
  ) -> some RequestAdapter {
    ModifyingAdapter(base: self, server: server, modify: modify)
  }
}

private struct ModifyingAdapter<Base: RequestAdapter>: RequestAdapter {
  let base: Base
  let server: URL?
  let modify: @Sendable (inout URLRequest) async throws -> Void

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try await base.send(modified(request), body: body, progress: progress)
  }

  private func modified(_ request: URLRequest) async throws -> URLRequest {
    if let server, request.url?.hasSameOrigin(as: server) != true { return request }
    var request = request
    try await modify(&request)
    return request
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    try await base.stream(modified(request), body: body, progress: progress)
  }
}
