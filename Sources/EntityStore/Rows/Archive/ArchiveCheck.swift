/// Checks that the rows of an archive are consistent, once all of them are written. SQLite itself checks the links and
/// the unique values.
struct ArchiveCheck {
  let connection: Connection
  let schema: SchemaModel

  /// - Throws: ``StoreError`` of kind `damagedArchive`.
  func run() throws {
    for model in schema.declared {
      let name: [StoredValue] = [.text(model.name)]
      try refuse(lostNotes(model), "it has a note of an edit that no row of '\(model.name)' has", name)
      try refuse(lostMarks(model), "a row of '\(model.name)' has edits without notes, or one of them twice", name)
      try refuse(deletedRows(model), "a row of '\(model.name)' is there, and noted as deleted", name)
      try refuse(
        OutboxTable.lost(model.table), "an entry of the outbox is about a row of '\(model.name)' that is not there",
        name)
      try refuse(namelessPlaceholders(model), "a placeholder of '\(model.name)' has no uid", [])
    }
    for model in schema.pairs {
      try refuse(removedPairs(model), "a pair of '\(model.name)' is there, and noted as taken out", [])
    }
  }

  private func refuse(_ sql: String?, _ reason: String, _ values: [StoredValue]) throws {
    guard let sql else { return }
    let isFound = try !connection.rows("\(sql) LIMIT 1", values) { _ in true }.isEmpty
    if isFound { throw StoreError.damagedArchive(reason) }
  }

  private func lostNotes(_ model: EntityModel) -> String {
    "SELECT 1 FROM \(EditNotes.table) AS _note LEFT JOIN \(model.table) AS _row ON _row._pk = _note.pk "
      + "WHERE _note.entity = ? AND NOT coalesce(CASE WHEN \(Self.isNew) THEN _note.property = '' "
      + "ELSE instr(',' || _row._edited || ',', ',' || _note.property || ',') > 0 END, 0)"
  }

  /// A row that was made here has one note. Any other row has one note for each mark.
  private func lostMarks(_ model: EntityModel) -> String {
    "SELECT 1 FROM \(model.table) AS _row WHERE _row._edited IS NOT NULL AND "
      + "(SELECT count(*) FROM \(EditNotes.table) AS _note WHERE _note.entity = ? AND _note.pk = _row._pk) <> "
      + "CASE WHEN \(Self.isNew) THEN 1 ELSE length(_row._edited) - length(replace(_row._edited, ',', '')) + 1 END"
  }

  private static let isNew = "instr(',' || _row._edited || ',', ',\(EditMarks.new),') > 0"

  private func deletedRows(_ model: EntityModel) -> String? {
    guard let uid = model.uid else { return nil }
    return "SELECT 1 FROM \(Tombstones.table) AS _note WHERE _note.entity = ? AND EXISTS (SELECT 1 FROM \(model.table) "
      + "AS _row WHERE _row._pk = _note.pk OR _row.\(model.properties[uid].name.quoted) = _note.uid)"
  }

  private func namelessPlaceholders(_ model: EntityModel) -> String? {
    guard model.hasPlaceholders, let uid = model.uid else { return nil }
    return "SELECT 1 FROM \(model.table) WHERE _placeholder = 1 AND \(model.properties[uid].name.quoted) IS NULL"
  }

  private func removedPairs(_ links: EntityModel) -> String {
    let names = links.ends.map(\.name.quoted)
    return "SELECT 1 FROM \(links.removedTable) AS _removed JOIN \(links.table) AS _pair ON "
      + names.map { "_pair.\($0) = _removed.\($0)" }.joined(separator: " AND ")
  }
}
