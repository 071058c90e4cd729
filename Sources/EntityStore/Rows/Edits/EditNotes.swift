// The notes of local edits: the server's last value of an edited property, and the time of the edit. The marks in the
// rows decide which properties are edited. The notes follow them, within the same transaction. A row without edits has
// no notes.

/// The note of one local edit.
struct EditNote: Equatable {
  /// The server's last value of the property; `nil` where that is not known.
  var base: StoredValue?
  /// When it was last edited, in seconds since 1970.
  var time: Double?
  /// The number of the commit with the last edit; `nil` for the commit to come.
  var number: Int64?
}

/// The local edits of rows, and the deletions that the server is yet to hear of: marks in the rows, and their notes.
package final class RowEdits: RowWriterPart {
  /// Whether there are any notes of local edits, and of deletions, by the entity's number, as far as this transaction
  /// knows; see `EditNotes` and `Tombstones`.
  // Each is read or assigned in one step, so that no access needs a check.
  @exclusivity(unchecked) var hasNotes: [Bool?]
  @exclusivity(unchecked) var hasTombstones: [Bool?]
  /// How often notes of local edits or of deletions, or entries of the outbox, changed.
  var noteChanges = 0
  var areNotesChanged: Bool { noteChanges > 0 }

  override init(_ rows: RowWriter) {
    hasNotes = Array(repeating: nil, count: rows.schema.entities.count)
    hasTombstones = hasNotes
    super.init(rows)
  }

  /// Rows went back to an earlier state, or all of them went.
  func forget() {
    hasNotes = Array(repeating: nil, count: hasNotes.count)
    hasTombstones = hasNotes
  }
}

extension EditNotes {
  fileprivate static let insert = "\(into) VALUES (?, ?, ?, ?, ?, ?, ?7, ?7) \(replacing)"
  static let into = "INSERT INTO \(table) (entity, pk, property, base, has_base, time, number, made)"
  static let replacing =
    "ON CONFLICT (entity, pk, property) DO UPDATE SET base = excluded.base, has_base = excluded.has_base, "
    + "time = excluded.time, number = excluded.number, made = excluded.made"
  // No two edits of a property have the same time: an acknowledgement tells edits apart by their time.
  fileprivate static let renew =
    "UPDATE \(table) SET time = max(?, coalesce(time, 0) + 0.000001), number = ? "
    + "WHERE entity = ? AND pk = ? AND property = ?"
  static let renewBatch =
    "UPDATE \(table) AS e SET time = max(?4, coalesce(time, 0) + 0.000001), number = ?5 FROM _entity_batch(?1) v "
    + "WHERE e.entity = ?2 AND e.pk = v.pk AND e.property = ?3"
  // An edit of an object that was made here leaves the time of its insertion: an acknowledgement of the insertion
  // compares values.
  fileprivate static let renumber = "UPDATE \(table) SET number = ? WHERE entity = ? AND pk = ? AND property = ?"
  static let renumberBatch =
    "UPDATE \(table) AS e SET number = ?5 FROM _entity_batch(?1) v "
    + "WHERE e.entity = ?2 AND e.pk = v.pk AND e.property = ?3 AND ?4 IS NOT NULL"
  fileprivate static let drop = "DELETE FROM \(table) WHERE entity = ? AND pk = ? AND property = ?"
  fileprivate static let dropAll = "DELETE FROM \(table) WHERE entity = ? AND pk = ?"
}

extension RowEdits {
  /// Whether a property of a row has a local edit.
  package func isEdited(_ model: EntityModel, _ pk: Int64, _ property: Int) throws -> Bool {
    try rows.current(model, pk: pk)?.edited.contains(property) == true
  }

  /// Whether any of the rows has local edits.
  package func areEdited(_ model: EntityModel, _ pks: [Int64]) throws -> Bool {
    try pks.contains { try rows.current(model, pk: $0)?.isEdited == true }
  }

  /// Whether a new row is an object that was made here. An object whose uid came from the server was not.
  func isMadeHere(_ model: EntityModel, _ given: ColumnMask, _ source: RowSource, edited: ColumnMask) -> Bool {
    guard case .edit(let edit) = source, !model.isLinks, !rows.isOfServer, !edit.isOfResponse else {
      return false
    }
    guard let uid = model.uid else { return !edited.isEmpty || given.isEmpty }
    return !edit.fromResponse.contains(uid)
  }

