import Synchronization

/// Values that threads leave for the main actor. One turn of the main actor takes all values that were left before it.
final class Mailbox<Content: Sendable>: Sendable {
  private struct State {
    var content: Content
    var isTurnAsked = false
  }

  private let empty: Content
  private let state: Mutex<State>

  init(empty: Content) {
    self.empty = empty
    state = Mutex(State(content: empty))
  }

  /// Leaves a change.
  ///
  /// - Returns: True when the caller must ask for a turn that takes it.
  func leave(_ change: (inout Content) -> Void) -> Bool {
    state.withLock { state in
      change(&state.content)
      defer { state.isTurnAsked = true }
      return !state.isTurnAsked
    }
  }

  /// Takes all that was left.
  func take() -> Content {
    state.withLock { state in
      defer { state = State(content: empty) }
      return state.content
    }
  }
}
