import CSQLite
import Synchronization

@testable import EntityStore

/// Breaks one step of SQLite on a connection, as a disk that fails once does. The statement throws, and later ones run.
final class StepFailure: Sendable {
  private let left: Mutex<Int>

  /// Whether the step was reached.
  var hasHappened: Bool { left.withLock { $0 < 0 } }

  /// - Parameter steps: The steps that run before it.
  init(after steps: Int) { left = Mutex(steps) }

  func run(on connection: Connection, _ body: () throws -> Void) rethrows {
    // SQLite calls on the thread of the statement (https://sqlite.org/c3ref/progress_handler.html).
    sqlite3_progress_handler(
      connection.handle, 1,
      { failure in
        guard let failure else { return 0 }
        return Unmanaged<StepFailure>.fromOpaque(failure).takeUnretainedValue().step()
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
    try body()
  }

  private func step() -> Int32 {
    left.withLock { left in
      guard left >= 0 else { return 0 }
      left -= 1
      return left < 0 ? 1 : 0
    }
  }
}
