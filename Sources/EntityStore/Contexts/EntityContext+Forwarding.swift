// An object that turns out to be the same as another one: what is unsaved goes to the one whose row survived.

extension EntityContext {
  func rowForwarded(_ model: EntityModel, from: Int64, to: Int64) {
    repoint(model, from: from, to: to)
    guard let object = observable(model, from) else { return }
    object._$state.forwardedTo = to
    moveEdits(of: object, to: to)
    markDeleted(object)
  }

  /// What is unsaved refers to the row that another one turned out to be, as rows do by now.
  private func repoint(_ model: EntityModel, from: Int64, to: Int64) {
    for incoming in model.incoming {
      let other = core.schema.entities[incoming.entity]
      let side = incoming.property
      if other.isLinks {
        // What was made through the list of the row that is gone is that object's edit.
        for link in changed[other.number].memberships(side, of: from) where link.editedSide != side {
          changed[other.number][link._$state.pk] = nil
          link.set(side, to, other: link[1 - side])
          changed[other.number][link._$state.pk] = link
          rowPending(other, link._$state.pk)
        }
        guard case .toOne(let holder, let list?, _) = other.properties[1 - side].kind else { continue }
        for state in changed[holder].all.values.map(\._$state) where state.lists[list]?.remove(from) != nil {
          state.lists[list]?.insert(to)
        }
        continue
      }
      for (pk, object) in changed[other.number].all where object._$state.dirty.contains(side) {
        var row = object.values(ColumnMask(side))
        guard row.link(side) == from else { continue }
        row.setLink(to, side)
        object._$load(RowReader(row, row.mask))
        rowPending(other, pk)
      }
    }
  }

  /// Gives the unsaved edits of an object to the one that it turned out to be, where they are unsaved edits as well. An
  /// edit of the same property there counts more. Two lists that were edited are one with the members of both.
  ///
  /// Unsaved values of a response are no edits, and are dropped.
  func moveEdits(of object: any ManagedEntity, to pk: Int64) {
    let state = object._$state
    let model = state.model
    guard kind != .reading, !model.isLinks, !state.dirty.isEmpty,
      state.flags.isDisjoint(with: [.deleting, .editedAfterDelete])
    else { return }
    let survivor = fault(model, pk)
    let target = survivor._$state
    guard target.flags.isDisjoint(with: [.deleted, .deleting]) else { return }
    let edits = state.dirty.subtracting(state.fromResponse)
    var columns = edits.intersection(model.stored).subtracting(target.unsaved.subtracting(target.fromResponse))
    if let uid = model.uid { columns.remove(uid) }
    if !columns.isEmpty {
      let values = object.values(columns)
      survivor._$load(RowReader(values, columns))
      target.dirty.formUnion(columns)
      target.fromResponse.subtract(columns)
      target.forgetOriginals(columns)
    }
    let lists = moveLists(of: state, to: target, edits)
    state.dirty = ColumnMask()
    state.fromResponse = ColumnMask()
    state.lists = [:]
    if !state.isBeingSaved { changed[model.number][state.pk] = nil }
    rowPending(model, state.pk)
    guard !columns.isEmpty || !lists.isEmpty else { return }
    keepUntilSaved(survivor)
    if !lists.isEmpty, kind == .main { contested.append(survivor) }
    for index in columns.union(lists).indices { notifyLater(survivor, index) }
  }

  private func moveLists(of state: ObjectState, to target: ObjectState, _ edits: ColumnMask) -> ColumnMask {
    var moved = ColumnMask()
    for (list, wanted) in state.lists where edits.contains(list) {
      guard case .manyToMany(let membership, _) = state.model.properties[list].kind else { continue }
      target.lists[list] = (target.lists[list] ?? []).union(wanted)
      target.dirty.insert(list)
      moved.insert(list)
      let links = core.schema.entities[membership.links]
      for link in changed[links.number].memberships(membership.side, of: state.pk) {
        changed[links.number][link._$state.pk] = nil
        link.set(membership.side, target.pk, other: link[membership.otherSide])
        keepUntilSaved(link)
      }
    }
    return moved
  }
}
