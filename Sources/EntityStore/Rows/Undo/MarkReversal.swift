/// The marks and notes of a row's local edits after the row went back to what it was before a save.
struct MarkReversal {
  private let rows: RowWriter
  private let model: EntityModel
  private let pk: Int64
  private let notes: SaveImage.Notes?
  private let (present, reverted): (EditMarks, EditMarks)
  /// Whether the marks and notes are those after the save, and no request carries them: then they go back byte by byte.
  private let isExact: Bool
  private var found: [Int: EditNote] = [:]
  /// The properties with one more edit that were marked before.
  private var again = ColumnMask()
  private let isWritten: Bool
  /// The marks that the row gets, as text.
  let text: StoredValue

  /// The properties whose marks change.
  var changed: ColumnMask { present.known.subtracting(reverted.known).union(reverted.known.subtracting(present.known)) }
  /// The properties that are no longer marked.
  var left: ColumnMask { present.known.subtracting(reverted.known) }

  /// A row that a save changed.
  struct Row {
    let key: RowKey
    let table: ImageTable
    /// The cells that the save changed.
    let cells: [SaveImage.Cell]
    /// The present values.
    let values: [StoredValue]
    /// The notes that the save changed.
    let notes: SaveImage.Notes?
  }

  /// - Parameter isSent: Whether a request carries edits of the object.
  init(_ rows: RowWriter, of row: Row, isSent: Bool) throws {
    let (key, table, cells, values, notes) = (row.key, row.table, row.cells, row.values, row.notes)
    let model = table.model
    (self.rows, self.model, pk, self.notes) = (rows, model, key.pk, notes)
    let marks = cells.first { $0.column == table.marks }
    let (before, after) = (marks?.before ?? .null, marks?.after ?? .null)
    let noted = model.isLinks ? [:] : try rows.connection.notes(model, key.pk)
    present = table.marks(of: values)
    isWritten = cells.contains { $0.column != table.marks }
    isExact = !isSent && values[table.marks].isIdentical(to: after) && (notes.map { $0.areAfter(noted) } ?? true)
    guard !isExact else {
      reverted = model.marks(of: before)
      text = before
      return
    }
    let (old, new) = (model.marks(of: before), model.marks(of: after))
    var result = present
    if new.isNew == present.isNew { result.isNew = old.isNew }
    var written = ColumnMask()
    for cell in cells { if let index = table.properties[cell.column] { written.insert(index) } }
    written.subtract(model.unmarked)
    for index in old.known.union(new.known).union(written).indices {
      let name = model.properties[index].name
      let property = Property(
        wasMarked: old.known.contains(index), isMarkedBySave: new.known.contains(index),
        isMarked: present.known.contains(index), isWritten: written.contains(index),
        isHeard: isSent || notes.map { $0.after[name]?.prefix(2) != noted[name]?.prefix(2) } ?? false,
        isOfServer: new.isNew && (isSent || !present.isNew))
      switch property.mark {
      case .asItIs: continue
      case .none: result.known.remove(index)
      case .edit:
        result.known.insert(index)
        // As of each saved edit of a lazy value, the note has none.
        if property.isMarked {
          again.insert(index)
        } else {
          found[index] = EditNote(base: model.lazy.contains(index) ? nil : table.places[index].map { values[$0] })
        }
      case .former:
        result.known.insert(index)
        if let note = notes?.before[name] { found[index] = EditNote(note: note) }
      }
    }
    reverted = result
    text = model.names(result)
  }

  /// A property of the row, and the mark that the property has after the way back:
  ///
  /// | marked before | marked by the save | | mark |
  /// |---|---|---|---|
  /// | no | yes | and nothing was heard of it since | none |
  /// | yes | yes | and nothing was heard of it since | as it is |
  /// | | yes | and the server has the edit, or will have it | one more edit |
  /// | | no | of an object that the server has got from the save | one more edit |
  /// | yes | no | | the former one |
  private struct Property {
    enum Mark { case asItIs, none, edit, former }

    let wasMarked: Bool
    let isMarkedBySave: Bool
    let isMarked: Bool
    /// Whether the save wrote its column.
    let isWritten: Bool
    /// Whether a request carries it, or the server said another value since.
    let isHeard: Bool
    /// Whether the save made the object, and the server has it or will have it.
    let isOfServer: Bool

    var mark: Mark {
      if isMarkedBySave, isMarked, !isHeard { return wasMarked ? .asItIs : .none }
      if isMarkedBySave || isWritten && isOfServer {
        return isWritten || wasMarked != isMarkedBySave ? .edit : .asItIs
      }
      return wasMarked && !isMarked ? .former : .asItIs
    }
  }

  func writeNotes() throws {
    if isExact {
      if let notes { try rows.edits.replaceNotes(model, pk, notes) }
    } else {
      if reverted != present { try rows.edits.noteEdits(model, pk, from: present, to: reverted, found) }
      if reverted.isNew {
        if isWritten { try rows.edits.renumber(model, pk, ColumnMask(), isNew: true) }
      } else {
        try rows.edits.renumber(model, pk, again, isNew: false)
      }
    }
  }
}

extension EditNote {
  /// The note of an edit that is there again, which is one more edit.
  ///
  /// - Parameter values: `base`, `has_base` and `time`.
  fileprivate init(note values: [StoredValue]) {
    base = values[1] == .integer(1) ? values[0] : nil
    if case .real(let seconds) = values[2] { time = seconds }
  }
}

extension RowEdits {
  /// Gives a row the notes from before a save in place of its present notes. A note that the save changed has the
  /// number of the commit to come: the way back is one more edit.
  func replaceNotes(_ model: EntityModel, _ pk: Int64, _ notes: SaveImage.Notes) throws {
    guard !model.isLinks else { return }
    hasNotes[model.number] = true
    try dropNotes(model, pk)
    for (property, values) in notes.before.sorted(by: { $0.key < $1.key }) {
      var values = values
      if notes.after[property] != values { values[3] = .integer(try rows.stamp.number()) }
      try connection.prepare("\(EditNotes.into) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .run([.text(model.name), .integer(pk), .text(property)] + values)
    }
  }

  /// Gives a row the note of its deletion that an image has. The row gets none where another row has the uid, or where
  /// another deletion of the uid is noted that stays.
  ///
  /// - Parameters:
  ///   - note: The note, which gets the number of the commit to come; `nil` for none.
  ///   - leaving: The rows whose deletions are taken out, too. One of them with the uid had taken this deletion over.
  func replaceTombstone(
    _ model: EntityModel, _ pk: Int64, _ note: DeletionNote?, leaving: Set<RowKey>
  ) throws {
    rows.observers.tell { $0.willChangeDeletion(model, pk) }
    try rows.collections.noteRow(model, pk)
    hasTombstones[model.number] = true
    noteChanges += 1
    let (entity, row) = (StoredValue.text(model.name), StoredValue.integer(pk))
    guard var note else {
      return try connection.prepare("DELETE FROM \(Tombstones.table) WHERE entity = ? AND pk = ?").run([entity, row])
    }
    guard try rows.current(model, uid: note.uid) == nil else { return }
    if let other = try deletedRow(model, note.uid), other != pk {
      guard leaving.contains(RowKey(entity: model.number, pk: other)) else { return }
      try takeOver(model, from: other, to: pk)
    }
    note.number = try rows.stamp.number()
    try connection.prepare("INSERT OR IGNORE \(DeletionNote.into)").run([entity, row] + note.values)
  }
}
