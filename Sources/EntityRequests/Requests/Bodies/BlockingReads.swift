import EntityStore
import Foundation
import Synchronization

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
    let reply = Reply()
    do {
      let piece = try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          guard reply.wait(continuation) else { return }
          queue.async {
            // Nobody waits for it: another one may wait for the thread.
            guard !reply.isGiven else { return }
            reply.give(Result { try self.source.next() })
          }
        }
      } onCancel: {
        reply.give(.failure(CancellationError()))
      }
      return atCaller(piece)
    } catch {
      throw atCaller(error)
    }
  }
}

/// Resumes one reader with the first event, the piece or the cancellation.
private final class Reply: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Data?, any Error>)
    case given
  }

  private let state = Mutex(State.new)

  var isGiven: Bool { state.withLock { if case .given = $0 { true } else { false } } }

  /// Returns whether there is anything to wait for; else the task was cancelled before.
  func wait(_ continuation: CheckedContinuation<Data?, any Error>) -> Bool {
    let isNew = state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
    if !isNew { continuation.resume(throwing: CancellationError()) }
    return isNew
  }

  func give(_ result: Result<Data?, any Error>) {
    let waiter = state.withLock { state -> CheckedContinuation<Data?, any Error>? in
      defer { state = .given }
      if case .waiting(let continuation) = state { return continuation }
      return nil
    }
    waiter?.resume(with: result)
  }
}
