// Ordered relationships in a context. The positions are values of the members, or of the memberships; see
// ListArrangement.swift. A new order is an edit of the object that owns the list.

extension ContextLists {
  /// The members of an ordered relationship with their places, unsaved changes included. Empty for a relationship
  /// without order.
  ///
  /// - Throws: ``StoreError``.
  package func places(of object: any ManagedEntity, _ property: Int) throws -> [ListPlace] {
    let state = object._$state
    guard state.model.properties[property].isOrdered, state.life != .deleted else { return [] }
    return try context.merging.entry(isGetter: true) {
      guard
        let (model, sql, position) = try context.core.schema.selectPlaces(
          state.model.properties[property], source: context.overlay.source)
      else { return [] }
      return try context.connection.rows(sql, [.integer(state.pk)]) {
        var place = ListPlace($0, model, position)
        if model.isLinks, let row = context.unsaved.changed[model.number][place.row]?._$state {
          place.isMoved = place.isMoved || row.unsavedEdits.contains(position)
        }
        return place
      }
    }
  }

  /// Gives the members of an ordered relationship the order of `wanted`. A member that `wanted` lacks stays behind the
  /// member that it is behind now.
  ///
  /// If the order was edited here and the response's policy keeps edits, a response does not change the order. A member
  /// that the response adds comes behind the member that it is behind in the response.
  ///
  /// - Parameter before: The members before the list was set, in their order.
  /// - Returns: Whether a member got another place.
  /// - Throws: ``StoreError``.
  @discardableResult
  package func setOrder(
    of object: any ManagedEntity, _ property: Int, _ wanted: [Int64], before: [Int64]
  ) throws -> Bool {
    let state = object._$state
    let list = state.model.properties[property]
    guard let position = list.position, let rows = context.core.schema.listRows(list), !state.isGone,
      wanted.count > 1 || before.count > 1
    else { return false }
    let places = try places(of: object, property)
    let members = places.map(\.member)
    let isKept =
      try context.arrival.update.map { try $0.policy.keepsEdits && isOrderEdited(of: object, property, places) }
      ?? false
    let order = isKept ? ListOrder.merged(before, wanted) : wanted
    let target = ListOrder.places(ListOrder.merged(order, members), of: places)
    let moves = ListOrder.moves(target)
    if isKept, !ListOrder.isSame(target, as: wanted) {
      context.rows?.notes.skips?.note(
        state.model, state.pk, MergePolicy.Staying(edited: ColumnMask(property)), answered: ColumnMask())
    }
    let isEdit = context.arrival.update == nil && ListOrder.isReordered(target.map(\.member), from: before)
    guard !moves.isEmpty || isEdit else { return false }
    for (row, place) in moves { setPosition(context.reading.object(rows, row), position, place, isEdit: isEdit) }
    if isEdit { editList(of: object, property) }
    if context.arrival.update != nil, !moves.isEmpty {
      state.noteChangedList()
      context.rows?.notes.repeats?.noteOrder(state.model, state.pk, property, isChanged: true)
    }
    context.observers.notifyLater(object, property)
    context.observers.deliver()
    return !moves.isEmpty
  }

  /// Puts members that were just added at the end of an ordered relationship.
  ///
  /// - Parameter before: The members before the addition, in their order.
  func append(_ members: [Int64], to object: any ManagedEntity, _ property: Int, before: [Int64]) throws {
    let known = Set(before)
    try setOrder(of: object, property, before + members.filter { !known.contains($0) }, before: before)
  }

  private func isOrderEdited(
    of object: any ManagedEntity, _ property: Int, _ places: [ListPlace]
  ) throws -> Bool {
    if case .toMany = object._$state.model.properties[property].kind { return object.hasLocalEdit(of: property) }
    return object._$state.lists[property] != nil || places.contains(where: \.isMoved)
  }