  /// Brings the notes of a row in line with its marks.
  ///
  /// - Parameters:
  ///   - notes: The notes of properties that were not marked before, as far as they are known.
  ///   - renewed: The properties that were marked before and are edited again.
  func noteEdits(
    _ model: EntityModel, _ pk: Int64, from old: EditMarks, to new: EditMarks, _ notes: [Int: EditNote] = [:],
    renewed: ColumnMask = ColumnMask()
  ) throws {
    guard !model.isLinks else { return }
    if old.isNew, new.isNew {
      guard !renewed.isEmpty || !new.known.subtracting(old.known).isEmpty else { return }
      return try renumber(model, pk, ColumnMask(), isNew: true)
    }
    rows.observers.tell { $0.willChangeEdits(model, pk) }
    hasNotes[model.number] = true
    noteChanges += 1
    if new.isNew { return try insertNote(model, pk, "", EditNote(time: rows.stamp.now)) }
    var before = old.known
    var insertion: EditNote?
    if old.isNew {
      // From here on the object is one of the server's, with edits that the server does not know.
      insertion = try editNote(model, pk, "")
      try dropNote(model, pk, "")
      before = ColumnMask()
      let numbers = try insertion?.number.flatMap { try rows.outbox.numbers(of: model, pk, after: $0) }
      for index in new.known.indices where notes[index] == nil {
        let number = numbers.map { $0.effects[index] ?? $0.edits } ?? insertion?.number
        try insertNote(model, pk, model.properties[index].name, EditNote(time: insertion?.time, number: number))
      }
    }
    for index in new.known.subtracting(before).indices where !old.isNew || notes[index] != nil {
      var note = notes[index] ?? EditNote()
      if note.time == nil { note.time = rows.stamp.now }
      if note.number == nil, old.known.contains(index) { note.number = insertion?.number }
      try insertNote(model, pk, model.properties[index].name, note)
    }
    for index in renewed.intersection(new.known).intersection(before).indices {
      try connection.prepare(EditNotes.renew).run([
        .real(rows.stamp.now), .integer(rows.stamp.number()), .text(model.name), .integer(pk),
        .text(model.properties[index].name),
      ])
    }
    let ended = before.subtracting(new.known).indices.map { model.properties[$0].name }
    for name in ended { try dropNote(model, pk, name) }
    if !ended.isEmpty { try rows.outbox.endConflicts(of: RowKey(entity: model.number, pk: pk), ended) }
    if old.others != new.others {
      for name in old.otherNames where !new.otherNames.contains(name) { try dropNote(model, pk, String(name)) }
    }
  }

  /// Gives edits that have notes the number of the commit to come, because they were made again.
  ///
  /// - Parameter isNew: Whether the object was made here: then it has one note for all properties.
  func renumber(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, isNew: Bool) throws {
    guard !model.isLinks, isNew || !mask.isEmpty else { return }
    rows.observers.tell { $0.willChangeEdits(model, pk) }
    hasNotes[model.number] = true
    noteChanges += 1
    for name in isNew ? [""] : mask.indices.map({ model.properties[$0].name }) {
      try connection.prepare(EditNotes.renumber).run([
        .integer(rows.stamp.number()), .text(model.name), .integer(pk), .text(name),
      ])
    }
  }

  private func dropNote(_ model: EntityModel, _ pk: Int64, _ property: String) throws {
    try connection.prepare(EditNotes.drop).run([.text(model.name), .integer(pk), .text(property)])
  }

  private func insertNote(_ model: EntityModel, _ pk: Int64, _ property: String, _ note: EditNote) throws {
    try connection.prepare(EditNotes.insert).run([
      .text(model.name), .integer(pk), .text(property), note.base ?? .null, .integer(note.base == nil ? 0 : 1),
      note.time.map { .real($0) } ?? .null, .integer(note.number ?? rows.stamp.number()),
    ])
  }

  /// - Parameter other: Where the note is read; by default in the transaction.
  func editNote(
    _ model: EntityModel, _ pk: Int64, _ property: String, on other: Connection? = nil
  ) throws -> EditNote? {
    try (other ?? connection).rows(
      "SELECT base, has_base, time, number FROM \(EditNotes.table) WHERE entity = ? AND pk = ? AND property = ?",
      [.text(model.name), .integer(pk), .text(property)], read: EditNote.init
    ).first
  }

