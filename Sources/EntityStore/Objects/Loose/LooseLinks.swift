// Links of loose objects. Both sides of a relationship change, as in a context.

extension LooseGraph {
  /// Sets a to-one relationship. If the target is in a context, the loose object is inserted there first, and the
  /// context's setter sets the link.
  static func link(_ object: some ManagedEntity, _ index: Int, to target: (any ManagedEntity)?) {
    let state = object._$state
    // A required link without a target reads as an object without a row.
    let target = target.flatMap { $0._$state.pk == 0 ? nil : $0 }
    if let target, let context = context(of: state, toLink: [target._$state]) {
      if context.entrants.takesIn([target._$state], for: state, index) {
        state.model.properties[index].link(object, target)
      }
      return
    }
    guard let record = record(of: state, index, toLink: target.map { [$0] } ?? []) else { return }
    var news = LooseNews()
    record.graph?.setLink(record, index, to: target.map { Key($0._$state) }, &news)
    news.tell()
  }

  /// Sets a to-many relationship. If a new member is in a context, the loose object is inserted there first.
  static func setList<T: ManagedEntity>(_ object: some ManagedEntity, _ index: Int, _ members: [T]) {
    let state = object._$state
    let (added, gone, isAppended) = difference(of: state, index, members)
    if let context = context(of: state, toLink: added.lazy.map(\._$state)) {
      if context.entrants.takesIn(added.map(\._$state), for: state, index) {
        context.relations.setMembers(of: object, index, members)
      }
      return
    }
    guard let record = record(of: state, index, toLink: added.map { $0 }), let graph = record.graph else { return }
    let wanted = Set(added.lazy.map { Key($0._$state) })
    // `change` adds new members at the end already.
    let isDone = isAppended && !wanted.contains { record.contains(index, $0) }
    var news = LooseNews()
    for member in gone where !wanted.contains(member) { graph.change(record, index, member, isIn: false, &news) }
    for member in added { graph.change(record, index, Key(member._$state), isIn: true, &news) }
    if !isDone { record.setList(index, LooseList(members.map { Key($0._$state) }), &news) }
    if record.count(index) == members.count { graph.hold(members, of: state, index) }
    news.tell()
  }

  /// The context that a loose object enters when it is linked to some objects; `nil` if all of those are loose.
  private static func context(of state: ObjectState, toLink others: some Sequence<ObjectState>) -> EntityContext? {
    guard state.pk != 0 else { return nil }
    for other in others where other.pk != 0 { if let context = other.context { return context } }
    return nil
  }

  /// The members that differ. Only they are visited, because a list is mostly set to its old members and one more.
  ///
  /// - Returns: The part of `members` that differs, the part of the list that it replaces, and whether that part is at
  ///   the end of the list.
  private static func difference<T: ManagedEntity>(
    of state: ObjectState, _ index: Int, _ members: [T]
  ) -> (added: ArraySlice<T>, gone: [Key], isAppended: Bool) {
    if let held = state.loose?.held(of: state, index, T.self) {
      let places = ListDifference(held, members)
      return (
        members[places.added], held[places.gone].map { Key($0._$state) }, places.gone.lowerBound == held.count
      )
    }
    let (before, keys) = (state.loose?.records[Key(state)]?.members(index) ?? [], members.map { Key($0._$state) })
    let places = ListDifference(count: before.count, other: keys.count) { before[$0] == keys[$1] }
    return (members[places.added], Array(before[places.gone]), places.gone.lowerBound == before.count)
  }

