public import EntityRequests

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension RequestAdapter {
  /// This adapter, with every request changed before it is sent; headers of a session, for example:
  ///
  /// ```swift
  /// let adapter = CurlAdapter().modifying { request in
  ///   request.setValue("Bearer \(try await session.token())", forHTTPHeaderField: "Authorization")
  /// }
  /// ```
  ///
  /// - Parameter modify: Runs once per request, on no particular actor. What it throws ends the request before it is sent.
  public func modifying(
    _ modify: @escaping @Sendable (inout URLRequest) async throws -> Void
  ) -> some RequestAdapter {
    ModifyingAdapter(base: self, modify: modify)
  }
}

private struct ModifyingAdapter<Base: RequestAdapter>: RequestAdapter {
  let base: Base
  let modify: @Sendable (inout URLRequest) async throws -> Void

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    var request = request
    try await modify(&request)
    return try await base.send(request, body: body, progress: progress)
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    var request = request
    try await modify(&request)
    return try await base.stream(request, body: body, progress: progress)
  }
}
