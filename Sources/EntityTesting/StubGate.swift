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
    var arrived = 0
    var nextID = 0
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  public init() {}

  /// Lets all requests pass, now and from now on.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [:] }
      return state.waiting.values
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns as soon as `count` requests have reached the gate since it was made.
  public func arrival(_ count: Int = 1) async {
    atCaller(
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.arrived < count { state.watchers.append((count, continuation)) }
          return state.arrived >= count
        }
        if isThere { continuation.resume() }
      })
  }

  /// Waits until the gate is open.
  ///
  /// - Throws: `CancellationError`.
  public func wait() async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    do {
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          let (isOpen, watchers) = state.withLock { state in
            state.arrived += 1
            let arrived = state.arrived
            let watchers = state.watchers.filter { $0.count <= arrived }
            state.watchers.removeAll { $0.count <= arrived }
            if !state.isOpen { state.waiting[id] = continuation }
            return (state.isOpen, watchers)
          }
          for watcher in watchers { watcher.continuation.resume() }
          if isOpen { continuation.resume() }
          // A cancellation before the continuation was stored found nobody to wake.
          if Task.isCancelled { cancel(id) }
        }
      } onCancel: {
        cancel(id)
      }
      atCaller(())
    } catch {
      throw atCaller(error)
    }
  }

  private func cancel(_ id: Int) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
  }
}
