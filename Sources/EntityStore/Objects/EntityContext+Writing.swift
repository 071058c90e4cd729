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
      if inBatches, let batch = try batch(of: saved, from: place, rows) {
        try rows.batches.write(batch) {
          written.append(ChangeSet.Written(changed: $1))
        } alone: {
          let entry = saved.objects[place + $0]
          written.append(
            try saved.set.write(row(of: entry, entry.object.values(columns(of: entry))), to: rows, &conflicts))
        }
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

  // MARK: Batches

  /// Takes objects from a place on whose rows go to the file together: a response has all of their values.
  ///
  /// - Returns: `nil` where the first of them goes by itself.
  /// - Throws: ``StoreError``.
  private func batch(of saved: SavedChanges, from first: Int, _ rows: RowWriter) throws -> EditBatch? {
    let model = saved.objects[first].state.model
    // Before the objects are looked at: of an entity that never goes by batch each object comes here.
    guard !rows.writer.hasSurvivors, try rows.batches.writesEdits(of: model) else { return nil }
    let most = rows.writer.rowsInBatch
    let last = min(saved.objects.count, first + most)
    var end = first
    while end < last, saved.objects[end].state.model === model, goesInBatch(saved.objects[end]) { end += 1 }
    guard EditBatch.areEnough(end - first, of: most) else { return nil }
    var batch = EditBatch(
      model, .edit(RowEdit(fromResponse: model.all, for: saved.set.purpose, isOfResponse: saved.set.isOfResponse)))
    var values = RowValues(count: model.properties.count)
    for entry in saved.objects[first..<end] where !batch.isFull {
      values.removeAll()
      values.wanted = columns(of: entry)
      entry.object.storeColumns(into: &values)
      guard model.takes(values) else { break }
      batch.add(values, pk: entry.state.pk, isNew: entry.isNew)
    }
    return EditBatch.areEnough(batch.count, of: most) ? batch : nil
  }

  /// Whether an object that a response changed may be written with others.
  private func goesInBatch(_ entry: SavedChanges.Entry) -> Bool {
    let (model, state, columns) = (entry.state.model, entry.state, columns(of: entry))
    guard !entry.wasFilled, entry.bases.isEmpty, isComplete(state), columns.subtracting(entry.fromResponse).isEmpty,
      columns.subtracting(model.stored).isEmpty, state.flags.isDisjoint(with: [.placeholder, .takesOver])
    else { return false }
    guard entry.isNew else { return true }
    return (model.uid == nil || state.flags.contains(.hasFreeUID)) && model.required.subtracting(columns).isEmpty
  }
}