  /// Drops the kept order of the list that `position` belongs to.
  private func dropKeptOrder(_ row: any ManagedEntity, _ position: Int) {
    guard !context.unsaved.keptLists.isEmpty, let link = row._$state.model.properties[position].positionOf,
      case .toOne(let target, let list?, _) = row._$state.model.properties[link].kind
    else { return }
    context.unsaved.keptLists.dropOrder(
      .init(entity: target, pk: row.values(ColumnMask(link)).link(link), property: list))
  }

  /// - Parameter isEdit: For a membership, `true` when the position is a local edit. For a member, the edit belongs to
  ///   the list instead.
  func setPosition(_ object: any ManagedEntity, _ position: Int, _ place: Int64?, isEdit: Bool) {
    context.fulfil(object)
    let state = object._$state
    guard !state.isGone else { return }
    dropKeptOrder(object, position)
    context.edits.willChange(object)
    state.positions[position] = place
    state.dirty.insert(position)
    if let link = object as? LinkRow {
      if isEdit { state.fromResponse.remove(position) } else { state.fromResponse.insert(position) }
      if !state.isInserted { link.madeSide = state.model.properties[position].positionOf ?? 0 }
    }
    context.unsaved.hold(object, state)
    context.overlay.rowPending(state.model, state.pk, leavesLists: true, columns: ColumnMask(position))
  }

  /// Tells the observers of lists that are sorted by a value of the object, after that value was set.
  func sortKeyChanged(of object: any ManagedEntity, _ state: ObjectState, _ key: Int) {
    for child in context.lineage.children.live where !child.news.observed.isEmpty && state.model.sortKeys.contains(key)
    {
      let copy = child.reading.object(state.model, state.pk)
      child.fulfil(copy)
      child.lists.sortKeyChanged(of: copy, copy._$state, key)
    }
    guard state.model.sortKeys.contains(key), context.kind == .main, !context.news.observed.isEmpty else { return }
    for link in state.model.properties where link.sortKey == key {
      guard case .toOne(let target, let list?, _) = link.kind,
        let parent = context.reading.observable(context.core.schema.entities[target], object.link(link.index))
      else { continue }
      context.observers.notifyLater(parent, list)
    }
    context.observers.deliver()
  }

  /// A link was set directly, and not through the list: in an ordered list, the object becomes the last member. A new
  /// object of a unit, and any object of a response, has the place of its row id, so that the list is not read for each
  /// of them.
  func linkSet(of object: any ManagedEntity, _ state: ObjectState, _ link: Int, to new: Int64, isUndone: Bool) {
    guard let position = state.model.position(of: link) else { return }
    guard !isUndone else {
      // The object is back in its row's place.
      guard state.dirty.contains(position) else { return }
      state.stale.insert(position)
      return context.edits.endEdit(of: object, position)
    }
    if state.positions[position] != nil { setPosition(object, position, nil, isEdit: false) }
    guard context.arrival.update == nil, !context.unsaved.isSettingList, new != 0, !state.isGone,
      context.kind == .main || !state.isInserted,
      case .toOne(let target, let list?, _) = state.model.properties[link].kind
    else { return }
    do {
      let list = context.core.schema.entities[target].properties[list]
      let last = try formerEnd(of: list, target, new, before: state.pk)
      let key = KeptLists.Key(entity: target, pk: new, property: list.index)
      placeLast(object, position, as: state.pk, in: key, after: last)
    } catch {
      context.unsaved.deferredError = error
    }
  }

  /// A pair was made through the list on one side: in an ordered list on the other side, it becomes the last one. In a
  /// unit or a response the row id alone gives that place.
  func appendPair(in list: PairedList, _ member: Int64) throws {
    guard let position = list.links.position(of: list.membership.otherSide), let inverse = list.membership.inverse,
      context.arrival.update == nil,
      context.kind == .main,
      let link = context.unsaved.changed[list.links.number].memberships(list.side, of: list.pk, with: member)
        .first(where: { $0._$state.isInserted })
    else { return }
    let target = list.membership.target
    let property = context.core.schema.entities[target].properties[inverse]
    let last = try formerEnd(of: property, target, member, before: link._$state.pk)
    let key = KeptLists.Key(entity: target, pk: member, property: inverse)
    placeLast(link, position, as: list.pk, in: key, after: last)
  }

