/// Queries for rows within the transaction of a row writer.
package struct QueriedRows {
  private let rows: RowWriter
  private var connection: Connection { rows.connection }

  package init(_ rows: RowWriter) { self.rows = rows }

  /// The rows within `scope` that a response did not have and that may be deleted because of that: they have a uid, no
  /// local edits, and are not in `kept`. The comparison runs in SQL, with a temporary table of the rows to keep.
  ///
  /// - Parameter edited: Called with each row that stays because of its local edits.
  package func missing<E: ManagedEntity>(
    _ model: EntityModel, in scope: EntityQuery<E>, keeping kept: some Sequence<Int64>,
    edited: (Int64) -> Void = { _ in }
  ) throws -> [(pk: Int64, uid: StoredValue)] {
    guard let uid = model.uid else { return [] }
    let name = model.properties[uid].name.quoted
    // The scope may have a limit. So it is a list of rows first, and then the kept rows are removed from the list.
    let scope = try scope.sql("_pk, \(name) AS uid, _edited").rendered(rows.schema, rows.uniqueness.sourceWithDisplaced)
    try scope.check(on: connection)
    var missing: [(pk: Int64, uid: StoredValue)] = []
    try withTable(of: kept) { table in
      _ = try connection.rows(
        "SELECT _pk, uid, _edited IS NOT NULL FROM (\(scope.sql)) WHERE uid IS NOT NULL "
          + "AND _pk NOT IN (SELECT pk FROM \(table))", scope.values
      ) { row in
        if row.int64(2) == 0 { missing.append((row.int64(0), row.value(1))) } else { edited(row.int64(0)) }
      }
    }
    return missing
  }

  /// The number of rows within `scope` that have a uid, so that a response could lack them.
  package func count<E: ManagedEntity>(_ model: EntityModel, in scope: EntityQuery<E>) throws -> Int {
    guard let uid = model.uid else { return 0 }
    let scope = try scope.sql("\(model.properties[uid].name.quoted) AS uid").rendered(
      rows.schema, rows.uniqueness.sourceWithDisplaced)
    try scope.check(on: connection)
    let sql = "SELECT count(uid) FROM (\(scope.sql))"
    return Int(try connection.rows(sql, scope.values) { $0.int64(0) }.first ?? 0)
  }

  /// The rows among `pks` that a query finds. The cost grows with `pks`, and not with the query's result.
  package func all<E: ManagedEntity>(of pks: [Int64], within query: EntityQuery<E>) throws -> Set<Int64> {
    guard !pks.isEmpty else { return [] }
    let query = try query.sql("_pk").rendered(rows.schema, rows.uniqueness.sourceWithDisplaced)
    try query.check(on: connection)
    return try withTable(of: pks) { table in
      Set(
        try connection.rows(
          "SELECT _pk FROM (\(query.sql)) WHERE _pk IN (SELECT pk FROM \(table))", query.values
        ) { $0.int64(0) })
    }
  }

  /// Runs `body` with the name of a temporary table that has these row ids.
  private func withTable<T>(of pks: some Sequence<Int64>, _ body: (String) throws -> T) throws -> T {
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS _kept (pk INTEGER PRIMARY KEY)")
    try connection.execute("DELETE FROM temp._kept")
    let insert = try connection.prepare("INSERT OR IGNORE INTO temp._kept (pk) VALUES (?)")
    for pk in pks { try insert.run([.integer(pk)]) }
    let result = try body("temp._kept")
    try connection.execute("DELETE FROM temp._kept")
    return result
  }
}
