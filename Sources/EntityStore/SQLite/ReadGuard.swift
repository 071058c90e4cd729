import CSQLite

/// Lets a connection do nothing but read, and ends its statements at a moment: for a file that anybody may have made, and for
/// SQL that anybody may have written.
///
/// SQLite looks at the clock from one instruction to the next, and a call of a function is one instruction: a person's own
/// SQL may have a call that takes longer. The file itself brings no calls along, see ``Connection/checkNothingRuns()``.
///
/// Only its connection uses it, and owns it.
final class ReadGuard {
  /// When a statement ends by itself; `nil` for never.
  private var end: ContinuousClock.Instant?
  /// When all statements of a read, or of the opening, end; `nil` for never.
  var lastEnd: ContinuousClock.Instant?
  /// Whether the guard ended a statement since the last limit was set.
  private(set) var hasStopped = false
  /// Whether the SQL is not of the package: then it may begin no transaction, and ask no pragma.
  private var isForeign = false

  /// The pragmas that the package itself asks. None of them has an effect beyond its connection.
  private static let pragmas: Set<String> = [
    "application_id", "data_version", "freelist_count", "page_count", "page_size", "quick_check", "table_xinfo",
  ]
  /// How many instructions SQLite runs from one look at the clock to the next.
  private static let instructions: Int32 = 1000
  /// The longest value in bytes, which is also the most that one query returns. SQLite itself takes 1,000,000,000.
  static let longest: Int32 = 8 << 20

  func install(on handle: OpaquePointer) {
    let own = Unmanaged.passUnretained(self).toOpaque()
    sqlite3_set_authorizer(
      handle,
      { own, action, first, second, _, _ in
        guard let own else { return SQLITE_DENY }
        return Unmanaged<ReadGuard>.fromOpaque(own).takeUnretainedValue().allows(action, first, second)
          ? SQLITE_OK : SQLITE_DENY
      }, own)
    sqlite3_progress_handler(
      handle, Self.instructions,
      { own in own.map { Unmanaged<ReadGuard>.fromOpaque($0).takeUnretainedValue().stops() ? 1 : 0 } ?? 0 }, own)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.longest)
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
  }

  /// Runs `body`, whose statements end by themselves after `time`.
  func limited<T>(to time: Duration, isForeign: Bool, _ body: () throws -> T) rethrows -> T {
    end = ContinuousClock.now + time
    (hasStopped, self.isForeign) = (false, isForeign)
    defer { (end, self.isForeign) = (nil, false) }
    return try body()
  }

  /// Runs `body`, in which only reading statements can be compiled.
  func denyingWrites<T>(_ body: () throws -> T) rethrows -> T {
    let outer = isForeign
    isForeign = true
    defer { isForeign = outer }
    return try body()
  }

  private func stops() -> Bool {
    guard let end = [end, lastEnd].compactMap(\.self).min(), .now >= end else { return false }
    hasStopped = true
    return true
  }

  private func allows(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?) -> Bool {
    if ReadRecorder.isRead(action, first, second) { return true }
    guard !isForeign else { return false }
    switch action {
    case SQLITE_TRANSACTION: return true
    case SQLITE_PRAGMA: return first.map { Self.pragmas.contains(String(cString: $0).lowercased()) } ?? false
    default: return false
    }
  }
}

extension Connection {
  /// Has the connection trust nothing in its file, and write nothing.
  func distrust(_ readGuard: ReadGuard) throws {
    let code = entity_distrust(handle)
    guard code == SQLITE_OK else { throw error(code, sql: "") }
    // A check of the file would run the expressions of CHECK. The store makes none.
    try execute("PRAGMA ignore_check_constraints = ON")
    try execute("PRAGMA query_only = ON")
    self.readGuard = readGuard
    readGuard.install(on: handle)
  }

  /// Makes sure that no query runs an expression of the file: a generated column runs when it is read, and one call of a
  /// function has no limit of time. The store makes no such column.
  ///
  /// - Throws: ``StoreError`` of kind `notAStore`.
  func checkNothingRuns() throws {
    let tables = try rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'"
    ) { $0.text(0) ?? "" }
    for table in tables {
      let columns = try Statement("PRAGMA main.table_xinfo(\(table.quoted))", on: self)
      while try columns.step() {
        guard columns.int64(6) < 2 else {
          throw StoreError(
            .notAStore,
            "\(location) has generated columns, and a store has none. Choose another file; this one is untouched.")
        }
      }
    }
  }
}
