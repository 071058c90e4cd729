/// Gives a file the tables of the notes of local edits and of deletions: see `EditNotes` and `Tombstones`.
///
/// The file of an earlier format names its edits in the rows: each gets a note that says that the value before is not
/// known. A row that has no uid, or whose uid is an edit, is an object that was made here.
struct EditNoteSetup {
  let schema: SchemaModel
  let connection: Connection

  /// Whether the file has the tables. One that can't be written may lack them.
  static func isDone(_ connection: Connection) throws -> Bool {
    try connection.rows(
      "SELECT count(*) FROM main.sqlite_schema WHERE name IN (?, ?)", [.text(EditNotes.name), .text(Tombstones.name)]
    ) { $0.int64(0) }.first == 2
  }

  static func create(on connection: Connection) throws {
    for sql in [EditNotes.create] + Tombstones.create { try connection.execute(sql) }
  }

  /// - Returns: Whether the file lacked them.
  func run(_ stored: StoredSchema) throws -> Bool {
    guard try !Self.isDone(connection) else { return false }
    try Self.create(on: connection)
    // The rows of removed entities too: they may come back.
    let removed = (stored.removed ?? []).map { (entity: $0.entity, name: $0.table) }
    for (entity, name) in stored.entities.map({ (entity: $0, name: $0.name) }) + removed where !entity.isLinks {
      try markInserts(entity, in: name)
      try settle(name)
      for removed in entity.removed ?? [] { try noteRemoved(removed, of: name) }
    }
    return true
  }

  /// Brings the notes in line with the marks, which are the truth: a step may have changed rows by SQL, and a list that comes
  /// back is marked again.
  func settle(_ stored: StoredSchema) throws {
    for entity in stored.entities where !entity.isLinks { try settle(entity.name) }
  }

  /// - Parameter name: The name of a table, which the notes of its rows have too.
  private func settle(_ name: String) throws {
    try run(
      "DELETE FROM \(EditNotes.table) WHERE entity = ? AND pk NOT IN (SELECT _pk FROM main.\(name.quoted))",
      [.text(name)])
    let known = try connection.rows(
      "SELECT pk, property FROM \(EditNotes.table) WHERE entity = ?", [.text(name)]
    ) { Note(pk: $0.int64(0), property: $0.text(1) ?? "") }
    let rows = try Statement("SELECT _pk, _edited FROM main.\(name.quoted) WHERE _edited IS NOT NULL", on: connection)
    defer { rows.reset() }
    var marked: Set<Note> = []
    while try rows.step() {
      let names = (rows.text(1) ?? "").split(separator: ",")
      for property in names.contains(Substring(EditMarks.new)) ? [""] : names {
        marked.insert(Note(pk: rows.int64(0), property: String(property)))
      }
    }
    for note in Set(known).subtracting(marked) where !note.isOfRemoved {
      try run(
        "DELETE FROM \(EditNotes.table) WHERE entity = ? AND pk = ? AND property = ?",
        [.text(name), .integer(note.pk), .text(note.property)])
    }
    for note in marked.subtracting(known) {
      try run(
        "INSERT INTO \(EditNotes.table) (entity, pk, property, has_base) VALUES (?, ?, ?, 0)",
        [.text(name), .integer(note.pk), .text(note.property)])
    }
  }

  private struct Note: Hashable {
    let pk: Int64
    let property: String

    /// No declared property has such a name.
    var isOfRemoved: Bool { property.hasPrefix("_") }
  }

  private func markInserts(_ entity: StoredEntity, in table: String) throws {
    guard let uid = uid(of: entity) else { return }
    let marked = "instr(',' || coalesce(_edited, '') || ',', ?2) > 0"
    try run(
      "UPDATE main.\(table.quoted) SET _edited = ?1 || coalesce(',' || _edited, '') "
        + "WHERE _placeholder = 0 AND (\(uid.quoted) IS NULL OR \(marked))",
      [.text(EditMarks.new), .text(",\(uid),")])
  }

  /// The edits of a property that was removed are marked in a column of their own.
  private func noteRemoved(_ removed: RemovedProperty, of table: String) throws {
    guard let marks = removed.marks else { return }
    try run(
      "INSERT INTO \(EditNotes.table) (entity, pk, property, has_base) SELECT ?1, _pk, ?2, 0 FROM main.\(table.quoted) "
        + "WHERE \(marks.quoted) = 1",
      [.text(table), .text(removed.column)])
  }

  private func run(_ sql: String, _ values: [StoredValue]) throws {
    try Statement(sql, on: connection).run(values)
  }

  private func uid(of entity: StoredEntity) -> String? {
    if let own = entity[PropertyModel.compositeName] ?? entity.properties.first(where: \.isUID) { return own.name }
    // An entity may have another unique property as its uid.
    guard let model = schema.entities.first(where: { $0.name == entity.name }), let uid = model.uid else { return nil }
    let name = model.properties[uid].name
    return entity[name] == nil ? nil : name
  }
}
