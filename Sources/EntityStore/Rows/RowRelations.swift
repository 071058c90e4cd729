// Questions about relationships, for the mapping of responses onto rows.

extension RowWriter {
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
      model, pk: pk, row, .effect, isPlaceholder: model.hasPlaceholders, hasFreeUID: true)
    if outcome.isInserted { inserted(pk) }
    return pk
  }

  /// The rows whose to-one property `property` holds `pk`, in a fixed order, and whether any of them has local edits.
  package func holders(
    _ model: EntityModel, _ property: Int, of pk: Int64
  ) throws -> (rows: [Int64], areEdited: Bool) {
    var areEdited = false
    let rows = try connection.rows(
      "SELECT _pk, _edited FROM \(model.table) WHERE \(model.properties[property].name.quoted) = ? "
        + "ORDER BY \(model.linkOrder(property))",
      [.integer(pk)]
    ) { row in
      areEdited = areEdited || !row.isNull(1)
      return row.int64(0)
    }
    return (rows, areEdited)
  }

  /// Whether any of the rows has local edits.
  package func areEdited(_ model: EntityModel, _ pks: [Int64]) throws -> Bool {
    try pks.contains { try current(model, pk: $0)?.isEdited == true }
  }

  /// Sets one to-one property of a row, 0 for none: a response that takes an object out of a list lacks the object.
  package func setLink(_ model: EntityModel, _ pk: Int64, _ property: Int, to target: Int64, _ source: RowSource) throws
  {
    guard let found = try find(model, pk: pk) else { return }
    var row = RowValues(count: model.properties.count)
    row.setLink(target, property)
    _ = try update(model, found, row, source, fills: false, isShown: target != 0)
  }
}
