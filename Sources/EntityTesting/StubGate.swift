import EntityStore
import Synchronization

/// A gate that holds back responses until a test opens it: the order of a test comes from events, and never from
/// sleeping.
///
/// ```swift
/// let gate = StubGate()
/// stub.on(.get, "/users", .json([]).waiting(for: gate))
/// async let users = User.get()
/// await gate.arrival()          // the request is at the gate
/// gate.open()
/// ```
public final class StubGate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [ObjectIdentifier: Waiter<Void>] = [:]
  }

  private let state = Mutex(State())
  private let arrivals = Milestones()

  public init() {}

  /// Lets all requests pass, now and from now on.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for waiter in waiting { waiter.end() }
  }

  /// Returns as soon as `count` requests have reached the gate since it was made.
  public func arrival(_ count: Int = 1) async { await arrivals.reached(count) }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError`.
  public func wait() async throws {
    let waiter = Waiter<Void>()
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiting[waiter.id] = waiter }
      return state.isOpen
    }
    arrivals.pass()
    if isOpen { waiter.end() }
    try await waiter.value { self.state.withLock { $0.waiting.removeValue(forKey: waiter.id) != nil } }
  }
}
