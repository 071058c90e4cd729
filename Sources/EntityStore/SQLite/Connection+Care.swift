import CSQLite
import Foundation

extension Connection {
  /// Writes all that is committed to a file that is empty.
  ///
  /// - Throws: ``StoreError``: `ioError` where the file is not empty, or its size can't be read.
  func copy(into url: URL) throws {
    // In a VFS of its own, a name leads to memory. So the URI names the system's VFS.
    let system = sqlite3_vfs_find(nil).map { String(cString: $0.pointee.zName) } ?? "unix"
    let name = location.fileURL == nil ? "\(url.absoluteString)?vfs=\(system)" : url.path
    do {
      try Statement("VACUUM main INTO ?", on: self).run([.text(name)])
    } catch let error as StoreError
      where error.sqliteCode == SQLITE_ERROR && error.message.contains("output file already exists")
    {
      // SQLite treats a file whose size it can't read as one that is not empty, and has no other code for it.
      throw StoreError(
        .ioError,
        "The system could not read the new file at '\(url.path)', or another program has written to it. Nothing was copied. "
          + "Look at the medium, and try again.", sqliteCode: error.sqliteCode, sql: error.sql)
    }
  }

  /// The application's number, as it is in a file that SQLite can't make sense of
  /// (https://sqlite.org/fileformat.html#application_id); `nil` where it can't be read.
  ///
  /// SQLite's own handle reads it: closing another handle would end the locks of this process on the file
  /// (https://sqlite.org/howtocorrupt.html, section 2.2).
  var applicationID: Int64? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    var bytes: [UInt8] = [0, 0, 0, 0]
    guard sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
      let methods = file.pointee.pMethods, methods.pointee.xRead(file, &bytes, 4, 68) == SQLITE_OK
    else { return nil }
    return bytes.reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Writes the file again, without its free pages.
  func pack() throws {
    // The copy is as large as the file, which may be larger than memory.
    try execute("PRAGMA temp_store = FILE")
    try execute("VACUUM main")
  }

  /// Moves the log into the file, as far as no reader needs the log, and empties the log where all of it could be
  /// moved.
  ///
  /// - Returns: Whether all of it could be moved.
  @discardableResult
  func checkpoint() throws -> Bool {
    guard !isReadOnly else {
      throw error(SQLITE_READONLY, extended: SQLITE_READONLY, sql: "PRAGMA main.wal_checkpoint")
    }
    let start = ContinuousClock.now
    let result = try withoutWaiting {
      try rows("PRAGMA main.wal_checkpoint(TRUNCATE)") { ($0.int64(0) == 0, $0.int64(1), $0.int64(2)) }.first
    }
    guard let (isComplete, pages, moved) = result else { return false }
    // Both numbers are -1 where the checkpoint could not begin.
    log?.tell(
      .checkpoint(
        StoreLog.Checkpoint(
          duration: start.duration(to: .now), pages: Int(max(0, pages)), movedPages: Int(max(0, moved)))))
    return isComplete
  }

  func fileSizes() throws -> StoreFileSizes {
    func number(_ pragma: String) throws -> Int64 { try rows("PRAGMA main.\(pragma)") { $0.int64(0) }.first ?? 0 }
    let page = try number("page_size")
    let log = location.log == nil ? nil : path.map { $0 + "-wal" }
    let attributes = log.flatMap { try? FileManager.default.attributesOfItem(atPath: $0) }
    return StoreFileSizes(
      database: page * (try number("page_count")), log: (attributes?[.size] as? NSNumber)?.int64Value ?? 0,
      free: page * (try number("freelist_count")))
  }
}
