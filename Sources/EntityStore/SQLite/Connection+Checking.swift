import CSQLite

extension Connection {
  /// The damage that SQLite reports; empty for a sound file.
  ///
  /// - Parameters:
  ///   - isFull: Whether indexes are compared with their tables.
  ///   - most: The most faults to look for.
  /// - Throws: ``StoreError`` of kind `ioError` or `outOfMemory` where two checks could not read all pages: then
  ///   nothing is known of the file.
  func damage(isFull: Bool, most: Int) throws -> [String] {
    let pragma = isFull ? "integrity_check" : "quick_check"
    func look() throws -> [String] {
      try rows("PRAGMA main.\(pragma)(\(most))") { $0.text(0) ?? "" }.filter { $0 != "ok" }
    }
    var faults = try look()
    // SQLite reports a page that it could not read like a broken one. The next check may read the page.
    if !Self.unread(faults).isEmpty { faults = try look() }
    let unread = Self.unread(faults)
    // Pages that are only reached by way of an unreadable page are reported as faults, too.
    guard let code = unread.first(where: { $0 != SQLITE_OK }) ?? unread.first else { return faults }
    throw unreadable(code)
  }

  /// The codes of the parts of the file that a check could not read: `SQLITE_OK` where SQLite does not report the code.
  private static func unread(_ faults: [String]) -> [Int32] {
    faults.flatMap { $0.split(separator: "\n") }.compactMap(code)
  }

  /// - Returns: `nil` for a line that reports damage.
  private static func code(_ line: Substring) -> Int32? {
    // The messages of SQLite's btree.c. Page numbers that lead nowhere have other messages ("invalid page number").
    if line.contains("failed to get page") { return SQLITE_OK }
    if let start = line.firstRange(of: "unable to get the page. error code=")?.upperBound {
      return Int32(line[start...]).flatMap { [SQLITE_IOERR, SQLITE_NOMEM].contains($0 & 0xff) ? $0 : nil }
    }
    // From 3.44 on, the check makes FTS5 look at its indexes.
    guard line.contains("unable to validate the inverted index") else { return nil }
    return [SQLITE_IOERR, SQLITE_NOMEM].first { line.hasSuffix(String(cString: sqlite3_errstr($0))) }
  }

  private func unreadable(_ code: Int32) -> StoreError {
    switch code {
    case SQLITE_OK:
      StoreError(
        .ioError,
        "SQLite could not look at each page of the file at \(location), and does not say why: the system can't read a "
          + "page, or there is no memory for it. Look at the medium, let go of objects, and check again.")
    // The second code is SQLITE_IOERR_NOMEM (https://sqlite.org/rescode.html#ioerr_nomem).
    case SQLITE_NOMEM, SQLITE_IOERR | 12 << 8:
      StoreError(
        .outOfMemory,
        "There is no memory to look at each page of the file at \(location). Let go of objects, and check again.",
        sqliteCode: code)
    default:
      StoreError(
        .ioError,
        "The system could not read each page of the file at \(location). Look at the medium, and check again.",
        sqliteCode: code)
    }
  }
}
