import CSQLite

/// A column that a statement reads. An empty name stands for the rows themselves, for example where they are counted.
struct ColumnRead: Hashable, Sendable {
  let table: String
  let column: String
  /// Whether the SQL of an app names the table.
  var isOfApp = false
}

/// Notes the columns of the file's tables that statements read, as SQLite reports them when it prepares the statements
/// (https://sqlite.org/c3ref/set_authorizer.html).
///
/// Only its connection uses it, and it lives as long as the connection.
final class ReadRecorder {
  /// The columns read by the statement that is being prepared.
  private var reads: Set<ColumnRead> = []
  /// The columns read by the statements that were used, while somebody asks for them.
  private var used: Set<ColumnRead>?
  /// Whether nothing but reads may be prepared.
  private var deniesWrites = false

  /// Makes SQLite report reads. Statements that are already prepared would be prepared again.
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

  /// Notes the columns that a new statement reads.
  func recording(_ prepare: () throws -> Statement) rethrows -> Statement {
    reads = []
    let statement = try prepare()
    statement.reads = reads
    return statement
  }

  /// Whether an action of a statement, as SQLite reports it, may be a part of reading.
  ///
  /// - Parameters:
  ///   - table: The name of a table or a pragma.
  ///   - name: The name of a function, the argument of a pragma.
  static func isRead(_ action: Int32, _ table: UnsafePointer<CChar>?, _ name: UnsafePointer<CChar>?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: true
    // SQLite compiles the pragma of such a table only when the statement runs, and some pragmas write.
    case SQLITE_READ: table.map { !String(cString: $0).lowercased().hasPrefix("pragma_") } ?? true
    // SQLite reports these actions when a statement is the first to use a virtual table, such as json_each. For a
    // statement that writes, SQLite itself says that it does not only read.
    case SQLITE_CREATE_TABLE, SQLITE_INSERT, SQLITE_UPDATE: true
    // FTS5 needs this pragma when a connection first uses an index.
    case SQLITE_PRAGMA: name == nil && table.map { String(cString: $0) == "data_version" } ?? false
    case SQLITE_FUNCTION: name.map { String(cString: $0).lowercased() != "load_extension" } ?? false
    default: false
    }
  }

  /// Runs `body`, in which only reading statements can be prepared.
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
