import Observation

extension EntityContext {
  /// Saves all changes of the context, in one transaction or not at all.
  ///
  /// In the main context the calling thread waits for a unit of work that is running, at most `busyTimeout`, and not for
  /// those that wait: a save goes before them. In `background` the changes go to the unit's own transaction, which is
  /// committed when the unit returns.
  ///
  /// Others may have changed properties since they were edited here: ``ConflictPolicy`` decides about those.
  ///
  /// - Throws: ``StoreError``, of kind `writerBusy` when the unit that is running took longer, and `conflict` where others
  ///   changed what was edited. The changes are then still there: mend them and save again, or roll them back.
  public func save() throws { try saveNow(nil) }

  /// - Parameter policy: That of the save itself.
  func saveNow(_ policy: ConflictPolicy?) throws {
    guard !isOver else { throw Self.over }
    guard !isDetached else { throw Self.storeGone }
    try throwMistakes()
    if let parent { return try save(to: parent, ConflictPolicies(save: policy, context: conflictPolicy)) }
    if kind == .unit {
      try flush()
      return isOfResponse ? () : try keepUnit()
    }
    guard hasChanges else { return discarded = [] }
    let saved = try collectChanges(ConflictPolicies(save: policy, context: conflictPolicy))
    do {
      end(saved, try core.blockingUnit(from: id) { try saved.set.apply(to: $0) })
    } catch {
      restore(saved)
      throw error
    }
    try merge()
  }

  /// Saves all changes of the context without holding up its thread. Changes that are made while it saves stay unsaved.
  /// Like the synchronous save, it waits for the unit of work that is running, and for none that waits.
  ///
  /// Isolation: the caller's, which is the context's own.
  ///
  /// - Throws: ``StoreError``; `CancellationError` when the task was cancelled before the commit. The changes are then still
  ///   there: mend them and save again, or roll them back.
  public nonisolated(nonsending) func save() async throws {
    do { return atCaller(try await saveWhenFree(nil)) } catch { throw atCaller(error) }
  }

  nonisolated(nonsending) func saveWhenFree(_ policy: ConflictPolicy?) async throws {
    guard kind == .main, !isChild else { return try saveNow(policy) }
    // One at a time: a second save must not take changes that the first one still has to finish.
    while isSaving { await withCheckedContinuation { saveWaiters.append($0) } }
    // Setters may have been called while it waited.
    guard !isDetached else { throw Self.storeGone }
    try throwMistakes()
    guard hasChanges else { return discarded = [] }
    isSaving = true
    defer {
      isSaving = false
      let waiters = saveWaiters
      saveWaiters = []
      for waiter in waiters { waiter.resume() }
    }
    let saved = try collectChanges(ConflictPolicies(save: policy, context: conflictPolicy))
    let set = saved.set
    do {
      end(saved, try await core.unit(from: id) { try set.apply(to: $0) })
    } catch {
      restore(saved)
      throw error
    }
    try merge()
  }

  /// Drops all unsaved changes: edited objects read as they are in the store, new ones become deleted.
  ///
  /// In `background` these are all changes since the unit began or last saved. A save that is under way is not called
  /// off; changes since it began are dropped. In an `update(with:)` of a response it drops nothing and the response
  /// fails: throw there instead.
  public func rollback() {
    if isOfResponse, !isOver { return deferredError = Self.responseRollback }
    deferredError = nil
    refusals = Refusals()
    discarded = []
    keptLists = KeptLists()
    if kind == .unit, !isOver { rollbackUnit() }
    let dropped = changed.map(\.all)
    for objects in changed { objects.removeAll() }
    var ended = dropped.map { _ in Set<Int64>() }
    for (number, objects) in dropped.enumerated() {
      for (pk, object) in objects {
        if object._$state.life == .new { ended[number].insert(pk) }
        drop(object)
        rowPending(core.schema.entities[number], pk)
      }
    }
    // Changes that a save has taken are in no table yet. Queries must see them until they are.
    for saved in inFlight {
      for entry in saved.objects { keepUntilSaved(entry.object) }
      for object in saved.deleted { keepUntilSaved(object) }
    }
    for (number, pks) in ended.enumerated() where !children.isEmpty {
      for pk in pks { endMemberships(of: pk, core.schema.entities[number]) }
      endLinks(to: pks, core.schema.entities[number])
    }
    deliver()
  }

