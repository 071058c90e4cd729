// Dropping unsaved changes.

extension EntityContext {
  /// Drops all unsaved changes: edited objects read as they are in the store, and new ones become deleted.
  ///
  /// In `background` this drops all changes since the unit began or last saved. A save under way is not cancelled;
  /// changes since it began are dropped. In an `update(with:)` of a response it drops nothing and the response fails:
  /// throw there instead.
  public func rollback() {
    if isOfResponse, !saves.isOver { return unsaved.deferredError = ContextSaving.responseRollback }
    unsaved.deferredError = nil
    unsaved.refusals = Refusals()
    unsaved.discarded = []
    unsaved.keptLists = KeptLists()
    loaded.prefetched.dropAll()
    saves.due.unchecked = [:]
    if kind == .unit, !saves.isOver { saving.rollbackUnit() }
    let dropped = unsaved.changed.map(\.all)
    for objects in unsaved.changed { objects.removeAll() }
    var ended = dropped.map { _ in Set<Int64>() }
    for (number, objects) in dropped.enumerated() {
      for (pk, object) in objects {
        if object._$state.life == .new { ended[number].insert(pk) }
        saving.drop(object)
        overlay.rowPending(core.schema.entities[number], pk)
      }
    }
    // Changes that a save has taken are not in a table yet. Queries must find them in the overlay until then.
    for saved in saves.inFlight {
      for entry in saved.objects { saving.keepUntilSaved(entry.object) }
      for object in saved.deleted { saving.keepUntilSaved(object) }
    }
    for (number, pks) in ended.enumerated() where !lineage.children.isEmpty {
      for pk in pks { lists.endMemberships(of: pk, core.schema.entities[number]) }
      saving.endLinks(to: pks, core.schema.entities[number])
    }
    observers.deliver()
  }

  /// Drops the unsaved changes of one object, and forgets mistakes in its setters. The object then reads as it is in
  /// the store. A new object becomes deleted, and relationships that were set to it have no target. In a one-to-one
  /// relationship the object gets its saved partner back; if another object has taken that partner since, the other
  /// object's link goes back too.
  ///
  /// A save under way keeps the changes that it has taken. In `background`, changes that a query has sent to the unit's
  /// transaction stay too: there ``rollback()`` drops all changes since the last save.
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
    guard !saves.isOver else { throw StoreError.contextIsOver }
    guard state.context === self else { throw StoreError.foreign(object) }
    unsaved.refusals.removeAll(of: state.id)
    guard unsaved.changed[state.model.number][state.pk] != nil else { return }
    let isNew = state.life == .new
    let wasDeleting = state.isDeleting
    saving.dropChanges(of: object)
    if wasDeleting, !state.isDeleting { try lists.rejoinLists(object) }
    if isNew {
      lists.endMemberships(of: state.pk, state.model)
      saving.endLinks(to: [state.pk], state.model)
    }
    relations.giveBackTargets(to: object)
    if state.isBeingSaved { saving.keepUntilSaved(object) }
    observers.deliver()
  }
}

extension ContextSaving {
  func drop(_ object: any ManagedEntity) {
    let state = object._$state
    let dropped = state.dirty
    state.lists = [:]
    state.bases = EditBases()
    let isTaken = isDeletedByASave(object)
    state.dropEdits()
    // The object's links now, and those that it gets back: the to-many relationships on the other sides change.
    linksChanged(of: object)
    if state.isInserted || state.isDeleting { context.lists.tellLists(with: object) }
    context.lists.dropMemberships(of: object, dropped)
    context.lists.dropPositions(of: object, dropped)
    if state.life == .new {
      state.delete()
      return context.observers.notifyLater(object, nil)
    }
    if state.isDeleting, !isTaken {
      state.undelete()
      context.observers.notifyLater(object, nil)
    }
    if state.flags.contains(.filled), !context.saves.inFlight.contains(where: { $0.fills(object) }) {
      state.flags.remove(.filled)
      // The row is still a placeholder, which the next read shows.
      state.stale = state.model.stored.subtracting(state.saving)
    }
    for saved in context.saves.inFlight.reversed() {
      // The save under way has the value that the column goes back to.
      guard var row = saved.values(of: object) else { continue }
      if state.isInserted {
        // The object has no row to read the other columns from yet: the row will have their defaults.
        for index in dropped.intersection(state.model.stored).subtracting(row.mask).indices {
          row[index] = state.model.properties[index].defaultValue
        }
      }
      object.loadColumns(RowReader(row, dropped))
    }
    state.stale.formUnion(dropped.intersection(state.model.stored).subtracting(state.saving))
    for index in dropped.indices { context.observers.notifyLater(object, index) }
    if !dropped.isEmpty, state.life != .deleted {
      fulfilLinks(of: object, dropped)
      linksChanged(of: object)
    }
  }

  /// Drops the unsaved changes of an object, and lets go of it.
  func dropChanges(of object: any ManagedEntity) {
    let state = object._$state
    context.unsaved.letGo(of: state)
    drop(object)
    context.overlay.rowPending(state.model, state.pk)
  }

  /// Removes the links to dropped new objects from the objects that have such links, here and in the children. The
  /// links read as `nil` already, and a save could never write them, as no row will exist. Required links stay, and the
  /// save names their objects.
  fileprivate func endLinks(to dropped: Set<Int64>, _ model: EntityModel) {
    guard !dropped.isEmpty else { return }
    let outer = context.arrival.update
    context.arrival.update = nil
    defer { context.arrival.update = outer }
    for incoming in model.incoming {
      let other = context.core.schema.entities[incoming.entity]
      let property = other.properties[incoming.property]
      guard incoming.otherEnd == nil, !property.isRequired else { continue }
      let holders = context.unsaved.changed[other.number].all.filter { _, holder in
        holder._$state.dirty.contains(property.index) && dropped.contains(holder.link(property.index))
          && !holder._$state.isGone
      }
      for (_, holder) in holders.sorted(by: { $0.key < $1.key }) { property.link(holder, nil) }
    }
    for child in context.lineage.children.live { child.saving.endLinks(to: dropped, model) }
  }

  fileprivate func rollbackUnit() {
    do {
      try context.connection.prepare("ROLLBACK TO unsaved").run()
      if let unitMark = context.saves.unitMark { try context.rows?.undone(to: unitMark) }
    } catch {
      context.unsaved.deferredError = error
    }
    context.merging.rowsRolledBack()
  }

  fileprivate static var responseRollback: StoreError {
    StoreError(
      .wrongContext,
      "`rollback()` was called in an update(with:). A response is written as a whole or not at all: throw instead.")
  }

  // MARK: To-many relationships

  /// Tells the observers of the to-many relationships that an object is in.
  private func linksChanged(of object: any ManagedEntity) {
    let state = object._$state
    guard context.kind == .main, state.life != .unloaded else { return }
    let links = object.values(state.model.stored)
    for property in state.model.properties {
      guard case .toOne(let target, let inverse?, _) = property.kind else { continue }
      context.family.tell(context.core.schema.entities[target], links.link(property.index), inverse)
    }
  }

  /// Reads an object again if it had unsaved links whose other side somebody may observe.
  private func fulfilLinks(of object: any ManagedEntity, _ dropped: ColumnMask) {
    guard context.kind == .main else { return }
    let hasLinks = dropped.indices.contains {
      if case .toOne(_, .some, _) = object._$state.model.properties[$0].kind { true } else { false }
    }
    if hasLinks { context.fulfil(object) }
  }
}
