/// The links of an archive's column that is a side without a column of a one-to-one relationship in the app.
struct ArchivedLinks {
  let model: EntityModel
  let property: PropertyModel
  var links: [(owner: Int64, target: Int64)] = []
}

extension ArchivedLinks {
  /// Sets the links of the other side. Opening a file of that earlier version changes it in the same way.
  ///
  /// - Throws: ``StoreError`` of kind `schemaMismatch` where the links of the two sides contradict each other.
  func join(_ rows: RowWriter) throws {
    guard let join = OneToOneJoin(model, property, rows.schema, links: "temp._links") else { return }
    try rows.connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS _links (owner INTEGER PRIMARY KEY, target INTEGER NOT NULL)")
    try rows.connection.execute("CREATE INDEX IF NOT EXISTS temp.\"_links,target\" ON _links (target)")
    try rows.connection.execute("DELETE FROM temp._links")
    for (owner, target) in links {
      try rows.connection.prepare("INSERT INTO temp._links (owner, target) VALUES (?, ?)")
        .run([.integer(owner), .integer(target)])
    }
    try join.check({ sql, names in try rows.connection.rows(sql, names) { $0.int64(0) }.first ?? 0 }) { difference in
      StoreError(
        .schemaMismatch,
        "\(join.name) is the other side of \(join.otherName) in the entity, and in the archive \(difference).")
    }
    try join.run { sql, names in try rows.connection.prepare(sql).run(names) }
    try rows.connection.execute("DELETE FROM temp._links")
    try endEdits(rows)
  }

  /// Removes the marks and notes of the property: edits of the relationship belong to the other side.
  private func endEdits(_ rows: RowWriter) throws {
    try rows.execution.unmark(property, of: model)
    try rows.connection.prepare("DELETE FROM \(EditNotes.table) WHERE entity = ? AND property = ?")
      .run([.text(model.name), .text(property.name)])
  }
}
