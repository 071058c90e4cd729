import EntityJSON

// The way of the rows of batches to the file: find, decide, write, note.

/// Batches could not be written as a whole. The caller undoes the writes, and writes the rows one by one: that shows
/// which row has the error.
package struct BatchFailure: Error {}

/// Writes the rows of batches.
package struct RowBatchWriter {
  let rows: RowWriter
}

extension RowBatchWriter {
  /// Whether rows of an entity may go by batch now.
  ///
  /// - Throws: ``StoreError``.
  package func takesBatches(of model: EntityModel) throws -> Bool {
    try rows.uniqueness.displaced.isEmpty && !rows.edits.hasTombstones(model)
  }

  /// Writes the rows of a response. Each row then has its row id and its fate.
  ///
  /// - Throws: ``BatchFailure`` where the file refuses a row. Some of the rows may then be written.
  package func write(_ batches: RowBatches, _ policy: MergePolicy) throws {
    try rows.checkOpen()
    do {
      let filled = batches.filled
      for batch in filled { try find(batch, batches) }
      try nameNewRows(of: batches)
      for batch in filled { resolveLinks(of: batch, batches) }
      let lists = try ListSettling(self, batches, policy)
      let source = RowSource.response(policy, newer: ColumnMask())
      for batch in filled { try execute(batch, source, text: batches.source) }
      for (number, step) in batches.steps.enumerated() {
        switch step {
        case .row(let place): try note(batches[place.entity], place.row, batches, policy)
        case .list(let list): try lists.settle(list, at: number)
        }
      }
    } catch let error as StoreError where !error.isOfFile {
      throw BatchFailure()
    }
  }

  // MARK: Find

  /// Finds the rows by their uids, and the columns in which they differ from the file.
  private func find(_ batch: RowBatch, _ batches: RowBatches) throws {
    batch.prepare()
    guard let uid = batch.model.uid else { return }
    let lazies = batch.lazies
    let statement = try rows.statements.batch(.find, of: batch.model, lazies, on: rows.connection) {
      batch.findingSQL(byColumn: uid, lazies)
    }
    let compared = batch.model.compared.subtracting(batch.model.derived)
    var noted: [(row: Int, names: StoredValue, isOld: Bool)] = []
    if batch.model.age != nil {
      try statement.bind(rows.stamp.seconds - batch.model.lag, at: 3)
      try statement.bind(rows.stamp.seconds, at: 4)
    }
    try batch.lend(batch.order, comparing: compared, source: batches.source) {
      try statement.run(&$0) { noted.append((Int(statement.int64(0)), statement.value(1), !statement.isNull(2))) }
    }
    for (row, names, isOld) in noted {
      if !names.isNull { batch.cover(row, names, batches.source) }
      if isOld { batch.hear(row, at: rows.stamp.seconds) }
    }
  }

  /// Gives new rows their ids, in the order in which their objects ended.
  private func nameNewRows(of batches: RowBatches) throws {
    for case .row(let place) in batches.steps {
      let batch = batches[place.entity]
      guard !batch.isFound(place.row) else { continue }
      batch.pks[place.row] = try rows.newPrimaryKey()
      if batch.rows[place.row].isReference, batch.model.hasPlaceholders { batch.makePlaceholder(place.row) }
    }
  }

  /// Puts row ids in the place of row numbers, and finds the links that differ.
  private func resolveLinks(of batch: RowBatch, _ batches: RowBatches) {
    guard !batch.model.links.isEmpty else { return }
    for row in batch.rows.indices {
      for index in batch.rows[row].present.intersection(batch.model.links).indices {
        let cell = batch.table[row, index]
        guard cell.isOf(.open), case .toOne(let target, _, _) = batch.model.properties[index].kind else { continue }
        let pk = batches[target].pks[Int(cell.bits)]
        batch.table[row, index] = JSONCell(integer: pk)
        if batch.isFound(row), batch.link(row, index) != pk { batch.differs(row, index) }
      }
    }
  }

  // MARK: Write