  func drop(_ object: any ManagedEntity) {
    let state = object._$state
    let dropped = state.dirty
    state.lists = [:]
    state.bases = EditBases()
    let isTaken = isDeletedByASave(object)
    state.dropEdits()
    // The links it had and will have again: the to-many relationships on both sides change.
    linksChanged(of: object)
    if state.isInserted || state.isDeleting { tellLists(with: object) }
    dropMemberships(of: object, dropped)
    dropPositions(of: object, dropped)
    if state.life == .new {
      state.delete()
      return notifyLater(object, nil)
    }
    if state.isDeleting, !isTaken {
      state.undelete()
      notifyLater(object, nil)
    }
    if state.flags.contains(.filled), !inFlight.contains(where: { $0.fills(object) }) {
      state.flags.remove(.filled)
      // Its row is still a placeholder's, and says so when it is read again.
      state.stale = state.model.stored.subtracting(state.saving)
    }
    for saved in inFlight.reversed() {
      // The save under way knows the value that the column goes back to.
      guard var row = saved.values(of: object) else { continue }
      if state.isInserted {
        // There is no row to read the others from yet: it will have their defaults.
        for index in dropped.intersection(state.model.stored).subtracting(row.mask).indices {
          row[index] = state.model.properties[index].defaultValue
        }
      }
      object.loadColumns(RowReader(row, dropped))
    }
    state.stale.formUnion(dropped.intersection(state.model.stored).subtracting(state.saving))
    for index in dropped.indices { notifyLater(object, index) }
    if !dropped.isEmpty, state.life != .deleted {
      fulfilLinks(of: object, dropped)
      linksChanged(of: object)
    }
  }

  /// Drops the unsaved changes of one object: it reads as it is in the store; a new one becomes deleted, and relationships
  /// that were set to it have no target. Mistakes in its setters are forgotten.
  ///
  /// Changes that a save under way has taken are not called off. In `background`, changes that a query has sent to the
  /// unit's transaction stay too: there ``rollback()`` drops all changes since the last save.
  ///
  /// ```swift
  /// do { try context.save() } catch let error as StoreError {
  ///   for id in error.objects.prefix(1) { try context.object(id).map { try context.rollback($0) } }
  /// }
  /// ```
  ///
  /// - Throws: ``StoreError`` of kind `wrongContext`.
  public func rollback<E: ManagedEntity>(_ object: E) throws {
    let state = object._$state
    guard !isOver else { throw Self.over }
    guard state.context === self else { throw Self.foreign(object) }
    refusals.removeAll(of: state.id)
    guard changed[state.model.number][state.pk] != nil else { return }
    let isNew = state.life == .new
    let wasDeleting = state.isDeleting
    dropChanges(of: object)
    if wasDeleting, !state.isDeleting { try rejoinLists(object) }
    if isNew {
      endMemberships(of: state.pk, state.model)
      endLinks(to: [state.pk], state.model)
    }
    if state.isBeingSaved { keepUntilSaved(object) }
    deliver()
  }

  /// Drops the unsaved changes of an object, and lets go of it.
  func dropChanges(of object: any ManagedEntity) {
    let state = object._$state
    changed[state.model.number][state.pk] = nil
    drop(object)
    rowPending(state.model, state.pk)
  }

