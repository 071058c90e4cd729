/// How far a request has come: the transfer first, then taking the response into the store or reading its value.
///
/// The fraction of a request never goes back, and the last one of a success is exactly 1. The transfer is three
/// quarters of the whole. Half of the transfer is for the sent body, and the other half for the received bytes; without
/// a body all of it is for received bytes. If a length is not known, the part grows with the bytes towards its end
/// without reaching it.
public struct RequestProgress: Sendable, Equatable {
  public enum Phase: Sendable {
    /// Bytes are sent and received.
    case transfer
    /// The response is taken into the store, or read as a value.
    case upsert
  }

  public let phase: Phase
  /// The part of the whole that is done, from 0 to 1.
  public let fraction: Double
  /// The bytes of the request's body that are sent.
  public let bytesSent: Int64
  /// The bytes of the response's body that are received.
  public let bytesReceived: Int64
}

/// Called with the progress of a request, on any thread, one call after the other.
public typealias RequestProgressHandler = @Sendable (RequestProgress) -> Void
