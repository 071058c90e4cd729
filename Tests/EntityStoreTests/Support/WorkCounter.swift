import CSQLite
import Synchronization

@testable import EntityStore

/// Counts SQLite's steps on connections: about one for each row that a statement visits, and for each statement. Equal
/// work gives equal counts, which no clock does.
final class WorkCounter: Sendable {
  private let steps = Mutex(0)
  /// The connection that one counter counts on for as long as it lives. `nonisolated(unsafe)`: the last reference goes where
  /// the connection is used.
  private nonisolated(unsafe) let connection: Connection?

  /// Counts on the connections that ``count(on:)`` names.
  init() { connection = nil }

  /// Counts on a connection from now on, until nobody holds the counter.
  init(on connection: Connection) {
    self.connection = connection
    count(on: connection)
  }

  deinit {
    if let connection { stop(on: connection) }
  }

  /// The number of SQLite's steps so far.
  var total: Int { steps.withLock { $0 } }

  func count(on connection: Connection) {
    // SQLite calls on the thread of the statement (https://sqlite.org/c3ref/progress_handler.html).
    sqlite3_progress_handler(
      connection.handle, 1,
      { counter in
        guard let counter else { return 0 }
        Unmanaged<WorkCounter>.fromOpaque(counter).takeUnretainedValue().steps.withLock { $0 += 1 }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func stop(on connection: Connection) { sqlite3_progress_handler(connection.handle, 0, nil, nil) }

  /// The number of SQLite's steps in `body`.
  func work(_ body: () throws -> Void) rethrows -> Int {
    let before = total
    try body()
    return total - before
  }
}
