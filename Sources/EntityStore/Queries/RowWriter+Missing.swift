extension RowWriter {
  /// The rows within `scope` that a response did not have and that may be deleted for it: they have a uid, no local
  /// edits, and are none of `kept`. The comparison runs in SQL, over a temporary table of the rows to keep.
  ///
  /// - Parameter edited: Called with each row that stays for its local edits.
  package func missing<E: ManagedEntity>(
    _ model: EntityModel, in scope: EntityQuery<E>, keeping kept: some Sequence<Int64>,
    edited: (Int64) -> Void = { _ in }
  ) throws -> [(pk: Int64, uid: StoredValue)] {
    guard let uid = model.uid else { return [] }
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS _kept (pk INTEGER PRIMARY KEY)")
    try connection.execute("DELETE FROM temp._kept")
    let insert = try connection.prepare("INSERT OR IGNORE INTO temp._kept (pk) VALUES (?)")
    for pk in kept { try insert.run([.integer(pk)]) }
    let name = model.properties[uid].name.quoted
    // The scope may have a limit: it is a list of rows first, and kept rows come off that list.
    let scope = try scope.sql("_pk, \(name) AS uid, _edited").rendered(schema, scopeSource)
    var missing: [(pk: Int64, uid: StoredValue)] = []
    _ = try connection.rows(
      "SELECT _pk, uid, _edited IS NOT NULL FROM (\(scope.sql)) WHERE uid IS NOT NULL "
        + "AND _pk NOT IN (SELECT pk FROM temp._kept)", scope.values
    ) { row in
      if row.int64(2) == 0 { missing.append((row.int64(0), row.value(1))) } else { edited(row.int64(0)) }
    }
    try connection.execute("DELETE FROM temp._kept")
    return missing
  }
}
