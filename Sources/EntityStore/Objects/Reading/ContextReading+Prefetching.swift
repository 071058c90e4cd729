extension ContextReading {
  /// Reads the related objects of a result.
  ///
  /// - Parameter tree: The relationships to follow, starting at the objects.
  func prefetch<E: ManagedEntity>(_ tree: PrefetchTree, of objects: [E]) throws {
    guard !tree.branches.isEmpty, !objects.isEmpty else { return }
    let model = try context.core.schema.model(E.self)
    try context.merging.entry {
      context.loaded.prefetched.makeRoom()
      try prefetch(tree, of: objects, model)
    }
  }

  private func prefetch(_ tree: PrefetchTree, of objects: [any ManagedEntity], _ model: EntityModel) throws {
    for (property, branch) in tree.branches.sorted(by: { $0.key < $1.key }) {
      let (entity, related) = try prefetch(property, of: objects, model)
      guard !branch.branches.isEmpty, !related.isEmpty else { continue }
      try prefetch(branch, of: related, context.core.schema.entities[entity])
    }
  }

  /// - Returns: The related objects, each once.
  private func prefetch(
    _ property: Int, of objects: [any ManagedEntity], _ model: EntityModel
  ) throws -> (entity: Int, objects: [any ManagedEntity]) {
    let relationship = model.properties[property]
    switch relationship.kind {
    case .attribute: return (model.number, [])
    case .toOne(let target, _, _): return (target, try prefetchTargets(property, of: objects, target))
    case .toMany, .manyToMany:
      guard let list = relationship.list else { return (model.number, []) }
      return (
        list.target,
        try prefetchLists(relationship, of: objects, model, list.target, links: list.links)
      )
    }
  }

  private func prefetchTargets(
    _ link: Int, of objects: [any ManagedEntity], _ target: Int
  ) throws -> [any ManagedEntity] {
    let model = context.core.schema.entities[target]
    var known: [any ManagedEntity] = []
    var missing: [Int64] = []
    var seen: Set<Int64> = [0]
    for object in objects where !object._$state.isGone {
      let pk = object.values(ColumnMask(link)).link(link)
      guard seen.insert(pk).inserted else { continue }
      if isUnread(model, pk) {
        missing.append(pk)
      } else {
        known.append(self.object(model, pk))
      }
    }
    for start in stride(from: 0, to: missing.count, by: Self.prefetchedRows) {
      context.loaded.counters.counts.prefetches += 1
      known += try loadRows(model, Array(missing[start..<min(start + Self.prefetchedRows, missing.count)]))
    }
    context.loaded.prefetched.hold(known)
    return known
  }

  /// Whether a row has to be read: its object is not loaded, or is stale.
  private func isUnread(_ model: EntityModel, _ pk: Int64) -> Bool {
    guard let known = context.loaded.objects[model.number][pk], known._$state.life != .unloaded else {
      return isUnloaded(model, pk)
    }
    let state = known._$state
    context.observers.catchUp(state)
    return !state.isGone && !state.isInserted && !state.stale.isEmpty && context.family.changedAbove(model, pk) == nil
  }

  private func prefetchLists(
    _ list: PropertyModel, of objects: [any ManagedEntity], _ model: EntityModel, _ target: Int, links: Int?
  ) throws -> [any ManagedEntity] {
    var owners: [Int64] = []
    var seen: Set<Int64> = []
    for object in objects where !object._$state.isGone && seen.insert(object._$state.pk).inserted {
      owners.append(object._$state.pk)
    }
    let count = (owners.count + Self.prefetchedRows - 1) / Self.prefetchedRows
    context.loaded.counters.counts.prefetches += links == nil ? count : count * 2
    let members = try members(ofRows: owners, model, list.index)
    let basis = HeldList.Basis(list, target: target, links: links)
    var related: [any ManagedEntity] = []
    var isKnown: Set<Int64> = []
    for pk in owners {
      let members = members[pk] ?? []
      context.loaded.prefetched.keep(
        HeldList(members, basis), .init(entity: model.number, pk: pk, property: list.index))
      for member in members where isKnown.insert(member._$state.pk).inserted { related.append(member) }
    }
    return related
  }

  /// The number of rows that one statement asks for.
  private static let prefetchedRows = 500

  /// A held list that is still as it was read; `nil` if the list has to be read.
  ///
  /// It runs no statement unless somebody else has committed.
  ///
  /// - Throws: ``StoreError``.
  func heldList(of state: ObjectState, _ property: Int) throws -> HeldList? {
    guard !context.loaded.prefetched.hasNoLists, !state.isGone else { return nil }
    let key = KeptLists.Key(entity: state.model.number, pk: state.pk, property: property)
    guard context.loaded.prefetched.list(key) != nil else { return nil }
    // A commit of another context may drop the list.
    try catchUpWithCommits()
    guard !state.isGone else { return nil }
    return context.loaded.prefetched.list(key)
  }

  /// Holds a list that was read, for the next reads.
  func hold<T: ManagedEntity>(_ members: [T], of state: ObjectState, _ property: Int) {
    // A response changes rows all the time, and reads each list once.
    guard !context.saves.isOver, !context.isOfResponse, context.arrival.update == nil, !state.isGone else { return }
    let list = state.model.properties[property]
    guard let rows = list.list else { return }
    let basis = HeldList.Basis(list, target: rows.target, links: rows.links)
    context.loaded.prefetched.keepRead(
      HeldList(members, basis), .init(entity: state.model.number, pk: state.pk, property: property))
  }

  /// Merges the commits of others, if this process knows of any.
  ///
  /// The values of objects are as old as the last entry, too. A commit of another process counts once the system
  /// reports it, or from the next statement on.
  func catchUpWithCommits() throws {
    guard !context.saves.isOver else { throw StoreError.contextIsOver }
    guard context.kind == .main, context.family.root.news.entryDepth == 0 else { return }
    if context.core.phase == .open, context.core.followers.generation <= context.news.mergedGeneration { return }
    try context.merging.entry {}
  }
}

extension HeldList.Basis {
  init(_ list: PropertyModel, target: Int, links: Int?) {
    entities = [target] + (links.map { [$0] } ?? [])
    sortKey = if case .sorted(let index, _) = list.arrangement { index } else { nil }
  }
}
