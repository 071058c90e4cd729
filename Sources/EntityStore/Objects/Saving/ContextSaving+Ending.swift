// The ends of a save: its changes are committed, or become unsaved again.

extension ContextSaving {
  /// Ends a save whose changes are committed.
  ///
  /// - Parameter written: The outcome for each row.
  func end(_ saved: SavedChanges, _ written: [ChangeSet.Written]) {
    context.saves.inFlight.removeAll { $0.number == saved.number }
    if context.kind == .main { context.unsaved.keptLists = KeptLists() }
    var areOver = context.isOfResponse && saved.deleted.isEmpty
    // The columns in which others' values were kept, from before the save or since.
    var overtaken: [(place: Int, columns: ColumnMask)] = []
    for place in saved.objects.indices {
      let late = end(saved.objects[place], written[place])
      if !late.isEmpty { overtaken.append((place, late)) }
      let state = saved.objects[place].state
      if state.hasChanges || !state.saving.isEmpty { areOver = false }
    }
    if areOver, saved.objects.count == context.unsaved.changed.reduce(0, { $0 + $1.count }) {
      // Most batches of a response leave no unsaved changes.
      for number in context.unsaved.changed.indices where !context.unsaved.changed[number].isEmpty {
        context.unsaved.changed[number].removeAll()
      }
    } else {
      for entry in saved.objects { forget(entry.state) }
    }
    for object in saved.deleted {
      if !object._$state.flags.contains(.editedAfterDelete) { object._$state.dirty = ColumnMask() }
      context.merging.markDeleted(object)
      forget(object._$state)
    }
    // A pair that was removed and put back meanwhile equals the row.
    if context.kind == .main, context.holdsChanges {
      for entry in saved.objects where entry.wasInserted {
        if let link = entry.object as? LinkRow { context.lists.endUndoneLists(with: link) }
      }
    }
    tellLists(of: overtaken.map { (saved.objects[$0.place].object, $0.columns) })
    if !context.news.liveQueries.isEmpty {
      context.news.liveQueries.noteMarks(of: Set(saved.objects.map(\.state.model.number)))
    }
    context.observers.deliver()
  }

  /// Ends the save of one object.
  ///
  /// - Returns: The columns in which others' values were kept, from before the save or since.
  private func end(_ entry: SavedChanges.Entry, _ written: ChangeSet.Written) -> ColumnMask {
    let state = entry.state
    state.saving.subtract(entry.mask)
    if context.rows?.isOfServer == true {
      state.edited.subtract(written.changed)
      state.flags.remove(.madeHere)
    } else {
      state.edited.formUnion(written.changed.subtracting(entry.fromResponse).subtracting(state.model.unmarked))
    }
    if state.model.coverage != nil { state.missing.subtract(entry.mask.intersection(state.model.stored)) }
    if state.hasLists { state.lists = state.lists.filter { state.unsaved.contains($0.key) } }
    if entry.wasInserted {
      state.endInsertion()
      state.flags.remove(.hasFreeUID)
      if isMadeHere(entry) { state.flags.insert(.madeHere) }
    } else if entry.isNew {
      // This save wrote the object whole, though an earlier save was to insert it.
      state.foundRow()
    }
    // An object that was filled during the save has yet to be saved as filled.
    if entry.wasFilled { state.flags.remove(.filled) }
    let late = state.staleAfterSave.union(written.yielded).subtracting(state.unsaved)
    state.staleAfterSave = ColumnMask()
    guard !late.isEmpty else { return late }
    state.stale.formUnion(late.intersection(state.model.stored))
    for index in late.indices { context.observers.notifyLater(entry.object, index) }
    // Since the commit, queries saw the saved values in place of the later ones.
    context.overlay.rowPending(state.model, state.pk, columns: late)
    return late
  }

  /// Whether the row of an inserted object records that it was made here.
  private func isMadeHere(_ entry: SavedChanges.Entry) -> Bool {
    guard !context.isOfResponse, context.rows?.isOfServer != true else { return false }
    let state = entry.state
    guard !state.model.isLinks, state.flags.isDisjoint(with: [.placeholder, .isOfServer]) else { return false }
    return state.model.uid.map { !entry.fromResponse.contains($0) } ?? true
  }

  /// Ends a save whose changes are not committed: they are unsaved again.
  func restore(_ saved: SavedChanges) {
    context.saves.inFlight.removeAll { $0.number == saved.number }
    context.reading.drop()
    context.unsaved.discarded += saved.discarded
    var withdrawn: [any ManagedEntity] = []
    for entry in saved.objects {
      let state = entry.object._$state
      giveBackBases(of: entry)
      state.saving.subtract(entry.mask)
      state.staleAfterSave.subtract(entry.mask)
      // For a column that was edited during the save, `fromResponse` is right already.
      state.fromResponse.formUnion(entry.fromResponse.subtracting(state.dirty))
      state.dirty.formUnion(entry.mask)
      context.lists.listsChanged(of: entry.object, entry.mask)
      if state.life == .withdrawn { withdrawn.append(entry.object) }
      if entry.wasInserted {
        state.failInsertion()
        // Without a row there is nothing that others could change.
        state.bases = EditBases()
      }
      keepUntilSaved(entry.object)
      // The object was merged into another one meanwhile.
      if state.life == .deleted, state.forwardedTo != 0 {
        context.merging.moveEdits(of: entry.object, to: state.forwardedTo)
      }
    }
    for object in saved.deleted { keepUntilSaved(object) }
    for object in withdrawn { endNeverSaved(object) }
  }

  /// Ends an object that was deleted during the save that was to insert it, after that save failed: neither the
  /// insertion nor the deletion remains.
  private func endNeverSaved(_ object: any ManagedEntity) {
    if let link = object as? LinkRow {
      context.lists.settleMembership(link)
      return context.lists.endUndoneLists(with: link)
    }
    let state = object._$state
    context.unsaved.discarded.append(object)
    context.overlay.rowPending(state.model, state.pk)
    context.lists.endMemberships(of: state.pk, state.model)
    // An edit after the deletion stays, so that the next save throws.
    if !state.flags.contains(.editedAfterDelete) { context.edits.forgetEdits(of: object) }
  }

  /// Whether a save under way deletes the object.
  func isDeletedByASave(_ object: any ManagedEntity) -> Bool { context.saves.inFlight.contains { $0.deletes(object) } }

  func keepUntilSaved(_ object: any ManagedEntity) {
    let state = object._$state
    context.unsaved.hold(object, state)
    context.overlay.rowPending(state.model, state.pk)
  }

  /// Lets go of an object that has no changes left.
  private func forget(_ state: ObjectState) {
    // A unit's rows have the values of its objects, and the row writer reports all other changes. So the result of a
    // query is the same before and after the save.
    context.overlay.rowPending(state.model, state.pk, leavesLists: context.kind == .unit, columns: ColumnMask())
    guard !state.hasChanges, state.saving.isEmpty else { return }
    context.unsaved.letGo(of: state)
  }
}
