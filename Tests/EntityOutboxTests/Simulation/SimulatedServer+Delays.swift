import Synchronization
import TestSupport

// Requests that come late: those that the network delays, and those of a client that was killed.

extension SimulatedServer {
  /// A request that has not arrived yet. Its client no longer waits for the answer.
  struct Delayed {
    let call: Call
    /// The times in seconds of the virtual clock.
    let sent: Double
    let due: Double
  }

  /// The outbox waits 30 s before it asks or repeats. A request that is guarded may take minutes.
  static func delay(_ call: Call, _ state: inout State) {
    let longest = isGuarded(call, state) && state.random.chance(2) ? 300 : 27
    let due = state.now + 1 + Double(state.random.below(longest))
    state.delayed.append(Delayed(call: call, sent: state.now, due: due))
  }

  /// Whether the server acts on a request or on its repetition, and never on both: the server knows the key, or the object has
  /// another version by then. An edit that was taken back is repeated, too, with its earlier value.
  private static func isGuarded(_ call: Call, _ state: State) -> Bool {
    switch call.method {
    case "POST": call.key != nil
    case "PATCH", "DELETE": state.hasVersions && call.condition != nil
    default: false
    }
  }

  /// Has those requests arrive whose time has come.
  static func applyDelayed(_ state: inout State) {
    while let index = state.delayed.indices.min(by: { state.delayed[$0].due < state.delayed[$1].due }),
      state.delayed[index].due <= state.now
    {
      let delayed = state.delayed.remove(at: index)
      let (call, seconds) = (delayed.call, Int(delayed.due - delayed.sent))
      let answer = act(call, &state)
      state.log.append("  late by \(seconds) s: \(shown(call)) → \(answer.status)")
    }
  }

  /// The time until all delayed requests have arrived, in seconds; `nil` where there are none.
  var lateness: Double? { state.withLock { state in state.delayed.map { $0.due - state.now }.max() } }

  /// The client of a request that is under way was killed: its answer goes nowhere.
  ///
  /// - Parameter hasArrived: Whether the server has the request; else it may come yet.
  func abandon(_ call: Call, hasArrived: Bool) {
    guard call.method != "GET" else { return }
    state.withLock { state in
      Self.doubt(call, &state)
      guard !hasArrived else { return }
      let comes = state.random.chance(2)
      if comes { Self.delay(call, &state) }
      state.log.append("  \(Self.shown(call)) → \(comes ? "comes later" : "never comes")")
    }
  }
}
