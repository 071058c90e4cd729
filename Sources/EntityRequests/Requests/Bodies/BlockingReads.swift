import EntityStore
import Foundation

/// A source whose reads may wait for a disk or for another thread. One reader at a time uses it.
protocol BlockingSource: AnyObject {
  /// The next piece; `nil` at the end.
  func next() throws -> Data?
}

/// Reads a blocking source for tasks, on a queue of its own, so that no thread of the cooperative pool waits.
///
/// A cancelled task stops waiting. The read itself can't be broken off, because no stream may be closed during a read:
/// its thread and the source are held until the read returns, and its bytes are then dropped.
///
/// `@unchecked Sendable`: the source was handed over by `sending`, so nobody else has it, and only the serial queue
/// reads it.
final class BlockingReads: @unchecked Sendable {
  private let source: any BlockingSource
  private let queue = DispatchQueue(label: "EntityRequests.BlockingReads")

  init(_ source: sending any BlockingSource) { self.source = source }

  /// The next piece; `nil` at the end. After a cancellation a piece may be lost, so the body must not be read on.
  func next() async throws -> Data? {
    try Task.checkCancellation()
    let reply = Waiter<Data?>()
    queue.async {
      // Skips a read that nobody waits for, because another read may wait for the thread.
      guard !reply.isOver else { return }
      reply.end(Result { try self.source.next() })
    }
    return try await reply.value { true }
  }
}
