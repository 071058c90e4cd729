extension RowWriter {
  /// The row with a uid; `nil` when there is none.
  package func find(_ model: EntityModel, uid: StoredValue) throws -> FoundRow? {
    guard let statement = try statements.select(byUIDOf: model, on: connection) else { return nil }
    return try find(model, statement, uid)
  }

  package func find(_ model: EntityModel, pk: Int64) throws -> FoundRow? {
    try find(model, statements.select(byPKOf: model, on: connection), .integer(pk))
  }

  /// The state of the row with a uid, without a cursor on it.
  package func current(_ model: EntityModel, uid: StoredValue) throws -> RowState? { try find(model, uid: uid)?.row }

  package func current(_ model: EntityModel, pk: Int64) throws -> RowState? { try find(model, pk: pk)?.row }

  func exists(_ model: EntityModel, _ pk: Int64) throws -> Bool {
    try current(model, pk: pk) != nil
  }

  private func find(_ model: EntityModel, _ statement: Statement, _ value: StoredValue) throws -> FoundRow? {
    try statement.bind(value, at: 1)
    guard try statement.step() else {
      statement.reset()
      return nil
    }
    let pk = statement.int64(0)
    let displaced = uniqueness.displaced[RowKey(entity: model.number, pk: pk)]
    return FoundRow(
      statement,
      RowState(
        pk: pk, marks: model.edited(statement),
        isPlaceholder: model.hasPlaceholders && statement.int64(2) != 0,
        uidIsNull: model.uid.map {
          statement.isNull($0 + EntityModel.resultOffset) && displaced?.mask.contains($0) != true
        } ?? true), displaced: displaced, lazies: model.lazy.isEmpty ? nil : LazyCells(model, pk, self))
  }

  // MARK: Relationships

  /// The row that a uid names. For an unknown uid a placeholder is made, or an object where the entity has nothing but
  /// a uid.
  ///
  /// - Parameter inserted: Called with the row of a new object.
  package func row(_ model: EntityModel, uid: StoredValue, inserted: (Int64) -> Void = { _ in }) throws -> Int64 {
    if let known = try current(model, uid: uid) { return known.pk }
    guard let index = model.uid else { return 0 }
    var row = RowValues(count: model.properties.count)
    row[index] = uid
    let pk = try newPrimaryKey()
    let outcome = try insert(
      model, pk: pk, row, .effect, model.hasPlaceholders ? [.placeholder, .freeUID] : .freeUID)
    if outcome.isInserted { inserted(pk) }
    return pk
  }

  /// Sets one to-one property of a row; 0 clears it. A response that takes an object out of a list does not have the
  /// object.
  package func setLink(_ model: EntityModel, _ pk: Int64, _ property: Int, to target: Int64, _ source: RowSource) throws
  {
    guard let found = try find(model, pk: pk) else { return }
    var row = RowValues(count: model.properties.count)
    row.setLink(target, property)
    _ = try update(model, found, row, source, target == 0 ? [.leavesPlaceholder, .unshown] : .leavesPlaceholder)
  }
}

extension RowEdits {
  /// The only row whose attributes have these values on the server; `nil` where no row has them, or several do.
  package func onlyRow(_ model: EntityModel, having values: [(property: Int, value: StoredValue)]) throws -> Int64? {
    guard !values.isEmpty else { return nil }
    let names = values.map { model.properties[$0.property].name }
    func conditions(_ condition: (String, _ parameter: String) -> String, _ separator: String) -> String {
      names.enumerated().map { condition($1, "?\($0 + 2)") }.joined(separator: separator)
    }
    // A row is found by an index of a column. The edited rows, which are few, are found by their notes.
    var query = "SELECT _pk FROM \(model.table) WHERE \(conditions({ "\($0.quoted) = \($1)" }, " AND "))"
    if try hasNotes(model) {
      query +=
        " UNION SELECT pk FROM \(EditNotes.table) WHERE entity = ?1 AND has_base = 1 AND "
        + "(\(conditions({ "property = \($0.literal) AND base = \($1)" }, " OR ")))"
    }
    let candidates = try connection.rows(query, [.text(model.name)] + values.map(\.value)) { $0.int64(0) }
    let mask = values.reduce(into: ColumnMask()) { $0.insert($1.property) }
    var only: Int64?
    for pk in candidates {
      let known = try serverValues(model, pk, mask)
      guard values.allSatisfy({ known.mask.contains($0.property) && known[$0.property] == $0.value }),
        try rows.current(model, pk: pk)?.isMadeHere == false
      else { continue }
      guard only == nil else { return nil }
      only = pk
    }
    return only
  }
}
