/// Called with the progress of one transfer, on any thread; the counts never decrease.
public typealias TransferProgressHandler = @Sendable (TransferProgress) -> Void

/// How much of one transfer is done, in bytes.
public struct TransferProgress: Sendable, Equatable {
  public var bytesSent: Int64
  /// The length of the request's body, if it is known.
  public var bytesToSend: Int64?
  /// The bytes of the response's body as they travel: before a compressed body is decoded.
  public var bytesReceived: Int64
  /// The length of the response's body, if the server announced it.
  public var bytesToReceive: Int64?

  public init(bytesSent: Int64 = 0, bytesToSend: Int64? = nil, bytesReceived: Int64 = 0, bytesToReceive: Int64? = nil) {
    self.bytesSent = bytesSent
    self.bytesToSend = bytesToSend
    self.bytesReceived = bytesReceived
    self.bytesToReceive = bytesToReceive
  }
}
