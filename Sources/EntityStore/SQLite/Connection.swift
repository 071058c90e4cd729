import CSQLite
import Foundation

/// One connection to the database. It is used by one thread at a time; its owner sees to that.
///
/// The texts of the file are in UTF-8. The opening refuses another encoding, and cursors read the bytes of a text as UTF-8.
final class Connection {
  let handle: OpaquePointer
  let location: StoreLocation
  private let opening: Opening
  /// Whether the file can't be written: for its permissions, those of its medium, or as the store was opened so.
  let isReadOnly: Bool
  private(set) var statements: [String: Statement] = [:]
  /// The look-ups by uid, by entity: they are found without their SQL.
  private var lookUps: [Statement?] = []
  /// Prepared ahead: a transaction must end where no memory is left to prepare anything.
  private var rollbackOfAll: Statement?
  private(set) var isInTransaction = false { didSet { commitGuard.isRefusing = isInTransaction } }
  /// The failure with which SQLite ended the transaction.
  private var ending: StoreError?
  /// Whether SQLite ended a transaction by itself, so that its indexes of full-text search may know numbers of rows that are
  /// not in the file.
  private var mayMiscount = false
  /// Whether its statements may be a step's own, or those that change the structure.
  var isMigrating = false
  private let busyTimeout: Duration
  private var isClosed = false
  /// The files of the store; `nil` where no commit can be lost with them.
  var files: StoreFiles?
  /// Whether it is the store's connection for units, whose end sets aside the log of a replaced file.
  var isWriter = false
  /// Hears of each statement of the connection, from its first one on.
  let log: StoreLog?
  /// Where somebody hears of checkpoints.
  let checkpoints: CheckpointWatch?
  /// The rows that the last statement changed, where its plan was asked for since.
  var changesBeforePlan: Int?
  /// Notes what statements read, where the connection only reads.
  let recorder: ReadRecorder?
  private let commitGuard = CommitGuard()

  /// The names of the indexes of full-text search begin with it.
  static let searchPrefix = "_search,"

  /// Statements kept prepared; one more and the cache starts anew, which bounds its memory.
  private static let cachedStatements = 500

  /// The file that opening a connection needs or makes.
  enum Opening {
    /// A file that is not there is made.
    case making
    /// The file must be there: a connection beside the first one must not make another file in the place of one that is gone.
    case existing
    /// The file must be there, and is not written.
    case reading
    /// The file must be there, and is to go. Nothing is read, and no index of the log made, until its owner has the file alone.
    case removing
  }

  /// - Parameters:
  ///   - recordsReads: Whether somebody may ask for the columns that were read.
  ///   - log: Hears of its statements. It has no default: no statement of the store is to be missed by chance.
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
      // secure_delete overwrites deleted content, which Debian's build has on; it doubles the cost of updates.
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

  /// Another program may have made a file, be it empty, whose texts are in UTF-16
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

  /// Closes the file. Nothing can be read afterwards. The caller sees to it that nothing reads.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    // First, while the guard refuses: a statement that is finalized between two steps may commit.
    forgetStatements()
    rollbackOfAll = nil
    isInTransaction = false
    sqlite3_close_v2(handle)
    if isWriter { files?.setAsideLog() }
  }

  /// - Throws: ``StoreError`` of kind `closed`: the handle is then invalid. The error of ``checkTransaction()``.
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

  /// Lets go of prepared statements, so that the schema they were made for may change.
  func forgetStatements() {
    statements = [:]
    lookUps = []
  }

  /// Runs `body`, and tells which columns of the file it read.
  func recordingReads<T>(_ body: () throws -> T) rethrows -> (value: T, reads: Set<ColumnRead>) {
    guard let recorder else { return (try body(), []) }
    return try recorder.reads(of: body)
  }

  func begin(_ mode: String) throws {
    // One that could not be rolled back.
    if !isInTransaction { rollback() }
    try location.checkUnchanged()
    do {
      try prepare("BEGIN \(mode)").run()
    } catch {
      // One that is interrupted may have begun it.
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

  /// Lets the indexes of full-text search read their numbers of rows and words from the file.
  ///
  /// An FTS5 table that fails to read them has ended the transaction, and takes none for them (seen with 3.40.1 and 3.46.1).
  /// The end of a savepoint in which it took part is where it forgets them.
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
        // A table that can't be used at all has no numbers in memory, and its error is that of the writes to it.
      }
    }
    try execute("ROLLBACK TO counts")
    try execute("RELEASE counts")
    mayMiscount = false
  }

  /// Begins a write transaction.
  ///
  /// - Parameter patience: How long it waits for another connection that writes.
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

  /// Runs `body`, whose statements fail at once where another connection holds a lock.
  func withoutWaiting<T>(_ body: () throws -> T) throws -> T {
    waits(for: .zero)
    defer { waits(for: busyTimeout) }
    return try body()
  }

  func commit() throws {
    try checkTransaction()
    // What was read may be of two states.
    try location.checkUnchanged()
    commitGuard.isRefusing = false
    defer { commitGuard.isRefusing = isInTransaction }
    try prepare("COMMIT").run()
    isInTransaction = false
  }

  /// Whether SQLite ended the transaction by itself, as it may after an error (https://sqlite.org/lang_transaction.html).
  var hasLostTransaction: Bool { isInTransaction && sqlite3_get_autocommit(handle) != 0 }

  /// - Throws: The error with which SQLite ended the transaction, also where somebody caught it: without a transaction each
  ///   statement would be committed at once, and each would read another moment of the file.
  func checkTransaction() throws {
    guard hasLostTransaction else { return }
    throw ending
      ?? StoreError(
        .outOfMemory,
        "SQLite ended the transaction of the store at \(location) and reported no error. It does so when it gets no memory. "
          + "Nothing of this unit was written. Let go of objects, work in smaller units, and try again.")
  }

  /// Whether links of the transaction lead nowhere, so that it can't be committed.
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

  /// Ends the transaction without its changes. SQLite may have ended it already, after a full disk for one.
  func rollback() {
    if !isClosed, hasLostTransaction { mayMiscount = true }
    isInTransaction = false
    guard !isClosed, sqlite3_get_autocommit(handle) == 0 else { return }
    try? rollbackOfAll?.run()
  }

  /// - Parameters:
  ///   - extended: The code with its details; `nil` for that of the last call.
  ///   - isOfApp: Whether an app wrote the SQL. Its functions may quote values where they fail.
  func error(_ code: Int32, extended: Int32? = nil, sql: String, isOfApp: Bool = false) -> StoreError {
    let error = failure(code, extended: extended, sql: sql, isOfApp: isOfApp)
    if ending == nil, hasLostTransaction { ending = error }
    return error
  }

  /// Keeps the error as that of the transaction, where SQLite ended it.
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
