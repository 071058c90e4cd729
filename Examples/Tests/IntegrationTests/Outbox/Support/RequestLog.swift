import EntityClient
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Notes the requests that reach the server, with the statuses of the responses.
final class RequestLog: RequestAdapter {
  struct Line: Sendable {
    let method: String
    let url: String
    let headers: [String: String]
    let body: JSONValue?
    /// `nil` where no response came.
    let status: Int?

    /// The method and the status: `PATCH 200`.
    var text: String { "\(method) \(status.map(String.init) ?? "-")" }
  }

  private let adapter: any RequestAdapter
  private let state = Mutex<[Line]>([])

  init(_ adapter: any RequestAdapter) { self.adapter = adapter }

  /// The requests since the last call, in the order of their responses.
  func take() -> [Line] {
    state.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    do {
      let response = try await adapter.send(request, body: body, progress: progress)
      add(request, body, response.status)
      return response
    } catch {
      add(request, body, nil)
      throw error
    }
  }

  private func add(_ request: URLRequest, _ body: RequestBody, _ status: Int?) {
    var json: JSONValue?
    if case .data(let data) = body { json = try? JSONValue(parsing: data) }
    let line = Line(
      method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
      headers: request.allHTTPHeaderFields ?? [:], body: json, status: status)
    state.withLock { $0.append(line) }
  }
}

extension [RequestLog.Line] {
  var texts: [String] { map(\.text) }
}
