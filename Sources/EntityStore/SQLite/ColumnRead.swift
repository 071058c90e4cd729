import CSQLite

/// A column that a statement reads; an empty name stands for the rows themselves, where they are counted for one.
struct ColumnRead: Hashable, Sendable {
  let table: String
  let column: String
  /// Whether SQL of an app names the table.
  var isOfApp = false
}

/// Notes the columns of the file's tables that statements read, as SQLite tells when it prepares them
/// (https://sqlite.org/c3ref/set_authorizer.html).
///
/// It is used by its connection alone, and lives as long.
final class ReadRecorder {
  /// The columns read by the statement that is being prepared.
  private var reads: Set<ColumnRead> = []
  /// The columns read by the statements that were used since somebody asks.
  private var used: Set<ColumnRead>?
  /// Whether nothing but reads may be prepared.
  private var deniesWrites = false

  /// Has SQLite tell. Statements that are prepared already would be prepared again.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { recorder, action, table, column, database, _ in
        guard let recorder else { return SQLITE_OK }
        let own = Unmanaged<ReadRecorder>.fromOpaque(recorder).takeUnretainedValue()
        if own.deniesWrites, !ReadRecorder.isRead(action, table, column) { return SQLITE_DENY }
        guard action == SQLITE_READ, let table, let column, let database, String(cString: database) == "main"
        else { return SQLITE_OK }
        own.reads.insert(ColumnRead(table: String(cString: table), column: String(cString: column)))
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// The columns that the statement reads which `prepare` makes.
  func recording(_ prepare: () throws -> Statement) rethrows -> Statement {
    reads = []
    let statement = try prepare()
    statement.reads = reads
    return statement
  }

  /// Whether an action of a statement, as SQLite tells of it, may be a part of reading.
  ///
  /// - Parameters:
  ///   - table: The name of a table or a pragma.
  ///   - name: The name of a function, the argument of a pragma.
  static func isRead(_ action: Int32, _ table: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: true
    // SQLite compiles the pragma of such a table only as the statement runs, and some pragmas write.
    case SQLITE_READ: table.map { !String(cString: $0).lowercased().hasPrefix("pragma_") } ?? true
    // SQLite tells of these when a statement is the first to use a virtual table, such as json_each. Of a statement that
    // writes it says that it does not only read.
    case SQLITE_CREATE_TABLE, SQLITE_INSERT, SQLITE_UPDATE: true
    // FTS5 asks for it as a connection first uses an index.
    case SQLITE_PRAGMA: name == nil && table.map { String(cString: $0) == "data_version" } ?? false
    case SQLITE_FUNCTION: name.map { String(cString: $0).lowercased() != "load_extension" } ?? false
    default: false
    }
  }

  /// Runs `body`, in which nothing can be prepared that is no read.
  func denyingWrites<T>(_ body: () throws -> T) rethrows -> T {
    deniesWrites = true
    defer { deniesWrites = false }
    return try body()
  }

  func noteUse(_ statement: Statement) { used?.formUnion(statement.reads) }

  /// The columns that `body` reads.
  func reads<T>(of body: () throws -> T) rethrows -> (value: T, reads: Set<ColumnRead>) {
    let outer = used
    used = []
    defer { used = outer.map { $0.union(used ?? []) } }
    let value = try body()
    return (value, used ?? [])
  }
}
