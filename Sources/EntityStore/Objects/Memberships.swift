// Many-to-many relationships in a context: memberships are inserted and deleted as objects of their own.

extension EntityContext {
  /// Makes a many-to-many relationship hold the objects with the row ids `wanted`.
  ///
  /// - Parameter allows: Whether a newer answer leaves the list of an object on the other side open to this one.
  /// - Returns: Whether that changed it.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func setMemberships(
    of object: any ManagedEntity, _ property: Int, _ wanted: Set<Int64>,
    allows: ((_ member: any ManagedEntity, _ list: Int) -> Bool)? = nil
  ) throws -> Bool {
    let state = object._$state
    guard case .manyToMany(let membership, _) = state.model.properties[property].kind else { return false }
    guard kind != .reading else { throw Self.readOnly }
    if let update, update.protects(property, of: state) { return false }
    // Observers hear of it when all is done.
    return try entry(isGetter: true) {
      let isChanged = try replaceMemberships(of: state, property, membership, wanted) {
        self.allowsChange(of: membership, $0, allows)
      }
      if isChanged, update == nil {
        editList(of: object, property)
        state.lists[property] = wanted
      }
      return isChanged
    }
  }

  private func replaceMemberships(
    of state: ObjectState, _ property: Int, _ membership: PropertyModel.Membership, _ wanted: Set<Int64>,
    where allows: (Int64) -> Bool
  ) throws -> Bool {
    let links = core.schema.entities[membership.links]
    var gone = try memberships(of: state.pk, links, membership.side)
    let added = wanted.filter { gone.removeValue(forKey: $0) == nil }.sorted()
    var isChanged = false
    for pk in added where allows(pk) {
      try addMembership(links, membership.side, state.pk, pk)
      noteMembership(of: state.pk, pk, links, membership.side, isIn: true)
      isChanged = true
    }
    for (pk, pks) in gone.sorted(by: { $0.key < $1.key }) where allows(pk) {
      // A member that is being deleted stays in the list, to be in it again if that is rolled back.
      let member = objects[membership.target][pk]?._$state
      if member?.flags.isDisjoint(with: [.deleting, .deleted]) == false { continue }
      for link in pks {
        if let link = fault(links, link) as? LinkRow { try delete(link) }
      }
      noteMembership(of: state.pk, pk, links, membership.side, isIn: false)
      isChanged = true
    }
    return isChanged
  }

  /// What the lists on both sides were set to, if they were, is now with or without the other object.
  private func noteMembership(of pk: Int64, _ other: Int64, _ links: EntityModel, _ side: Int, isIn: Bool) {
    for (side, pk, other) in [(side, pk, other), (1 - side, other, pk)] {
      guard case .toOne(let entity, let list?, _) = links.properties[side].kind,
        let state = objects[entity][pk]?._$state, state.lists[list] != nil
      else { continue }
      if isIn { state.lists[list]?.insert(other) } else { state.lists[list]?.remove(other) }
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
        _ = try replaceMemberships(of: state, list, membership, wanted) { pk in
          let member = self.fault(self.core.schema.entities[membership.target], pk)
          self.fulfilAny(member)
          return member._$state.flags.isDisjoint(with: [.deleted, .deleting])
        }
      }
    }
    contested = []
  }

  private func addMembership(_ links: EntityModel, _ side: Int, _ pk: Int64, _ other: Int64) throws {
    let removed = try removedMembership(links, side, pk, other)
    let link: LinkRow
    if let removed, !inFlight.contains(where: { $0.deletes(removed) }) {
      link = removed
      link._$state.flags.remove(.deleting)
      changed[links.number][link._$state.pk] = nil
    } else {
      guard let new = try insert(links) as? LinkRow else { return }
      link = new
      link.set(side, pk, other: other)
      link._$state.dirty = links.stored
    }
    rowPending(links, link._$state.pk)
    for side in links.properties.indices { linkChanged(links, side, from: 0, to: link[side]) }
  }

  /// The membership that was taken out and is put in again before either was saved.
  private func removedMembership(_ links: EntityModel, _ side: Int, _ pk: Int64, _ other: Int64) throws -> LinkRow? {
    guard !changed[links.number].isEmpty else { return nil }
    let names = [side, 1 - side].map { "\(links.properties[$0].name.quoted) = ?" }
    let saved = try connection.rows(
      "SELECT _pk FROM \(links.table) WHERE \(names.joined(separator: " AND "))", [.integer(pk), .integer(other)]
    ) { $0.int64(0) }.first
    guard let saved, let link = changed[links.number][saved] as? LinkRow, link._$state.flags.contains(.deleting) else {
      return nil
    }
    return link
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
  private func allowsChange(
    of membership: PropertyModel.Membership, _ pk: Int64, _ allows: ((any ManagedEntity, Int) -> Bool)?
  ) -> Bool {
    guard let update, let inverse = membership.inverse else { return true }
    let member = fault(core.schema.entities[membership.target], pk)
    fulfilAny(member)
    return !update.protects(inverse, of: member._$state) && allows?(member, inverse) ?? true
  }

  /// Notes a list as edited here.
  private func editList(of object: any ManagedEntity, _ property: Int) {
    let state = object._$state
    state.dirty.insert(property)
    if state.flags.contains(.deleting) { state.flags.insert(.editedAfterDelete) }
    keepUntilSaved(object)
  }

  /// Drops the unsaved memberships in lists of an object whose edits are dropped.
  func dropMemberships(of object: any ManagedEntity, _ lists: ColumnMask) {
    for (link, property) in unsavedMemberships(of: object, lists) {
      if case .manyToMany(let membership, _) = object._$state.model.properties[property].kind {
        noteMembership(
          of: object._$state.pk, link[membership.otherSide], link._$state.model, membership.side,
          isIn: link._$state.flags.contains(.deleting))
      }
      changed[link._$state.model.number][link._$state.pk] = nil
      drop(link)
      rowPending(link._$state.model, link._$state.pk)
    }
  }

  /// The unsaved memberships in lists of an object were written by other means.
  func settleMemberships(of object: any ManagedEntity, _ lists: ColumnMask) {
    for (link, _) in unsavedMemberships(of: object, lists) where !link._$state.isBeingSaved {
      let state = link._$state
      guard !inFlight.contains(where: { $0.deletes(link) }) else { continue }
      state.dirty = ColumnMask()
      state.flags.remove(.inserted)
      state.flags.insert(.deleted)
      changed[state.model.number][state.pk] = nil
      rowPending(state.model, state.pk)
    }
  }

  /// The unsaved memberships in lists of an object.
  func unsavedMemberships(of object: any ManagedEntity, _ lists: ColumnMask) -> [(link: LinkRow, property: Int)] {
    let state = object._$state
    return state.model.lists.intersection(lists).indices.flatMap { property -> [(link: LinkRow, property: Int)] in
      guard case .manyToMany(let membership, _) = state.model.properties[property].kind else { return [] }
      return changed[membership.links].values.compactMap { $0 as? LinkRow }
        .filter { $0[membership.side] == state.pk }.map { ($0, property) }
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
