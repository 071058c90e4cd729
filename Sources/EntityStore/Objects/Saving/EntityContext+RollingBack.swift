// Unsaved changes that are dropped.

extension EntityContext {
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
    prefetched.dropAll()
    due.unchecked = [:]
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
  /// that were set to it have no target. Mistakes in its setters are forgotten. Of a one-to-one relationship it has its saved
  /// partner again, and the link of an object that has got that partner since goes back too.
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
    giveBackTargets(to: object)
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

  private func rollbackUnit() {
    do {
      try connection.prepare("ROLLBACK TO unsaved").run()
      if let unitMark { try rows?.undone(to: unitMark) }
    } catch {
      deferredError = error
    }
    rowsRolledBack()
  }

  private static var responseRollback: StoreError {
    StoreError(
      .wrongContext,
      "`rollback()` was called in an update(with:). A response is written as a whole or not at all: throw instead.")
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
