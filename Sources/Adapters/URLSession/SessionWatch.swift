internal import AdapterDecorators
internal import Synchronization

/// The one sleep of an adapter until the next limit of time of any of its exchanges.
///
/// A sleep of each exchange would outlive it: the system keeps a sleep that was cancelled until its time has come, and memory
/// would grow with the number of requests in a minute.
final class SessionWatch: Sendable {
  private struct State {
    var exchanges: [ObjectIdentifier: SessionExchange] = [:]
    /// Whether there are exchanges that the look under way may not have seen.
    var isChanged = false
    /// When the sleep ends; `nil` while the exchanges are looked at.
    var wakes: Duration?
    var sleeper: Task<Void, Never>?
    /// Counts the sleepers; one that was replaced ends.
    var run = 0
  }

  let clock: WaitingClock
  private let state = Mutex(State())

  init(_ clock: WaitingClock) { self.clock = clock }

  /// - Parameters:
  ///   - exchange: Looked at until it is removed.
  ///   - wait: The time until its first limit.
  func add(_ exchange: SessionExchange, _ wait: Duration) {
    let replaced = state.withLock { state -> Task<Void, Never>? in
      state.exchanges[ObjectIdentifier(exchange)] = exchange
      state.isChanged = true
      let isSeen = state.sleeper != nil && state.wakes.map { $0 <= clock.elapsed() + wait } ?? true
      return isSeen ? nil : begin(&state)
    }
    replaced?.cancel()
  }

  func remove(_ exchange: SessionExchange) {
    state.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
  }

  /// - Returns: The sleeper before, whose sleep is too long.
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

  /// Ends the exchanges whose time is over.
  ///
  /// - Returns: The time until the next look; `nil` when there is none.
  private func look(_ run: Int) -> Duration? {
    while true {
      let exchanges = state.withLock { state in
        if state.run == run { (state.isChanged, state.wakes) = (false, nil) }
        return state.run == run ? Array(state.exchanges.values) : []
      }
      let wait = exchanges.compactMap { $0.timeLeft() }.min()
      let isDone = state.withLock { state in
        guard state.run == run else { return true }
        guard !state.isChanged else { return false }
        state.wakes = wait.map { clock.elapsed() + $0 }
        if wait == nil { state.sleeper = nil }
        return true
      }
      if isDone { return wait }
    }
  }
}
