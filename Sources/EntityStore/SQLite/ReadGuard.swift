import CSQLite

/// Lets a connection do nothing but read, and ends its statements at a moment: for a file that anybody may have made, and for
/// SQL that anybody may have written.
///
/// Only its connection uses it, and it lives as long as the connection.
final class ReadGuard {
  /// When a statement ends by itself; `nil` for never.
  private var end: ContinuousClock.Instant?
  /// When all statements of a read end; `nil` for never.
  var lastEnd: ContinuousClock.Instant?
  /// Whether the guard ended a statement since the last limit was set.
  private(set) var hasStopped = false
  /// Whether the SQL is not of the package: then it may begin no transaction, and ask no pragma.
  var isForeign = false

  /// The pragmas that the package itself asks. None of them has an effect beyond its connection.
  private static let pragmas: Set<String> = [
    "application_id", "data_version", "freelist_count", "page_count", "page_size", "quick_check",
  ]
  /// How many instructions SQLite runs from one look at the clock to the next.
  private static let instructions: Int32 = 1000
  /// The longest value or row in bytes. SQLite itself takes 1,000,000,000.
  private static let longest: Int32 = 256 << 20

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
    let limit = ContinuousClock.now + time
    end = lastEnd.map { min($0, limit) } ?? limit
    (hasStopped, self.isForeign) = (false, isForeign)
    defer { (end, self.isForeign) = (nil, false) }
    return try body()
  }

  private func stops() -> Bool {
    guard let end, .now >= end else { return false }
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
    try execute("PRAGMA query_only = ON")
    readGuard.install(on: handle)
  }

  /// Whether `sql` is one statement that only reads, without parameters; else why not.
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery`, in SQLite's own words.
  func checkForeign(_ sql: String) throws {
    guard !sql.utf8.contains(0) else { throw StoreError(.invalidQuery, "The SQL has a zero byte.") }
    try sql.withCString { text in
      var handle: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(self.handle, text, -1, &handle, &tail)
      defer { sqlite3_finalize(handle) }
      guard code != SQLITE_AUTH else {
        throw StoreError(.invalidQuery, "The inspector only reads: give it one SELECT.")
      }
      guard code == SQLITE_OK else {
        throw StoreError(.invalidQuery, "SQLite does not take it: \(String(cString: sqlite3_errmsg(self.handle))).")
      }
      guard let handle, sqlite3_stmt_readonly(handle) != 0, sqlite3_stmt_isexplain(handle) == 0 else {
        throw StoreError(.invalidQuery, "The inspector only reads: give it one SELECT.")
      }
      guard tail.map({ String(cString: $0).allSatisfy { $0.isWhitespace || $0 == ";" } }) ?? true else {
        throw StoreError(.invalidQuery, "It is more than one statement. Run each by itself.")
      }
      guard sqlite3_bind_parameter_count(handle) == 0 else {
        throw StoreError(.invalidQuery, "It has parameters. Write the values into the text.")
      }
    }
  }
}
