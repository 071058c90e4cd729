import EntityRequests
import Synchronization

/// A line for each server: so many are inside at once, and the others wait in the order they came.
package final class Places: Sendable {
  package typealias Key = [String]

  private struct Line {
    var inside = 0
    /// The order in which they came; those who left are still in it.
    var order: ArraySlice<Int> = []
    var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
  }

  private struct State {
    var lines: [Key: Line] = [:]
    var nextID = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  package init(limit: Int) { self.limit = limit }

  /// How many wait in all of the lines.
  package var waiting: Int { state.withLock { $0.lines.values.reduce(0) { $0 + $1.waiting.count } } }

  /// - Throws: `CancellationError`.
  @concurrent package func enter(_ key: Key) async throws -> Place {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let enters = state.withLock { state in
          var line = state.lines.removeValue(forKey: key) ?? Line()
          defer { state.lines[key] = line }
          if line.inside < limit {
            line.inside += 1
            return true
          }
          line.order.append(id)
          line.waiting[id] = continuation
          return false
        }
        if enters { continuation.resume() }
        // A cancellation before the waiter was there found nobody.
        if Task.isCancelled { giveUp(key, id) }
      }
    } onCancel: {
      giveUp(key, id)
    }
    let place = Place { [self] in leave(key) }
    // A caller that was let in and cancelled at once lets the next one in.
    if Task.isCancelled {
      place.leave()
      throw CancellationError()
    }
    return place
  }

  private func giveUp(_ key: Key, _ id: Int) {
    state.withLock { $0.lines[key]?.waiting.removeValue(forKey: id) }?.resume(throwing: CancellationError())
  }

  private func leave(_ key: Key) {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard var line = state.lines.removeValue(forKey: key) else { return nil }
      while let id = line.order.popFirst() {
        guard let next = line.waiting.removeValue(forKey: id) else { continue }
        state.lines[key] = line
        return next
      }
      line.inside -= 1
      // An empty line is forgotten: there may be any number of servers.
      if line.inside > 0 { state.lines[key] = line }
      return nil
    }
    next?.resume()
  }
}

/// The right to be inside; it ends once, at the latest with the value.
package final class Place: Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(_ end: @escaping @Sendable () -> Void) { self.end = Mutex(end) }

  deinit { leave() }

  package func leave() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }
}
