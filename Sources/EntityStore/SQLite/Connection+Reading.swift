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
    try checkReads(sql, values: count, .ofApp)
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
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery` for anything but one statement that only reads, with this number of
  ///   values.
  func checkReads(_ sql: String, values count: Int, _ rules: ReadingRules) throws {
    try checkOpen()
    guard !sql.utf8.contains(0) else { throw Self.refusal("The SQL has a zero byte.", sql) }
    try denyingWrites {
      try sql.withCString { text in
        var handle: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let code = sqlite3_prepare_v2(self.handle, text, -1, &handle, &tail)
        defer { sqlite3_finalize(handle) }
        guard code == SQLITE_OK else { throw refusal(code, sql, rules) }
        guard let handle, sqlite3_stmt_readonly(handle) != 0 else { throw Self.refusal(rules.onlyReads, sql) }
        guard rules.isWhole ? hasNoStatement(tail) : hasOnlySpace(tail) else {
          throw Self.refusal("It is more than one statement. Run each by itself.", sql)
        }
        // The store's own parameters have no names: a parameter `?1` or `:a` is the app's.
        let parameters = sqlite3_bind_parameter_count(handle)
        guard Int(parameters) == count,
          (0..<parameters).allSatisfy({ sqlite3_bind_parameter_name(handle, $0 + 1) == nil })
        else {
          throw Self.refusal(rules.parameters, sql)
        }
      }
    }
  }

  /// Whether a text has nothing but whitespace, comments and semicolons.
  private func hasNoStatement(_ text: UnsafePointer<CChar>?) -> Bool {
    var rest = text
    while let text = rest, text.pointee != 0 {
      var handle: OpaquePointer?
      let code = sqlite3_prepare_v2(self.handle, text, -1, &handle, &rest)
      defer { sqlite3_finalize(handle) }
      guard code == SQLITE_OK, handle == nil, rest != text else { return false }
    }
    return true
  }

  private func hasOnlySpace(_ text: UnsafePointer<CChar>?) -> Bool {
    text.map { String(cString: $0).allSatisfy(\.isWhitespace) } ?? true
  }

  /// Whether the file has such a table. Functions such as `json_each` are not tables.
  private func isTable(_ name: String) -> Bool {
    sqlite3_table_column_metadata(handle, "main", name, nil, nil, nil, nil, nil, nil) == SQLITE_OK
  }

  private func refusal(_ code: Int32, _ sql: String, _ rules: ReadingRules) -> StoreError {
    switch code & 0xff {
    case SQLITE_AUTH: Self.refusal(rules.onlyReads, sql)
    case SQLITE_ERROR: Self.refusal("SQLite does not take it: \(String(cString: sqlite3_errmsg(handle))).", sql)
    default: error(code, sql: sql)
    }
  }

  private static func refusal(_ reason: String, _ sql: String) -> StoreError {
    StoreError(.invalidQuery, reason, sql: sql)
  }

  /// Runs `body`, in which only reading statements can be compiled.
  private func denyingWrites<T>(_ body: () throws -> T) rethrows -> T {
    if let readGuard { return try readGuard.denyingWrites(body) }
    if let recorder { return try recorder.denyingWrites(body) }
    sqlite3_set_authorizer(
      handle,
      { _, action, first, second, _, _ in ReadRecorder.isRead(action, first, second) ? SQLITE_OK : SQLITE_DENY }, nil)
    defer { sqlite3_set_authorizer(handle, nil, nil) }
    return try body()
  }
}

/// The rules for SQL that only reads, and the words of refusals for its writer.
struct ReadingRules {
  /// Whether comments and semicolons may stand behind the statement. The SQL of an app has conditions within it, whose comment
  /// would hide the rest of the statement.
  let isWhole: Bool
  let onlyReads: String
  let parameters: String

  static let ofApp = ReadingRules(
    isWhole: false,
    onlyReads: "SQL of a query only reads: it is one SELECT. Write with objects, in a unit of work.",
    parameters: "It has parameters without values. Write a value as \\(value) in the text.")
  /// For a person who has only the file.
  static let ofPerson = ReadingRules(
    isWhole: true,
    onlyReads: "SQL here only reads: give one SELECT.",
    parameters: "It has parameters. Write the values into the text.")
}
