import Synchronization

/// Answers that a server holds back until a test lets them out.
final class HeldAnswers: Sendable {
  private struct State {
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  var count: Int { state.withLock(\.waiting.count) }

  func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }

  /// Waits until the answer is let out, if answers are held.
  func wait() async {
    await withCheckedContinuation { waiting in
      let isHeld = state.withLock { state in
        if state.isHeld { state.waiting.append(waiting) }
        return state.isHeld
      }
      if !isHeld { waiting.resume() }
    }
  }

  /// Lets one answer out, by its number.
  func release(_ index: Int = 0) {
    state.withLock { $0.waiting.indices.contains(index) ? $0.waiting.remove(at: index) : nil }?.resume()
  }
}

/// The tasks of a simulation. A task at rest waits for one answer that a server holds, so that the steps of a seed are the same
/// on each run.
final class HeldTasks: Sendable {
  private let running = Mutex(0)

  var count: Int { running.withLock(\.self) }

  func begin(_ work: @escaping @Sendable () async -> Void) {
    running.withLock { $0 += 1 }
    Task {
      await work()
      running.withLock { $0 -= 1 }
    }
  }

  /// Waits until each task has ended, or waits for an answer.
  ///
  /// - Parameter held: The number of answers that the server holds.
  func rest(_ held: () -> Int) async { while held() != count { await Task.yield() } }

  /// Lets answers out until all tasks have ended. The server holds no further ones.
  func end(_ release: () -> Void) async {
    while count > 0 {
      release()
      await Task.yield()
    }
  }
}
