// The marks of local edits in a row, where no value changes with them.

extension RowWriter {
  /// Marks columns as acknowledged: the server has them, and later answers may change them.
  package func acknowledge(_ model: EntityModel, pk: Int64, _ mask: ColumnMask) throws {
    guard let row = try current(model, pk: pk) else { return }
    // No value changed, but an object that holds the row must learn that its columns are open to answers again.
    try setEdited(model, row, row.edited.subtracting(mask), told: row.edited.intersection(mask))
  }

  /// Names a list as edited in its row. An object without uid was taken out of it: of that one nothing is left in the list
  /// that would tell.
  func markEdited(_ model: EntityModel, _ pk: Int64, _ list: Int) throws {
    guard let row = try current(model, pk: pk) else { return }
    try setEdited(model, row, row.edited.union(ColumnMask(list)), told: ColumnMask(list))
  }

  private func setEdited(_ model: EntityModel, _ row: Current, _ edited: ColumnMask, told: ColumnMask) throws {
    guard edited != row.edited else { return }
    let marks = EditMarks(known: edited, others: row.marks.others)
    try write(model, row.pk, ColumnMask(), RowValues(count: 0), edited: marks, fills: false)
    note(model, row.pk, .updated, told, .effect)
  }
}