  /// The last place in an ordered list that a row has come into. The list is read once, and its end is kept from then on.
  ///
  /// - Returns: `nil` where the list was empty, or where the row stands last already.
  private func formerEnd(
    of list: PropertyModel, _ entity: Int, _ pk: Int64, before row: Int64
  ) throws -> ListPlace? {
    // A commit of another context may drop the end.
    try context.reading.catchUpWithCommits()
    if let end = context.unsaved.keptLists.end(of: .init(entity: entity, pk: pk, property: list.index)) { return end }
    return try lastPlace(in: list, of: pk).flatMap { $0.row == row ? nil : $0 }
  }

  /// Gives a row that comes into an ordered list the last place there, and keeps the place as the end of the list.
  ///
  /// - Parameters:
  ///   - row: The row with the position: the member's, or the membership's.
  ///   - last: The last place before; `nil` where the row's own place is the last one.
  func placeLast(
    _ row: any ManagedEntity, _ position: Int, as member: Int64, in list: KeptLists.Key, after last: ListPlace?
  ) {
    let state = row._$state
    // The new row id of a unit comes after all places. The main context's new ids come before those of saved rows.
    let own = ListPlace.key(.null, state.pk)
    let isBehind = last.map { ($0.key, $0.row) < (own, state.pk) } ?? true
    let place = isBehind ? own : (last?.key ?? own) &+ ListOrder.endStep
    if !isBehind || state.positions[position] != nil {
      setPosition(row, position, isBehind ? nil : place, isEdit: false)
    }
    guard let target = context.core.schema.entities[list.entity].properties[list.property].target else { return }
    context.unsaved.keptLists.keep(
      end: ListPlace(row: state.pk, member: member, key: place, isMoved: false),
      of: list, [state.model.number, target])
  }

  func lastPlace(in list: PropertyModel, of pk: Int64) throws -> ListPlace? {
    try context.merging.entry(isGetter: true) {
      guard
        let (model, sql, position) = try context.core.schema.selectPlaces(
          list, isLast: true, source: context.overlay.source)
      else {
        return nil
      }
      return try context.connection.rows(sql, [.integer(pk)]) { ListPlace($0, model, position) }.first
    }
  }

  /// Drops the unsaved positions in ordered lists of an object. The rows of the members have the right positions.
  func dropPositions(of object: any ManagedEntity, _ lists: ColumnMask) {
    let state = object._$state
    for list in lists.intersection(state.model.ordered).indices {
      let property = state.model.properties[list]
      guard let position = property.position else { continue }
      for row in movedRows(of: state, property, position) {
        let moved = row._$state
        dropKeptOrder(row, position)
        moved.dirty.remove(position)
        moved.fromResponse.remove(position)
        if moved.isInserted { moved.positions[position] = nil } else { moved.stale.insert(position) }
        context.overlay.rowPending(moved.model, moved.pk, leavesLists: true, columns: ColumnMask(position))
        if !moved.hasChanges, !moved.isBeingSaved { context.unsaved.letGo(of: moved) }
      }
    }
  }

  /// The members of an object's list, or its memberships, that have an unsaved position in the list.
  private func movedRows(of state: ObjectState, _ list: PropertyModel, _ position: Int) -> [any ManagedEntity] {
    guard let rows = list.list else { return [] }
    let changed = context.unsaved.changed[rows.entity]
    guard rows.member == nil else {
      return changed.memberships(rows.owner, of: state.pk).filter { $0._$state.dirty.contains(position) }
    }
    return changed.all.values.filter {
      $0._$state.dirty.contains(position) && $0.values(ColumnMask(rows.owner)).link(rows.owner) == state.pk
    }
  }
}
