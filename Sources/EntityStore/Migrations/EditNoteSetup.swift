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
      "SELECT count(*) FROM main.sqlite_schema WHERE name IN (?, ?)",
      [
        .text(EditNotes.name), .text(Tombstones.name),
      ]
    ) { $0.int64(0) }.first == 2
  }

  static func create(on connection: Connection) throws {
    for sql in [EditNotes.create] + Tombstones.create { try connection.execute(sql) }
  }

  /// - Returns: Whether the file lacked them.
  func run(_ stored: StoredSchema) throws -> Bool {
    guard try !Self.isDone(connection) else { return false }
    try Self.create(on: connection)
    for entity in stored.entities where !entity.isLinks { try note(entity) }
    return true
  }

  private func note(_ entity: StoredEntity) throws {
    if let uid = uid(of: entity) {
      let marked = "instr(',' || coalesce(_edited, '') || ',', ?2) > 0"
      try connection.prepare(
        "UPDATE \(entity.table) SET _edited = ?1 || coalesce(',' || _edited, '') "
          + "WHERE _placeholder = 0 AND (\(uid.quoted) IS NULL OR \(marked))"
      ).run([.text(EditMarks.new), .text(",\(uid),")])
    }
    let rows = try connection.rows(
      "SELECT _pk, _edited FROM \(entity.table) WHERE _edited IS NOT NULL", read: { ($0.int64(0), $0.text(1) ?? "") })
    let insert = try connection.prepare(
      "INSERT INTO \(EditNotes.table) (entity, pk, property, has_base) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING")
    for (pk, names) in rows {
      let names = names.split(separator: ",")
      for name in names.contains(Substring(EditMarks.new)) ? [""] : names {
        try insert.run([.text(entity.name), .integer(pk), .text(String(name))])
      }
    }
  }

  private func uid(of entity: StoredEntity) -> String? {
    if let own = entity.properties.first(where: \.isUID) { return own.name }
    // An entity may have another unique property as its uid.
    guard let model = schema.entities.first(where: { $0.name == entity.name }), let uid = model.uid else { return nil }
    let name = model.properties[uid].name
    return entity[name] == nil ? nil : name
  }
}
