public import Foundation

/// The body that a request carries to the server.
public enum RequestBody: Sendable {
  case none
  case data(Data)
  /// The content of a file, read while it is sent.
  case file(URL)
  case stream(RequestBodyStream)
}

/// A request body that is pulled piece by piece while it is sent.
public struct RequestBodyStream: Sendable {
  /// Hands out the next piece; `nil` ends the body. An empty piece is skipped.
  public typealias Reader = @Sendable () async throws -> Data?

  /// The number of bytes that the reader will hand out, or `nil` when it is not known. A body of another length is an
  /// error.
  public let length: Int64?
  /// Whether `open` may be called again, for a retry or a redirect.
  public let isReplayable: Bool
  /// Starts the body from its first byte.
  public let open: @Sendable () throws -> Reader

  public init(length: Int64?, isReplayable: Bool = false, open: @escaping @Sendable () throws -> Reader) {
    self.length = length
    self.isReplayable = isReplayable
    self.open = open
  }
}
