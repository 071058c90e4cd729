/// The state of the row that a write goes to.
package struct RowState {
  package let pk: Int64
  let marks: EditMarks
  package let isPlaceholder: Bool
  let uidIsNull: Bool

  /// The properties with local edits.
  package var edited: ColumnMask { marks.known }
  /// Whether anything was edited, by another version of the app too.
  package var isEdited: Bool { !marks.isEmpty }
  /// Whether the object was made here, and no answer has shown that the server has it.
  package var isMadeHere: Bool { marks.isNew }
}

/// A row under the cursor of its statement. The cursor ends with the value: where its scope ends, or where a write
/// consumes it.
///
/// An entity has one cursor by uid and one by row id. While one is open, the same finding must not run again:
/// take ``RowWriter/current(_:pk:)``, or a value, and let the cursor end first.
package struct FoundRow: ~Copyable {
  let statement: Statement
  package let row: RowState
  /// The unique values that the row gave up, and still has for all readers.
  let displaced: RowValues?
  /// The lazy values; `nil` for an entity without any.
  private let lazies: LazyCells?

  init(_ statement: Statement, _ row: RowState, displaced: RowValues?, lazies: LazyCells?) {
    self.statement = statement
    self.row = row
    self.displaced = displaced
    self.lazies = lazies
  }

  deinit { statement.reset() }

  package func link(_ property: Int) -> Int64 { statement.int64(property + EntityModel.resultOffset) }
  package func value(_ property: Int) -> StoredValue {
    if let displaced, displaced.mask.contains(property) { return displaced[property] }
    if let lazies, lazies.contains(property) { return lazies.value(property) }
    return statement.value(property + EntityModel.resultOffset)
  }
  /// Whether the row has exactly `value`.
  func has(_ value: StoredValue, _ property: Int) -> Bool {
    if let displaced, displaced.mask.contains(property) { return displaced[property].isIdentical(to: value) }
    if let lazies, lazies.contains(property) { return lazies.has(value, property) }
    return statement.column(property + EntityModel.resultOffset, equals: value)
  }
  package var pk: Int64 { row.pk }

  /// The row's values in the columns `mask`, for use after the cursor has ended.
  package consuming func read(_ model: EntityModel, _ mask: ColumnMask) -> (row: RowState, values: RowValues) {
    var values = RowValues(count: model.properties.count)
    for index in mask.indices { values[index] = value(index) }
    return (row, values)
  }
}
