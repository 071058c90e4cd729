extension ObjectState {
  /// The target of a to-one link; `nil` if there is none, or if it is deleted.
  @usableFromInline func linked<T: ManagedEntity>(_ type: T.Type, _ pk: Int64) -> T? {
    if let context { context.relations.linked(type, pk, from: self) } else { loose?.object(type, pk) }
  }

  /// The value of a required to-one link without a target: an object without a row that is deleted from the start.
  func absent<T: ManagedEntity>(_ type: T.Type) -> T {
    let known = context.flatMap { try? $0.core.schema.model(type) }
    let state = ObjectState(known ?? EntityModel(detached: type), pk: 0, context: context, life: .deleted)
    if loose != nil { state.loose = LooseGraph(holder: self) }
    return T(state)
  }
}

extension EntityContext {
  /// Begins the change of a to-one relationship.
  ///
  /// - Parameter target: The new target; `nil` for none.
  @usableFromInline func beginLink<T: ManagedEntity>(
    of object: any ManagedEntity, _ state: ObjectState, _ index: Int, from old: Int64, to target: ObjectState?,
    _ type: T.Type
  ) -> SlotChange {
    // A loose object's stand-in for a missing target has no row: it counts as no target, as one of this context does.
    if let target, target.context !== self, target.loose == nil || target.pk != 0 {
      // Calls the setter again, because observers heard of the insertion and may have set the property.
      if entrants.takesIn([target], for: state, index) {
        state.model.properties[index].link(object, reading.object(target.model, target.pk))
      }
      return .none
    }
    let new = target?.pk ?? 0
    if arrival.isPlaced(index, of: state), !arrival.readsAbsent {
      guard new != 0 else {
        confirm(object, state, index)
        return .none
      }
      arrival.setPlaced(index, of: state)
    }
    // A link that reads as `nil` and is set to `nil` stays as it is: `assign` writes back the value that it read.
    if old == new || (target != nil && new == 0 && relations.linked(type, old) == nil) {
      confirm(object, state, index)
      return .none
    }
    // The link was not edited, but its embedded object was.
    if arrival.update != nil, answers.keepsPart(of: object, state, index, old) {
      relations.linkChanged(state.model, index, from: old, to: new)
      return .none
    }
    guard beginChange(of: object, state, index) else {
      held(object, state, index, StoredValue(link: new))
      relations.linkChanged(state.model, index, from: old, to: new)
      return .none
    }
    let isUndone =
      remembersEdits(of: state, index)
      && undoesEdit(of: state, index, from: StoredValue(link: old), to: StoredValue(link: new))
    return isUndone ? .isUndone : .isDone
  }

  /// A to-one relationship was changed.
  @usableFromInline func endLink(
    of object: any ManagedEntity, _ state: ObjectState, _ index: Int, from old: Int64, to new: Int64, isUndone: Bool
  ) {
    endChange(of: object, state, index, isUndone: isUndone)
    if !state.model.positions.isEmpty { lists.linkSet(of: object, state, index, to: new, isUndone: isUndone) }
    if !unsaved.keptLists.isEmpty { lists.moveInLists(object, index, from: old, to: new) }
    if new != 0, state.model.oneToOne.contains(index) {
      relations.freeFormerHolder(of: object, state, index, target: new)
    }
    relations.linkChanged(state.model, index, from: old, to: new)
  }
}

/// The links of a context's objects: reading and setting them, and finding the objects that link to one.
struct ContextRelations {
  let context: EntityContext
}

