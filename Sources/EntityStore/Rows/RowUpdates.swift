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
    guard EditBatch.areEnough(updates.pks.count, of: writer.rowsInBatch), try batches.writesEdits(of: model) else {
      return try writeOneByOne(updates, updates.pks.indices, model)
    }
    try batches.attempt { inBatches in
      guard inBatches else { return try writeOneByOne(updates, updates.pks.indices, model) }
      var next = 0
      while next < updates.pks.count {
        let first = next
        var batch = EditBatch(model, RowUpdates.source)
        while next < updates.pks.count, batch.count < writer.rowsInBatch, !batch.isFull {
          let row = updates.row(next)
          guard model.takes(row) else { throw BatchFailure() }
          batch.add(row, pk: updates.pks[next], isNew: false)
          next += 1
        }
        try batches.write(batch) { _, _ in
        } alone: {
          try writeOneByOne(updates, first + $0..<first + $0 + 1, model)
        }
      }
    }
  }

  private func writeOneByOne(_ updates: RowUpdates, _ places: Range<Int>, _ model: EntityModel) throws {
    for place in places {
      let (pk, row) = (updates.pks[place], updates.row(place))
      // A row that has the values is not written, as an object that has them is not saved.
      guard let found = try find(model, pk: pk), row.mask.indices.contains(where: { !found.has(row[$0], $0) })
      else { continue }
      _ = try update(model, found, row, RowUpdates.source, fills: false)
    }
  }
}

extension RowUpdates {
  fileprivate static let source = RowSource.edit(RowEdit(for: .updateByQuery))
}