  /// Writes the rows that are new or differ, with their marks and notes.
  ///
  /// - Parameter text: The JSON that cells refer to.
  func execute(_ batch: RowBatch, _ source: RowSource, text: [UInt8] = []) throws {
    let model = batch.model
    let isMarking = rows.edits.givesMarks(to: model, source)
    var new = RowGroups()
    var changed = RowGroups()
    for row in batch.order {
      switch batch.decision(Int(row)) {
      case .insert: new.add(row, isMarking ? batch.rows[Int(row)].present : ColumnMask(), EditMarks())
      case .update(let mask): changed.add(row, mask, batch.marks[row] ?? EditMarks())
      case .leave, .lookCloser: break
      }
    }
    for group in new.all {
      for row in group.rows { batch.complete(Int(row), text) }
      if model.coverage != nil { batch.coverNew(group.rows, source, rows, text) }
      if model.age != nil { batch.hearNew(group.rows, source, rows) }
      let edited = source.edited(model, group.columns, isOfServer: rows.isOfServer)
      let marks = EditMarks(
        known: edited, isNew: isMarking && rows.edits.isMadeHere(model, group.columns, source, edited: edited))
      let statement = try rows.statements.batch(.insert, of: model, ColumnMask(), on: rows.connection) {
        batch.insertingSQL
      }
      try batch.lend(group.rows, source: text) {
        if !marks.isEmpty { try statement.bind(model.names(marks), at: 2) }
        try statement.run(&$0)
      }
      try rows.edits.noteInsertions(of: batch, group.rows, marks)
    }
    for group in changed.all {
      let edited = source.edited(model, group.columns, isOfServer: rows.isOfServer)
      try rows.edits.noteUpdates(of: batch, group.rows, edited, over: group.marks)
      var marks = group.marks
      marks.known.formUnion(edited)
      let isMarking = marks != group.marks
      let statement = try rows.statements.batch(
        isMarking ? .updateMarking : .update, of: model, group.columns, on: rows.connection
      ) { batch.updatingSQL(group.columns, isMarking: isMarking) }
      try batch.lend(group.rows, source: text) {
        if isMarking { try statement.bind(model.names(marks), at: 2) }
        try statement.run(&$0)
      }
    }
  }

  // MARK: Note

  /// Tells the observers of one row, or writes a row that a batch does not decide about.
  private func note(_ batch: RowBatch, _ row: Int, _ batches: RowBatches, _ policy: MergePolicy) throws {
    let source = RowSource.response(policy, newer: ColumnMask())
    let isFound = batch.isFound(row)
    if let changed = try tell(of: batch, row, source) {
      if !isFound {
        if !batch.isPlaceholder(row) { batch.setFate(.inserted, row) }
      } else if !changed.isEmpty {
        batch.setFate(.updated, row)
      }
      return
    }
    guard let found = try rows.find(batch.model, pk: batch.pks[row]) else { return }
    let outcome = try rows.update(
      batch.model, found, batch.values(row, batches.source), source,
      batch.rows[row].isReference ? .leavesPlaceholder : .whole)
    // The row took a unique value from another row. Writing object by object shows which object an error belongs to.
    guard rows.uniqueness.displaced.isEmpty else { throw BatchFailure() }
    batch.setFate(outcome.isInserted ? .inserted : outcome.changed.isEmpty ? .unchanged : .updated, row)
  }

  /// Tells the observers of a row that was written, or left as it is.
  ///
  /// - Returns: The columns that changed; `nil` for a row that is to be written by itself.
  func tell(of batch: RowBatch, _ row: Int, _ source: RowSource) throws -> ColumnMask? {
    let (model, pk, present) = (batch.model, batch.pks[row], batch.rows[row].present)
    let isReference = batch.rows[row].isReference
    let decision = batch.decision(row)
    if case .lookCloser = decision { return nil }
    if !isReference { rows.uniqueness.noteAnswered(model, pk, source.answered(present)) }
    let changed: ColumnMask
    switch decision {
    case .leave, .lookCloser: return ColumnMask()
    case .insert:
      changed = present
      // The uid alone inserts the object. Its place in a list then updates it.
      let made = isReference ? present.intersection(model.identity) : present
      rows.note(model, pk, .inserted, made.union(model.defaulted).union(model.derived), source, isMade: true)
      if made != present { rows.note(model, pk, .updated, present.subtracting(made), source) }
    case .update(let mask):
      changed = mask
      rows.note(model, pk, .updated, mask, source)
    }
    if source.isEdit, !rows.writer.underWay.isEmpty {
      let edited = source.edited(model, changed, isOfServer: rows.isOfServer)
      rows.edits.noteEdited(model, pk, edited, batch.values(row, []))
    }
    let isFound = batch.isFound(row)
    for index in changed.intersection(model.links).indices {
      let old = isFound ? batch.link(row, index) : 0
      try rows.noteLink(model, index, pk: pk, from: old, to: batch.table[row, index].link, source)
    }
    return changed
  }
}

extension JSONCell {
  /// The row id of a link; 0 for none.
  var link: Int64 { isOf(.integer) ? bits : 0 }
}

/// Groups of rows by the columns that one statement writes, and by their marks. The groups are in the order of their
/// first rows, so that each run meets the same errors.
private struct RowGroups {
  struct Group {
    let columns: ColumnMask
    let marks: EditMarks
    var rows: [UInt32] = []
  }

  private struct Key: Hashable {
    let columns: ColumnMask
    let marks: EditMarks
  }

  private(set) var all: [Group] = []
  private var places: [Key: Int] = [:]
  /// The group of the last row. The next one mostly is of the same.
  private var last = 0

  mutating func add(_ row: UInt32, _ columns: ColumnMask, _ marks: EditMarks) {
    if last >= all.count || all[last].columns != columns || all[last].marks != marks {
      let key = Key(columns: columns, marks: marks)
      last = places[key] ?? all.count
      if last == all.count {
        places[key] = last
        all.append(Group(columns: columns, marks: marks))
      }
    }
    all[last].rows.append(row)
  }
}
