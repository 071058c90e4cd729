/// How long the parts of one transfer took, and what it moved, as the transport measured it.
///
/// ```swift
/// let response = try await adapter.send(request, body: .none, progress: nil)
/// if let metrics = response.metrics { print(metrics) }  // new connection in 14 ms, first byte after 80 ms
/// ```
///
/// A transport that does not know a value leaves it `nil`. The metrics describe one exchange with a server: with
/// retries the last attempt, with redirects the last request, and with coalesced requests the one request that was
/// sent.
public struct TransferMetrics: Sendable, Hashable {
  /// From the call of the adapter until the transport began: the wait for a free connection.
  public var waiting: Duration?
  /// The lookup of the server's name; `nil` on a connection that was there.
  public var nameResolution: Duration?
  /// The TCP connection; `nil` on a connection that was there.
  public var connection: Duration?
  /// The TLS handshake, and through a proxy its tunnel before it; `nil` without TLS and on a connection that was there.
  public var tls: Duration?
  /// From the call of the adapter until the first byte of the response.
  public var firstByte: Duration?
  /// From the call of the adapter until the end of the transfer.
  public var total: Duration?
  /// Whether the request was sent on a connection that an earlier request had opened; `nil` when no request was sent.
  public var isConnectionReused: Bool?
  /// The bytes of the request, head and body, as HTTP/1.1 writes them: without the bytes of TLS, and without the frames
  /// of chunks or of HTTP/2. `nil` when the transport does not count them: libcurl 8.7 and `URLSession` on Linux.
  public var bytesSent: Int64?
  /// The bytes of the response, counted in the same way, before a coded body is decoded.
  public var bytesReceived: Int64?
  /// The version of the response, such as `HTTP/1.1` or `HTTP/2`.
  public var httpVersion: String?
  /// True when the response has a body without a length and without chunks, which ends where the connection does (RFC
  /// 9112 §6.3). A body that was cut off then looks whole. `nil` without a response, and when the transport does not
  /// tell: `CurlAdapter` does, `URLSessionAdapter` and a recording do not.
  public var bodyEndsWithConnection: Bool?

  /// Metrics without a value.
  public init() {}

  /// The time until the connection was there; `nil` when none was opened.
  public var connecting: Duration? {
    guard let connection else { return nil }
    return (nameResolution ?? .zero) + connection + (tls ?? .zero)
  }
}

extension TransferMetrics: CustomStringConvertible {
  /// A short text for a log: `new connection in 14 ms, first byte after 80 ms`.
  public var description: String { summary ?? "no metrics" }

  /// The same text; `nil` when no value of the text is known.
  package var summary: String? {
    var parts: [String] = []
    if isConnectionReused == true { parts.append("kept connection") }
    if let connecting { parts.append("new connection in \(connecting.milliseconds)") }
    if let firstByte { parts.append("first byte after \(firstByte.milliseconds)") }
    if parts.isEmpty, let total { parts.append("\(total.milliseconds) in all") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

extension Duration {
  /// Rounded to whole milliseconds: `14 ms`. A span of more than 30,000 years is shown as so long.
  package var milliseconds: String {
    let count = (self / .milliseconds(1)).rounded()
    return "\(Int64(min(max(count, -1e15), 1e15))) ms"
  }
}

extension Result where Failure == any Error {
  /// The same result; an error of a transport gets the metrics.
  package func measured(_ metrics: TransferMetrics) -> Self {
    mapError { error in
      guard var error = error as? TransportError else { return error }
      error.metrics = metrics
      return error
    }
  }
}
