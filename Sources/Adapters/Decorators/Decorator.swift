import EntityRequests
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An adapter around another one that does the same with whole and with streamed responses: it sees the head of each.
protocol Decorator: RequestAdapter {
  associatedtype Base: RequestAdapter
  var base: Base { get }

  /// Sends the request by way of `send`, as often as the decorator needs.
  @concurrent func response<Response: HeadedResponse>(
    to call: AdapterCall, _ send: Sender<Response>
  ) async throws -> Response
}

/// Hands a call on to the adapter that is decorated.
typealias Sender<Response> = @concurrent @Sendable (AdapterCall) async throws -> Response

/// The arguments of one call of an adapter.
struct AdapterCall: Sendable {
  var request: URLRequest
  var body: RequestBody
  var progress: TransferProgressHandler?

  var method: String { request.httpMethod ?? "GET" }
}

/// A response, whole or streamed, of which a decorator reads the head.
protocol HeadedResponse: Sendable {
  var status: Int { get }
  var headers: HTTPHeaders { get }
  var url: URL? { get set }
}

extension HTTPResponse: HeadedResponse {}
extension StreamedHTTPResponse: HeadedResponse {}

extension Decorator {
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try await response(to: AdapterCall(request: request, body: body, progress: progress)) { [base] call in
      try await base.send(call.request, body: call.body, progress: call.progress)
    }
  }

  @concurrent func stream(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> StreamedHTTPResponse {
    try await response(to: AdapterCall(request: request, body: body, progress: progress)) { [base] call in
      try await base.stream(call.request, body: call.body, progress: call.progress)
    }
  }
}

extension RequestBody {
  /// Whether the same bytes can be sent once more.
  var isReplayable: Bool {
    if case .stream(let stream) = self { stream.isReplayable } else { true }
  }
}