  /// Adds objects to a to-many relationship, or takes them out.
  ///
  /// - Throws: ``StoreError``.
  func edit<E: ManagedEntity, T: ManagedEntity>(
    of object: E, _ keyPath: KeyPath<E, [T]>, _ members: some Sequence<T>, isIn: Bool
  ) throws {
    let state = object._$state
    guard let property = state.model.index(of: keyPath), state.model.properties[property].isList else {
      throw StoreError(.invalidValue, "A key path is none of a to-many relationship that '\(state.model.name)' stores.")
    }
    guard state.pk != 0 else { throw ContextEditing.noRow(state.model) }
    let members = Array(members)
    if isIn, let context = Self.context(of: state, toLink: members.lazy.map(\._$state)) {
      guard context.entrants.takesIn(members.map(\._$state), for: state, property) else {
        return try context.saving.throwMistakes()
      }
      return try context.relations.edit(of: object, keyPath, members, isIn: true)
    }
    guard let record = isIn ? Self.record(of: state, property, toLink: members) : records[Key(state)] else {
      if let mistake = state.loose?.refusals.consume() { throw mistake }
      return
    }
    var news = LooseNews()
    for member in members { record.graph?.change(record, property, Key(member._$state), isIn: isIn, &news) }
    news.tell()
  }

  /// The members of a to-many relationship.
  func members<T: ManagedEntity>(of state: ObjectState, _ index: Int, _ type: T.Type) -> [T] {
    if let held = held(of: state, index, type) { return held }
    let members = records[Key(state)]?.members(index).compactMap { object($0) as? T } ?? []
    hold(members, of: state, index)
    return members
  }

  /// The record of an object, after its graph was joined with those of the loose objects to link it with.
  /// - Returns: `nil` if the objects can't be linked with each other. Then the relationship and the graphs stay as they
  ///   are, and the insertion throws the reason.
  private static func record(
    of state: ObjectState, _ index: Int, toLink others: [any ManagedEntity]
  ) -> Record? {
    guard let own = state.loose else { return nil }
    guard state.pk != 0 else {
      own.refuse(ContextEditing.noRow(state.model))
      return nil
    }
    func refuse(_ kind: StoreError.Kind, _ reason: String) -> Record? {
      own.refuse(
        StoreError(
          kind, "'\(state.model.name).\(state.model.properties[index].name)' was set to \(reason), and stays as it was."
        ))
      return nil
    }
    for other in others.map(\._$state) {
      guard other.pk != 0 else { return refuse(.objectDeleted, "an object that has no row (check isDeleted first)") }
      guard other.loose != nil else { return refuse(.storeGone, "an object whose store is gone") }
    }
    let graphs = unique([own] + others.compactMap(\._$state.loose))
    guard canJoin(graphs) else { return refuse(.wrongContext, "an object that is linked to another context") }
    let graph = graphs.dropFirst().reduce(own, joined)
    return graph.records[Key(state)]
  }

  // MARK: Changing

  private func setLink(_ record: Record, _ index: Int, to target: Key?, _ news: inout LooseNews) {
    guard case .toOne(_, let inverse, _) = record.model.properties[index].kind,
      record.values.link(index) != target?.pk ?? 0
    else { return }
    for (end, isIn) in [(record.target(index), false), (target, true)] {
      guard let end = end.flatMap({ records[$0] }) else { continue }
      if isIn, let inverse, end.model.properties[inverse].isCounterpart {
        for former in end.members(inverse) { change(end, inverse, former, isIn: false, &news) }
      }
      if let inverse {
        end.change(inverse, record.key, isIn: isIn, &news)
      } else {
        end.hold(Place(record.key, index), isHeld: isIn)
      }
    }
    record.setLink(index, target, &news)
  }

  /// Adds a member to a to-many relationship, or takes it out.
  private func change(_ record: Record, _ index: Int, _ member: Key, isIn: Bool, _ news: inout LooseNews) {
    guard let list = record.model.properties[index].list, record.contains(index, member) != isIn else { return }
    if let other = records[member] {
      if list.member == nil { return setLink(other, list.owner, to: isIn ? record.key : nil, &news) }
      if let inverse = list.inverse {
        other.change(inverse, record.key, isIn: isIn, &news)
      } else {
        other.hold(Place(record.key, index), isHeld: isIn)
      }
    }
    record.change(index, member, isIn: isIn, &news)
  }

  /// Replaces the key of a former loose object by its key in the context, in all relationships from which no link leads
  /// back.
  func replace(_ record: Record, with object: any ManagedEntity) {
    let key = Key(object._$state)
    for place in record.holders {
      guard let holder = records[place.key] else { continue }
      attached[key] = object
      holder.replace(record.key, with: key, in: place.property)
    }
  }
}
