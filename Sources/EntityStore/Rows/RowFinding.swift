extension RowWriter {
  /// What is known of the row that a write goes to.
  package struct Current {
    package let pk: Int64
    let marks: EditMarks
    package let isPlaceholder: Bool
    let uidIsNull: Bool

    /// The properties with local edits.
    package var edited: ColumnMask { marks.known }
    /// Whether anything was edited, by another version of the app too.
    package var isEdited: Bool { !marks.isEmpty }
  }

  /// The row with a uid; `nil` when there is none.
  package func find(_ model: EntityModel, uid: StoredValue) throws -> Found? {
    guard let statement = try statements.select(byUIDOf: model, on: connection) else { return nil }
    return try find(model, statement, uid)
  }

  package func find(_ model: EntityModel, pk: Int64) throws -> Found? {
    try find(model, statements.select(byPKOf: model, on: connection), .integer(pk))
  }

  private func find(_ model: EntityModel, _ statement: Statement, _ value: StoredValue) throws -> Found? {
    try statement.bind(value, at: 1)
    guard try statement.step() else {
      statement.reset()
      return nil
    }
    let pk = statement.int64(0)
    let displaced = displaced[RowKey(entity: model.number, pk: pk)]
    return Found(
      statement: statement,
      row: Current(
        pk: pk, marks: model.edited(statement),
        isPlaceholder: model.hasPlaceholders && statement.int64(2) != 0,
        uidIsNull: model.uid.map {
          statement.isNull($0 + EntityModel.resultOffset) && displaced?.mask.contains($0) != true
        } ?? true), displaced: displaced)
  }

  /// A row under the cursor of its statement. It is used up by a write, or let go by `release`.
  package struct Found {
    let statement: Statement
    package let row: Current
    /// The values that the row gave up, and has all the same.
    var displaced: RowValues?

    package func link(_ property: Int) -> Int64 { statement.int64(property + EntityModel.resultOffset) }
    package func value(_ property: Int) -> StoredValue {
      if let displaced, displaced.mask.contains(property) { return displaced[property] }
      return statement.value(property + EntityModel.resultOffset)
    }
    /// Whether the row has exactly `value`.
    func has(_ value: StoredValue, _ property: Int) -> Bool {
      if let displaced, displaced.mask.contains(property) { return displaced[property].isIdentical(to: value) }
      return statement.column(property + EntityModel.resultOffset, equals: value)
    }
    package func release() { statement.reset() }
    package var pk: Int64 { row.pk }
  }
}
