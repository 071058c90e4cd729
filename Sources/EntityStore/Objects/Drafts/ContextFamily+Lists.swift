// How the save of a child changes the lists and links of its parent.

extension ContextFamily {
  /// Takes over the lists that a child has edited.
  ///
  /// - Parameter missing: Objects that no longer exist. They are left out of the lists.
  func takeLists(_ saved: SavedChanges, of child: EntityContext, without missing: Set<RowKey>) throws {
    // Pairs of lists that were set as a whole are changed with these lists, further down.
    for entry in saved.objects {
      guard let link = entry.object as? LinkRow, !child.family.isOfSetList(link, link.madeSide) else { continue }
      try take(link, side: link.madeSide, isIn: true, without: missing)
    }
    for object in saved.deleted {
      guard let link = object as? LinkRow, !child.family.isOfSetList(link, link.endedSide) else { continue }
      try take(link, side: link.endedSide, isIn: false, without: missing)
    }
    for entry in saved.objects where entry.state.hasLists {
      for (list, wanted) in entry.state.lists.sorted(by: { $0.key < $1.key }) where entry.mask.contains(list) {
        guard let membership = entry.state.model.properties[list].membership else { continue }
        let here = wanted.filter { !missing.contains(.init(entity: membership.target, pk: $0)) }
        try context.lists.setMemberships(of: context.reading.object(entry.state.model, entry.state.pk), list, here)
      }
    }
  }

  /// Whether a pair was edited through a list that was set as a whole.
  private func isOfSetList(_ link: LinkRow, _ side: Int) -> Bool {
    guard case .toOne(let holder, let list?, _) = link._$state.model.properties[side].kind else { return false }
    return context.loaded.objects[holder][link[side]]?._$state.lists[list] != nil
  }

  private func take(_ link: LinkRow, side: Int, isIn: Bool, without missing: Set<RowKey>) throws {
    let links = link._$state.model
    guard case .toOne(let holder, let list?, _) = links.properties[side].kind,
      case .toOne(let target, _, _) = links.properties[1 - side].kind
    else { return }
    let isMissing = missing.contains(.init(entity: target, pk: link[1 - side]))
    guard !isIn || !isMissing else { return }
    try context.lists.setMembership(
      of: context.reading.object(context.core.schema.entities[holder], link[side]), list, link[1 - side], isIn: isIn)
  }

  // MARK: Order

  /// The members of the edited ordered lists, in their order.
  func editedOrders(_ entry: SavedChanges.Entry) throws -> [Int: [Int64]] {
    var orders: [Int: [Int64]] = [:]
    for list in entry.mask.intersection(entry.state.model.ordered).indices {
      orders[list] = try context.lists.places(of: entry.object, list).map(\.member)
    }
    return orders
  }

  /// Takes over the orders of an object's lists.
  func take(_ orders: [Int: [Int64]], of entry: SavedChanges.Entry) throws {
    let own = context.reading.object(entry.state.model, entry.state.pk)
    for (list, order) in orders.sorted(by: { $0.key < $1.key }) {
      try context.lists.setOrder(of: own, list, order, before: context.lists.places(of: own, list).map(\.member))
    }
  }

  // MARK: Objects that are gone

  /// The targets of a child's edited links and lists that no longer exist: the contexts above dropped them before
  /// saving them, or their rows are gone.
  ///
  /// This runs one query for each entity, for the targets that are not known to exist.
  ///
  /// - Throws: ``StoreError`` of kind `brokenLink` for a missing target of a link. A save further up could not write
  ///   the link, and could not say where it was set.
  func missingTargets(_ saved: SavedChanges, _ values: [RowValues]) throws -> Set<RowKey> {
    let new = Set(
      (saved.objects.lazy.filter(\.isNew).map(\.state) + saved.discarded.lazy.map(\._$state)).map {
        RowKey(entity: $0.model.number, pk: $0.pk)
      })
    var links: [(target: RowKey, property: Int, of: ObjectState)] = []
    var unknown: Set<RowKey> = []
    func note(_ target: Int, _ pk: Int64) -> RowKey? {
      let key = RowKey(entity: target, pk: pk)
      guard pk != 0, !new.contains(key), !isKnownHere(key) else { return nil }
      unknown.insert(key)
      return key
    }
    for (entry, values) in zip(saved.objects, values) {
      let model = entry.state.model
      for index in values.mask.intersection(model.links).indices {
        guard case .toOne(let target, _, _) = model.properties[index].kind,
          let key = note(target, values.link(index)), !model.isLinks
        else { continue }
        links.append((key, index, entry.state))
      }
      for (list, members) in entry.state.lists where entry.mask.contains(list) {
        guard let membership = model.properties[list].membership else { continue }
        for pk in members { _ = note(membership.target, pk) }
      }
    }
    guard !unknown.isEmpty else { return [] }
    var found: Set<RowKey> = []
    for (entity, keys) in Dictionary(grouping: unknown, by: \.entity) {
      let pks = keys.map(\.pk)
      for pk in try rows(context.core.schema.entities[entity].type, pks) { found.insert(.init(entity: entity, pk: pk)) }
    }
    let missing = unknown.subtracting(found).filter(isNowhere)
    let broken = links.filter { missing.contains($0.target) }
    guard let first = broken.first else { return missing }
    var named: Set<AnyEntityID> = []
    let (model, target) = (first.of.model, context.core.schema.entities[first.target.entity])
    throw StoreError(
      .brokenLink,
      "'\(model.name).\(model.properties[first.property].name)' of an object (row \(first.of.pk)) refers to a "
        + "'\(target.name)' that is not there any more: it was deleted, or dropped before it was saved. Set the relationship "
        + "to another object or to nil.", objects: broken.map(\.of.id).filter { named.insert($0).inserted })
  }

  private func rows<E: ManagedEntity>(_ type: E.Type, _ pks: [Int64]) throws -> [Int64] {
    try context.reading.select(EntityQuery<E>(predicate: .rowIDs(pks), includesPlaceholders: true).sql("_pk")) {
      $0.int64(0)
    }
  }

  /// Whether an object of this context shows that its row exists.
  private func isKnownHere(_ key: RowKey) -> Bool {
    guard let state = context.loaded.objects[key.entity][key.pk]?._$state else { return false }
    context.observers.catchUp(state)
    return !state.isGone && state.life != .unloaded && state.stale.isEmpty
  }

  /// True when no context has an unsaved object of a row that a query does not find. An object with an unsaved deletion
  /// exists: the deletion may be taken back, and the delete rules handle the links to it.
  private func isNowhere(_ key: RowKey) -> Bool {
    for context in sequence(first: self.context, next: \.lineage.parent) {
      guard let state = context.loaded.objects[key.entity][key.pk]?._$state else { continue }
      if state.isInserted || state.isDeleting || state.forwardedTo != 0 { return false }
      if context.unsaved.discarded.contains(where: { $0._$state === state }) { return false }
    }
    return true
  }
}
