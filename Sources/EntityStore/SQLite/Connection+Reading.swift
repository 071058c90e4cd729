import CSQLite

extension Connection {
  /// A statement of SQL that an app wrote. It must be one statement that only reads, with values for all its
  /// parameters.
  ///
  /// Each table of the file that it names counts as read by an app.
  ///
  /// - Parameter count: The number of values.
  /// - Throws: ``StoreError`` of kind `invalidQuery`.
  func prepareReading(_ sql: String, values count: Int) throws -> Statement {
    // The store itself may have prepared the same text without a check, for example COMMIT.
    if let known = statements[sql], known.isCheckedToRead, known.parameters == count { return try prepare(sql) }
    try checkReads(sql, values: count)
    let statement = try prepare(sql)
    statement.isCheckedToRead = true
    for table in Set(statement.reads.map(\.table)) where isTable(table) {
      statement.reads.insert(ColumnRead(table: table, column: "", isOfApp: true))
    }
    recorder?.noteUse(statement)
    return statement
  }

  /// Makes SQLite compile the statement while everything but reading is denied. Compiling alone could begin a change,
  /// as with some pragmas, and a statement that "only reads" for SQLite may end a transaction
  /// (https://sqlite.org/c3ref/stmt_readonly.html).
  private func checkReads(_ sql: String, values count: Int) throws {
    try checkOpen()
    try denyingWrites {
      try sql.withCString { text in
        var handle: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v2(self.handle, text, -1, &handle, &tail)
        defer { sqlite3_finalize(handle) }
        guard code == SQLITE_OK else { throw refusal(code, sql) }
        guard let handle, sqlite3_stmt_readonly(handle) != 0 else { throw Self.refusal(Self.onlyReads, sql) }
        guard tail.map({ String(cString: $0).allSatisfy(\.isWhitespace) }) ?? true else {
          throw Self.refusal("It is more than one statement. Run each by itself.", sql)
        }
        // The store's own parameters have no names: a parameter `?1` or `:a` is the app's.
        let parameters = sqlite3_bind_parameter_count(handle)
        guard Int(parameters) == count,
          (0..<parameters).allSatisfy({ sqlite3_bind_parameter_name(handle, $0 + 1) == nil })
        else {
          throw Self.refusal("It has parameters without values. Write a value as \\(value) in the text.", sql)
        }
      }
    }
  }

  /// Whether the file has such a table. Functions such as `json_each` are not tables.
  private func isTable(_ name: String) -> Bool {
    sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  private static let onlyReads = "SQL of a query only reads: it is one SELECT. Write with objects, in a unit of work."

  private func refusal(_ code: Int32, _ sql: String) -> StoreError {
    switch code & 0xff {
    case SQLITE_AUTH: Self.refusal(Self.onlyReads, sql)
    case SQLITE_ERROR: Self.refusal("SQLite does not take it: \(String(cString: sqlite3_errmsg(handle))).", sql)
    default: error(code, sql: sql)
    }
  }

  private static func refusal(_ reason: String, _ sql: String) -> StoreError {
    StoreError(.invalidQuery, reason, sql: sql)
  }

  /// Runs `body`, in which only reading statements can be compiled.
  private func denyingWrites<T>(_ body: () throws -> T) rethrows -> T {
    if let recorder { return try recorder.denyingWrites(body) }
    sqlite3_set_authorizer(
      handle,
      { _, action, first, second, _, _ in ReadRecorder.isRead(action, first, second) ? SQLITE_OK : SQLITE_DENY }, nil)
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    return try body()
  }
}
