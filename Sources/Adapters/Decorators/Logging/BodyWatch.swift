import EntityRequests
import Synchronization

/// Tells how the body of a streamed response ended: complete, with an error, or dropped by its reader.
final class BodyWatch: Sendable {
  enum End: Sendable {
    case complete
    case failed(any Error)
    case dropped
  }

  private struct State {
    var bytes = 0
    var isOver = false
  }

  private let report: @Sendable (End, _ bytes: Int, TransferMetrics?) -> Void
  private let state = Mutex(State())

  /// - Parameter report: Called once, with the bytes that were read.
  init(_ report: @escaping @Sendable (End, _ bytes: Int, TransferMetrics?) -> Void) { self.report = report }

  deinit { end(.dropped, nil) }

  func read(_ count: Int) { state.withLock { $0.bytes += count } }

  func end(_ end: End, _ metrics: @autoclosure () -> TransferMetrics?) {
    let bytes = state.withLock { state -> Int? in
      defer { state.isOver = true }
      return state.isOver ? nil : state.bytes
    }
    if let bytes { report(end, bytes, metrics()) }
  }
}
