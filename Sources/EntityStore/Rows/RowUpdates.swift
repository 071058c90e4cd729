// Changes of many rows at once, without an object for each.

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

extension RowUpdates {
  private static let source = RowSource.edit(RowEdit(for: .updateByQuery))

  /// Writes the values to the rows, as an edit of each: marks, notes, summaries and checks are those of any edit. The objects
  /// of the unit, which have the old values, are told.
  func write(_ model: EntityModel, to rows: RowWriter) throws {
    let most = rows.writer.rowsInBatch
    // A link may lead to a row that another one absorbed.
    guard EditBatch.areEnough(pks.count, of: most), rows.collisions.repointed(model, common).links.isEmpty,
      rows.batches.writesEdits(of: model)
    else {
      return try writeOneByOne(pks.indices, model, to: rows)
    }
    try rows.batches.attempt { inBatches in
      guard inBatches else { return try writeOneByOne(pks.indices, model, to: rows) }
      var next = 0
      while next < pks.count {
        let first = next
        var batch = EditBatch(model, Self.source)
        while next < pks.count, batch.count < most, !batch.isFull {
          let row = row(next)
          guard model.takes(row) else { throw BatchFailure() }
          batch.add(row, pk: pks[next], .old)
          next += 1
        }
        try rows.batches.write(batch) { _, _ in
        } alone: {
          try writeOneByOne(first + $0..<first + $0 + 1, model, to: rows)
        }
      }
    }
  }

  private func writeOneByOne(_ places: Range<Int>, _ model: EntityModel, to rows: RowWriter) throws {
    for place in places {
      let row = row(place)
      // A row that has the values is not written, as an object that has them is not saved.
      guard let found = try rows.find(model, pk: pks[place]),
        row.mask.indices.contains(where: { !found.has(row[$0], $0) })
      else { continue }
      _ = try rows.update(model, found, row, Self.source, .leavesPlaceholder)
    }
  }
}
