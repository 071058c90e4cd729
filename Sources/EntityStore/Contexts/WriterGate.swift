import Dispatch
import Foundation
import Synchronization

/// The gate before the writer: one unit of work at a time, first come first served, each waiting no longer than its
/// deadline.
final class WriterGate: Sendable {
  private struct Waiter {
    let id: Int
    let admit: @Sendable (Result<Void, any Error>) -> Void
  }

  private struct State {
    var isHeld = false
    var waiters: [Waiter] = []
    var nextID = 0
  }

  private let state = Mutex(State())

  /// Waits without holding up a thread.
  ///
  /// - Throws: ``StoreError`` of kind `writerBusy` at the deadline; `CancellationError`.
  func acquire(within timeout: Duration) async throws {
    let id = takeNumber()
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        guard enqueue(Waiter(id: id) { continuation.resume(with: $0) }) else { return }
        let deadline = DispatchTime.now() + .milliseconds(Int(clamping: timeout.milliseconds))
        DispatchQueue.global().asyncAfter(deadline: deadline) { self.dismiss(id, Self.busy(timeout)) }
        // A cancellation before the waiter stood in line found nobody to dismiss.
        if Task.isCancelled { dismiss(id, CancellationError()) }
      }
    } onCancel: {
      dismiss(id, CancellationError())
    }
  }

  /// Waits on the calling thread.
  ///
  /// - Throws: ``StoreError`` of kind `writerBusy` at the deadline.
  func acquireBlocking(within timeout: Duration) throws {
    let id = takeNumber()
    let admitted = DispatchSemaphore(value: 0)
    guard enqueue(Waiter(id: id) { _ in admitted.signal() }) else { return }
    let deadline = DispatchTime.now() + .milliseconds(Int(clamping: timeout.milliseconds))
    _ = admitted.wait(timeout: deadline)
    // Whoever stands in line no more was admitted, if need be in the very last moment.
    guard remove(id) != nil else { return }
    throw Self.busy(timeout)
  }

  /// How many stand in line.
  var waiting: Int { state.withLock(\.waiters.count) }

  func release() {
    let next = state.withLock { state -> Waiter? in
      guard !state.waiters.isEmpty else {
        state.isHeld = false
        return nil
      }
      return state.waiters.removeFirst()
    }
    next?.admit(.success(()))
  }

  private func takeNumber() -> Int {
    state.withLock {
      $0.nextID += 1
      return $0.nextID
    }
  }

  /// Whether the waiter has to wait; otherwise it is admitted here.
  private func enqueue(_ waiter: Waiter) -> Bool {
    let waits = state.withLock { state in
      if state.isHeld {
        state.waiters.append(waiter)
        return true
      }
      state.isHeld = true
      return false
    }
    if !waits { waiter.admit(.success(())) }
    return waits
  }

  private func dismiss(_ id: Int, _ error: any Error) {
    remove(id)?.admit(.failure(error))
  }

  private func remove(_ id: Int) -> Waiter? {
    state.withLock { state in
      state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
    }
  }

  private static func busy(_ timeout: Duration) -> StoreError {
    StoreError(
      .writerBusy,
      "The writer was busy for \(timeout): another unit of work is running. Make units shorter, or raise `busyTimeout`."
    )
  }
}
