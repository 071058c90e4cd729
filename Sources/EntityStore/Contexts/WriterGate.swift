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

  /// Stands in line without waiting: the place is taken where the unit is asked for, and waited for where it will run.
  func enter(within timeout: Duration) -> Ticket {
    let ticket = Ticket(gate: self, id: takeNumber())
    guard enqueue(Waiter(id: ticket.id) { ticket.resolve($0) }) else { return ticket }
    let deadline = DispatchTime.now() + .milliseconds(Int(clamping: timeout.milliseconds))
    DispatchQueue.global().asyncAfter(deadline: deadline) { self.dismiss(ticket.id, Self.busy(timeout)) }
    return ticket
  }

  /// A place in the line. Whoever enters waits for it, and once admitted releases the gate.
  final class Ticket: Sendable {
    private enum State {
      case standing
      case waiting(CheckedContinuation<Void, any Error>)
      case resolved(Result<Void, any Error>)
    }

    let id: Int
    private let gate: WriterGate
    private let state = Mutex(State.standing)

    init(gate: WriterGate, id: Int) {
      self.gate = gate
      self.id = id
    }

    /// Lets the next one in. Called once, after ``admission()`` returned.
    func release() { gate.release() }

    func resolve(_ result: Result<Void, any Error>) {
      let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        guard case .waiting(let continuation) = state else {
          state = .resolved(result)
          return nil
        }
        state = .resolved(result)
        return continuation
      }
      waiter?.resume(with: result)
    }

    /// Waits without holding up a thread, and goes on in the isolation of the caller.
    ///
    /// - Throws: ``StoreError`` of kind `writerBusy` at the deadline; `CancellationError`. The gate is then not held.
    nonisolated(nonsending) func admission() async throws {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let result = state.withLock { state -> Result<Void, any Error>? in
            if case .resolved(let result) = state { return result }
            state = .waiting(continuation)
            return nil
          }
          if let result { continuation.resume(with: result) }
        }
      } onCancel: {
        gate.dismiss(id, CancellationError())
      }
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
