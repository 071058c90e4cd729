import CSQLite
import Foundation

/// One connection to the database. One thread uses it at a time, as its owner ensures.
///
/// The texts of the file are in UTF-8. The opening refuses another encoding, and cursors read the bytes of a text as UTF-8.
final class Connection {
  let handle: OpaquePointer
  let location: StoreLocation
  private let opening: Opening
  /// Whether the file can't be written: because of its permissions, because of its medium, or because the store was
  /// opened so.
  let isReadOnly: Bool
  private(set) var statements: [String: Statement] = [:]
  /// The statements that look up rows by uid, by entity. They are found without their SQL.
  private var lookUps: [Statement?] = []
  /// It is prepared ahead: a transaction must end even where no memory is left to prepare a statement.
  private var rollbackOfAll: Statement?
  private(set) var isInTransaction = false { didSet { commitGuard.isRefusing = isInTransaction } }
  /// The failure with which SQLite ended the transaction.
  private var ending: StoreError?
  /// Whether SQLite ended a transaction by itself. Its indexes of full-text search may then have row counts in memory
  /// that differ from the file.
  private var mayMiscount = false
  /// Whether statements may come from a step, or may change the structure.
  var isMigrating = false
  private let busyTimeout: Duration
  private var isClosed = false
  /// The files of the store; `nil` for a store whose commits can't be lost with its files.
  var files: StoreFiles?
  /// Whether this is the store's connection for units. Its end sets aside the log of a replaced file.
  var isWriter = false
  /// Hears of each statement of the connection, from its first one on.
  let log: StoreLog?
  /// Watches checkpoints, where somebody hears of them.
  let checkpoints: CheckpointWatch?
  /// The rows that the last statement changed, where its plan was read since.
  var changesBeforePlan: Int?
  /// Notes what statements read, where the connection only reads.
  let recorder: ReadRecorder?
  /// Guards a connection to a file that anybody may have made.
  var readGuard: ReadGuard?
  private let commitGuard = CommitGuard()

  /// The names of the indexes of full-text search begin with this.
  static let searchPrefix = "_search,"

  /// The most statements that stay prepared. With one more, the cache starts again empty, which bounds its memory.
  private static let cachedStatements = 500

  /// Whether opening a connection needs or makes a file.
  enum Opening {
    /// A missing file is made.
    case making
    /// The file must be there: a later connection must not make another file in the place of a missing one.
    case existing
    /// The file must be there, and is not written.
    case reading
    /// The file must be there, and is to be deleted. Nothing is read, and no index of the log is made, until its owner
    /// has the file alone.
    case removing
  }

  /// - Parameters:
  ///   - recordsReads: Whether somebody may ask for the columns that were read.
  ///   - log: Hears of the connection's statements. It has no default, so that no statement of the store is missed by
  ///     chance.
  init(
    _ location: StoreLocation, opening: Opening = .existing, busyTimeout: Duration, recordsReads: Bool = false,
    log: StoreLog?
  ) throws {
    var handle: OpaquePointer?
    let access =
      switch opening {
      case _ where location.whyFrozen != nil: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      case .making: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .existing, .removing: SQLITE_OPEN_READWRITE
      case .reading: SQLITE_OPEN_READONLY
      }
    // A store in memory is copied to a file by its URI.
    let uri = location.fileURL == nil ? SQLITE_OPEN_URI : 0
    let flags = access | uri | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    let code = sqlite3_open_v2(location.name, &handle, flags, location.vfs)
    guard code == SQLITE_OK, let handle else {
      let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      let error = SQLiteFailure(location, code, reason, handle, opening).error(code, sql: nil)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.location = location
    self.opening = opening
    isReadOnly = sqlite3_db_readonly(handle, "main") == 1
    self.busyTimeout = busyTimeout
    self.log = log
    checkpoints = log.map { _ in CheckpointWatch() }
    recorder = recordsReads ? ReadRecorder() : nil
    recorder?.install(on: handle)
    checkpoints?.install(on: handle)
    commitGuard.install(on: handle)
    waits(for: busyTimeout)
    do {
      // secure_delete overwrites deleted content. Debian's build turns it on; it doubles the cost of updates.
      let pragmas =
        opening == .removing
        ? ["locking_mode = EXCLUSIVE"]
        : ["foreign_keys = ON", "secure_delete = OFF", "cache_size = -16384", "temp_store = MEMORY"]
      for pragma in pragmas { try execute("PRAGMA \(pragma)") }
      for code in [
        entity_value_list_register(handle), entity_row_batch_register(handle), entity_refuse_quoted_texts(handle),
      ] {
        guard code == SQLITE_OK else { throw error(code, sql: "") }
      }
      try addTextFunctions()
      rollbackOfAll = try Statement("ROLLBACK", on: self)
      if opening != .removing { try checkEncoding() }
    } catch {
      close()
      if let error = error as? StoreError, error.kind == .notAStore, error.sqliteCode != nil {
        throw StoreError(
          .notAStore, "\(location) is not a SQLite database. Choose another file; this one is untouched.",
          sqliteCode: error.sqliteCode)
      }
      throw error
    }
  }

  deinit { close() }

  /// Another program may have made a file, even an empty one, with texts in UTF-16
  /// (https://sqlite.org/pragma.html#pragma_encoding).
  private func checkEncoding() throws {
    let encoding = try Statement("PRAGMA encoding", on: self)
    guard try encoding.step(), encoding.text(0) == "UTF-8" else {
      throw StoreError(
        .notAStore,
        "\(location) is a SQLite database with texts in UTF-16, and those of a store are in UTF-8. Choose another file; this "
          + "one is untouched.")
    }
  }

  /// Closes the file. Nothing can be read afterwards. The caller must make sure that nothing reads.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    // This comes first, while the guard refuses commits: a statement that is finalized between two steps may commit.
    forgetStatements()
    rollbackOfAll = nil
    isInTransaction = false
    sqlite3_close_v2(handle)
    if isWriter { files?.setAsideLog() }
  }