  /// Takes the links to new objects that were dropped out of the objects that have them, here and in the children: they
  /// read as none already, and there will never be a row that a save could link to. Required links stay, and the save names
  /// their objects.
  private func endLinks(to dropped: Set<Int64>, _ model: EntityModel) {
    guard !dropped.isEmpty else { return }
    let outer = update
    update = nil
    defer { update = outer }
    for incoming in model.incoming {
      let other = core.schema.entities[incoming.entity]
      let property = other.properties[incoming.property]
      guard !other.isLinks, !property.isRequired else { continue }
      let holders = changed[other.number].all.filter { _, holder in
        holder._$state.dirty.contains(property.index) && dropped.contains(holder.link(property.index))
          && !holder._$state.isGone
      }
      for (_, holder) in holders.sorted(by: { $0.key < $1.key }) { property.link(holder, nil) }
    }
    for child in children.live { child.endLinks(to: dropped, model) }
  }

  /// Throws an error that could not be thrown where it happened: in a setter, or in the read of a property.
  package func throwMistakes() throws {
    if let error = refusals.consume() { throw error }
    try throwDeferredError()
  }

  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }

  /// Sends the changes of a unit to its transaction, all or none of them.
  ///
  /// - Parameter isForQuery: Whether that is only for a query to find them: a required link may then be set later, and
  ///   another object may still give up a unique value.
  package func flush(isForQuery: Bool = false) throws {
    guard let rows else { return }
    try rows.checkOpen()
    rows.postponesRequired = isForQuery
    defer { rows.postponesRequired = false }
    // Values may change hands among the objects of a response, which come one by one.
    let isEnd = !isForQuery && !isOfResponse
    if hasChanges {
      try write(to: rows, isEnd: isEnd)
      for map in objects { map.boxYoung() }
    } else {
      discarded = []
      if isEnd { try rows.settleUniqueValues() }
    }
    if !isForQuery {
      try rows.checkPostponed()
      try endOverwritten()
      rows.insertedForQuery = []
    }
  }

  private func write(to rows: RowWriter, isEnd: Bool) throws {
    var saved = try collectObjects()
    do {
      let written = try rows.atomically {
        let written = try write(&saved, to: rows)
        if isEnd { try rows.settleUniqueValues() }
        return written
      }
      end(saved, written)
    } catch {
      restore(saved)
      rowsRolledBack()
      throw error
    }
  }

  // MARK: Units

  // A query sends a unit's changes to its transaction before they are saved; the savepoint tells the two apart.

  func beginUnit() throws {
    try connection.prepare("SAVEPOINT unsaved").run()
    unitMark = rows?.mark
  }

  private func keepUnit() throws {
    keptLists = KeptLists()
    try connection.prepare("RELEASE unsaved").run()
    try beginUnit()
  }

  private static var responseRollback: StoreError {
    StoreError(
      .wrongContext,
      "`rollback()` was called in an update(with:). A response is written as a whole or not at all: throw instead.")
  }

  private func rollbackUnit() {
    do {
      try connection.prepare("ROLLBACK TO unsaved").run()
      if let unitMark { try rows?.undone(to: unitMark) }
    } catch {
      deferredError = error
    }
    rowsRolledBack()
  }

  // MARK: To-many relationships

  /// Tells the observers of the to-many relationships that an object is in.
  private func linksChanged(of object: any ManagedEntity) {
    let state = object._$state
    guard kind == .main, state.life != .fault else { return }
    let links = object.values(state.model.stored)
    for property in state.model.properties {
      guard case .toOne(let target, let inverse?, _) = property.kind else { continue }
      tell(core.schema.entities[target], links.link(property.index), inverse)
    }
  }

  /// Reads an object again if it had unsaved links and somebody may observe the other side of them.
  private func fulfilLinks(of object: any ManagedEntity, _ dropped: ColumnMask) {
    guard kind == .main else { return }
    let hasLinks = dropped.indices.contains {
      if case .toOne(_, .some, _) = object._$state.model.properties[$0].kind { true } else { false }
    }
    if hasLinks { fulfilAny(object) }
  }
}
