// The batches of a response's unit. Its objects are mostly new, or have other attributes and links: such objects are written
// one after the other from their own values, and no list of rows is made.

extension EntityContext {
  /// Writes the changes that were taken.
  ///
  /// - Parameter inBatches: Whether the rows of an entity may go to the file together. Where the file refuses one of them, the
  ///   error does not say which.
  /// - Returns: For each object, what became of its row.
  /// - Throws: ``StoreError``; ``BatchFailure``.
  func write(_ saved: inout SavedChanges, to rows: RowWriter, inBatches: Bool) throws -> [ChangeSet.Written] {
    guard isOfResponse, !rows.writer.hasSurvivors, isSimple(saved) else {
      addRows(to: &saved)
      return try saved.set.apply(to: rows)
    }
    rows.collisions.absorbers = []
    rows.pairs.markedLists = []
    var written: [ChangeSet.Written] = []
    var conflicts = ConflictCheck(nil)
    written.reserveCapacity(saved.objects.count)
    var values = RowValues(count: 0)
    var entity = -1
    for place in saved.objects.indices {
      // Its batch has it.
      if place < written.count { continue }
      if inBatches, !rows.writer.hasSurvivors, let batch = try ObjectBatch(saved, from: place, rows, self) {
        try batch.write(saved, to: rows, &written)
        continue
      }
      let entry = saved.objects[place]
      let model = entry.state.model
      if entity != model.number {
        entity = model.number
        values = RowValues(count: model.properties.count)
      }
      // A row that turned out to be another one: the edits of both are told apart by the list of rows.
      if saved.set.rows.isEmpty, rows.writer.hasSurvivors { addRows(to: &saved) }
      guard saved.set.rows.isEmpty else {
        written.append(try saved.set.write(saved.set.rows[written.count], to: rows, &conflicts))
        continue
      }
      values.removeAll()
      values.wanted = columns(of: entry)
      entry.object.storeColumns(into: &values)
      written.append(try saved.set.write(row(of: entry, values), to: rows, &conflicts))
    }
    return written
  }

  /// Whether each object can be written by itself: no row goes, gives up its uid to another one, or has an edited list.
  private func isSimple(_ saved: SavedChanges) -> Bool {
    guard saved.deleted.isEmpty, saved.discarded.isEmpty else { return false }
    return saved.objects.allSatisfy { entry in
      let model = entry.state.model
      guard !model.isLinks, entry.mask.intersection(model.lists).isEmpty else { return false }
      return entry.isNew || model.uid.map { !entry.mask.contains($0) } ?? true
    }
  }
}
