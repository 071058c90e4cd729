import CSQLite

/// A column that a statement reads; an empty name stands for the rows themselves, where they are counted for one.
struct ColumnRead: Hashable, Sendable {
  let table: String
  let column: String
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

  /// Has SQLite tell. Statements that are prepared already would be prepared again.
  func install(on handle: OpaquePointer) {
    sqlite3_set_authorizer(
      handle,
      { recorder, action, table, column, database, _ in
        guard action == SQLITE_READ, let recorder, let table, let column, let database,
          String(cString: database) == "main"
        else { return SQLITE_OK }
        Unmanaged<ReadRecorder>.fromOpaque(recorder).takeUnretainedValue().reads.insert(
          ColumnRead(table: String(cString: table), column: String(cString: column)))
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