  /// - Throws: ``StoreError`` of kind `closed`, because the handle is then invalid; the error of
  ///   ``checkTransaction()``.
  func checkOpen() throws {
    guard !isClosed else { throw StoreError.closed(location) }
    try checkTransaction()
  }

  func execute(_ sql: String) throws {
    try checkOpen()
    guard let log else {
      let code = sqlite3_exec(handle, sql, nil, nil, nil)
      guard code == SQLITE_OK else { throw error(code, sql: sql) }
      return
    }
    var time = StatementTime()
    let code = time.measure { sqlite3_exec(handle, sql, nil, nil, nil) }
    let failure = code == SQLITE_OK ? nil : error(code, sql: sql)
    time.take()?.tell(sql, log, on: self)
    if let failure { throw failure }
  }

  /// A statement that stays prepared for the next use of the same SQL.
  func prepare(_ sql: String) throws -> Statement {
    try checkTransaction()
    if let statement = statements[sql] {
      recorder?.noteUse(statement)
      return statement
    }
    let statement = try recorder?.recording { try Statement(sql, on: self) } ?? Statement(sql, on: self)
    recorder?.noteUse(statement)
    if statements.count >= Self.cachedStatements { forgetStatements() }
    statements[sql] = statement
    return statement
  }

  /// The prepared look-up of a row by its uid.
  func lookUp(_ number: Int, _ sql: String) throws -> Statement {
    try checkTransaction()
    if number < lookUps.count, let statement = lookUps[number] {
      recorder?.noteUse(statement)
      return statement
    }
    let statement = try prepare(sql)
    while lookUps.count <= number { lookUps.append(nil) }
    lookUps[number] = statement
    return statement
  }

  /// The rows of a query, each as the values that `read` takes from it.
  func rows<T>(_ sql: String, _ values: [StoredValue] = [], read: (Statement) throws -> T) throws -> [T] {
    let statement = try prepare(sql)
    defer { statement.reset() }
    try statement.bind(values)
    var result: [T] = []
    while try statement.step() { result.append(try read(statement)) }
    return result
  }

  /// Releases the prepared statements, so that the schema for which they were made may change.
  func forgetStatements() {
    statements = [:]
    lookUps = []
  }

  /// Runs `body`, and returns which columns of the file it read.
  func recordingReads<T>(_ body: () throws -> T) rethrows -> (value: T, reads: Set<ColumnRead>) {
    guard let recorder else { return (try body(), []) }
    return try recorder.reads(of: body)
  }

  func begin(_ mode: String) throws {
    // An earlier transaction could not be rolled back.
    if !isInTransaction { rollback() }
    try location.checkUnchanged()
    do {
      try prepare("BEGIN \(mode)").run()
    } catch {
      // An interrupted BEGIN may have begun the transaction.
      if !isInTransaction { rollback() }
      throw error
    }
    isInTransaction = true
    ending = nil
    guard mayMiscount, mode == "IMMEDIATE" else { return }
    do { try countAnew() } catch {
      rollback()
      throw error
    }
  }

  /// Makes the indexes of full-text search read their counts of rows and words from the file again.
  ///
  /// An FTS5 table that failed to read its counts has ended the transaction, and takes them for zero (seen with 3.40.1
  /// and 3.46.1). It forgets its counts at the end of a savepoint in which it took part.
  private func countAnew() throws {
    let tables = try rows(
      "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND substr(name, 1, ?) = ? "
        + "AND sql LIKE 'CREATE VIRTUAL TABLE%'",
      [.integer(Int64(Self.searchPrefix.utf8.count)), .text(Self.searchPrefix)]
    ) { $0.text(0) ?? "" }
    try execute("SAVEPOINT counts")
    for table in tables {
      do { try execute("DELETE FROM main.\(table.quoted) WHERE 0") } catch let error as StoreError
        where !hasLostTransaction && [SQLITE_ERROR, SQLITE_CORRUPT].contains((error.sqliteCode ?? 0) & 0xff)
      {
        // A table that can't be used at all has no counts in memory. A write to the table throws the error.
      }
    }
    try execute("ROLLBACK TO counts")
    try execute("RELEASE counts")
    mayMiscount = false
  }

