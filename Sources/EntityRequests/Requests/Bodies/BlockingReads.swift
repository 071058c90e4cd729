import EntityStore
import Foundation

/// Something whose reads may wait, for a disk or for another thread. It is used by one reader after the other.
protocol BlockingSource: AnyObject {
  /// The next piece; `nil` at the end.
  func next() throws -> Data?
}

/// Reads a blocking source for tasks: on a queue of its own, so that no thread of the cooperative pool waits.
///
/// A task that is cancelled stops waiting. The read itself can't be broken off, because no stream may be closed under
/// a read: its thread and the source are held until it returns, and its bytes are then dropped.
///
/// `@unchecked Sendable`: the source was handed over by `sending`, nobody else has it, and it is read on the serial queue
/// alone.
final class BlockingReads: @unchecked Sendable {
  private let source: any BlockingSource
  private let queue = DispatchQueue(label: "EntityRequests.BlockingReads")

  init(_ source: sending any BlockingSource) { self.source = source }

  /// The next piece; `nil` at the end. After a cancellation a piece may be lost, so the body is not to be read on.
  func next() async throws -> Data? {
    try Task.checkCancellation()
    let reply = Waiter<Data?>()
    queue.async {
      // Nobody waits for it: another one may wait for the thread.
      guard !reply.isOver else { return }
      reply.end(Result { try self.source.next() })
    }
    return try await reply.value { true }
  }
}
