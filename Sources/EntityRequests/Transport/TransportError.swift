/// No response came back. The error says which step failed, and whether the server may have acted on the request all
/// the same.
public struct TransportError: Error, Sendable, CustomStringConvertible {
  public enum Kind: Sendable, Equatable, CaseIterable {
    case invalidRequest, unsupported
    case nameResolution, connection, tls, timeout, sending
    case badResponse, bodyTooLarge
    case other
    /// An app is offline by its own switch; the request, or the next attempt of it, was not sent.
    case offline
    /// An adapter's own rule does not allow the IP address of the server.
    case forbiddenAddress
  }

  public let kind: Kind
  /// A description for a person; it holds no header values, bodies or user info of a URL.
  public let message: String
  /// The transport's own error code, if it has one.
  public let code: Int?
  /// Whether the request may have reached the server. `false` only when it surely did not.
  public let mayHaveBeenProcessed: Bool
  /// The figures of the transport until then; `nil` when it measures nothing.
  public var metrics: TransferMetrics?

  public init(
    _ kind: Kind, _ message: String, code: Int? = nil, mayHaveBeenProcessed: Bool, metrics: TransferMetrics? = nil
  ) {
    self.kind = kind
    self.message = message
    self.code = code
    self.mayHaveBeenProcessed = mayHaveBeenProcessed
    self.metrics = metrics
  }

  public var description: String { message }
}
