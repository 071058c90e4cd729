/// Brings a file whose many-to-many edits name the whole list in the row to marks in the pairs.
struct PairMarkSetup {
  let schema: SchemaModel
  let connection: Connection

  /// Adds the table of removed pairs, and marks the pairs of the lists that rows name as edited.
  ///
  /// Which pairs the edit added or took out is not known: all that are in the list count as added, and all others as
  /// taken out, until the list is acknowledged.
  func add(to links: EntityModel) throws {
    for sql in DDL.removedPairs(links, schema) { try connection.execute(sql) }
    for side in links.properties {
      guard case .toOne(let entity, let list?, _) = side.kind else { continue }
      let model = schema.entities[entity]
      let edited = "FROM \(model.table) WHERE instr(',' || _edited || ',', ',' || ?1 || ',') > 0"
      let name = StoredValue.text(model.properties[list].name)
      let mark = side.index == 0 ? "'owner'" : "CASE WHEN _edited IS NULL THEN 'member' ELSE 'owner,member' END"
      try connection.prepare(
        "UPDATE \(links.table) SET _edited = \(mark) WHERE \(side.name.quoted) IN (SELECT _pk \(edited))"
      ).run([name])
      try connection.prepare(
        "INSERT INTO \(links.removedTable) (_edited, \(side.name.quoted)) SELECT '\(side.name)', _pk \(edited)"
      ).run([name])
    }
  }
}
