import EntityStore
import Synchronization

/// The requests of one client that are under way, so that equal ones are sent once: each that comes meanwhile waits for the
/// answer of the first, and hears of its progress.
///
/// One that is cancelled leaves, and the others go on waiting. With the last one the request is cancelled.
package final class InFlightRequests: Sendable {
  package struct Key: Hashable, Sendable {
    let store: ObjectIdentifier
    /// A hash of the request and of the way in which its answer is read.
    let request: String

    package init(store: ObjectIdentifier, request: String) {
      self.store = store
      self.request = request
    }
  }

  /// Hears of the progress, whose type is the requests'.
  package typealias Report = @Sendable (any Sendable) -> Void

  private struct Wait {
    let waiter = Waiter<any Sendable>()
    let progress: Report?
  }

  private struct Entry {
    let number: Int
    var task: Task<Void, Never>?
    var waits: [ObjectIdentifier: Wait] = [:]
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// How many wait.
  package var waiting: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waits.count } } }

  /// The value of the work that is under way for the key, or of this one.
  ///
  /// - Parameters:
  ///   - progress: Hears of the progress from now on.
  ///   - work: Called once for all that wait; it reports to the handler that it gets.
  @concurrent package func value<Value: Sendable>(
    for key: Key, progress: Report?,
    of work: @escaping @Sendable (@escaping Report) async throws -> Value
  ) async throws -> Value {
    // The work has a task of its own: it would begin for a caller that is gone, and may be over before the caller is told.
    try Task.checkCancellation()
    let wait = Wait(progress: progress)
    join(key, wait, work)
    let value = try await wait.waiter.value { [waiter = wait.waiter] in self.leave(key, waiter.id) }
    // Equal keys are those of one entity. Where they were not, the work would be done apart.
    guard let value = value as? Value else { return try await work { progress?($0) } }
    return value
  }

  private func join<Value: Sendable>(
    _ key: Key, _ wait: Wait, _ work: @escaping @Sendable (@escaping Report) async throws -> Value
  ) {
    state.withLock { state in
      if state.entries[key] == nil {
        state.last += 1
        let number = state.last
        state.entries[key] = Entry(number: number)
        // The task begins elsewhere, and finds its entry once the lock is free.
        state.entries[key]?.task = Task {
          let result: Result<any Sendable, any Error>
          do {
            result = .success(try await work { self.report($0, key, number) })
          } catch {
            result = .failure(error)
          }
          self.end(key, number, result)
        }
      }
      state.entries[key]?.waits[wait.waiter.id] = wait
    }
  }

  private func leave(_ key: Key, _ waiter: ObjectIdentifier) -> Bool {
    let (wasThere, task) = state.withLock { state -> (Bool, Task<Void, Never>?) in
      guard state.entries[key]?.waits.removeValue(forKey: waiter) != nil else { return (false, nil) }
      guard state.entries[key]?.waits.isEmpty == true else { return (true, nil) }
      // A request that comes from here on asks anew.
      return (true, state.entries.removeValue(forKey: key)?.task)
    }
    task?.cancel()
    return wasThere
  }

  private func report(_ progress: any Sendable, _ key: Key, _ number: Int) {
    let handlers = state.withLock { state in
      guard let entry = state.entries[key], entry.number == number else { return [Report]() }
      return entry.waits.values.compactMap(\.progress)
    }
    for handler in handlers { handler(progress) }
  }

  private func end(_ key: Key, _ number: Int, _ result: Result<any Sendable, any Error>) {
    let waits = state.withLock { state -> [Wait] in
      guard let entry = state.entries[key], entry.number == number else { return [] }
      state.entries[key] = nil
      return Array(entry.waits.values)
    }
    for wait in waits { wait.waiter.end(result) }
  }
}
