public import Foundation
import Synchronization

/// A complete HTTP response.
public struct HTTPResponse: Sendable {
  /// The status code, 100 to 599.
  public var status: Int
  public var headers: HTTPHeaders
  /// The URL that answered: after redirects, if an adapter followed any.
  public var url: URL?
  /// The body after content decoding; empty when there was none.
  public var body: Data
  /// The figures of the transport; `nil` when it measures nothing.
  public var metrics: TransferMetrics?

  public init(
    status: Int, headers: HTTPHeaders = [:], url: URL? = nil, body: Data = Data(), metrics: TransferMetrics? = nil
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.body = body
    self.metrics = metrics
  }
}

/// A response whose body is pulled by its reader. It is read once; dropping it cancels the transfer.
public struct StreamedHTTPResponse: Sendable {
  public typealias Reader = @Sendable () async throws -> Data?

  public var status: Int
  public var headers: HTTPHeaders
  public var url: URL?
  /// Hands out the next piece of the body; `nil` at its end.
  public let next: Reader
  private let measured: @Sendable () -> TransferMetrics?

  /// - Parameters:
  ///   - status: The status code: 100 to 599.
  ///   - headers: The fields of the head.
  ///   - url: The URL that answered.
  ///   - metrics: Gives the figures of the transport once the transfer has ended; `nil` before, and when the transport
  ///     measures nothing.
  ///   - next: Hands out the next piece of the body; `nil` at its end.
  public init(
    status: Int, headers: HTTPHeaders, url: URL?, metrics: @escaping @Sendable () -> TransferMetrics? = { nil },
    next: @escaping Reader
  ) {
    self.status = status
    self.headers = headers
    self.url = url
    self.next = next
    measured = metrics
  }

  /// The figures of the transport. They exist once the transfer has succeeded or failed, and at once for a response
  /// that was already complete. `nil` before, and always when the transport measures nothing.
  public var metrics: TransferMetrics? { measured() }

  /// The same response with a body that is read in another way.
  package func reading(_ next: @escaping Reader) -> StreamedHTTPResponse {
    StreamedHTTPResponse(status: status, headers: headers, url: url, metrics: measured, next: next)
  }
}

extension StreamedHTTPResponse {
  /// A response that is already here, handed over as one piece.
  public init(_ response: HTTPResponse) {
    let body = Once(response.body)
    self.init(
      status: response.status, headers: response.headers, url: response.url,
      metrics: { [metrics = response.metrics] in metrics }, next: { body.removeContent() })
  }
}

/// Gives its content to the first who asks.
private final class Once: Sendable {
  private let content: Mutex<Data?>

  init(_ data: Data) { content = Mutex(data.isEmpty ? nil : data) }

  func removeContent() -> Data? {
    content.withLock {
      let data = $0
      $0 = nil
      return data
    }
  }
}
