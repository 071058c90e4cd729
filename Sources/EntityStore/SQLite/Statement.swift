import CSQLite
import Foundation

/// A prepared statement. It belongs to its connection and is used where the connection is.
final class Statement {
  let sql: String
  private let handle: OpaquePointer
  private unowned let connection: Connection
  private let isWriting: Bool
  private let log: StoreLog?
  private var time = StatementTime()
  /// The columns of the file that the statement reads, where its connection records them.
  var reads: Set<ColumnRead> = []
  /// Whether a check has shown that the statement only reads, see ``Connection/prepareReading(_:values:)``.
  var isCheckedToRead = false

  init(_ sql: String, on connection: Connection) throws {
    try connection.checkOpen()
    var handle: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, Int32(sql.utf8.count), UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK, let handle else { throw connection.error(code, sql: sql) }
    self.sql = sql
    self.handle = handle
    self.connection = connection
    isWriting = sqlite3_stmt_readonly(handle) == 0
    log = connection.log
  }

  deinit { sqlite3_finalize(handle) }

  /// The number of parameters.
  var parameters: Int { Int(sqlite3_bind_parameter_count(handle)) }

  /// Whether the statement explains how another one runs.
  var isPlan: Bool { sqlite3_stmt_isexplain(handle) != 0 }

  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The names of the result columns.
  var columns: [String] {
    (0..<sqlite3_column_count(handle)).map { column in
      sqlite3_column_name(handle, column).map { String(cString: $0) } ?? ""
    }
  }

  /// Whether `sql` is one statement, with nothing behind it.
  static func isOne(_ sql: String, on connection: Connection) -> Bool {
    sql.withCString { text in
      var handle: OpaquePointer?
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v2(connection.handle, text, -1, &handle, &tail)
      sqlite3_finalize(handle)
      guard code == SQLITE_OK, let tail else { return true }
      // A comment counts as a statement here.
      return String(cString: tail).allSatisfy(\.isWhitespace)
    }
  }

  /// Parameters are numbered from 1.
  func bind(_ value: StoredValue, at index: Int) throws {
    let position = Int32(index)
    let code: Int32
    switch value {
    case .null: code = sqlite3_bind_null(handle, position)
    case .integer(let integer): code = sqlite3_bind_int64(handle, position, integer)
    case .real(let double): code = sqlite3_bind_double(handle, position, double)
    case .text(var text):
      code = text.withUTF8 {
        // An empty buffer has no address, and SQLite reads a null pointer as NULL.
        let bytes = UnsafeRawPointer($0.baseAddress).map { $0.assumingMemoryBound(to: CChar.self) }
        return sqlite3_bind_text64(
          handle, position, bytes ?? Self.empty, UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
      }
    case .blob(let data):
      code =
        data.isEmpty
        ? sqlite3_bind_zeroblob(handle, position, 0)
        : data.withUnsafeBytes {
          sqlite3_bind_blob64(handle, position, $0.baseAddress, UInt64($0.count), Self.transient)
        }
    }
    guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
  }

  func bind(_ value: Int64, at index: Int) throws {
    let code = sqlite3_bind_int64(handle, Int32(index), value)
    guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
  }

  func bind(_ values: [StoredValue]) throws {
    for (index, value) in values.enumerated() { try bind(value, at: index + 1) }
  }

  /// Goes to the next row; `false` at the end. After an error the statement is reset.
  ///
  /// - Throws: The error of ``Connection/checkTransaction()``, for a statement that writes.
  func step() throws -> Bool {
    // Without the transaction that SQLite ended, a statement would be committed at once.
    if isWriting { try connection.checkTransaction() }
    switch log == nil ? sqlite3_step(handle) : time.measure({ sqlite3_step(handle) }) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      endTime()
      return false
    case let code:
      let error = connection.error(code, sql: sql, isOfApp: isCheckedToRead)
      sqlite3_reset(handle)
      // This comes only now: it may run a statement, and then SQLite no longer has the details of this error.
      endTime()
      throw error
    }
  }

  private func endTime() {
    guard let log, let run = time.take() else { return }
    // A handler may run the same statement.
    run.tell(sql, log, on: connection)
  }

