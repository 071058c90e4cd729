// An object that turns out to be the same as another one: its unsaved changes move to the object whose row survived.

extension ContextMerging {
  func rowForwarded(_ model: EntityModel, from: Int64, to: Int64) {
    context.reading.drop()
    repoint(model, from: from, to: to)
    guard let object = context.reading.observable(model, from) else { return }
    object._$state.forwardedTo = to
    if let link = object as? LinkRow { moveRemoval(of: link, to: to) }
    moveEdits(of: object, to: to)
    markDeleted(object)
  }

  /// Makes unsaved links refer to the surviving row. The links in the rows do so already.
  private func repoint(_ model: EntityModel, from: Int64, to: Int64) {
    for incoming in model.incoming {
      let other = context.core.schema.entities[incoming.entity]
      let side = incoming.property
      if let end = incoming.otherEnd {
        // A membership that was made through the list of the lost row's object is an edit of that object, and is moved
        // later.
        for link in context.unsaved.changed[other.number].memberships(side, of: from) where link.editedSide != side {
          context.unsaved.letGo(of: link._$state)
          link.set(side, to, other: link[end.property])
          context.unsaved.hold(link, link._$state)
          context.overlay.rowPending(other, link._$state.pk)
        }
        guard let list = end.list else { continue }
        for state in context.unsaved.changed[end.entity].all.values.map(\._$state)
        where state.lists[list]?.remove(from) != nil {
          state.lists[list]?.insert(to)
        }
        continue
      }
      for state in context.unsaved.changed[other.number].all.values.map(\._$state) where !state.bases.isEmpty {
        var bases = state.bases
        bases.repoint(side, from: from, to: to)
        state.bases = bases
      }
      for save in context.saves.inFlight.indices {
        for place in context.saves.inFlight[save].objects.indices
        where context.saves.inFlight[save].objects[place].state.model === other {
          context.saves.inFlight[save].objects[place].bases.repoint(side, from: from, to: to)
        }
      }
      for (pk, object) in context.unsaved.changed[other.number].all where object._$state.dirty.contains(side) {
        var row = object.values(ColumnMask(side))
        guard row.link(side) == from else { continue }
        row.setLink(to, side)
        object.loadColumns(RowReader(row, row.mask))
        context.overlay.rowPending(other, pk)
      }
    }
  }

  /// Moves the unsaved edits of an object to the object that it turned out to be, as unsaved edits. If that object has
  /// its own edit of a property, its own edit is kept. Two edited lists become one list with the members of both.
  ///
  /// Unsaved values of a response are no edits, and are dropped.
  func moveEdits(of object: any ManagedEntity, to pk: Int64) {
    let state = object._$state
    let model = state.model
    guard context.kind != .reading, !model.isLinks, !state.dirty.isEmpty,
      !state.isDeleting, !state.flags.contains(.editedAfterDelete)
    else { return }
    let survivor = context.reading.object(model, pk)
    let target = survivor._$state
    guard !target.isGone else { return }
    let edits = state.dirty.subtracting(state.fromResponse)
    var columns = edits.intersection(model.stored).subtracting(target.unsaved.subtracting(target.fromResponse))
    columns.subtract(model.identity)
    if !columns.isEmpty {
      let values = object.values(columns)
      survivor.loadColumns(RowReader(values, columns))
      target.dirty.formUnion(columns)
      target.fromResponse.subtract(columns)
      // The edits were based on values of the lost row, which say nothing about this row. So the edits are kept, and
      // get this row's values as their base. While a save gives edits back, the row is not read, and the edits get no
      // base.
      target.forgetBases(columns)
      if context.kind == .main, context.family.root.news.entryDepth > 0 { try? context.saving.rebase(target, columns) }
    }
    let lists = moveLists(of: state, to: target, edits)
    state.dirty = ColumnMask()
    state.fromResponse = ColumnMask()
    state.lists = [:]
    if !state.isBeingSaved { context.unsaved.letGo(of: state) }
    context.overlay.rowPending(model, state.pk)
    guard !columns.isEmpty || !lists.isEmpty else { return }
    context.saving.keepUntilSaved(survivor)
    if !lists.isEmpty, context.kind == .main { context.unsaved.contested.append(survivor) }
    for index in columns.union(lists).indices { context.observers.notifyLater(survivor, index) }
  }

  private func moveLists(of state: ObjectState, to target: ObjectState, _ edits: ColumnMask) -> ColumnMask {
    var moved = ColumnMask()
    for list in edits.intersection(state.model.lists).indices {
      guard let membership = state.model.properties[list].membership else { continue }
      let (links, side) = (context.core.schema.entities[membership.links], membership.side)
      // If members were added and removed one by one, the memberships are the whole edit.
      let added = [state, target].map { state in
        context.unsaved.changed[links.number].memberships(side, of: state.pk).filter { $0._$state.isInserted }
          .map { $0[membership.otherSide] }
      }
      if state.lists[list] != nil || target.lists[list] != nil {
        target.lists[list] = (state.lists[list] ?? Set(added[0])).union(target.lists[list] ?? Set(added[1]))
      }
      target.dirty.insert(list)
      moved.insert(list)
      for link in context.unsaved.changed[links.number].memberships(side, of: state.pk) {
        context.unsaved.letGo(of: link._$state)
        link.set(side, target.pk, other: link[membership.otherSide])
        context.saving.keepUntilSaved(link)
        context.overlay.rowPending(links, link._$state.pk)
      }
    }
    return moved
  }

  /// A membership that we want to remove was merged into another one. That one is removed in its place, unless it was
  /// added here.
  private func moveRemoval(of link: LinkRow, to pk: Int64) {
    let state = link._$state
    guard context.kind == .main, state.isDeleting, !context.saving.isDeletedByASave(link),
      let twin = context.reading.object(state.model, pk) as? LinkRow
    else { return }
    context.fulfil(twin)
    guard !twin._$state.isGone, twin._$state.edited.isEmpty else { return }
    twin.endedSide = link.endedSide
    do {
      try context.delete(twin)
    } catch {
      context.unsaved.deferredError = error
    }
  }
}
