public import EntityRequests
public import HTTPFoundation

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
  /// The closure sees the body in `httpBody`, unless it is a file or a stream that is read while it is sent. A body
  /// that the closure sets, also with `setJSON` and the like, is sent in place of the request's body.
  ///
  /// - Parameters:
  ///   - server: Only requests to its scheme, host and port are changed (RFC 6454 §5); `nil` means all.
  ///   - modify: Runs once per request, on no particular actor. An error that it throws ends the request before it is
  ///     sent: with a `TransportError` that has it as its `cause`, and as `underlying` of a `RequestError`.
  public func modifying(
    requestsTo server: URL? = nil, _ modify: @escaping @Sendable (inout URLRequest) async throws -> Void
  ) -> some RequestAdapter {
    ModifyingAdapter(base: self, server: server, modify: modify)
  }

  /// The same, with the server's URL as a text.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a text that is no absolute http or https URL.
  public func modifying(
    requestsTo server: String, _ modify: @escaping @Sendable (inout URLRequest) async throws -> Void
  ) throws -> some RequestAdapter {
    modifying(requestsTo: try URL(server: server), modify)
  }
}

private struct ModifyingAdapter<Base: RequestAdapter>: RequestAdapter, CustomStringConvertible, CustomReflectable {
  let base: Base
  let server: URL?
  let modify: @Sendable (inout URLRequest) async throws -> Void

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    let (request, body) = try await modified(request, body)
    return try await base.send(request, body: body, progress: progress)
  }

  /// The URL of the server may have a user name and a password, which are not shown.
  var description: String { "ModifyingAdapter(\(server?.shown ?? "all servers"), base: \(base))" }

  var customMirror: Mirror { Mirror(self, children: ["description": description]) }

  private func modified(_ request: URLRequest, _ body: RequestBody) async throws -> (URLRequest, RequestBody) {
    if let server, request.url?.hasSameOrigin(as: server) != true { return (request, body) }
    var request = request
    if case .data(let data) = body { request.httpBody = data }
    let (data, stream) = (request.httpBody, request.httpBodyStream)
    do {
      request = try await TransferMoment.$current.withValue(nil) { [request] in
        var request = request
        try await modify(&request)
        return request
      }
    } catch {
      throw TransportError.waiting(error, for: "Changing the request")
    }
    // The body travels beside the request, so a body that the closure set has to be taken out of it.
    if request.httpBody == data, request.httpBodyStream === stream { return (request, body) }
    return (request, RequestBody(of: request))
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    let (request, body) = try await modified(request, body)
    return try await base.stream(request, body: body, progress: progress)
  }
}
