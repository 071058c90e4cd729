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
    let isAnswered = isAnswered(first)
    var end = first
    while end < last, goesInBatch(end, model), self.isAnswered(end) == isAnswered { end += 1 }
    next = max(end, first + 1)
    guard EditBatch.areEnough(end - first, of: most) else { return nil }
    var batch = EditBatch(
      model,
      .edit(
        RowEdit(
          fromResponse: isAnswered ? model.all : ColumnMask(), for: set.purpose, isOfResponse: set.isOfResponse)))
    for place in first..<end where !batch.isFull {
      let presence =
        set.rows[place].isInserted
        ? EditBatch.Presence.new(mayBeThere: !set.isOfUnit, hasFreeUID: set.rows[place].hasFreeUID) : .old
      batch.add(
        set.rows[place].values, pk: set.rows[place].pk, presence,
        // In a unit nobody asks.
        bases: set.policies == nil ? EditBases() : set.rows[place].bases)
    }
    next = first + batch.count
    return batch
  }

  // By their places: the copy of a row counts references.

  /// Whether a response has all the values of a row. The others have local edits alone, or both and go by themselves.
  private func isAnswered(_ place: Int) -> Bool {
    let mask = set.rows[place].values.mask
    return !mask.isEmpty && mask.subtracting(set.rows[place].fromResponse).isEmpty
  }

  private func goesInBatch(_ place: Int, _ model: EntityModel) -> Bool {
    let mask = set.rows[place].values.mask
    guard set.rows[place].entity == model.number, set.rows[place].isComplete, !set.rows[place].isPlaceholder,
      !set.rows[place].takesOver, !set.rows[place].isOfServer || isAnswered(place),
      set.rows[place].editedLists.isEmpty, set.rows[place].lists.isEmpty, mask.subtracting(model.stored).isEmpty,
      model.takes(set.rows[place].values),
      isAnswered(place) || mask.intersection(set.rows[place].fromResponse).isEmpty, isItself(place, model)
    else { return false }
    // A new row may take the place of one that goes.
    return set.rows[place].isInserted
      ? !deletes && model.required.subtracting(mask).isEmpty : mask.intersection(model.identity).isEmpty
  }

  /// Whether neither the row nor one that it links to turned out to be another one.
  private func isItself(_ place: Int, _ model: EntityModel) -> Bool {
    guard writer.writer.hasSurvivors else { return true }
    let row = set.rows[place]
    return writer.collisions.survivor(model, row.pk) == row.pk
      && writer.collisions.repointed(model, row.values).links.isEmpty
  }
}
