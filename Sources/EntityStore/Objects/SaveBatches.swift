/// The batches of a save: runs of rows of one entity that need nothing but to be found, compared and written.
struct SaveBatches {
  private let set: ChangeSet
  private let writer: RowWriter
  private let most: Int
  private let deletes: Bool
  /// The rows before it are in batches, or go by themselves.
  private var next = 0
  private var isInBatch = false

  init(_ set: ChangeSet, _ writer: RowWriter, areWanted: Bool) {
    (self.set, self.writer) = (set, writer)
    most = areWanted ? writer.writer.rowsInBatch : 0
    deletes = !set.deleted.isEmpty
  }

  /// Writes the batch that begins with a row.
  ///
  /// - Parameter written: Gets what became of each row of the batch.
  /// - Returns: Whether a batch has the row; `false` where it goes by itself.
  /// - Throws: ``StoreError``; ``BatchFailure``.
  mutating func write(
    _ position: Int, _ written: inout [ChangeSet.Written], _ conflicts: inout ConflictCheck
  ) throws -> Bool {
    guard position >= next else { return isInBatch }
    guard most > 0, !conflicts.hasFailed else { return false }
    let batch = try takeBatch(from: position)
    isInBatch = batch != nil
    guard let batch else { return false }
    try writer.batches.write(batch) {
      written[position + $0] = ChangeSet.Written(changed: $1)
    } alone: {
      written[position + $0] = try set.write(set.rows[position + $0], to: writer, &conflicts)
    }
    return true
  }

  private mutating func takeBatch(from first: Int) throws -> EditBatch? {
    let model = writer.schema.entities[set.rows[first].entity]
    guard try writer.batches.writesEdits(of: model) else {
      next = set.rows[first...].firstIndex { $0.entity != model.number } ?? set.rows.count
      return nil
    }
    let last = min(set.rows.count, first + most)
    let isAnswered = isAnswered(set.rows[first])
    var end = first
    while end < last, goesInBatch(set.rows[end], model), self.isAnswered(set.rows[end]) == isAnswered { end += 1 }
    next = max(end, first + 1)
    guard EditBatch.areEnough(end - first, of: most) else { return nil }
    var batch = EditBatch(
      model,
      .edit(
        RowEdit(
          fromResponse: isAnswered ? model.all : ColumnMask(), for: set.purpose, isOfResponse: set.isOfResponse)))
    for row in set.rows[first..<end] where !batch.isFull {
      batch.add(
        row.values, pk: row.pk, row.isInserted ? .new(mayBeThere: !set.isOfUnit, hasFreeUID: row.hasFreeUID) : .old,
        // In a unit nobody asks.
        bases: set.policies == nil ? EditBases() : row.bases)
    }
    next = first + batch.count
    return batch
  }

  /// Whether a response has all the values of a row. The others have local edits alone, or both and go by themselves.
  private func isAnswered(_ row: ChangeSet.Row) -> Bool {
    !row.values.mask.isEmpty && row.values.mask.subtracting(row.fromResponse).isEmpty
  }

  private func goesInBatch(_ row: ChangeSet.Row, _ model: EntityModel) -> Bool {
    let mask = row.values.mask
    guard row.entity == model.number, row.isComplete,
      !(row.isPlaceholder || row.takesOver || row.isOfServer && !isAnswered(row)),
      row.editedLists.isEmpty, row.lists.isEmpty, mask.subtracting(model.stored).isEmpty, model.takes(row.values),
      isAnswered(row) || mask.intersection(row.fromResponse).isEmpty, isItself(row, model)
    else { return false }
    // A new row may take the place of one that goes.
    return row.isInserted
      ? !deletes && model.required.subtracting(mask).isEmpty : mask.intersection(model.identity).isEmpty
  }

  /// Whether neither the row nor one that it links to turned out to be another one.
  private func isItself(_ row: ChangeSet.Row, _ model: EntityModel) -> Bool {
    guard writer.writer.hasSurvivors else { return true }
    return writer.collisions.survivor(model, row.pk) == row.pk
      && writer.collisions.repointed(model, row.values).links.isEmpty
  }
}
