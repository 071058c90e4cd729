import Foundation

/// Reads the file of any store without the classes of its entities, and trusts nothing in the file: an inspector opens files
/// that others made.
///
/// The connection only reads. No view, trigger or generated column of the file runs. The opening has a limit of time, and each
/// query has limits of time, rows and bytes. One call of an SQL function in a person's own query is not ended before it
/// returns. A reader is for one thread.
package final class StoreFileReader {
  /// The entities of the file.
  package let schema: StoreFileSchema
  private let connection: Connection
  private let readGuard = ReadGuard()

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - busyTimeout: How long a query waits for a lock.
  ///   - time: The most time for reading the schema.
  /// - Throws: ``StoreError``: `invalidLocation` and `cannotOpen` for a file that can't be opened, `notAStore` for another
  ///   file, `schemaMismatch` for another format, `corrupt` for a damaged one, and for one whose schema takes longer than
  ///   `time`, `readOnly`, `locked` and `ioError` where the system gives no access.
  package init(
    _ location: StoreLocation, busyTimeout: Duration = .seconds(1), within time: Duration = .seconds(5)
  ) throws {
    try location.prepare()
    let readGuard = readGuard
    readGuard.lastEnd = .now + time
    defer { readGuard.lastEnd = nil }
    do {
      connection = try Self.connect(location, busyTimeout, readGuard)
      schema = try Self.schema(connection)
    } catch {
      guard readGuard.hasStopped else { throw error }
      throw StoreError(
        .corrupt, "The schema of the file at \(location) could not be read within \(time): no store makes such a file.")
    }
  }

  private static func connect(
    _ location: StoreLocation, _ busyTimeout: Duration, _ readGuard: ReadGuard
  ) throws -> Connection {
    func open(_ location: StoreLocation) throws -> Connection {
      let connection = try Connection(
        location, opening: location.fileURL == nil ? .existing : .reading, busyTimeout: busyTimeout, log: nil)
      try connection.distrust(readGuard)
      try connection.checkNothingRuns()
      try connection.checkOwner()
      return connection
    }
    do { return try open(location) } catch let error as StoreError {
      // The index of the log can't be made on a read-only medium.
      guard let frozen = try location.frozen(after: error) else { throw error }
      return try open(frozen)
    }
  }

  private static func schema(_ connection: Connection) throws -> StoreFileSchema {
    let text = try connection.rows("SELECT value FROM main._entity_store WHERE key = 'schema'") { $0.text(0) }.first
    guard let text = text.flatMap({ $0 }), let stored = try? StoredSchema.decode(text) else {
      throw StoreError(
        .corrupt, "The store's own table in the file at \(connection.location) has no schema that can be read.")
    }
    return StoreFileSchema(stored)
  }

  /// The limits of a query.
  package struct Limits: Sendable {
    package var rows: Int
    package var time: Duration
    /// The bytes of all values. One value of more than 8 MB exceeds them in any case.
    package var bytes: Int

    package init(rows: Int = 1000, time: Duration = .seconds(1), bytes: Int = Int(ReadGuard.longest)) {
      (self.rows, self.time, self.bytes) = (rows, time, bytes)
    }
  }

  /// Runs `body`, whose queries see one moment of the file.
  ///
  /// - Parameter time: The limit for all queries together. Later ones return what they find at once.
  package func reading<T>(within time: Duration = .seconds(15), _ body: () throws -> T) throws -> T {
    try connection.begin("DEFERRED")
    readGuard.lastEnd = .now + time
    defer {
      readGuard.lastEnd = nil
      connection.rollback()
    }
    return try body()
  }

  /// The rows of a query of the package, whose values are bound.
  package func rows(
    _ sql: String, _ values: [StoredValue] = [], within limits: Limits = Limits()
  ) throws -> StoreFileRows {
    try readGuard.limited(to: limits.time, isForeign: false) {
      let statement = try connection.prepare(sql)
      defer { statement.reset() }
      try statement.bind(values)
      return try rows(statement, limits)
    }
  }

  /// The rows of a query that a person wrote, and SQLite's plan for it.
  ///
  /// - Throws: ``StoreError`` of kind `invalidQuery` for anything but one SELECT.
  package func query(
    _ sql: String, within limits: Limits = Limits()
  ) throws -> (rows: StoreFileRows, plan: QueryPlanLines) {
    try readGuard.limited(to: limits.time, isForeign: true) {
      try connection.checkReads(sql, values: 0, .ofPerson)
      let statement = try Statement(sql, on: connection)
      guard !statement.isPlan else { throw StoreError(.invalidQuery, ReadingRules.ofPerson.onlyReads) }
      let lines = try lines(of: sql)
      return (try rows(statement, limits), lines)
    }
  }

  /// SQLite's plan for a query of the package, whose values need not be bound.
  package func plan(of sql: String) throws -> QueryPlanLines {
    try readGuard.limited(to: .seconds(1), isForeign: false) { try lines(of: sql) }
  }

  private func lines(of sql: String) throws -> QueryPlanLines {
    let lines = try Statement("EXPLAIN QUERY PLAN \(sql)", on: connection)
    var plan: [QueryPlanLines.Line] = []
    while try lines.step() {
      plan.append(.init(id: lines.int64(0), parent: lines.int64(1), text: lines.text(3) ?? ""))
    }
    return QueryPlanLines(lines: plan)
  }

  private func rows(_ statement: Statement, _ limits: Limits) throws -> StoreFileRows {
    var result = StoreFileRows(columns: statement.columns)
    let columns = 0..<result.columns.count
    var bytes = 0
    do {
      while try statement.step() {
        guard result.rows.count < limits.rows else {
          result.cut = .rows
          return result
        }
        var row: [StoredValue] = []
        for column in columns {
          bytes += statement.size(column)
          guard bytes <= limits.bytes else {
            result.cut = .bytes
            return result
          }
          row.append(statement.value(column))
        }
        result.rows.append(row)
      }
    } catch let error as StoreError where error.kind == .tooLarge {
      result.cut = .bytes
    } catch let error as StoreError {
      guard readGuard.hasStopped else { throw error }
      result.cut = .time
    }
    return result
  }

  /// SQLite's number that changes with each commit of another connection (https://sqlite.org/pragma.html#pragma_data_version).
  package func dataVersion() throws -> Int64 { try connection.rows("PRAGMA data_version") { $0.int64(0) }.first ?? 0 }

  /// The number of the last commit.
  package func generation() throws -> Int64 {
    try readGuard.limited(to: .seconds(1), isForeign: false) { try connection.generation() }
  }

  /// - Throws: ``StoreError`` where another file stands in the place of the reader's.
  package func checkFile() throws {
    try connection.location.checkUnchanged()
    guard !connection.hasMoved else { throw StoreError.fileGone(connection.location) }
  }

  package func sizes() throws -> StoreFileSizes { try connection.fileSizes() }

  /// The damage that SQLite finds within `time`, at most 20 lines; `nil` where the time did not suffice.
  package func damage(within time: Duration) throws -> [String]? {
    try readGuard.limited(to: time, isForeign: false) {
      do {
        let faults = try connection.damage(isFull: false, most: 20)
        return readGuard.hasStopped ? nil : faults
      } catch {
        guard readGuard.hasStopped else { throw error }
        return nil
      }
    }
  }
}

/// The rows of a query, as far as its limits allowed.
package struct StoreFileRows: Sendable {
  /// The limit that ended a query.
  package enum Cut: String, Sendable { case rows, bytes, time }

  package var columns: [String]
  package var rows: [[StoredValue]] = []
  /// Why there may be more rows; `nil` where these are all.
  package var cut: Cut?
}

/// SQLite's plan for a query: the lines of `EXPLAIN QUERY PLAN`.
package struct QueryPlanLines: Sendable {
  package struct Line: Sendable {
    package let id: Int64
    package let parent: Int64
    package let text: String
  }

  package let lines: [Line]
}
