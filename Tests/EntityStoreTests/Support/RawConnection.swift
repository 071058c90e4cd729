import CSQLite
import Foundation

/// An error of SQLite with its extended result code.
struct RawSQLError: Error {
  let code: Int32
  let message: String
}

/// Result codes that Swift does not import, as sqlite3.h defines them by an expression.
enum ExtendedCode {
  static let busySnapshot = SQLITE_BUSY | 2 << 8
  static let deleteNoEntry = SQLITE_IOERR | 23 << 8
  static let lockSlot = SQLITE_IOERR | 20 << 8
  static let readOnlyMoved = SQLITE_READONLY | 4 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
}

/// A bare SQLite connection, for tests of the layers below the store. Not Sendable: each thread opens its own.
final class RawConnection {
  let handle: OpaquePointer
  private var isOpen = true

  /// - Parameter vfs: the in-memory VFS unless told otherwise; nil is SQLite's default, a file.
  init(_ name: String, vfs: String? = ENTITY_MEMORY_VFS_NAME, busyTimeout: Int32 = 0) throws {
    let registration = entity_memory_vfs_register()
    guard registration == SQLITE_OK else { throw RawSQLError(code: registration, message: "registration") }
    var opened: OpaquePointer?
    let code = sqlite3_open_v2(name, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw RawSQLError(code: code, message: "open \(name)")
    }
    handle = opened
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, busyTimeout)
  }

  deinit {
    if isOpen { sqlite3_close_v2(handle) }
  }

  func close() throws {
    try check(sqlite3_close(handle))
    isOpen = false
  }

  func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw RawSQLError(code: code, message: String(cString: sqlite3_errmsg(handle)))
  }

  /// The result code of running `sql`.
  func code(_ sql: String) -> Int32 { sqlite3_exec(handle, sql, nil, nil, nil) }

  func run(_ sql: String) throws { try check(code(sql)) }

  /// All rows, each value as text.
  func rows(_ sql: String) throws -> [[String]] {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    var rows: [[String]] = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return rows }
      guard code == SQLITE_ROW else { throw RawSQLError(code: code, message: String(cString: sqlite3_errmsg(handle))) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL"
        })
    }
  }

  /// The first value of the first row.
  func text(_ sql: String) throws -> String? { try rows(sql).first?.first }

  func int(_ sql: String) throws -> Int? { try text(sql).flatMap { Int($0) } }

  /// Runs `sql` with `bytes` as its one argument.
  func run(_ sql: String, bytes: [UInt8]) throws {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    let code = bytes.withUnsafeBytes { buffer in
      // No destructor: the statement ends before the buffer does.
      sqlite3_bind_blob64(statement, 1, buffer.baseAddress, UInt64(buffer.count), nil)
      return sqlite3_step(statement)
    }
    guard code == SQLITE_DONE else { throw RawSQLError(code: code, message: String(cString: sqlite3_errmsg(handle))) }
  }

  func blob(_ sql: String) throws -> [UInt8] {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v2(handle, sql, -1, &statement, nil))
    defer { sqlite3_finalize(statement) }
    guard sqlite3_step(statement) == SQLITE_ROW else { return [] }
    let count = Int(sqlite3_column_bytes(statement, 0))
    return [UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, 0), count: count))
  }

  /// SQLite's open file behind the main database (`SQLITE_FCNTL_FILE_POINTER`) or its journal or WAL
  /// (`SQLITE_FCNTL_JOURNAL_POINTER`).
  func file(_ pointer: Int32 = SQLITE_FCNTL_FILE_POINTER) throws -> RawFile {
    var file: UnsafeMutablePointer<sqlite3_file>?
    try check(sqlite3_file_control(handle, "main", pointer, &file))
    guard let file, let methods = file.pointee.pMethods else {
      throw RawSQLError(code: SQLITE_NOTFOUND, message: "no open file")
    }
    return RawFile(file: file, methods: methods)
  }
}

/// The methods of a file that a connection keeps open; valid only while it does.
struct RawFile {
  let file: UnsafeMutablePointer<sqlite3_file>
  let methods: UnsafePointer<sqlite3_io_methods>

  func size() -> Int64 {
    var size: sqlite3_int64 = -1
    _ = methods.pointee.xFileSize(file, &size)
    return size
  }
  func read(_ count: Int, at offset: Int64) -> (code: Int32, bytes: [UInt8]) {
    var bytes = [UInt8](repeating: 0xAA, count: count)
    let code = methods.pointee.xRead(file, &bytes, Int32(count), offset)
    return (code, bytes)
  }
  func write(_ bytes: [UInt8], at offset: Int64) -> Int32 {
    methods.pointee.xWrite(file, bytes, Int32(bytes.count), offset)
  }
  func truncate(_ size: Int64) -> Int32 { methods.pointee.xTruncate(file, size) }
  func lock(_ level: Int32) -> Int32 { methods.pointee.xLock(file, level) }
  func unlock(_ level: Int32) -> Int32 { methods.pointee.xUnlock(file, level) }
  func isReserved() -> Bool {
    var reserved: Int32 = -1
    _ = methods.pointee.xCheckReservedLock(file, &reserved)
    return reserved == 1
  }
  func control<Value>(_ operation: Int32, _ value: inout Value) -> Int32 {
    withUnsafeMutablePointer(to: &value) { methods.pointee.xFileControl(file, operation, $0) }
  }
  func mapRegion(_ region: Int32, extend: Bool) -> (code: Int32, address: UnsafeMutableRawPointer?) {
    var address: UnsafeMutableRawPointer?
    let code = methods.pointee.xShmMap(file, region, 32768, extend ? 1 : 0, &address)
    return (code, address)
  }
  func lockSlots(_ first: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    methods.pointee.xShmLock(file, first, count, flags)
  }
  func unmap() -> Int32 { methods.pointee.xShmUnmap(file, 0) }
}

/// Runs blocking work on a thread of its own, so that waiting for a lock takes no thread from other tests.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    let thread = Thread { continuation.resume(with: Result { try body() }) }
    thread.stackSize = 1 << 20
    thread.start()
  }
}
