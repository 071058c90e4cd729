internal import Synchronization

/// Something that a limit of time may end.
package protocol Limited: AnyObject, Sendable {
  /// Ends the object, if its limit was reached.
  ///
  /// - Returns: The time until the next look; `nil` when no look is needed until the object is added again.
  func timeLeft() -> Duration?
}

/// The one sleep of an adapter, until the next time limit of any of its calls.
///
/// A sleep of each call would outlive it: the system keeps a sleep that was cancelled until its time has come, and memory
/// would grow with the number of requests in a minute.
package final class LimitWatch: Sendable {
  private struct State {
    var limited: [ObjectIdentifier: any Limited] = [:]
    /// Whether objects were added that the look under way may not have seen.
    var isChanged = false
    /// When the sleep ends; `nil` while the limits are looked at.
    var wakes: Duration?
    var sleeper: Task<Void, Never>?
    /// Counts the sleepers; one that was replaced ends.
    var run = 0
  }

  package let clock: WaitingClock
  private let state = Mutex(State())

  package init(_ clock: WaitingClock) { self.clock = clock }

  /// - Parameters:
  ///   - limited: Looked at until it is removed, or has no time left to wait for.
  ///   - wait: The time until its first limit.
  package func add(_ limited: some Limited, _ wait: Duration) {
    let replaced = state.withLock { state -> Task<Void, Never>? in
      state.limited[ObjectIdentifier(limited)] = limited
      state.isChanged = true
      let isSeen = state.sleeper != nil && state.wakes.map { $0 <= clock.elapsed() + wait } ?? true
      return isSeen ? nil : begin(&state)
    }
    replaced?.cancel()
  }

  package func remove(_ limited: some Limited) {
    state.withLock { _ = $0.limited.removeValue(forKey: ObjectIdentifier(limited)) }
  }

  /// - Returns: The earlier sleeper, whose sleep is too long.
  private func begin(_ state: inout State) -> Task<Void, Never>? {
    let replaced = state.sleeper
    state.run += 1
    state.wakes = nil
    state.sleeper = Task { [weak self, clock, run = state.run] in
      while let wait = self?.look(run) {
        do { try await clock.sleep(wait) } catch { return }
      }
    }
    return replaced
  }

  /// Ends the objects whose time is over.
  ///
  /// - Returns: The time until the next look; `nil` when there is none.
  private func look(_ run: Int) -> Duration? {
    while true {
      let limited = state.withLock { state in
        if state.run == run { (state.isChanged, state.wakes) = (false, nil) }
        return state.run == run ? Array(state.limited.values) : []
      }
      let looks = limited.map { ($0, $0.timeLeft()) }
      let wait = looks.compactMap(\.1).min()
      let isDone = state.withLock { state in
        guard state.run == run else { return true }
        // An object that was added meanwhile may have time left again.
        guard !state.isChanged else { return false }
        for (limited, wait) in looks where wait == nil { state.limited[ObjectIdentifier(limited)] = nil }
        state.wakes = wait.map { clock.elapsed() + $0 }
        if wait == nil { state.sleeper = nil }
        return true
      }
      if isDone { return wait }
    }
  }
}
