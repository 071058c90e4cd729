// The marks of local edits in a row, where no value changes with them.

extension RowEdits {
  /// Marks columns as acknowledged: the server has them, and later answers may change them.
  ///
  /// An acknowledged uid shows that the server has an object that was made here. For an object without uid, any
  /// acknowledged column shows that.
  ///
  /// - Parameter endsInsertion: Whether other signs show that the server has the object.
  package func acknowledge(
    _ model: EntityModel, pk: Int64, _ mask: ColumnMask, endsInsertion: Bool = false
  ) throws {
    guard let row = try rows.current(model, pk: pk) else { return }
    var marks = row.marks
    marks.known.subtract(mask)
    let ended = row.edited.intersection(mask)
    let isNamed =
      model.uid == nil
      ? !ended.isEmpty : !ended.intersection(model.identity).isEmpty && marks.known.intersection(model.identity).isEmpty
    if endsInsertion || isNamed { marks.isNew = false }
    // No value changed, but an object that holds the row must learn that its columns are open to answers again.
    try setMarks(model, row, marks, told: ended)
  }

  /// Names a list as edited in its row. When an object without uid is taken out of the list, nothing else is left that
  /// would show the edit.
  func markEdited(_ model: EntityModel, _ pk: Int64, _ list: Int) throws {
    guard let row = try rows.current(model, pk: pk) else { return }
    var marks = row.marks
    marks.known.formUnion(ColumnMask(list))
    // The list was edited once more.
    if marks == row.marks { try renumber(model, pk, ColumnMask(list), isNew: marks.isNew) }
    try setMarks(model, row, marks, told: ColumnMask(list))
  }

  func setMarks(_ model: EntityModel, _ row: RowState, _ marks: EditMarks, told: ColumnMask) throws {
    guard marks != row.marks else { return }
    try rows.write(model, row.pk, ColumnMask(), RowValues(count: 0), edited: marks, fills: false)
    try noteEdits(model, row.pk, from: row.marks, to: marks)
    rows.note(model, row.pk, .updated, told, .effect)
  }
}
