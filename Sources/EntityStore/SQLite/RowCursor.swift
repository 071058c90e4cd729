import CSQLite
import Foundation

/// The row that a statement stands at. It is used while the statement stands there, and by the function that it is handed
/// to: it does not keep the statement.
///
/// Columns are numbered from 0.
struct RowCursor {
  let handle: OpaquePointer

  func int64(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column)) }

  func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(truncatingIfNeeded: column)) == SQLITE_NULL
  }

  /// An INTEGER; `nil` for anything else.
  func integer(_ column: Int) -> Int64? {
    let position = Int32(truncatingIfNeeded: column)
    guard sqlite3_column_type(handle, position) == SQLITE_INTEGER else { return nil }
    return sqlite3_column_int64(handle, position)
  }

  /// A REAL or an INTEGER; `nil` for anything else.
  func double(_ column: Int) -> Double? {
    let position = Int32(truncatingIfNeeded: column)
    switch sqlite3_column_type(handle, position) {
    case SQLITE_FLOAT: return sqlite3_column_double(handle, position)
    case SQLITE_INTEGER: return Double(sqlite3_column_int64(handle, position))
    default: return nil
    }
  }

  /// A TEXT; `nil` for anything else.
  func text(_ column: Int) -> String? {
    let position = Int32(truncatingIfNeeded: column)
    guard sqlite3_column_type(handle, position) == SQLITE_TEXT else { return nil }
    return string(position)
  }

  func value(_ column: Int) -> StoredValue {
    let position = Int32(truncatingIfNeeded: column)
    switch sqlite3_column_type(handle, position) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, position))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, position))
    case SQLITE_TEXT: return .text(string(position) ?? "")
    case SQLITE_BLOB:
      guard let bytes = sqlite3_column_blob(handle, position) else { return .blob(Data()) }
      return .blob(Data(bytes: bytes, count: Int(sqlite3_column_bytes(handle, position))))
    default: return .null
    }
  }

  /// Any value but NULL as text.
  func string(_ position: Int32) -> String? {
    // The bytes as they are, in UTF-8 (see ``Connection``). sqlite3_column_text ends them with a zero: it has to move a long
    // text for that, and gives none where no memory is left.
    guard let bytes = sqlite3_column_blob(handle, position) else {
      // An empty text has no address.
      let type = sqlite3_column_type(handle, position)
      return type == SQLITE_TEXT || type == SQLITE_BLOB ? "" : nil
    }
    let count = Int(sqlite3_column_bytes(handle, position))
    let text = UnsafeBufferPointer(start: bytes.assumingMemoryBound(to: UInt8.self), count: count)
    return String(decoding: text, as: UTF8.self)
  }
}
