import CSQLite
import Foundation

/// A failure of SQLite and its meaning for the user of a store: the kind of the error, and the remedy.
struct SQLiteFailure {
  private let location: StoreLocation
  private let extended: Int32
  private let reason: String
  private let handle: OpaquePointer?
  private let opening: Connection.Opening
  private let isMigrating: Bool

  /// - Parameter handle: The connection that failed; `nil` where there was no memory for one.
  init(
    _ location: StoreLocation, _ extended: Int32, _ reason: String, _ handle: OpaquePointer?,
    _ opening: Connection.Opening, isMigrating: Bool = false
  ) {
    self.location = location
    self.extended = extended
    self.reason = reason
    self.handle = handle
    self.opening = opening
    self.isMigrating = isMigrating
  }

  /// - Parameters:
  ///   - code: The result of the failed call. The connection may have the code of an earlier call.
  ///   - sql: The statement that failed.
  func error(_ code: Int32, sql: String?) -> StoreError {
    if isFull(code) { return diskFull(sql) }
    switch code & 0xff {
    case SQLITE_ERROR where isOfSearch(sql): return search(sql)
    case SQLITE_ERROR where isTooMuch:
      return error(
        .invalidQuery,
        "The query has more than SQLite takes at once (\(reason)): it is of too many conditions, values or sort keys, or of too "
          + "many within each other. Ask for a list of values with 'isIn', which is one value of any length, or ask in parts.",
        sql)
    case SQLITE_ERROR where !isMigrating && isNameMissing:
      // The store's own statements fit the structure that it found.
      return error(
        .schemaMismatch,
        "The file at \(location) has other names than when this store opened it (\(reason)): another version of the app has "
          + "changed it. Open the store again.", sql)
    case SQLITE_CORRUPT: return corrupt(sql)
    case SQLITE_NOTADB: return error(.notAStore, "SQLite: \(reason).", sql)
    case SQLITE_CANTOPEN: return cannotOpen(sql)
    case SQLITE_READONLY: return readOnly(sql)
    case SQLITE_BUSY:
      return error(
        .writerBusy,
        "SQLite: \(reason). Another process or another store is writing to the file, and did not end within `busyTimeout`.",
        sql)
    case SQLITE_LOCKED, SQLITE_PROTOCOL:
      return error(
        .locked,
        "SQLite: \(reason). A statement of this process still reads what another one is to change, or the file system gives no "
          + "locks. End reads before the structure is changed, and keep the file on a disk of this machine.", sql)
    case SQLITE_IOERR where extended >> 8 == Self.noMemory, SQLITE_NOMEM: return outOfMemory(sql)
    case SQLITE_IOERR:
      return error(
        .ioError,
        "SQLite: \(reason). The system could not read or write the file of the store at \(location)\(systemReason). "
          + "\(effect(sql)). Look at the medium, and try again; where that fails, open the store again.", sql)
    case SQLITE_TOOBIG:
      return error(
        .tooLarge,
        "SQLite: \(reason). A value of the row, or the statement, is longer than SQLite takes: 1,000,000,000 bytes, unless "
          + "it was built otherwise. Keep what is that large in a file, and its name in the store.", sql)
    case SQLITE_AUTH:
      return error(
        .sqlite,
        "SQLite: \(reason). A step of a migration begins and ends no transaction, and attaches no file.", sql)
    // SQLite ended the transaction and reported no error. The only known cause is a lack of memory; see `CommitGuard`.
    case SQLITE_CONSTRAINT where extended >> 8 == Self.commitHook: return outOfMemory(sql)
    case SQLITE_CONSTRAINT: return constraint(sql)
    default: return error(.sqlite, "SQLite: \(reason).", sql)
    }
  }

  private func corrupt(_ sql: String?) -> StoreError {
    if extended >> 8 == Self.virtualTable {
      return error(
        .corrupt,
        "SQLite: \(reason). An index of full-text search in the file at \(location) is damaged; the objects are not in it. Open "
          + "the store with a new step at the end of its migrations, which may be empty: any step makes these indexes anew.",
        sql)
    }
    return error(
      .corrupt,
      "SQLite: \(reason). The file at \(location) is damaged. Go on with a copy of it, or with a new file that is filled "
        + "from the server.", sql)
  }

