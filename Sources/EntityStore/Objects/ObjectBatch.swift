import EntityJSON

/// Changed objects of one entity whose rows go to the file together, in the order of a save.
///
/// A response made or changed them, and all of their values are its own. An object with an edit that is not saved, for example,
/// goes by itself, and ends the batch before it.
struct ObjectBatch {
  private let context: EntityContext
  private let batch: RowBatch
  /// The place of the first one among the objects of the save.
  private let first: Int
  /// The rows that are there.
  private var old: [UInt32] = []

  /// Fewer objects are not worth the statements of a batch.
  private static let fewest = 8
  private static let mostBytes = 1 << 20

  /// Takes objects from a place on.
  ///
  /// - Returns: `nil` where the first of them goes by itself.
  /// - Throws: ``StoreError``.
  init?(_ saved: SavedChanges, from first: Int, _ rows: RowWriter, _ context: EntityContext) throws {
    let model = saved.objects[first].state.model
    // Before the objects are looked at: of an entity that never goes by batch each object comes here.
    guard try rows.batches.writesBatches(of: model) else { return nil }
    let most = context.core.options.rowsInBatch
    let last = min(saved.objects.count, first + most)
    var end = first
    while end < last, saved.objects[end].state.model === model, context.goesInBatch(saved.objects[end]) { end += 1 }
    guard end - first >= min(Self.fewest, most) else { return nil }
    self.context = context
    self.first = first
    batch = RowBatch(model)
    var values = RowValues(count: model.properties.count)
    for entry in saved.objects[first..<end] where batch.table.byteCount < Self.mostBytes {
      values.removeAll()
      values.wanted = context.columns(of: entry)
      entry.object.storeColumns(into: &values)
      guard model.takes(values) else { break }
      let row = batch.add(values)
      if !entry.isNew { old.append(row) }
    }
    guard batch.rows.count >= min(Self.fewest, most) else { return nil }
    batch.prepare()
    for row in batch.rows.indices { batch.pks[row] = saved.objects[first + row].state.pk }
  }

  /// Writes the rows.
  ///
  /// - Parameter written: Gets what became of each row.
  /// - Throws: ``BatchFailure``.
  func write(_ saved: SavedChanges, to rows: RowWriter, _ written: inout [ChangeSet.Written]) throws {
    var conflicts = ConflictCheck(nil)
    do {
      try rows.batches.write(batch, old: old)
      for row in batch.rows.indices {
        let entry = saved.objects[first + row]
        let source = RowSource.edit(
          RowEdit(fromResponse: entry.fromResponse, for: saved.set.purpose, isOfResponse: saved.set.isOfResponse))
        if let changed = try rows.batches.tell(of: batch, row, source) {
          written.append(ChangeSet.Written(changed: changed))
        } else {
          let values = entry.object.values(context.columns(of: entry))
          written.append(try saved.set.write(context.row(of: entry, values), to: rows, &conflicts))
          // It took a unique value from another row, or turned out to be one. What that means for the others shows where each
          // goes by itself.
          guard rows.uniqueness.displaced.isEmpty, !rows.writer.hasSurvivors else { throw BatchFailure() }
        }
      }
    } catch is StoreError {
      throw BatchFailure()
    }
  }
}

extension EntityContext {
  /// Whether an object that a response changed may be written with others.
  fileprivate func goesInBatch(_ entry: SavedChanges.Entry) -> Bool {
    let (model, state, columns) = (entry.state.model, entry.state, columns(of: entry))
    guard !entry.wasFilled, entry.bases.isEmpty, isComplete(state), columns.subtracting(entry.fromResponse).isEmpty,
      columns.subtracting(model.stored).isEmpty, state.flags.isDisjoint(with: [.placeholder, .takesOver])
    else { return false }
    guard entry.isNew else { return true }
    return (model.uid == nil || state.flags.contains(.hasFreeUID)) && model.required.subtracting(columns).isEmpty
  }
}

extension EntityModel {
  /// Whether a row may have values, of which no rule speaks.
  fileprivate func takes(_ values: RowValues) -> Bool {
    let nulls = values.nulls
    guard !nulls.isEmpty else { return true }
    return nulls.indices.allSatisfy { index in
      switch properties[index].kind {
      case .attribute(_, let isOptional): isOptional
      default: !required.contains(index)
      }
    }
  }
}
