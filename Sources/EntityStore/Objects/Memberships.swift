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
    let links = core.schema.entities[membership.links]
    // Observers hear of it when all is done.
    return try entry(isGetter: true) {
      var gone = try memberships(of: state.pk, links, membership.side)
      let added = wanted.filter { gone.removeValue(forKey: $0) == nil }.sorted()
      var isChanged = false
      for pk in added where allowsChange(of: membership, pk, allows) {
        try addMembership(links, membership.side, state.pk, pk)
        isChanged = true
      }
      for (pk, link) in gone.sorted(by: { $0.key < $1.key }) where allowsChange(of: membership, pk, allows) {
        // A member that is being deleted stays in the list, to be in it again if that is rolled back.
        let member = objects[membership.target][pk]?._$state
        if member?.flags.isDisjoint(with: [.deleting, .deleted]) == false { continue }
        guard let link = fault(links, link) as? LinkRow else { continue }
        try delete(link)
        isChanged = true
      }
      if isChanged, update == nil { editList(of: object, property) }
      return isChanged
    }
  }

  private func addMembership(_ links: EntityModel, _ side: Int, _ pk: Int64, _ other: Int64) throws {
    // Taken out and put in again before either was saved.
    let removed = changed[links.number].values.lazy.compactMap { $0 as? LinkRow }.first {
      $0[side] == pk && $0[1 - side] == other && $0._$state.flags.contains(.deleting)
    }
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

  /// The row ids of the memberships of an object, by the objects on the other side.
  func memberships(of pk: Int64, _ links: EntityModel, _ side: Int) throws -> [Int64: Int64] {
    try entry(isGetter: true) {
      let rows = try connection.rows(links.selectLinks(side, from: source(links)), [.integer(pk)]) {
        ($0.int64(1), $0.int64(0))
      }
      return Dictionary(rows) { first, _ in first }
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
    for (link, _) in unsavedMemberships(of: object, lists) {
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
