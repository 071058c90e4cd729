// The notes of local edits of rows that go to the file together.

extension RowEdits {
  /// Whether rows of an entity may get marks from a source.
  func givesMarks(to model: EntityModel, _ source: RowSource) -> Bool {
    guard let edit = source.edit, !rows.isOfServer else { return false }
    // A new object with nothing but lists is marked as made here.
    return model.stored.isEmpty || !model.stored.subtracting(edit.fromResponse).isEmpty
  }

  /// Notes edits of rows that are there, before they are written: the table has the server's values.
  ///
  /// - Parameter marks: The marks of the rows.
  func noteUpdates(of batch: RowBatch, _ order: [UInt32], _ edited: ColumnMask, over marks: EditMarks) throws {
    guard !edited.isEmpty else { return }
    noteChanges(of: batch, order)
    let model = batch.model
    if marks.isNew { return try run(connection.prepare(EditNotes.renumberBatch), of: batch, order, "") }
    for index in edited.subtracting(marks.known).indices {
      let statement = try rows.statements.batch(.noteBases, of: model, ColumnMask(index), on: connection) {
        "\(EditNotes.into) SELECT ?2, t._pk, ?3, t.\(model.properties[index].name.quoted), 1, ?4, ?5, ?5 "
          + "FROM _entity_batch(?1) v CROSS JOIN \(model.table) t ON t._pk = v.pk WHERE true \(EditNotes.replacing)"
      }
      try run(statement, of: batch, order, model.properties[index].name)
    }
    let again = edited.intersection(marks.known)
    guard !again.isEmpty else { return }
    let statement = try connection.prepare(EditNotes.renewBatch)
    for index in again.indices { try run(statement, of: batch, order, model.properties[index].name) }
  }

  /// Notes that new rows have edits, or are of objects that were made here.
  func noteInsertions(of batch: RowBatch, _ order: [UInt32], _ marks: EditMarks) throws {
    guard !marks.isEmpty else { return }
    noteChanges(of: batch, order)
    let statement = try connection.prepare(
      "\(EditNotes.into) SELECT ?2, v.pk, ?3, NULL, 0, ?4, ?5, ?5 FROM _entity_batch(?1) v WHERE true "
        + EditNotes.replacing)
    let names = marks.isNew ? [""] : marks.known.indices.map { batch.model.properties[$0].name }
    for name in names { try run(statement, of: batch, order, name) }
  }

  private func run(_ statement: Statement, of batch: RowBatch, _ order: [UInt32], _ property: String) throws {
    try statement.bind(.text(batch.model.name), at: 2)
    try statement.bind(.text(property), at: 3)
    try statement.bind(.real(rows.stamp.now), at: 4)
    try statement.bind(.integer(rows.stamp.number()), at: 5)
    try batch.lend(order) { try statement.run(&$0) }
  }

  private func noteChanges(of batch: RowBatch, _ order: [UInt32]) {
    hasNotes[batch.model.number] = true
    noteChanges += order.count
    for row in order { rows.observers.tell { $0.willChangeEdits(batch.model, batch.pks[Int(row)]) } }
  }
}
