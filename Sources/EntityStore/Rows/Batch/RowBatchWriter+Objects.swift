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

  /// Writes the rows of a batch, and tells nobody yet; ``settle(_:_:_:)`` does.
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

  /// Tells of a row that was written, or left as it is.
  ///
  /// - Returns: What changed; `nil` for a row that is to be written by itself.
  func settle(_ batch: RowBatch, _ row: Int, _ source: RowSource) throws -> ColumnMask? {
    let model = batch.model
    let pk = batch.pks[row]
    let present = batch.rows[row].present
    switch batch.decision(row) {
    case .lookCloser: return nil
    case .leave:
      rows.uniqueness.noteAnswered(model, pk, present)
      return ColumnMask()
    case .insert:
      rows.uniqueness.noteAnswered(model, pk, present)
      rows.note(model, pk, .inserted, present.union(model.defaulted), source, isMade: true)
      for index in present.intersection(model.links).indices {
        try rows.noteLink(model, index, pk: pk, from: 0, to: batch.table[row, index].link, source)
      }
      return present
    case .update(let mask):
      rows.uniqueness.noteAnswered(model, pk, present)
      rows.note(model, pk, .updated, mask, source)
      for index in mask.intersection(model.links).indices {
        try rows.noteLink(model, index, pk: pk, from: batch.link(row, index), to: batch.table[row, index].link, source)
      }
      return mask
    }
  }
}
