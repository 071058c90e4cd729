import EntityStore
import Synchronization

/// Wakes the engine. Rings that come while nobody waits count together.
final class Bell: Sendable {
  private struct State {
    var hasRung = false
    var waiter: Waiter<Void>?
  }

  private let state = Mutex(State())

  func ring() {
    let waiter = state.withLock { state in
      state.hasRung = state.waiter == nil
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.end()
  }

  /// Waits for the next ring. One task waits at a time.
  ///
  /// - Throws: `CancellationError`.
  func wait() async throws {
    let waiter = Waiter<Void>()
    let isDue = state.withLock { state in
      if state.hasRung {
        state.hasRung = false
        return true
      }
      state.waiter = waiter
      return false
    }
    guard !isDue else { return }
    do {
      try await waiter.value {
        self.state.withLock { state in
          defer { state.waiter = nil }
          return state.waiter === waiter
        }
      }
    } catch {
      throw atCaller(error)
    }
  }
}
