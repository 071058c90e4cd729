// Many-to-many relationships in a context: memberships are inserted and deleted as objects of their own.

extension EntityContext {
  /// Makes a many-to-many relationship hold the objects with the row ids `wanted`.
  ///
  /// - Returns: Whether that changed it.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func setMemberships(of object: any ManagedEntity, _ property: Int, _ wanted: Set<Int64>) throws -> Bool {
    let state = object._$state
    guard case .manyToMany(let membership, _) = state.model.properties[property].kind else { return false }
    guard kind != .reading else { throw Self.readOnly }
    if let update, update.protects(property, of: object) { return false }
    confirm(object, property)
    // Observers hear of it when all is done.
    return try entry(isGetter: true) {
      var edited: [(object: any ManagedEntity, list: Int)] = []
      let isChanged = try replaceMemberships(of: state, property, membership, wanted, &edited) {
        self.allowsChange(of: membership, $0)
      }
      if isChanged, update != nil { state.hasChangedLists = true }
      if isChanged, update == nil {
        editList(of: object, property)
        state.lists[property] = wanted
        for (object, list) in [(object, property)] + edited { endUndoneList(of: object, list) }
      }
      return isChanged
    }
  }

  /// - Parameter edited: Gets the edited lists on the other side that changed with it.
  private func replaceMemberships(
    of state: ObjectState, _ property: Int, _ membership: PropertyModel.Membership, _ wanted: Set<Int64>,
    _ edited: inout [(object: any ManagedEntity, list: Int)], where allows: (Int64) -> Bool
  ) throws -> Bool {
    let links = core.schema.entities[membership.links]
    var gone = try memberships(of: state.pk, links, membership.side)
    let added = wanted.filter { pk in
      guard let pks = gone.removeValue(forKey: pk) else { return true }
      // Others made it too: theirs is in the store.
      for pk in pks.count > 1 ? pks : [] {
        guard let link = changed[links.number][pk], link._$state.flags.contains(.inserted) else { continue }
        settleMembership(link)
      }
      return false
    }.sorted()
    var isChanged = false
    for pk in added where allows(pk) {
      try addMembership(links, membership.side, state.pk, pk)
      edited += noteMembership(of: state.pk, pk, links, membership.side, isIn: true)
      isChanged = true
    }
    for (pk, pks) in gone.sorted(by: { $0.key < $1.key }) where allows(pk) {
      // A member that is being deleted stays in the list, to be in it again if that is rolled back.
      let member = objects[membership.target][pk]?._$state
      if member?.flags.isDisjoint(with: [.deleting, .deleted]) == false { continue }
      for link in pks {
        guard let link = fault(links, link) as? LinkRow else { continue }
        link.editedSide = membership.side
        try delete(link)
      }
      edited += noteMembership(of: state.pk, pk, links, membership.side, isIn: false)
      isChanged = true
    }
    return isChanged
  }

  /// What the lists on both sides were set to, if they were, is now with or without the other object.
  ///
  /// - Returns: Those lists.
  @discardableResult
  private func noteMembership(
    of pk: Int64, _ other: Int64, _ links: EntityModel, _ side: Int, isIn: Bool
  ) -> [(object: any ManagedEntity, list: Int)] {
    [(side, pk, other), (1 - side, other, pk)].compactMap { side, pk, other in
      guard case .toOne(let entity, let list?, _) = links.properties[side].kind,
        let object = objects[entity][pk], object._$state.lists[list] != nil
      else { return nil }
      if isIn { object._$state.lists[list]?.insert(other) } else { object._$state.lists[list]?.remove(other) }
      return (object, list)
    }
  }

  // MARK: Lists that others changed too

  /// Others changed lists of an object; those that were edited here will be set again.
  func listsChanged(of object: any ManagedEntity, _ mask: ColumnMask) {
    let state = object._$state
    guard kind == .main, !state.lists.isEmpty, !state.dirty.intersection(mask).intersection(state.model.lists).isEmpty
    else { return }
    contested.append(object)
  }

  /// Sets the lists again that were edited here and changed by others since: as with columns, the edit holds.
  func keepEditedLists() throws {
    guard !contested.isEmpty else { return }
    let outer = update
    update = nil
    defer { update = outer }
    for state in contested.map(\._$state) where state.flags.isDisjoint(with: [.deleted, .deleting]) {
      for (list, wanted) in state.lists.sorted(by: { $0.key < $1.key }) where state.dirty.contains(list) {
        guard case .manyToMany(let membership, _) = state.model.properties[list].kind else { continue }
        var edited: [(object: any ManagedEntity, list: Int)] = []
        _ = try replaceMemberships(of: state, list, membership, wanted, &edited) { pk in
          let member = self.fault(self.core.schema.entities[membership.target], pk)
          self.fulfilAny(member)
          return member._$state.flags.isDisjoint(with: [.deleted, .deleting])
        }
      }
    }
    contested = []
  }

  private func addMembership(_ links: EntityModel, _ side: Int, _ pk: Int64, _ other: Int64) throws {
    let link: LinkRow
    // One that was taken out and is put in again before either was saved.
    if let removed = changed[links.number].memberships(side, of: pk).first(where: {
      $0[1 - side] == other && $0._$state.flags.contains(.deleting) && !isDeletedByASave($0)
    }) {
      link = removed
      link._$state.flags.remove(.deleting)
      changed[links.number][link._$state.pk] = nil
    } else {
      guard let new = try insert(links) as? LinkRow else { return }
      link = new
      // It is found by its ends from now on.
      changed[links.number][link._$state.pk] = nil
      link.set(side, pk, other: other)
      link.editedSide = side
      link._$state.dirty = links.stored
      changed[links.number][link._$state.pk] = link
    }
    rowPending(links, link._$state.pk)
    for side in links.properties.indices { linkChanged(links, side, from: 0, to: link[side]) }
  }

  /// The row ids of the memberships of an object, by the objects on the other side. There are two for one object while
  /// one that was made here is unsaved, and others made it too.
  func memberships(of pk: Int64, _ links: EntityModel, _ side: Int) throws -> [Int64: [Int64]] {
    try entry(isGetter: true) {
      let rows = try connection.rows(links.selectLinks(side, from: source(links)), [.integer(pk)]) {
        ($0.int64(1), $0.int64(0))
      }
      return Dictionary(grouping: rows, by: \.0).mapValues { $0.map(\.1) }
    }
  }

  /// Whether a response may change a membership: the list of the other object may be edited here, or said by a newer
  /// answer.
  private func allowsChange(of membership: PropertyModel.Membership, _ pk: Int64) -> Bool {
    guard let update, let inverse = membership.inverse else { return true }
    return !update.protects(inverse, of: fault(core.schema.entities[membership.target], pk))
  }

  /// Notes a list as edited here.
  private func editList(of object: any ManagedEntity, _ property: Int) {
    let state = object._$state
    state.dirty.insert(property)
    if state.flags.contains(.deleting) { state.flags.insert(.editedAfterDelete) }
    keepUntilSaved(object)
  }

  /// Drops the unsaved memberships in lists of an object whose edits are dropped. What was set through the list of
  /// another object is that one's edit.
  func dropMemberships(of object: any ManagedEntity, _ lists: ColumnMask) {
    for (link, side) in unsavedMemberships(of: object, lists) where link.editedSide == side {
      noteMembership(
        of: object._$state.pk, link[1 - side], link._$state.model, side, isIn: link._$state.flags.contains(.deleting))
      changed[link._$state.model.number][link._$state.pk] = nil
      drop(link)
      rowPending(link._$state.model, link._$state.pk)
    }
  }

  /// The unsaved memberships in lists of an object were written by other means.
  func settleMemberships(of object: any ManagedEntity, _ lists: ColumnMask) {
    for (link, _) in unsavedMemberships(of: object, lists) { settleMembership(link) }
  }

  /// An object that was never saved is deleted: nothing is in a list with it, nor was.
  func endMemberships(of object: any ManagedEntity) {
    let state = object._$state
    for incoming in state.model.incoming where core.schema.entities[incoming.entity].isLinks {
      let links = core.schema.entities[incoming.entity]
      for link in changed[links.number].memberships(incoming.property, of: state.pk) {
        let other = link[1 - incoming.property]
        settleMembership(link)
        for (object, list) in noteMembership(of: state.pk, other, links, incoming.property, isIn: false) {
          endUndoneList(of: object, list)
        }
      }
    }
  }

  private func settleMembership(_ link: any ManagedEntity) {
    let state = link._$state
    guard !state.isBeingSaved, !isDeletedByASave(link) else { return }
    state.dirty = ColumnMask()
    state.flags.remove(.inserted)
    state.flags.insert(.deleted)
    changed[state.model.number][state.pk] = nil
    rowPending(state.model, state.pk)
  }

  /// The unsaved memberships in lists of an object, and the side that it has in them.
  private func unsavedMemberships(of object: any ManagedEntity, _ lists: ColumnMask) -> [(link: LinkRow, side: Int)] {
    let state = object._$state
    return state.model.lists.intersection(lists).indices.flatMap { property -> [(link: LinkRow, side: Int)] in
      guard case .manyToMany(let membership, _) = state.model.properties[property].kind else { return [] }
      return changed[membership.links].memberships(membership.side, of: state.pk).map { ($0, membership.side) }
    }
  }

  /// Tells the observers of the lists that an object is in: it goes, or comes back.
  func tellLists(with object: any ManagedEntity) {
    let state = object._$state
    guard kind == .main, !observed.isEmpty else { return }
    for index in state.model.incoming.indices {
      let incoming = state.model.incoming[index]
      let links = core.schema.entities[incoming.entity]
      guard links.isLinks, case .toOne(let target, let list?, _) = links.properties[1 - incoming.property].kind,
        let others = try? memberships(of: state.pk, links, incoming.property)
      else { continue }
      for pk in others.keys {
        if let other = observable(core.schema.entities[target], pk) { notifyLater(other, list) }
      }
    }
  }
}
