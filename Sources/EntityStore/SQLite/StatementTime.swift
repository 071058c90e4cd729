import CSQLite

/// The time of one run of a statement so far.
struct StatementTime {
  private var spent = Duration.zero
  private var rows = 0
  private var hasRun = false

  /// Runs a step.
  mutating func measure(_ step: () -> Int32) -> Int32 {
    let start = ContinuousClock.now
    let code = step()
    spent += start.duration(to: .now)
    hasRun = true
    if code == SQLITE_ROW { rows += 1 }
    return code
  }

  /// Ends the run.
  ///
  /// - Returns: The time of the run; `nil` where no step was made.
  mutating func take() -> StatementTime? {
    guard hasRun else { return nil }
    defer { self = StatementTime() }
    return self
  }

  /// Reports a run that has ended, and the checkpoint that was a part of it.
  func tell(_ sql: String, _ log: StoreLog, on connection: Connection) {
    connection.changesBeforePlan = nil
    let isSlow = log.isSlow(spent)
    if isSlow || log.statements {
      log.tell(
        .statement(
          StoreLog.Statement(
            sql: sql, duration: spent, rows: rows, isSlow: isSlow,
            plan: isSlow ? connection.plan(of: sql) : [], isOnMainActor: MainQueue.isCurrent)))
    }
    if let checkpoint = connection.checkpoints?.take() { log.tell(.checkpoint(checkpoint)) }
  }
}

/// Makes the checkpoints that SQLite would make by itself, and notes their results.
///
/// Only its connection uses it, and it lives as long as the connection.
final class CheckpointWatch {
  /// SQLite's own limit (https://sqlite.org/pragma.html#pragma_wal_autocheckpoint).
  private static let pages: Int32 = 1000

  private var last: StoreLog.Checkpoint?

  /// Replaces SQLite's own hook, and does the same at the same moment (https://sqlite.org/c3ref/wal_hook.html).
  func install(on handle: OpaquePointer) {
    sqlite3_wal_hook(
      handle,
      { watch, handle, name, pages in
        guard pages >= CheckpointWatch.pages, let watch, let handle else { return SQLITE_OK }
        var (all, moved): (Int32, Int32) = (0, 0)
        let start = ContinuousClock.now
        // SQLite's own hook ignores an error, too: the commits stay in the log.
        if sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, &all, &moved) == SQLITE_OK {
          Unmanaged<CheckpointWatch>.fromOpaque(watch).takeUnretainedValue().note(
            start.duration(to: .now), Int(all), moved: Int(moved))
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func note(_ duration: Duration, _ pages: Int, moved: Int) {
    last = StoreLog.Checkpoint(duration: duration, pages: pages, movedPages: moved)
  }

  /// The checkpoint that was not reported yet. It is reported after the statement of the commit: the handler must not
  /// be called within SQLite.
  func take() -> StoreLog.Checkpoint? {
    defer { last = nil }
    return last
  }
}

extension Connection {
  /// SQLite's plan for a statement; empty for a statement that reads no table.
  fileprivate func plan(of sql: String) -> [String] {
    // SQLite forgets the number when it explains a statement that writes.
    let changes = changedRows
    defer { changesBeforePlan = changes }
    var handle: OpaquePointer?
    guard sqlite3_prepare_v2(self.handle, "EXPLAIN QUERY PLAN \(sql)", -1, &handle, nil) == SQLITE_OK else { return [] }
    defer { sqlite3_finalize(handle) }
    var lines: [String] = []
    while sqlite3_step(handle) == SQLITE_ROW {
      if let text = sqlite3_column_text(handle, 3) { lines.append(String(cString: text)) }
    }
    return lines
  }
}
