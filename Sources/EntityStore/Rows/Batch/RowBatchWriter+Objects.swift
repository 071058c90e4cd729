import EntityJSON

// The rows of objects that go to the file by batch. Each has its row id, so that none is looked for by its uid.

extension RowBatchWriter {
  /// Whether objects of an entity may be written by batch now.
  ///
  /// - Throws: ``StoreError``.
  func writesBatches(of model: EntityModel) throws -> Bool {
    guard model.asksNobody, model.properties.count < ColumnMask.mostInBatch, rows.recorder == nil, !rows.isOfServer
    else { return false }
    return try takesBatches(of: model)
  }

  /// Writes the rows of a batch, and tells nobody yet; ``tell(of:_:_:)`` does.
  ///
  /// - Parameter old: The rows that are there. Those of them that are not, or whose own rules decide, are not written.
  /// - Throws: ``StoreError``.
  func write(_ batch: RowBatch, old: [UInt32]) throws {
    if !old.isEmpty {
      let statement = try rows.statements.batch(.findByRow, of: batch.model, ColumnMask(), on: rows.connection) {
        batch.findingByRowSQL
      }
      let compared = batch.model.stored.subtracting(batch.model.identity)
      try batch.lend(old, comparing: compared, source: []) { try statement.run(&$0) }
    }
    for row in old where !batch.isFound(Int(row)) { batch.pass(Int(row)) }
    try execute(batch, source: [])
  }
}
