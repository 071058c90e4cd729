import EntityStore
import Synchronization

/// Counts events, and lets tasks wait for one of them by its number.
final class Milestones: Sendable {
  private struct State {
    var count = 0
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  /// An event has happened: the tasks that wait for it go on.
  func pass() {
    let passed = state.withLock { state in
      state.count += 1
      let passed = state.watchers.filter { $0.count <= state.count }
      state.watchers.removeAll { $0.count <= state.count }
      return passed.map(\.continuation)
    }
    for continuation in passed { continuation.resume() }
  }

  /// Returns once so many events have happened.
  func reached(_ count: Int) async {
    atCaller(
      await withCheckedContinuation { continuation in
        let isReached = state.withLock { state in
          if state.count < count { state.watchers.append((count, continuation)) }
          return state.count >= count
        }
        if isReached { continuation.resume() }
      })
  }
}
