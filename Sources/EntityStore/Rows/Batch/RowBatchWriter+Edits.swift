import EntityJSON

// The rows of edits that go to the file by batch.

extension RowBatchWriter {
  /// Whether edits of an entity may be written by batch now.
  func writesEdits(of model: EntityModel) -> Bool {
    model.asksNobody && model.properties.count < ColumnMask.mostInBatch && rows.uniqueness.displaced.isEmpty
  }

  /// For each uid, whether a row has it.
  func areTaken(_ uids: [StoredValue], _ uid: Int, _ model: EntityModel) throws -> [Bool] {
    let batch = RowBatch(model)
    var asked: [UInt32] = []
    for value in uids {
      var row = RowValues(count: model.properties.count)
      row[uid] = value
      let number = batch.add(row)
      if !value.isNull { asked.append(number) }
    }
    guard !asked.isEmpty else { return Array(repeating: false, count: uids.count) }
    batch.prepare()
    let statement = try rows.statements.batch(.find, of: model, ColumnMask(), on: rows.connection) {
      batch.findingSQL(byColumn: uid)
    }
    try batch.lend(asked) { try statement.run(&$0) }
    return uids.indices.map { batch.isFound($0) }
  }

  /// Runs `body` with batches. Where the file refuses a row of a batch, `body` runs again without batches, so that the
  /// error names the row.
  func attempt<T>(_ body: (_ inBatches: Bool) throws -> T) throws -> T {
    func inBatches() throws -> T { try rows.atomically { try body(true) } }
    func summed() throws -> T { try rows.changes?.attempt(inBatches) ?? inBatches() }
    do { return try rows.history.attempt(summed) } catch is BatchFailure { return try body(false) }
  }

  /// Writes the rows of a batch.
  ///
  /// - Parameters:
  ///   - told: Called for each row that the batch wrote or left as it is, with its place and the columns that changed.
  ///   - alone: Called for each row that is to be written by itself.
  /// - Throws: ``BatchFailure``.
  func write(_ edits: EditBatch, told: (Int, ColumnMask) -> Void, alone: (Int) throws -> Void) throws {
    do {
      edits.prepare()
      try find(edits)
      try execute(edits.rows, edits.source)
      for row in 0..<edits.count {
        if let changed = try tell(of: edits.rows, row, edits.source) {
          told(row, changed)
          continue
        }
        let survivors = rows.writer.survivors.count
        try alone(row)
        // A row took a unique value from another row, or was merged with one. Writing row by row shows what that means
        // for the others.
        guard rows.uniqueness.displaced.isEmpty, rows.writer.survivors.count == survivors else { throw BatchFailure() }
      }
    } catch let error as StoreError where !error.isOfFile {
      throw BatchFailure()
    }
  }

  /// Finds the rows that are written by themselves: rows that are gone, rows that another save made, and rows with
  /// other values than their edits are based on.
  private func find(_ edits: EditBatch) throws {
    let batch = edits.rows
    guard !edits.known.isEmpty else { return }
    let compared = batch.model.compared
    let statement = try rows.statements.batch(
      edits.bases == nil ? .findByRow : .findByRowAndBases, of: batch.model, ColumnMask(), on: rows.connection
    ) { batch.findingByRowSQL(withBases: edits.bases != nil) }
    var marks: [UInt32: EditMarks] = [:]
    var lacking: [(row: Int, names: StoredValue)] = []
    func take() {
      if !statement.isNull(1) { marks[UInt32(truncatingIfNeeded: statement.int64(0))] = batch.model.edited(statement) }
      guard batch.model.coverage != nil, !statement.isNull(2) else { return }
      lacking.append((Int(statement.int64(0)), statement.value(2)))
    }
    try batch.lend(edits.known, comparing: compared) { lent in
      guard let bases = edits.bases else { return try statement.run(&lent, take) }
      try bases.lend([], comparing: edits.based) { try statement.run(&lent, &$0, take) }
    }
    for (row, names) in lacking { batch.cover(row, names, []) }
    // A response that changes a row with edits may end them.
    if rows.edits.givesMarks(to: batch.model, edits.source) { batch.marks = marks }
    for row in edits.known.lazy.map({ Int($0) })
    where edits.isOther(row) || edits.bases.map({ !$0.difference(row).isEmpty }) ?? false {
      batch.pass(row)
    }
  }
}
