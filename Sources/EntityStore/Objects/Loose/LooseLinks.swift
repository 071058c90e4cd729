// Links of loose objects. Both sides of a relationship change, as in a context.

extension LooseGraph {
  /// The relationships of objects that read differently.
  private typealias Changes = [(key: Key, property: Int)]

  /// Sets a to-one relationship.
  static func link(_ state: ObjectState, _ index: Int, to target: (any ManagedEntity)?) {
    // A required link without a target reads as an object without a row.
    let target = target.flatMap { $0._$state.pk == 0 ? nil : $0 }
    guard let graph = graph(of: state, index, with: target.map { [$0] } ?? []) else { return }
    var changes: Changes = []
    graph.setLink(Key(state), index, to: target.map { Key($0._$state) }, &changes)
    graph.tell(changes)
  }

  /// Sets a to-many relationship.
  static func setList(_ state: ObjectState, _ index: Int, _ members: [any ManagedEntity]) {
    guard let graph = graph(of: state, index, with: members) else { return }
    let key = Key(state)
    let wanted = LooseList(members.map { Key($0._$state) })
    var changes: Changes = []
    for member in graph.list(key, index).members where !wanted.contains(member) {
      graph.change(key, index, member, isIn: false, &changes)
    }
    for member in wanted.members { graph.change(key, index, member, isIn: true, &changes) }
    if graph.list(key, index).members != wanted.members {
      graph.records[key]?.lists[index] = wanted
      changes.append((key, index))
    }
    graph.tell(changes)
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
    let members = Array(members)
    guard let graph = Self.graph(of: state, property, with: members) else {
      if let mistake = state.loose?.refusals.consume() { throw mistake }
      return
    }
    var changes: Changes = []
    for member in members { graph.change(Key(state), property, Key(member._$state), isIn: isIn, &changes) }
    graph.tell(changes)
  }

  /// The members of a to-many relationship.
  func members(of state: ObjectState, _ index: Int) -> [any ManagedEntity] {
    list(Key(state), index).members.compactMap { object($0) }
  }

  private func list(_ key: Key, _ index: Int) -> LooseList { records[key]?.lists[index] ?? LooseList() }

  /// The graph of an object and of others that it is to be linked with.
  ///
  /// - Returns: `nil` for objects that can't be linked with each other: the relationship stays as it is, and the insertion
  ///   says why.
  private static func graph(
    of state: ObjectState, _ index: Int, with others: [any ManagedEntity]
  ) -> LooseGraph? {
    guard var graph = state.loose else { return nil }
    var found: [Key: any ManagedEntity] = [:]
    var context: EntityContext?
    func refuse(_ kind: StoreError.Kind, _ reason: String) -> LooseGraph? {
      graph.refusals.append(
        StoreError(
          kind, "'\(state.model.name).\(state.model.properties[index].name)' was set to \(reason)"))
      return nil
    }
    for other in others {
      let it = other._$state
      if let second = it.loose {
        guard let joined = joined(graph, second) else {
          return refuse(.wrongContext, "an object that is linked to another context, and stays as it was.")
        }
        graph = joined
        continue
      }
      guard it.pk != 0 else {
        return refuse(.objectDeleted, "an object that has no row, and stays as it was. Check isDeleted first.")
      }
      guard let own = it.context else {
        return refuse(.storeGone, "an object whose store is gone, and stays as it was.")
      }
      guard context == nil || context === own else {
        return refuse(.wrongContext, "objects of two contexts, and stays as it was.")
      }
      context = own
      found[Key(it)] = other
    }
    // Asked last: objects that nothing is linked to yet would be let go of.
    if let context, !graph.allows(context) {
      return refuse(.wrongContext, "an object of another context than an earlier one, and stays as it was.")
    }
    graph.attached.merge(found) { $1 }
    return graph
  }

  // MARK: Changing

  private func setLink(_ key: Key, _ index: Int, to target: Key?, _ changes: inout Changes) {
    guard let record = records[key], case .toOne(_, let inverse, _) = record.model.properties[index].kind else {
      return
    }
    let old = record.values.link(index)
    guard old != target?.pk ?? 0 else { return }
    if let inverse, let former = record.target(index) { leave(former, inverse, key, &changes) }
    if let inverse, let target, records[target] != nil { join(target, inverse, key, &changes) }
    writeLink(key, index, target, &changes)
  }

  /// Adds a member to a to-many relationship, or takes it out.
  private func change(_ key: Key, _ index: Int, _ member: Key, isIn: Bool, _ changes: inout Changes) {
    // The model alone: with a copy of the record each change of its list would copy the list.
    guard let model = records[key]?.model, records[key]?.lists[index]?.contains(member) ?? false != isIn else { return }
    switch model.properties[index].kind {
    case .attribute, .toOne: return
    case .toMany(_, let inverse, _):
      // The link of an object of a context changes with the insertion.
      if let other = records[member] {
        if isIn, let former = other.target(inverse) { leave(former, index, member, &changes) }
        writeLink(member, inverse, isIn ? key : nil, &changes)
      }
    case .manyToMany(let membership, _):
      if let inverse = membership.inverse, records[member] != nil {
        if isIn { join(member, inverse, key, &changes) } else { leave(member, inverse, key, &changes) }
      }
    }
    if isIn { join(key, index, member, &changes) } else { leave(key, index, member, &changes) }
  }

  private func join(_ key: Key, _ index: Int, _ member: Key, _ changes: inout Changes) {
    records[key]?.lists[index, default: LooseList()].append(member)
    changes.append((key, index))
  }

  private func leave(_ key: Key, _ index: Int, _ member: Key, _ changes: inout Changes) {
    records[key]?.lists[index]?.remove(member)
    changes.append((key, index))
  }

  func writeLink(_ key: Key, _ index: Int, _ target: Key?) {
    records[key]?.values.setLink(target?.pk ?? 0, index)
    guard let record = records[key], let object = record.object else { return }
    object.loadColumns(RowReader(record.values, ColumnMask(index)))
  }

  private func writeLink(_ key: Key, _ index: Int, _ target: Key?, _ changes: inout Changes) {
    writeLink(key, index, target)
    changes.append((key, index))
  }

  /// Tells the observers, who may change objects themselves.
  private func tell(_ changes: Changes) {
    for (key, property) in changes {
      guard let record = records[key], let registrar = record.observers?.registrar, let object = object(key) else {
        continue
      }
      record.model.notify(object, property, registrar)
    }
  }
}

extension PropertyModel {
  var isList: Bool {
    switch kind {
    case .attribute, .toOne: false
    case .toMany, .manyToMany: true
    }
  }
}
