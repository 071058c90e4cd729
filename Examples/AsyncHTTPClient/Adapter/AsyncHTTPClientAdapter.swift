public import AsyncHTTPClient
public import EntityRequests
import NIOCore
import NIOHTTP1

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Sends requests with AsyncHTTPClient, for a server that has one already.
///
/// The client follows redirects by itself unless its configuration says `redirectConfiguration: .disallow`.
public struct AsyncHTTPClientAdapter: RequestAdapter {
  private let client: HTTPClient

  /// - Parameter client: Its owner shuts it down.
  public init(_ client: HTTPClient) { self.client = client }

  @concurrent public func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    try Task.checkCancellation()
    var sent = HTTPClientRequest(url: request.url?.absoluteString ?? "")
    sent.method = .init(rawValue: request.httpMethod ?? "GET")
    for (name, value) in request.allHTTPHeaderFields ?? [:] { sent.headers.add(name: name, value: value) }
    switch body {
    case .none: break
    case .data(let data): sent.body = .bytes(ByteBuffer(bytes: data))
    case .file(let url):
      do {
        sent.body = .bytes(ByteBuffer(bytes: try Data(contentsOf: url)))
      } catch {
        throw TransportError(.sending, "The file could not be read: \(type(of: error))", mayHaveBeenProcessed: false)
      }
    case .stream(let stream):
      let next = try stream.open()
      let pieces = AsyncThrowingStream {
        do { return try await next().map { ByteBuffer(bytes: $0) } } catch { throw UnreadableBody(error) }
      }
      sent.body = .stream(pieces, length: stream.length.map { .known($0) } ?? .unknown)
    }
    do {
      let received = try await client.execute(sent, timeout: .seconds(60))
      let bytes = try await received.body.collect(upTo: 64 << 20)
      var headers = EntityRequests.HTTPHeaders()
      for (name, value) in received.headers { headers.add(value, to: name) }
      return HTTPResponse(
        status: Int(received.status.code), headers: headers, url: request.url, body: Data(bytes.readableBytesView))
    } catch {
      try Task.checkCancellation()
      throw Self.transportError(of: error)
    }
  }

  static func transportError(of error: any Error) -> TransportError {
    let (kind, isSent): (TransportError.Kind, Bool) =
      switch error {
      case is UnreadableBody: (.sending, true)
      case is NIOTooManyBytesError: (.bodyTooLarge, true)
      case let error as HTTPClientError:
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout: (.timeout, false)
        case .readTimeout, .writeTimeout, .deadlineExceeded: (.timeout, true)
        case .bodyLengthMismatch: (.sending, true)
        default: (.connection, true)
        }
      default: (.connection, true)
      }
    let name = (error as? UnreadableBody)?.cause ?? "\(type(of: error))"
    return TransportError(kind, "AsyncHTTPClient: \(name)", mayHaveBeenProcessed: isSent)
  }
}

/// The request's own body threw. The client hands its error on as it is, so this one tells it from those of the connection.
struct UnreadableBody: Error {
  /// The type of the error alone: its text may hold a part of the body.
  let cause: String

  init(_ error: any Error) { cause = "the body's stream threw \(type(of: error))" }
}
