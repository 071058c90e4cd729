import CSQLite
import Foundation

/// The row at which a statement stands. It is valid while the statement stands there, and only in the function that
/// gets it: it does not keep the statement.
///
/// Columns are numbered from 0. Each column is read once, as an unprotected value, and the value gives its type and its
/// content. SQLite warns of unprotected values where two threads use a connection
/// (https://sqlite.org/c3ref/column_blob.html). Our connections have no mutex, so two threads can't use one.
/// `sqlite3_column_int64` would do the same work each time.
struct RowCursor {
  let handle: OpaquePointer

  @inline(__always) private func cell(_ column: Int) -> OpaquePointer? {
    sqlite3_column_value(handle, Int32(truncatingIfNeeded: column))
  }

  func int64(_ column: Int) -> Int64 { sqlite3_value_int64(cell(column)) }

  func isNull(_ column: Int) -> Bool { sqlite3_value_type(cell(column)) == SQLITE_NULL }

  /// An INTEGER; `nil` for any other type.
  func integer(_ column: Int) -> Int64? {
    let cell = cell(column)
    return sqlite3_value_type(cell) == SQLITE_INTEGER ? sqlite3_value_int64(cell) : nil
  }

  /// A REAL or an INTEGER; `nil` for any other type.
  func double(_ column: Int) -> Double? {
    let cell = cell(column)
    return switch sqlite3_value_type(cell) {
    case SQLITE_FLOAT: sqlite3_value_double(cell)
    case SQLITE_INTEGER: Double(sqlite3_value_int64(cell))
    default: nil
    }
  }

  /// A TEXT; `nil` for any other type.
  func text(_ column: Int) -> String? {
    let cell = cell(column)
    return sqlite3_value_type(cell) == SQLITE_TEXT ? Self.string(cell) : nil
  }

  func value(_ column: Int) -> StoredValue {
    let cell = cell(column)
    switch sqlite3_value_type(cell) {
    case SQLITE_INTEGER: return .integer(sqlite3_value_int64(cell))
    case SQLITE_FLOAT: return .real(sqlite3_value_double(cell))
    case SQLITE_TEXT: return .text(Self.string(cell))
    case SQLITE_BLOB:
      guard let bytes = sqlite3_value_blob(cell) else { return .blob(Data()) }
      return .blob(Data(bytes: bytes, count: Int(sqlite3_value_bytes(cell))))
    default: return .null
    }
  }

  /// The bytes of a text or a blob, which is not copied; 8 of any other value.
  func size(_ column: Int) -> Int {
    let cell = cell(column)
    return [SQLITE_TEXT, SQLITE_BLOB].contains(sqlite3_value_type(cell)) ? Int(sqlite3_value_bytes(cell)) : 8
  }

  /// Any value but NULL as text.
  func string(_ column: Int) -> String? {
    let cell = cell(column)
    return sqlite3_value_type(cell) == SQLITE_NULL ? nil : Self.string(cell)
  }

  /// The bytes as they are, in UTF-8 (see ``Connection``). sqlite3_value_text appends a zero byte: for that it has to
  /// move a long text, and it returns none where no memory is left. An empty text has no address.
  private static func string(_ cell: OpaquePointer?) -> String {
    guard let bytes = sqlite3_value_blob(cell) else { return "" }
    let count = Int(sqlite3_value_bytes(cell))
    let text = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
    return String(decoding: text, as: UTF8.self)
  }
}
