// Changes of many rows at once, of which no object is made.

/// New values for rows that a query found.
struct RowUpdates {
  /// The rows, each once.
  var pks: [Int64] = []
  /// The values that all rows get.
  var common: RowValues
  /// The columns that have another value in each row.
  let columns: [Int]
  /// The values of these columns, row by row.
  var values: [StoredValue] = []

  init(_ model: EntityModel, columns: [Int]) {
    common = RowValues(count: model.properties.count)
    self.columns = columns
  }

  /// All new values of a row.
  func row(_ place: Int) -> RowValues {
    var row = common
    for (offset, column) in columns.enumerated() { row[column] = values[place * columns.count + offset] }
    return row
  }
}

extension RowWriter {
  /// Writes the values to the rows, as an edit of each: marks, notes, summaries and checks are those of any edit. The objects
  /// of the unit, which have the old values, are told.
  func write(_ updates: RowUpdates, _ model: EntityModel) throws {
    isOfQuery = true
    defer { isOfQuery = false }
    let source = RowSource.edit(fromResponse: ColumnMask())
    for (place, pk) in updates.pks.enumerated() {
      let row = updates.row(place)
      // A row that has the values is not written, as an object that has them is not saved.
      guard let found = try find(model, pk: pk), row.mask.indices.contains(where: { !found.has(row[$0], $0) })
      else { continue }
      _ = try update(model, found, row, source, fills: false)
    }
  }

  /// Deletes rows by the delete rules, all or none of them.
  ///
  /// - Returns: `false` where a rule is against it.
  func deleteIfAllowed(_ keys: [RowKey]) throws -> Bool {
    let plan = try deletionPlan(of: keys)
    guard plan.denial == nil else { return false }
    _ = try atomically { try carryOut(plan, nil, unheard: marksNothing ? [] : Set(keys)) }
    return true
  }
}
