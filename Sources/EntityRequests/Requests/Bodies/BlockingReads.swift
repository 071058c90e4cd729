import Foundation

/// Something whose reads may wait, for a disk or for another thread. It is used by one reader after the other.
protocol BlockingSource: AnyObject {
  /// The next piece; `nil` at the end.
  func next() throws -> Data?
}

/// Reads a blocking source for tasks: on a queue of its own, so that no thread of the cooperative pool waits.
///
/// `@unchecked Sendable`: the source was handed over by `sending`, nobody else has it, and it is read on the serial queue
/// alone.
final class BlockingReads: @unchecked Sendable {
  private let source: any BlockingSource
  private let queue = DispatchQueue(label: "EntityRequests.BlockingReads")

  init(_ source: sending any BlockingSource) { self.source = source }

  func next() async throws -> Data? {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try self.source.next() }) }
    }
  }
}
