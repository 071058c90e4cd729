// Many-to-many relationships in a context: memberships are inserted and deleted as objects of their own.

/// The to-many relationships of the objects of a context: members, pairs, places, unsaved changes.
@usableFromInline package struct ContextLists {
  @usableFromInline let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextLists {
  /// Makes a many-to-many relationship hold the objects with the row ids `wanted`.
  ///
  /// - Parameters:
  ///   - order: The order in which pairs are made; by default the order of the row ids.
  ///   - isHeard: `true` when the response itself has these objects. An update by hand may also set a list that it read
  ///     from the store.
  /// - Returns: Whether the relationship changed.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func setMemberships(
    of object: any ManagedEntity, _ property: Int, _ wanted: Set<Int64>, order: [Int64]? = nil, isHeard: Bool = false
  ) throws -> Bool {
    let isHeard =
      isHeard && context.arrival.update.map { $0.policy.keepsEdits && $0.isNewest(property, of: object) } == true
    return try editMemberships(of: object, property) {
      context.answers.noteSkippedList(object, $0, property, wanted)
    } _: { list, edited in
      let isChanged = try replaceMemberships(of: list, wanted, order: order, isHeard: isHeard, &edited) { _ in true }
      // A save merges an ordered list with the lists of others, member by member.
      if isChanged, context.arrival.update == nil, !object._$state.model.ordered.contains(property) {
        context.edits.willChange(object)
        object._$state.lists[property] = wanted
      }
      return isChanged
    }
  }

  /// Sets a many-to-many relationship. An ordered one gets the order of the members.
  ///
  /// - Throws: ``StoreError``.
  func setPairs(of object: any ManagedEntity, _ property: Int, _ order: [Int64], _ wanted: Set<Int64>) throws {
    guard object._$state.model.ordered.contains(property) else {
      try setMemberships(of: object, property, wanted)
      return
    }
    // An update by hand may write back a list that it only read.
    let isAbsent = context.arrival.update != nil && context.arrival.readsAbsent
    // Observers are told after all members are in their places.
    try context.merging.entry(isGetter: true) {
      let before = try places(of: object, property).map(\.member)
      try setMemberships(of: object, property, wanted, order: order)
      if !isAbsent { try setOrder(of: object, property, order, before: before) }
    }
  }

  /// Adds an object to a many-to-many relationship, or takes it out, without reading the list.
  ///
  /// - Returns: Whether the relationship changed.
  /// - Throws: ``StoreError``.
  @discardableResult
  func setMembership(of object: any ManagedEntity, _ property: Int, _ pk: Int64, isIn: Bool) throws -> Bool {
    try editMemberships(of: object, property, with: pk) {
      context.answers.noteSkippedMember(object, $0, property, pk, isIn: isIn)
    } _: {
      try changeMember(of: $0, pk, isIn: isIn, &$1)
    }
  }

  /// Adds objects to a many-to-many relationship and takes others out, as one edit. A list that equals its rows at the
  /// end is not edited, even if it differed between two of the changes.
  ///
  /// - Throws: ``StoreError``.
  func changeMembers(of object: any ManagedEntity, _ property: Int, added: [Int64], gone: [Int64]) throws {
    try editMemberships(of: object, property) { _ in
    } _: { list, edited in
      var isChanged = false
      for pk in added where try changeMember(of: list, pk, isIn: true, &edited) { isChanged = true }
      for pk in gone where try changeMember(of: list, pk, isIn: false, &edited) { isChanged = true }
      return isChanged
    }
  }

  private func changeMember(of list: PairedList, _ pk: Int64, isIn: Bool, _ edited: inout EditedLists) throws -> Bool {
    let rows = try memberships(of: list.pk, list.links, list.side, with: pk)
    if isIn { settleTwins(list.links, rows) }
    guard isIn == rows.isEmpty, try allowsChange(of: list, pk, rows) else { return false }
    return isIn ? try addMember(pk, to: list, &edited) : try endMember(pk, of: list, rows, &edited)
  }

  /// The edited lists on the other side that changed together with a list.
  typealias EditedLists = [(object: any ManagedEntity, list: Int)]

  /// - Parameters:
  ///   - member: The member that is added or taken out; `nil` where the whole list is set.
  ///   - skipped: Called when the list stays as it is, although the response has another list.
  @discardableResult
  private func editMemberships(
    of object: any ManagedEntity, _ property: Int, with member: Int64? = nil,
    skipped: (MergePolicy.Staying) -> Void, _ body: (PairedList, inout EditedLists) throws -> Bool
  ) throws -> Bool {
    let state = object._$state
    guard let membership = state.model.properties[property].membership else { return false }
    guard context.kind != .reading else { throw StoreError.contextIsReadOnly }
    if let update = context.arrival.update {
      // Edited pairs are checked one by one later. A list that was set as a whole and is not saved stays.
      let staying = update.staying(list: property, of: object)
      guard staying.isEmpty else {
        skipped(staying)
        return false
      }
      let isAbsent = context.answers.consumeAbsence()
      if !isAbsent, member == nil { update.order?.touch(object, property) }
      if !update.policy.keepsEdits, !isAbsent {
        if let member {
          try context.rows?.pairs.endMarks(membership, of: state.pk, with: member)
        } else {
          try context.rows?.pairs.endMarks(membership, of: state.pk)
        }
      }
    }
    // Observers are told after all changes.
    return try context.merging.entry(isGetter: true) {
      var edited: EditedLists = []
      let isChanged = try body(pairedList(state, membership), &edited)
      if isChanged, context.arrival.update != nil { state.noteChangedList() }
      if isChanged, context.arrival.update == nil {
        editList(of: object, property)
        for (object, list) in [(object, property)] + edited { context.edits.endUndoneList(of: object, list) }
      }
      return isChanged
    }
  }

  /// - Parameter isHeard: `true` when a response tells the server's whole list.
  private func replaceMemberships(
    of list: PairedList, _ wanted: Set<Int64>, order: [Int64]? = nil, isHeard: Bool = false,
    _ edited: inout EditedLists, where allows: (Int64) -> Bool
  ) throws -> Bool {
    var gone = try memberships(of: list.pk, list.links, list.side)
    if isHeard, let rows = context.rows,
      try gone.values.contains(where: { $0.contains(where: \.isMarked) }) || rows.pairs.hasRemovals(list.links)
    {
      let before = try rows.pairs.read(list.membership, of: list.pk)
      try rows.edits.hear(list.membership, of: list.pk, wanted, before: before)
      gone = try memberships(of: list.pk, list.links, list.side)
    }
    let added = wanted.filter { pk in
      guard let rows = gone.removeValue(forKey: pk) else { return true }
      settleTwins(list.links, rows)
      return false
    }
    let inOrder = order.map { ListOrder.unique($0, in: added) } ?? added.sorted()
    var isChanged = false
    for pk in inOrder where try allows(pk) && allowsChange(of: list, pk, []) {
      if try addMember(pk, to: list, &edited) { isChanged = true }
    }
    for (pk, rows) in gone.sorted(by: { $0.key < $1.key }) where try allows(pk) && allowsChange(of: list, pk, rows) {
      if try endMember(pk, of: list, rows, &edited) { isChanged = true }
    }
    return isChanged
  }

  /// Ends our unsaved membership where others made the same one: the store has theirs.
  private func settleTwins(_ links: EntityModel, _ rows: [MembershipRow]) {
    for row in rows where rows.count > 1 {
      guard let link = context.unsaved.changed[links.number][row.pk], link._$state.isInserted else { continue }
      settleMembership(link)
    }
  }

  private func addMember(_ member: Int64, to list: PairedList, _ edited: inout EditedLists) throws -> Bool {
    try addMembership(list.links, list.side, list.pk, member)
    try appendPair(in: list, member)
    edited += noteMembership(of: list.pk, member, list.links, list.side, isIn: true)
    return true
  }

  private func endMember(
    _ pk: Int64, of list: PairedList, _ rows: [MembershipRow], _ edited: inout EditedLists
  ) throws -> Bool {
    // A member that is being deleted stays in the list, so that a rollback of the deletion finds it there. An unsaved
    // pair has no row to come back with, and is ended.
    let member = context.loaded.objects[list.membership.target][pk]?._$state
    let isGoing = member?.isGone == true
    var isEnded = false
    for row in rows {
      guard let link = context.reading.object(list.links, row.pk) as? LinkRow else { continue }
      if isGoing, link._$state.life != .new { continue }
      context.edits.willChange(link)
      link.endedSide = list.side
      link.isFromResponse = context.arrival.update != nil
      try context.delete(link)
      isEnded = true
    }
    guard isEnded else { return false }
    edited += noteMembership(of: list.pk, pk, list.links, list.side, isIn: false)
    return true
  }

  /// Adds the other object to the lists that were set, on both sides, or takes it out of them.
  ///
  /// - Returns: The lists that are edited.
  @discardableResult
  func noteMembership(
    of pk: Int64, _ other: Int64, _ links: EntityModel, _ side: Int, isIn: Bool
  ) -> EditedLists {
    var edited: EditedLists = []
    for (side, pk, other) in [(side, pk, other), (1 - side, other, pk)] {
      guard case .toOne(let entity, let list?, _) = links.properties[side].kind else { continue }
      let key = KeptLists.Key(entity: entity, pk: pk, property: list)
      // The object may have become the end of the list that it entered.
      if !context.unsaved.keptLists.isEmpty {
        context.unsaved.keptLists.dropOrder(key, unlessEndingWith: isIn ? other : nil)
      }
      if !context.unsaved.keptLists.isEmpty, let kept = context.unsaved.keptLists[key] {
        if isIn {
          kept.insert(context.reading.object(context.core.schema.entities[kept.entity], other))
        } else {
          kept.remove(other)
        }
      }
      guard let object = context.loaded.objects[entity][pk] else { continue }
      if object._$state.dirty.contains(list) { edited.append((object, list)) }
      // A save under way keeps the earlier members.
      guard object._$state.lists[list] != nil else { continue }
      context.edits.willChange(object)
      if isIn { object._$state.lists[list]?.insert(other) } else { object._$state.lists[list]?.remove(other) }
    }
    return edited
  }

  // MARK: Lists that others changed too

  /// Records an object whose lists others changed. Its edited lists will be set again.
  func listsChanged(of object: any ManagedEntity, _ mask: ColumnMask) {
    let state = object._$state
    guard context.kind == .main, !state.lists.isEmpty,
      !state.dirty.intersection(mask).intersection(state.model.lists).isEmpty
    else { return }
    context.unsaved.contested.append(object)
  }

  /// Sets the lists again that were edited here and changed by others since: as with columns, the edit wins.
  func keepEditedLists() throws {
    guard !context.unsaved.contested.isEmpty else { return }
    let outer = context.arrival.update
    context.arrival.update = nil
    defer { context.arrival.update = outer }
    // In a fixed order. A pair that is in lists of both sides is made again through the first list, and becomes an edit
    // of that list.
    let states = context.unsaved.contested.map(\._$state).sorted { ($0.model.number, $0.pk) < ($1.model.number, $1.pk) }
    for state in states where !state.isGone {
      for (list, wanted) in state.lists.sorted(by: { $0.key < $1.key }) where state.dirty.contains(list) {
        guard let membership = state.model.properties[list].membership else { continue }
        var edited: EditedLists = []
        _ = try replaceMemberships(of: pairedList(state, membership), wanted, &edited) { pk in
          let member = context.reading.object(context.core.schema.entities[membership.target], pk)
          context.fulfil(member)
          return !member._$state.isGone
        }
      }
    }
    context.unsaved.contested = []
  }

  private func addMembership(_ links: EntityModel, _ side: Int, _ pk: Int64, _ other: Int64) throws {
    let link: LinkRow
    // A membership that was taken out, and is put in again before either change was saved.
    if let removed = context.unsaved.changed[links.number].memberships(side, of: pk, with: other).first(where: {
      $0._$state.isDeleting && !context.saving.isDeletedByASave($0)
    }) {
      link = removed
      context.edits.willChange(link)
      link._$state.undelete()
      // A membership that is still being saved has no row yet, and stays held.
      if !link._$state.isBeingSaved { context.unsaved.letGo(of: link._$state) }
    } else {
      guard let new = try context.answers.insert(links) as? LinkRow else { return }
      link = new
      // Released first, because the context finds a held membership by its ends, which are set below.
      context.unsaved.letGo(of: link._$state)
      link.set(side, pk, other: other)
      link.madeSide = side
      link.isFromResponse = context.arrival.update != nil
      link._$state.dirty = links.stored
      // The one column that came from no response is the edit mark: it is the side whose list the membership was made
      // through.
      link._$state.fromResponse =
        context.arrival.update == nil ? links.stored.subtracting(ColumnMask(side)) : links.stored
      context.unsaved.hold(link, link._$state)
    }
    // `noteMembership` tells the lists on both sides.
    context.overlay.rowPending(links, link._$state.pk, leavesLists: true)
    for side in links.ends.indices { context.relations.linkChanged(links, side, from: 0, to: link[side]) }
  }

  /// Records a list as edited here.
  func editList(of object: any ManagedEntity, _ property: Int) {
    let state = object._$state
    context.edits.willChange(object)
    state.dirty.insert(property)
    state.noteSet(ColumnMask(property))
    if state.isDeleting { state.flags.insert(.editedAfterDelete) }
    context.unsaved.hold(object, state)
    context.overlay.rowPending(state.model, state.pk, leavesLists: true)
  }
}
