import EntityStore
import Synchronization

/// Work that runs once for all callers who need it at the same time.
///
/// A cancelled caller waits no longer. The work goes on.
final class SingleFlight: Sendable {
  /// The objects whose work this task does.
  @TaskLocal static var running: Set<ObjectIdentifier> = []

  private struct State {
    var ended = 0
    var outcome: Result<Void, any Error> = .success(())
    var isRunning = false
    var waiters: [ObjectIdentifier: Waiter<Void>] = [:]
  }

  private let state = Mutex(State())

  /// How often the work was done.
  var ended: Int { state.withLock(\.ended) }

  /// Waits for the work that is under way, or begins it. Work that ended after a moment is not done again.
  ///
  /// - Parameter moment: An earlier value of ``ended``.
  /// - Throws: The error of the work; `CancellationError`.
  @concurrent func run(after moment: Int, _ work: @escaping @Sendable () async throws -> Void) async throws {
    let waiter = Waiter<Void>()
    join(waiter, after: moment, work)
    try await waiter.value { self.state.withLock { $0.waiters.removeValue(forKey: waiter.id) != nil } }
  }

  private func join(
    _ waiter: Waiter<Void>, after moment: Int, _ work: @escaping @Sendable () async throws -> Void
  ) {
    let (begins, outcome) = state.withLock { state -> (Bool, Result<Void, any Error>?) in
      if state.ended > moment { return (false, state.outcome) }
      state.waiters[waiter.id] = waiter
      defer { state.isRunning = true }
      return (!state.isRunning, nil)
    }
    if let outcome { waiter.end(outcome) }
    guard begins else { return }
    Task {
      await Self.$running.withValue(Self.running.union([ObjectIdentifier(self)])) {
        let outcome: Result<Void, any Error>
        do {
          outcome = .success(try await work())
        } catch {
          outcome = .failure(error)
        }
        end(outcome)
      }
    }
  }

  private func end(_ outcome: Result<Void, any Error>) {
    let waiters = state.withLock { state in
      state.ended += 1
      state.outcome = outcome
      state.isRunning = false
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.end(outcome) }
  }
}