  /// Runs to the end and resets. After an error the values stay bound, for another try.
  func run() throws {
    while try step() {}
    reset()
  }

  /// Binds, runs to the end and resets.
  func run(_ values: [StoredValue]) throws {
    try bind(values)
    try run()
  }

  /// Runs to the end, with the rows of a batch as the parameter, and resets.
  ///
  /// - Parameter body: Called at each row of the result.
  func run(_ batch: inout entity_row_batch, _ body: () throws -> Void = {}) throws {
    // The batch is only lent for this call: the statement does not keep it, even after an error.
    defer { reset() }
    try bind(&batch, at: 1) { while try step() { try body() } }
  }

  /// Does the same as ``run(_:_:)``, with the rows of two batches as the first parameters.
  func run(
    _ batch: inout entity_row_batch, _ other: inout entity_row_batch, _ body: () throws -> Void
  ) throws {
    defer { reset() }
    try bind(&batch, at: 1) { try bind(&other, at: 2) { while try step() { try body() } } }
  }

  private func bind(_ batch: inout entity_row_batch, at index: Int32, _ body: () throws -> Void) throws {
    try withUnsafeMutablePointer(to: &batch) { batch in
      let code = entity_row_batch_bind(handle, index, batch)
      guard code == SQLITE_OK else { throw connection.error(code, sql: sql) }
      try body()
    }
  }

  /// Ends the current execution and releases the bound values.
  func reset() {
    // SQLite may have had no memory to convert a value of the last row. It reports that here, and may have ended the
    // transaction.
    let code = sqlite3_reset(handle)
    if code != SQLITE_OK { connection.noteFailure(code, sql: sql, isOfApp: isCheckedToRead) }
    sqlite3_clear_bindings(handle)
    endTime()
  }

  // Columns are numbered from 0.

  /// The row at which the statement stands.
  var row: RowCursor { RowCursor(handle: handle) }

  func int64(_ column: Int) -> Int64 { row.int64(column) }

  func isNull(_ column: Int) -> Bool { row.isNull(column) }

  func optionalInt64(_ column: Int) -> Int64? { isNull(column) ? nil : int64(column) }

  func double(_ column: Int) -> Double? { row.double(column) }

  func text(_ column: Int) -> String? { row.string(column) }

  func value(_ column: Int) -> StoredValue { row.value(column) }

  /// The bytes of a text or a blob; 8 of any other value.
  func size(_ column: Int) -> Int { row.size(column) }

  /// Whether the column has exactly `value`; no String or Data is made for the comparison.
  func column(_ column: Int, equals value: StoredValue) -> Bool {
    let position = Int32(column)
    let type = sqlite3_column_type(handle, position)
    switch value {
    case .null: return type == SQLITE_NULL
    case .integer(let integer): return type == SQLITE_INTEGER && sqlite3_column_int64(handle, position) == integer
    case .real(let double):
      return type == SQLITE_FLOAT && sqlite3_column_double(handle, position).bitPattern == double.bitPattern
    case .text(let text):
      guard type == SQLITE_TEXT else { return false }
      let count = Int(sqlite3_column_bytes(handle, position))
      guard text.utf8.count == count else { return false }
      guard count > 0 else { return true }
      guard let bytes = sqlite3_column_blob(handle, position) else { return false }
      let isSame = text.utf8.withContiguousStorageIfAvailable {
        $0.baseAddress.map { memcmp($0, bytes, count) == 0 } == true
      }
      return isSame ?? text.utf8.elementsEqual(UnsafeRawBufferPointer(start: bytes, count: count))
    case .blob(let data):
      guard type == SQLITE_BLOB else { return false }
      let count = Int(sqlite3_column_bytes(handle, position))
      guard data.count == count else { return false }
      guard count > 0 else { return true }
      guard let bytes = sqlite3_column_blob(handle, position) else { return false }
      return data.withUnsafeBytes { $0.baseAddress.map { memcmp($0, bytes, count) == 0 } == true }
    }
  }

  // SQLite copies the bytes before bind returns: the pointers we pass live only that long.
  private static var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
  // Never freed and never written: one byte for the address of an empty text.
  nonisolated(unsafe) private static let empty = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
}
