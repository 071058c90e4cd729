/// The notes of local edits and of deletions in a file, and the entries of the outbox: see `EditNotes`, `Tombstones` and
/// `OutboxTable`.
struct EditNoteSetup {
  let connection: Connection

  static func create(on connection: Connection) throws {
    for sql in [EditNotes.create, VersionTable.create] + Tombstones.create + OutboxTable.create {
      try connection.execute(sql)
    }
  }

  /// Brings the notes in line with the rows and their marks, which decide: a step may have changed rows by SQL, and a list that
  /// comes back gets its marks again.
  func settle(_ stored: StoredSchema) throws {
    for entity in stored.declared {
      try settle(entity.name)
      let uid = entity.uid == nil ? entity.properties.first(where: \.isUID)?.name : PropertyModel.compositeName
      if let uid { try endDeletions(entity.name, uid) }
    }
  }

  /// Ends the deletions of objects whose uids rows have by now: sent, they would delete these rows' objects.
  private func endDeletions(_ name: String, _ uid: String) throws {
    let ended =
      "(SELECT pk FROM \(Tombstones.table) WHERE entity = ?1 AND uid IN (SELECT \(uid.quoted) FROM main.\(name.quoted)))"
    // Those that others caused come first: SQLite 3.40 deletes the rows of one side of an OR before it looks for the others.
    let all = "\(Tombstones.table) WHERE cause IN \(ended) OR pk IN \(ended)"
    try run("DELETE FROM \(VersionTable.table) WHERE pk IN (SELECT pk FROM \(all))", [.text(name)])
    try run("DELETE FROM \(all)", [.text(name)])
  }

  /// - Parameter name: The name of a table, which is also in the notes of its rows.
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
    let unnoted = marked.subtracting(known)
    guard !unnoted.isEmpty else { return }
    let number = try connection.generation() + 1
    for note in unnoted {
      try run(
        "INSERT INTO \(EditNotes.table) (entity, pk, property, has_base, number, made) VALUES (?, ?, ?, 0, ?4, ?4)",
        [.text(name), .integer(note.pk), .text(note.property), .integer(number)])
    }
  }

  private struct Note: Hashable {
    let pk: Int64
    let property: String

    /// No declared property has such a name.
    var isOfRemoved: Bool { property.hasPrefix("_") }
  }

  private func run(_ sql: String, _ values: [StoredValue]) throws {
    try Statement(sql, on: connection).run(values)
  }
}