  private func error(_ kind: StoreError.Kind, _ message: String, _ sql: String?) -> StoreError {
    StoreError(kind, message, sqliteCode: extended, sql: sql)
  }

  // Constants of extended codes that Swift does not import, without their lower byte: https://sqlite.org/rescode.html.
  private static let noMemory: Int32 = 12
  /// The index of the log can't grow.
  private static let indexFull: Int32 = 19
  private static let unique: Int32 = 8, primaryKey: Int32 = 6, foreignKey: Int32 = 3, notNull: Int32 = 5
  private static let moved: Int32 = 4
  private static let commitHook: Int32 = 2
  /// In the file of a store, only FTS5 has virtual tables.
  private static let virtualTable: Int32 = 1

  /// Whether a statement exceeds one of SQLite's limits (https://sqlite.org/limits.html).
  private var isTooMuch: Bool {
    [
      "Expression tree is too large", "parser stack overflow", "too many SQL variables", "too many terms in ",
      "too many columns in ",
    ]
    .contains { reason.hasPrefix($0) }
  }

  private var isNameMissing: Bool {
    ["no such table: ", "no such column: "].contains { reason.hasPrefix($0) }
      || reason.contains(" has no column named ")
  }

  private var systemReason: String {
    guard let handle, case let number = sqlite3_system_errno(handle), number != 0 else { return "" }
    return ": \(String(cString: strerror(number)))"
  }

  // MARK: Kinds

  /// The log may hold a refused commit, for example where its index can't grow. The next commit replaces it. If the
  /// file is opened before that, for example after a crash, the refused commit counts.
  private func effect(_ sql: String?) -> String {
    sql == "COMMIT"
      ? "This unit is not in the store; if the process ends before the next commit, the file may have it, as a whole"
      : "Nothing of this unit was written"
  }

  private func diskFull(_ sql: String?) -> StoreError {
    let next = location.whyFrozen == nil ? "try again" : "open the store again"
    return error(
      .diskFull,
      "There is no space for the store at \(location): its disk is full. \(effect(sql)). What is in the store can be read. Free "
        + "some space and \(next).", sql)
  }

  private func isFull(_ code: Int32) -> Bool {
    switch code & 0xff {
    case SQLITE_FULL: true
    case SQLITE_IOERR:
      extended >> 8 == Self.indexFull || handle.map { sqlite3_system_errno($0) == ENOSPC } ?? false
    // The file itself may be writable: there was no space for the files beside it.
    case SQLITE_READONLY: location.whyFrozen == .diskFull
    default: false
    }
  }

  /// Whether FTS5 refuses a pattern, or the file has no index for the search.
  private func isOfSearch(_ sql: String?) -> Bool {
    guard sql?.lowercased().contains(" match ") == true else { return false }
    // FTS5 names a column alone. The store's own statements name it with its row.
    if reason.hasPrefix("no such column: ") { return !reason.contains(".") }
    if reason.hasPrefix("no such table: ") { return reason.contains(Connection.searchPrefix) }
    return ["fts5: ", "unterminated string", "unknown special query", "expected integer, got "].contains {
      reason.hasPrefix($0)
    }
  }

  private func search(_ sql: String?) -> StoreError {
    guard reason.hasPrefix("no such table") else {
      // The reason has words of the pattern.
      return error(
        .invalidQuery,
        "The pattern is none of FTS5 (https://sqlite.org/fts5.html#full_text_query_syntax). Write it otherwise, or search for "
          + "words.", sql)
    }
    let way =
      opening == .reading
      ? ", and was opened only to be read. Open it once to write it."
      : ": another version of the app has changed it. Open the store again."
    return error(
      .invalidQuery, "SQLite: \(reason). The file at \(location) has no index for the full-text search\(way)", sql)
  }

