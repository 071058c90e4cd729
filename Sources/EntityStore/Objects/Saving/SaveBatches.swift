/// The batches of a save: runs of rows of one entity that only have to be found, compared and written.
struct SaveBatches {
  private let set: ChangeSet
  private let writer: RowWriter
  private let most: Int
  private let deletes: Bool
  /// The rows before this index were handled: in a batch, or to be written one by one.
  private var next = 0
  private var isInBatch = false
  /// The uids of new rows before this index were looked up.
  private var lookedUp = 0
  /// The new rows whose uid another row has, by index.
  private var taken: Set<Int> = []

  init(_ set: ChangeSet, _ writer: RowWriter, areWanted: Bool) {
    (self.set, self.writer) = (set, writer)
    most = areWanted ? writer.writer.rowsInBatch : 0
    deletes = !set.deleted.isEmpty
  }

  /// Writes the batch that begins with a row.
  ///
  /// - Parameter written: Receives the result of each row of the batch.
  /// - Returns: Whether the row is in a batch; otherwise the caller writes it alone.
  /// - Throws: ``StoreError``; ``BatchFailure``.
  mutating func write(
    _ position: Int, _ written: inout [ChangeSet.Written], _ conflicts: inout ConflictCheck
  ) throws -> Bool {
    guard position >= next else { return isInBatch }
    guard most > 0, !conflicts.hasFailed else { return false }
    let run = try run(from: position)
    next = max(run.places.endIndex, position + 1)
    isInBatch = EditBatch.areEnough(run.places.count, of: most) && run.origin != nil
    guard isInBatch, let origin = run.origin else { return false }
    let batch = batch(of: run, origin)
    next = position + batch.count
    try writer.batches.write(batch) {
      written[position + $0] = ChangeSet.Written(changed: $1)
    } alone: {
      written[position + $0] = try set.write(set.rows[position + $0], to: writer, &conflicts)
    }
    return true
  }

  /// A run of rows of one entity.
  private struct Run {
    let model: EntityModel
    var places: Range<Int>
    /// The origin of all values; `nil` where each row is written alone.
    var origin: Origin?
  }

  /// The origin of all values of a row.
  private enum Origin { case edit, response }

  /// The rows from an index on that can be in one batch; empty if the first row is written alone.
  private mutating func run(from first: Int) throws -> Run {
    let model = writer.schema.entities[set.rows[first].entity]
    var run = Run(model: model, places: first..<first)
    guard writer.batches.writesEdits(of: model) else {
      run.places = first..<(set.rows[first...].firstIndex { $0.entity != model.number } ?? set.rows.count)
      return run
    }
    // A new row may have the uid of an object that was deleted here, or replace a row that this save deletes.
    let takesNew = try !deletes && !writer.edits.hasTombstones(model)
    let last = min(set.rows.count, first + most)
    run.origin = origin(first, model, takesNew)
    guard run.origin != nil else { return run }
    var end = first + 1
    while end < last, origin(end, model, takesNew) == run.origin { end += 1 }
    run.places = first..<end
    guard EditBatch.areEnough(run.places.count, of: most) else { return run }
    try lookUp(run)
    run.places = first..<(run.places.first(where: taken.contains) ?? end)
    return run
  }

  /// Looks up the uids of new rows.
  private mutating func lookUp(_ run: Run) throws {
    guard lookedUp < run.places.upperBound, let uid = run.model.uid else { return }
    let unsure = (max(lookedUp, run.places.lowerBound)..<run.places.upperBound).filter {
      set.rows[$0].isInserted && !set.rows[$0].traits.contains(.freeUID) && set.rows[$0].values.mask.contains(uid)
    }
    lookedUp = run.places.upperBound
    let found = try writer.batches.areTaken(unsure.map { set.rows[$0].values[uid] }, uid, run.model)
    for (place, isTaken) in zip(unsure, found) where isTaken { taken.insert(place) }
  }

  private func batch(of run: Run, _ origin: Origin) -> EditBatch {
    let answered = origin == .response ? run.model.all : ColumnMask()
    var batch = EditBatch(
      run.model, .edit(RowEdit(fromResponse: answered, for: set.purpose, isOfResponse: set.isOfResponse)))
    for place in run.places where !batch.isFull {
      batch.add(
        set.rows[place].values, pk: set.rows[place].pk,
        // In a unit, no other save has written the row of a new object.
        set.rows[place].isInserted ? .new(mayBeThere: !set.isOfUnit) : .old,
        // In a unit nobody looks for conflicts.
        bases: set.policies == nil ? EditBases() : set.rows[place].bases)
    }
    return batch
  }

  // Uses indices, because a copy of a row would count references.

  /// The origin of the values of a row that can be in a batch; `nil` if the row is written alone.
  private func origin(_ place: Int, _ model: EntityModel, _ takesNew: Bool) -> Origin? {
    let mask = set.rows[place].values.mask
    guard set.rows[place].entity == model.number,
      set.rows[place].traits.isDisjoint(with: [.incomplete, .placeholder, .takingOver]),
      set.rows[place].editedLists.isEmpty, set.rows[place].lists.isEmpty,
      mask.subtracting(model.stored).isEmpty, model.takes(set.rows[place].values), !taken.contains(place),
      isItself(place, model)
    else { return nil }
    if set.rows[place].isInserted {
      guard takesNew, model.required.subtracting(mask).isEmpty else { return nil }
    } else {
      guard mask.intersection(model.identity).isEmpty else { return nil }
    }
    let answered = mask.intersection(set.rows[place].fromResponse)
    if answered.isEmpty { return set.rows[place].traits.contains(.ofServer) ? nil : .edit }
    // An object made by a response has its uid from the response. One that has edits as well is written alone.
    let isWhole = !set.rows[place].isInserted || (model.uid.map(mask.contains) ?? true)
    return answered == mask && isWhole ? .response : nil
  }

  /// Whether neither the row nor a row that it links to was merged into another row.
  private func isItself(_ place: Int, _ model: EntityModel) -> Bool {
    guard writer.writer.hasSurvivors else { return true }
    let row = set.rows[place]
    return writer.collisions.survivor(model, row.pk) == row.pk
      && writer.collisions.repointed(model, row.values).links.isEmpty
  }
}
