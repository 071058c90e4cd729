/// The links of an archive whose column is the other side of a one-to-one relationship in the app.
struct ArchivedLinks {
  let model: EntityModel
  let property: PropertyModel
  var links: [(owner: Int64, target: Int64)] = []
}

extension RowWriter {
  /// Sets the links of the other side, as the file of such a version is changed when it is opened.
  ///
  /// - Throws: ``StoreError`` of kind `schemaMismatch` where the two contradict each other.
  func join(_ archived: ArchivedLinks) throws {
    guard let join = OneToOneJoin(archived.model, archived.property, schema, links: "temp._links") else { return }
    try connection.execute(
      "CREATE TEMP TABLE IF NOT EXISTS _links (owner INTEGER PRIMARY KEY, target INTEGER NOT NULL)")
    try connection.execute("CREATE INDEX IF NOT EXISTS temp.\"_links,target\" ON _links (target)")
    try connection.execute("DELETE FROM temp._links")
    for (owner, target) in archived.links {
      try connection.prepare("INSERT INTO temp._links (owner, target) VALUES (?, ?)")
        .run([.integer(owner), .integer(target)])
    }
    try join.check({ sql, names in try connection.rows(sql, names) { $0.int64(0) }.first ?? 0 }) { difference in
      StoreError(
        .schemaMismatch,
        "\(join.name) is the other side of \(join.otherName) in the entity, and in the archive \(difference).")
    }
    try join.run { sql, names in try connection.prepare(sql).run(names) }
    try connection.execute("DELETE FROM temp._links")
    try endEdits(archived.model, archived.property)
  }

  /// The property has no edits of its own: they are those of the other side.
  private func endEdits(_ model: EntityModel, _ property: PropertyModel) throws {
    try connection.prepare(
      "UPDATE \(model.table) SET _edited = nullif(trim(replace(',' || _edited || ',', ?1, ','), ','), '') "
        + "WHERE instr(',' || _edited || ',', ?1) > 0"
    ).run([.text(",\(property.name),")])
    try connection.prepare("DELETE FROM \(EditNotes.table) WHERE entity = ? AND property = ?")
      .run([.text(model.name), .text(property.name)])
  }
}