extension ContextRelations {
  /// The target of a to-one link; `nil` if there is none, or if it is deleted.
  ///
  /// - Parameter owner: The object whose property is read.
  func linked<T: ManagedEntity>(_ type: T.Type, _ pk: Int64, from owner: ObjectState? = nil) -> T? {
    guard pk != 0, let model = try? context.core.schema.model(type) else { return nil }
    guard let object = context.reading.object(model, pk) as? T else { return nil }
    let state = object._$state
    if state.life == .unloaded, let owner {
      context.loaded.streaks.origin = LoadOrigin(
        entity: owner.model.number, owner: owner.pk, target: model.number, pk: pk)
    }
    // A parent context may have deleted the object without saving that, or dropped it. A child's unloaded object does
    // not know yet.
    if context.family.isChild, state.life == .unloaded { context.fulfil(object) }
    guard state.isGone else { return object }
    return state.forwardedTo == 0 ? nil : linked(type, state.forwardedTo)
  }

  /// Tells observers that a to-one link changed in memory: the to-many relationships that it left and entered changed.
  func linkChanged(_ model: EntityModel, _ property: Int, from old: Int64, to new: Int64) {
    guard case .toOne(let target, let inverse?, _) = model.properties[property].kind else { return }
    for child in context.lineage.children.live { child.relations.linkChanged(model, property, from: old, to: new) }
    for pk in [old, new] where pk != 0 {
      guard let parent = context.reading.observable(context.core.schema.entities[target], pk) else { continue }
      context.observers.notifyLater(parent, inverse)
    }
    context.observers.deliver()
  }

