import Synchronization

/// The wait of one task for a value that another task gives.
///
/// The owner of a line keeps waiters where it finds them, and ends each one once:
///
/// ```swift
/// let waiter = Waiter<Void>()
/// line.withLock { $0.append(waiter.id, waiter) }
/// try await waiter.value { line.withLock { $0.remove(waiter.id) != nil } }
/// ```
package final class Waiter<Value: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(CheckedContinuation<Value, any Error>)
    case over(Result<Value, any Error>)
  }

  private let state = Mutex(State.new)

  package init() {}

  /// Names the waiter in a line, as long as that holds it.
  package var id: ObjectIdentifier { ObjectIdentifier(self) }

  /// Whether the wait is over.
  package var isOver: Bool { state.withLock { if case .over = $0 { true } else { false } } }

  /// Suspends the task until the wait is over. A waiter is waited for once.
  ///
  /// - Parameter leave: Takes the waiter out of its line, when the task is cancelled, and says whether it stood there. A waiter that
  ///   somebody else has taken out waits on, for that one ends it.
  /// - Throws: The error that ends the wait; `CancellationError`.
  package func value(orLeave leave: @escaping @Sendable () -> Bool) async throws -> Value {
    do {
      return atCaller(
        try await withTaskCancellationHandler {
          try await withCheckedThrowingContinuation { wait($0) }
        } onCancel: {
          if leave() { end(.failure(CancellationError())) }
        })
    } catch {
      throw atCaller(error)
    }
  }

  /// Ends the wait, which may not have begun. A wait that is over stays as it is.
  package func end(_ result: Result<Value, any Error>) {
    let continuation = state.withLock { state -> CheckedContinuation<Value, any Error>? in
      switch state {
      case .new: state = .over(result)
      case .waiting(let continuation):
        state = .over(result)
        return continuation
      case .over: break
      }
      return nil
    }
    continuation?.resume(with: result)
  }

  private func wait(_ continuation: CheckedContinuation<Value, any Error>) {
    let result = state.withLock { state -> Result<Value, any Error>? in
      if case .over(let result) = state { return result }
      state = .waiting(continuation)
      return nil
    }
    if let result { continuation.resume(with: result) }
  }
}

extension Waiter where Value == Void {
  /// Ends the wait: its task goes on.
  package func end() { end(.success(())) }
}
