import Synchronization

/// The waiting lines of requests about the objects of a store. One request about an object is under way at a time. The
/// others wait in the order in which they were asked for. Requests about different objects do not wait for each other.
///
/// An object is its row, so objects of different contexts stand in one line.
package final class ObjectTurns: Sendable {
  private struct State {
    /// Those that wait for each object that has a request under way.
    var lines: [RowKey: WaitingLine<ObjectIdentifier, Waiter<Void>>] = [:]
    var unanswered: [RowKey: [SentEdits]] = [:]
  }

  private let state = Mutex(State())

  /// Whether the running code serves a request: an adapter sends it. An adapter may make a request of its own for it,
  /// as for a new token. Such a request waits for no turn, because the served request may have the turn.
  @TaskLocal package static var isServing = false

  /// The turn of one request. Its holder ends it, once.
  package struct HeldTurn: Sendable {
    fileprivate let turns: ObjectTurns
    package let key: RowKey

    package func end() { turns.leave(key) }
  }

  /// Waits until the earlier requests about an object have ended. The place in the line is taken before the first suspension.
  ///
  /// - Throws: `CancellationError` for a task that is cancelled while it waits. The object is not held then.
  package func turn(of key: RowKey) async throws -> HeldTurn {
    let waiter = Waiter<Void>()
    let isFree = state.withLock { state in
      if state.lines[key] == nil {
        state.lines[key] = WaitingLine()
        return true
      }
      state.lines[key]?.append(waiter.id, waiter)
      return false
    }
    if !isFree { try await waiter.value { self.state.withLock { $0.lines[key]?.remove(waiter.id) != nil } } }
    return HeldTurn(turns: self, key: key)
  }

  /// The turn of a request, if no other one about the object is under way.
  package func turnAtOnce(of key: RowKey) -> HeldTurn? {
    state.withLock { state in
      guard state.lines[key] == nil else { return nil }
      state.lines[key] = WaitingLine()
      return HeldTurn(turns: self, key: key)
    }
  }

  private func leave(_ key: RowKey) {
    let next = state.withLock { state in
      let next = state.lines[key]?.popFirst()
      if next == nil { state.lines[key] = nil }
      return next
    }
    next?.element.end()
  }

  // MARK: Answers that were lost

  /// The edits that earlier POSTs of a new object carried, whose answers were lost: the server may have made the object
  /// of any of them. They are kept in memory, as requests are.
  package func unanswered(_ key: RowKey) -> [SentEdits] { state.withLock { $0.unanswered[key] ?? [] } }

  /// The answer to a POST of a new object was lost.
  package func noteUnanswered(_ sent: SentEdits, _ key: RowKey) {
    state.withLock { state in
      let known = state.unanswered[key] ?? []
      if known.allSatisfy({ !sent.differing(from: $0).isEmpty }) { state.unanswered[key] = known + [sent] }
    }
  }

  /// The object has its uid.
  package func noteAnswer(_ key: RowKey) { state.withLock { $0.unanswered[key] = nil } }
}