  private func outOfMemory(_ sql: String?) -> StoreError {
    error(
      .outOfMemory,
      "SQLite got no memory for the store at \(location). \(effect(sql)). Let go of objects, work in smaller units, and try "
        + "again.", sql)
  }

  private func readOnly(_ sql: String?) -> StoreError {
    if extended >> 8 == Self.moved { return gone(sql) }
    let (cause, advice) =
      opening == .reading
      ? ("it was opened only to be read", "Open it with the access `readWrite`")
      : ("the file, its folder or its medium is read-only", "Allow writing, and open the store again")
    return error(
      .readOnly,
      "The store at \(location) can't be written: \(cause). Nothing of this unit was written; what is in the store can be read. "
        + "\(advice).", sql)
  }

  private func cannotOpen(_ sql: String?) -> StoreError {
    let lacksDescriptors = handle.map { [EMFILE, ENFILE].contains(sqlite3_system_errno($0)) } ?? false
    if !lacksDescriptors, opening == .existing, location.isMissing { return gone(sql) }
    let advice =
      lacksDescriptors
      ? " \(StoreError.descriptorAdvice)" : location.advice(opening)
    var error = error(.cannotOpen, "The store at \(location) can't be opened: \(reason).\(advice)", sql)
    error.lacksDescriptors = lacksDescriptors
    return error
  }

  private func gone(_ sql: String?) -> StoreError { .fileGone(location, sqliteCode: extended, sql: sql) }

  private func constraint(_ sql: String?) -> StoreError {
    switch extended >> 8 {
    case Self.unique, Self.primaryKey:
      guard let clash else { return error(.uniqueViolation, "SQLite: \(reason).", sql) }
      // A caller does not know the store's own statements. In a step of a migration, the statement is the caller's.
      return error(.uniqueViolation, clash, isMigrating ? sql : nil)
    case Self.foreignKey: return error(.brokenLink, "SQLite: \(reason).", sql)
    case Self.notNull: return error(.invalidValue, "SQLite: \(reason).", sql)
    default: return error(.sqlite, "SQLite: \(reason).", sql)
    }
  }

  /// The column that must be unique, or the columns that must be together: SQLite names them as `Person.email`, without
  /// values.
  private var clash: String? {
    let start = "UNIQUE constraint failed: "
    guard reason.hasPrefix(start) else { return nil }
    let columns = reason.dropFirst(start.count).split(separator: ", ").map { "'\($0)'" }
    return "\(columns.joined(separator: " with ")) is unique, and another object has that value already."
  }
}

extension StoreError {
  static var descriptorAdvice: String { "Too many files are open: close some, or raise the process's limit." }

  static func fileChanged(_ location: StoreLocation, sqliteCode: Int32? = nil, sql: String? = nil) -> StoreError {
    StoreError(
      .fileChanged,
      "Another process has written the file of the store at \(location) since it was opened without its log, which could not be "
        + "made: a read may mix two states. Close the store and open it again.", sqliteCode: sqliteCode, sql: sql)
  }

  static func closed(_ location: StoreLocation) -> StoreError {
    StoreError(.closed, "The store at \(location) was closed. Open it again: a new `EntityStore` with the same file.")
  }

  /// The file of an open store is gone, or another one is in its place.
  ///
  /// - Parameter isCommitted: Whether the loss was found after the commit: if the file is put back, it may have the
  ///   unit.
  static func fileGone(
    _ location: StoreLocation, isCommitted: Bool = false, sqliteCode: Int32? = nil, sql: String? = nil
  ) -> StoreError {
    let (state, advice) =
      isCommitted
      ? ("The file may have this unit", "Put it back and look before you save again")
      : ("Nothing of this unit is in the store", "Put it back")
    return StoreError(
      .fileGone,
      "The file of the store at \(location), or the '-wal' or '-shm' beside it, was deleted, moved or replaced while the store "
        + "was open. \(state). \(advice), or close the store and open it again: the store "
        + "is then the file that is there.",
      sqliteCode: sqliteCode, sql: sql)
  }
}
