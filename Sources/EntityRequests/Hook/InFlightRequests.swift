import EntityStore
import Synchronization

/// The requests of one client that are under way. Equal requests are sent once: a later caller waits for the answer to
/// the first request, and gets its progress.
///
/// A cancelled caller leaves, and the others go on waiting. When the last caller leaves, the request is cancelled.
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

  /// Gets the progress. Each kind of request has its own type of progress.
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

  /// The number of callers that wait.
  package var waiting: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.waits.count } } }

  /// Returns the value of the work that is under way for the key. Without such work, starts `work`.
  ///
  /// - Parameters:
  ///   - progress: Gets the progress from now on.
  ///   - work: Called once for all waiting callers; it reports to the handler that it gets.
  @concurrent package func value<Value: Sendable>(
    for key: Key, progress: Report?,
    of work: @escaping @Sendable (@escaping Report) async throws -> Value
  ) async throws -> Value {
    // The work runs in a task of its own. Without this check it would begin for a cancelled caller, and could end
    // before the caller learns of the cancellation.
    try Task.checkCancellation()
    let wait = Wait(progress: progress)
    join(key, wait, work)
    let value = try await wait.waiter.value { [waiter = wait.waiter] in self.leave(key, waiter.id) }
    // Equal keys belong to one entity, so the value has the type. If it had another type, the work would run again, for
    // this caller alone.
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
        // The task runs elsewhere, and finds its entry once the lock is free.
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
      // A later request with this key starts again.
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