  /// Begins a write transaction.
  ///
  /// - Parameter patience: How long to wait for another connection that writes.
  /// - Throws: ``StoreError`` of kind `writerBusy`.
  func beginImmediate(patience: Duration) throws {
    waits(for: patience)
    defer { waits(for: busyTimeout) }
    try begin("IMMEDIATE")
  }

  /// How long statements wait for a lock that another connection holds (https://sqlite.org/c3ref/busy_timeout.html).
  private func waits(for timeout: Duration) {
    guard !isClosed else { return }
    sqlite3_busy_timeout(handle, Int32(clamping: timeout.milliseconds))
  }

  /// Runs `body`. Its statements fail at once where another connection holds a lock.
  func withoutWaiting<T>(_ body: () throws -> T) throws -> T {
    waits(for: .zero)
    defer { waits(for: busyTimeout) }
    return try body()
  }

  func commit() throws {
    try checkTransaction()
    // The reads may be of two states of the file.
    try location.checkUnchanged()
    commitGuard.isRefusing = false
    defer { commitGuard.isRefusing = isInTransaction }
    try prepare("COMMIT").run()
    isInTransaction = false
  }

  /// Whether SQLite ended the transaction by itself, as it may after an error (https://sqlite.org/lang_transaction.html).
  var hasLostTransaction: Bool { isInTransaction && sqlite3_get_autocommit(handle) != 0 }

  /// - Throws: The error with which SQLite ended the transaction, even where somebody caught it. Without a transaction,
  ///   each statement would be committed at once, and would read another moment of the file.
  func checkTransaction() throws {
    guard hasLostTransaction else { return }
    throw ending
      ?? StoreError(
        .outOfMemory,
        "SQLite ended the transaction of the store at \(location) and reported no error. It does so when it gets no memory. "
          + "Nothing of this unit was written. Let go of objects, work in smaller units, and try again.")
  }

  /// Whether the transaction has links that lead nowhere, so that it can't be committed.
  var hasBrokenLinks: Bool {
    var (count, most): (Int32, Int32) = (0, 0)
    return sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &count, &most, 0) == SQLITE_OK && count != 0
  }

  /// The rows that the last statement inserted, updated or deleted.
  var changedRows: Int { changesBeforePlan ?? Int(sqlite3_changes64(handle)) }

  /// Runs `body`, whose statements may not begin or end a transaction, or attach another file.
  func withinTransaction<T>(_ body: () throws -> T) throws -> T {
    sqlite3_set_authorizer(
      handle,
      { _, action, _, _, _, _ in
        [SQLITE_TRANSACTION, SQLITE_SAVEPOINT, SQLITE_ATTACH, SQLITE_DETACH].contains(action) ? SQLITE_DENY : SQLITE_OK
      }, nil)
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    return try body()
  }

  /// Runs `body` in a write transaction, which is committed when it returns and rolled back when it throws.
  func writing(_ body: () throws -> Void) throws {
    try begin("IMMEDIATE")
    do {
      try body()
      try commit()
    } catch {
      rollback()
      throw error
    }
  }

  /// Ends the transaction without its changes. SQLite may have ended it already, for example after a full disk.
  func rollback() {
    if !isClosed, hasLostTransaction { mayMiscount = true }
    isInTransaction = false
    guard !isClosed, sqlite3_get_autocommit(handle) == 0 else { return }
    try? rollbackOfAll?.run()
  }

  /// - Parameters:
  ///   - extended: The code with its details; `nil` for the code of the last call.
  ///   - isOfApp: Whether an app wrote the SQL. Functions in it may quote values in their errors.
  func error(_ code: Int32, extended: Int32? = nil, sql: String, isOfApp: Bool = false) -> StoreError {
    let error = failure(code, extended: extended, sql: sql, isOfApp: isOfApp)
    if ending == nil, hasLostTransaction { ending = error }
    return error
  }

  /// Keeps the error as the transaction's error, where SQLite ended the transaction.
  func noteFailure(_ code: Int32, sql: String, isOfApp: Bool) { _ = error(code, sql: sql, isOfApp: isOfApp) }

  private func failure(_ code: Int32, extended: Int32?, sql: String, isOfApp: Bool) -> StoreError {
    let text = String(cString: sqlite3_errmsg(handle))
    let reason = isOfApp ? text.withoutQuotes : text
    let isOfFile = [SQLITE_IOERR, SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN, SQLITE_READONLY].contains(code & 0xff)
    if isOfFile, let files, !files.areThere { return .fileGone(location, sqliteCode: code, sql: sql) }
    if isOfFile, location.hasChanged { return .fileChanged(location, sqliteCode: code, sql: sql) }
    let failure = SQLiteFailure(
      location, extended ?? sqlite3_extended_errcode(handle), reason, handle, opening, isMigrating: isMigrating)
    return failure.error(code, sql: sql)
  }
}

extension Duration {
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return seconds < 0 ? .min : .max }
    let (sum, isTooLarge) = milliseconds.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return isTooLarge ? (seconds < 0 ? .min : .max) : sum
  }
}