  /// The server's last value of an attribute in a row; `nil` where that is not known, for a placeholder, and for an
  /// object that was made here.
  package func serverValue(_ model: EntityModel, _ found: consuming FoundRow, _ property: Int) throws -> StoredValue? {
    let (row, values) = found.read(model, ColumnMask(property))
    try rows.checks.checkLazies()
    if row.isPlaceholder || row.marks.isNew { return nil }
    let value =
      row.edited.contains(property)
      ? try editNote(model, row.pk, model.properties[property].name)?.base : values[property]
    return value.flatMap { $0.isNull ? nil : $0 }
  }

  /// The row whose attribute the server last gave a value; `nil` when there is none, or several have it. A row without such a
  /// value, as one that was made here, is found by its own.
  package func row(_ model: EntityModel, named value: StoredValue, _ property: Int) throws -> Int64? {
    let name = model.properties[property].name
    let notes = "FROM \(EditNotes.table) WHERE entity = ?2 AND property = ?3 AND has_base = 1"
    let own = "SELECT _pk FROM \(model.table) WHERE \(name.quoted) = ?1"
    var (query, values) = (own, [value])
    if try hasNotes(model) {
      query = "\(own) AND _pk NOT IN (SELECT pk \(notes))"
      query += " UNION SELECT pk \(notes) AND base = ?1 AND pk IN (SELECT _pk FROM \(model.table))"
      values += [.text(model.name), .text(name)]
    }
    let found = try connection.rows(query + " LIMIT 2", values) { $0.int64(0) }
    return found.count == 1 ? found[0] : nil
  }

  /// The notes of the edited properties `mask` of a row.
  func editNotes(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws -> [Int: EditNote] {
    guard try !mask.isEmpty && hasNotes(model) else { return [:] }
    var notes: [Int: EditNote] = [:]
    for index in mask.indices { notes[index] = try editNote(model, pk, model.properties[index].name) }
    return notes
  }

  /// A row is gone.
  func dropNotes(_ model: EntityModel, _ pk: Int64) throws {
    guard try hasNotes(model) else { return }
    noteChanges += 1
    rows.observers.tell { $0.willChangeEdits(model, pk) }
    try connection.prepare(EditNotes.dropAll).run([.text(model.name), .integer(pk)])
  }

  /// The notes of properties that only another version of the app declares, or that it removed, go to the row that takes over
  /// their values.
  func moveUndeclaredNotes(_ model: EntityModel, from loser: Int64, to survivor: Int64) throws {
    guard try hasNotes(model) else { return }
    let names = try connection.rows(
      "SELECT property FROM \(EditNotes.table) WHERE entity = ? AND pk = ?", [.text(model.name), .integer(loser)]
    ) { $0.text(0) ?? "" }
    for name in names where !name.isEmpty && model.index(of: name) == nil {
      try connection.prepare(
        "UPDATE OR IGNORE \(EditNotes.table) SET pk = ? WHERE entity = ? AND pk = ? AND property = ?"
      ).run([.integer(survivor), .text(model.name), .integer(loser), .text(name)])
    }
  }

  /// Repoints bases of edited links from a row that was absorbed to the row that absorbed it.
  func moveBases(_ model: EntityModel, _ link: Int, from loser: Int64, to survivor: Int64) throws {
    guard try hasNotes(model) else { return }
    let changed = try connection.rows(
      "UPDATE \(EditNotes.table) SET base = ? WHERE entity = ? AND property = ? AND base = ? AND has_base = 1 "
        + "RETURNING pk",
      [.integer(survivor), .text(model.name), .text(model.properties[link].name), .integer(loser)]
    ) { $0.int64(0) }
    if !changed.isEmpty { noteChanges += 1 }
    for pk in changed { rows.observers.tell { $0.didChangeBases(model, pk) } }
  }

  /// Whether rows of an entity have notes. Mostly none has, and the result is kept: a response that deletes many rows
  /// asks once.
  func hasNotes(_ model: EntityModel) throws -> Bool {
    guard !model.isLinks else { return false }
    if let known = hasNotes[model.number] { return known }
    let found = try !connection.rows(
      "SELECT 1 FROM \(EditNotes.table) WHERE entity = ? LIMIT 1", [.text(model.name)]
    ) { _ in true }.isEmpty
    hasNotes[model.number] = found
    return found
  }
}

extension EditNote {
  /// - Parameter row: `base`, `has_base`, `time` and `number`.
  init(_ row: Statement) {
    base = row.int64(1) != 0 ? row.value(0) : nil
    if case .real(let seconds) = row.value(2) { time = seconds }
    number = row.int64(3)
  }
}