  /// The objects of a to-many relationship.
  func members<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ type: T.Type) -> [T] {
    do {
      if let kept = try context.lists.keptList(of: object._$state, property, T.self) { return kept.members }
      if let held = try context.reading.heldList(of: object._$state, property) { return held.members(T.self) }
      context.loaded.counters.counts.lists += 1
      context.reading.noteRead(object._$state.model, property)
      let members = try context.answers.members(of: object, property).compactMap { $0 as? T }
      context.reading.hold(members, of: object._$state, property)
      context.lists.keepList(members, of: object._$state, property)
      return members
    } catch {
      context.unsaved.deferredError = error
      return []
    }
  }

  func setMembers<T: ManagedEntity>(of object: any ManagedEntity, _ property: Int, _ members: [T]) {
    let state = object._$state
    do {
      if try context.lists.setKeptList(of: object, property, members) { return }
    } catch {
      return context.unsaved.deferredError = error
    }
    defer { context.lists.expectList(of: state, property) }
    var wanted = Set<Int64>(minimumCapacity: members.count)
    var areOwn = true
    for member in members {
      let member = member._$state
      guard member.pk != 0 else { return context.edits.refuseChange(of: state.model) }
      if member.context !== self.context { areOwn = false }
      wanted.insert(member.pk)
    }
    guard state.pk != 0 else { return context.edits.refuseChange(of: state.model) }
    // The links are set in the members, where `mayChange` can't see that a newer response had this list.
    if context.arrival.update != nil, context.arrival.held(of: state).contains(property) {
      return areOwn ? context.answers.noteSkippedList(object, .init(newer: ColumnMask(property)), property, wanted) : ()
    }
    guard areOwn else {
      if context.entrants.takesIn(members.map(\._$state), for: state, property) {
        setMembers(of: object, property, members)
      }
      return
    }
    if context.arrival.isUpdating, !context.arrival.readsAbsent { state.noteHeard(property, of: object) }
    do {
      guard let list = state.model.properties[property].list else { return }
      if list.member == nil {
        try setHolders(of: object, property, members, wanted, context.core.schema.entities[list.entity], list.owner)
      } else {
        try context.lists.setPairs(of: object, property, members.map(\._$state.pk), wanted)
      }
    } catch {
      context.unsaved.deferredError = error
    }
  }

  /// Sets a to-many relationship whose members have the link. Only members that differ are touched: the others have the
  /// link already.
  private func setHolders<T: ManagedEntity>(
    of object: any ManagedEntity, _ property: Int, _ members: [T], _ wanted: Set<Int64>, _ model: EntityModel,
    _ inverse: Int
  ) throws {
    let (state, link) = (object._$state, model.properties[inverse])
    let outer = context.unsaved.isSettingList
    context.unsaved.isSettingList = true
    defer { context.unsaved.isSettingList = outer }
    let current = try context.answers.memberRows(of: object, property)
    let known = Set(current)
    // An update by hand may write back a list that it only read.
    if context.arrival.update != nil, context.answers.consumeAbsence(), known == wanted { return }
    context.answers.confirm(object, property)
    for pk in current where !wanted.contains(pk) {
      setLink(link, of: context.reading.object(model, pk), to: nil, listOf: state)
    }
    // A response that overwrites edits ends the edits of all its members' links.
    let isOverwriting = context.arrival.update?.policy.keepsEdits == false
    for member in members where isOverwriting || !known.contains(member._$state.pk) {
      setLink(link, of: member, to: object, listOf: state)
    }
    guard state.model.ordered.contains(property) else { return }
    try context.lists.setOrder(of: object, property, members.map(\._$state.pk), before: current)
  }

  /// Adds objects to a to-many relationship, or takes them out, without reading the relationship.
  ///
  /// - Throws: ``StoreError``.
  func edit<T: ManagedEntity>(
    of object: any ManagedEntity, _ keyPath: AnyKeyPath, _ members: some Sequence<T>, isIn: Bool
  ) throws {
    let state = object._$state
    guard !context.saves.isOver else { throw StoreError.contextIsOver }
    guard context.kind != .reading else { throw StoreError.contextIsReadOnly }
    guard let property = state.model.index(of: keyPath) else {
      throw StoreError(.invalidValue, "A key path is none of a to-many relationship that '\(state.model.name)' stores.")
    }
    let list = state.model.properties[property]
    let isAtEnd = isIn && list.isOrdered && context.arrival.update == nil
    let before = isIn && !isAtEnd && state.pk != 0 ? try context.lists.places(of: object, property).map(\.member) : []
    var added: [Int64] = []
    let outer = context.unsaved.isSettingList
    context.unsaved.isSettingList = true
    defer { context.unsaved.isSettingList = outer }
    for member in members {
      guard state.pk != 0, member._$state.pk != 0 else {
        context.edits.refuseChange(of: state.pk == 0 ? state.model : member._$state.model)
        return try context.saving.throwMistakes()
      }
      if member._$state.context !== self.context {
        if !isIn { context.edits.refuse(state, state.model.properties[property].name, setTo: [member._$state]) }
        guard isIn, context.entrants.takesIn([member._$state], for: state, property) else {
          return try context.saving.throwMistakes()
        }
      }
      if context.arrival.update != nil, context.arrival.held(of: state).contains(property) {
        context.answers.noteSkippedMember(
          object, .init(newer: ColumnMask(property)), property, member._$state.pk, isIn: isIn)
        continue
      }
      if isAtEnd, try context.lists.canJoin(member, state, list) {
        try context.merging.entry(isGetter: true) { try context.lists.putLast(member, in: list, of: object) }
        continue
      }
      guard let rows = list.list else { return }
      if rows.member != nil {
        try context.lists.setMembership(of: object, property, member._$state.pk, isIn: isIn)
      } else if isIn || member.link(rows.owner) == state.pk {
        let link = context.core.schema.entities[rows.entity].properties[rows.owner]
        setLink(link, of: member, to: isIn ? object : nil, listOf: state)
      }
      added.append(member._$state.pk)
    }
    if isIn, !isAtEnd, list.isOrdered { try context.lists.append(added, to: object, property, before: before) }
  }

  /// Sets the link from a member of a list back to the list's owner.
  private func setLink(
    _ link: PropertyModel, of member: any ManagedEntity, to object: (any ManagedEntity)?, listOf state: ObjectState
  ) {
    guard context.arrival.update != nil else { return link.link(member, object) }
    let before = member.link(link.index)
    link.link(member, object)
    if member.link(link.index) != before { state.noteChangedList() }
  }
}
