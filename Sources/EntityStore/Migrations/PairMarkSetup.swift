/// Brings a file whose many-to-many edits name the whole list in the row to marks in the pairs.
struct PairMarkSetup {
  let schema: SchemaModel
  let connection: Connection

  /// The many-to-many relationships of a file whose pairs may lack marks: in a file of format 1 all of them, else those
  /// without a table of removed pairs.
  func unmarked(_ stored: StoredSchema, format: Int64) throws -> [StoredEntity] {
    try stored.entities.filter { try $0.isLinks && (format < 2 || !hasTable($0)) }
  }

  /// Whether the file has the table of removed pairs.
  private func hasTable(_ links: StoredEntity) throws -> Bool {
    let sql = "SELECT 1 FROM main.sqlite_schema WHERE name = ?"
    return try !connection.rows(sql, [.text(links.removedName)]) { _ in true }.isEmpty
  }

  /// Adds the table of removed pairs, and marks the pairs of the lists that rows name as edited and that have no mark.
  ///
  /// The file does not say which pairs the edit added or took out: all that are in the list count as added, and all
  /// others as taken out, until the list is acknowledged.
  func add(to stored: StoredEntity) throws {
    if try !hasTable(stored) {
      for sql in DDL.removedPairs(stored) { try connection.execute(sql) }
    }
    guard let links = schema.entities.first(where: { $0.name == stored.name }) else { return }
    for side in links.ends {
      guard case .toOne(let entity, let list?, _) = side.kind else { continue }
      let own = side.name.quoted
      let rows = try unmarkedRows(links, side, schema.entities[entity], list)
      let mark = try connection.prepare(
        "UPDATE \(links.table) SET _edited = CASE WHEN _edited IS NULL THEN ? ELSE 'owner,member' END WHERE \(own) = ?")
      let remove = try connection.prepare("INSERT INTO \(links.removedTable) (_edited, \(own)) VALUES (?, ?)")
      for pk in rows {
        try mark.run([.text(side.name), .integer(pk)])
        try remove.run([.text(side.name), .integer(pk)])
      }
    }
  }

  /// The rows that name a list as edited of which no pair is marked.
  private func unmarkedRows(
    _ links: EntityModel, _ side: PropertyModel, _ model: EntityModel, _ list: Int
  ) throws -> [Int64] {
    let isUnmarked = [links.table, links.removedTable].map {
      "NOT EXISTS (SELECT 1 FROM \($0) AS p WHERE p.\(side.name.quoted) = r._pk AND instr(p._edited, ?2) > 0)"
    }
    return try connection.rows(
      "SELECT r._pk FROM \(model.table) AS r WHERE instr(',' || r._edited || ',', ',' || ?1 || ',') > 0 AND "
        + isUnmarked.joined(separator: " AND "),
      [.text(model.properties[list].name), .text(side.name)]
    ) { $0.int64(0) }
  }
}
