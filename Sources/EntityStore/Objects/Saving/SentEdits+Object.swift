// An object when its edits are sent, and when the response has acknowledged them.

extension SentEdits {
  /// The edits of `object` among the properties in `mask`.
  ///
  /// - Parameters:
  ///   - embedded: The embedded objects in relationships that are in `mask`.
  ///   - endsInsertion: Whether the object was made here, and the response shows that the server has it.
  package init<E: ManagedEntity>(
    of object: E, _ mask: ColumnMask, embedded: [Embedded] = [], endsInsertion: Bool = false,
    marker: Marker = Marker()
  ) {
    let state = object._$state
    let context = object.entityContext
    context?.fulfil(object)
    let edits = state.unsaved.subtracting(state.fromResponse).union(state.edited)
    entity = state.model.number
    pk = state.pk
    isUnsaved = state.isInserted
    object.loadLazies(edits.intersection(mask))
    values = object.values(edits.intersection(mask).intersection(state.model.stored))
    required = object.values(isUnsaved ? state.model.required.subtracting(values.mask) : ColumnMask())
    for index in values.mask.intersection(state.dirty).indices { state.addOwn(values[index], of: index, by: marker) }
    let sent = edits.intersection(mask).intersection(state.model.lists)
    // This comes before the lists are read: a pair that is in the rows by then is no edit of the lists.
    let covered = state.unsaved.intersection(state.edited.union(state.model.lists)).intersection(mask)
    let found = covered.isEmpty ? nil : try? context?.saving.saved(object, covered)
    before = found?.values ?? RowValues(count: 0)
    listsBefore =
      isUnsaved
      ? Dictionary(uniqueKeysWithValues: sent.indices.map { ($0, []) }) : found?.lists ?? [:]
    // A list that can't be read was not sent as empty; it stays edited.
    func members(_ list: Int) throws -> [Int64]? {
      try context.map { try $0.answers.members(of: object, list).map(\._$state.pk) }
    }
    lists = Self.members(sent, members)
    otherLists = isUnsaved ? [:] : Self.members(mask.intersection(state.model.lists).subtracting(sent), members)
    // From now on the unsaved list has the sent members. Removing one of them is a later edit.
    for (list, members) in lists where state.dirty.contains(list) && state.lists[list] == nil {
      state.lists[list] = members
    }
    let ordered = mask.intersection(state.model.ordered)
    orders = ordered.indices.reduce(into: [:]) { $0[$1] = try? members($1) }
    unsavedOrders = isUnsaved ? ordered : ordered.intersection(state.unsaved)
    self.embedded = embedded
    self.endsInsertion = endsInsertion
    self.marker = marker
    marker.carry(
      values, lists.merging(otherLists) { edited, _ in edited }, ordered: ordered, from: context?.lineage.id)
    context?.core.underWay.add(marker, of: RowKey(entity: entity, pk: pk))
    state.sent = state.sent + [marker]
    context?.observers.tellSending(object)
  }

  private static func members(_ lists: ColumnMask, _ read: (Int) throws -> [Int64]?) -> [Int: Set<Int64>] {
    var members: [Int: Set<Int64>] = [:]
    for list in lists.indices { members[list] = (try? read(list)).map { Set($0) } }
    return members
  }

  /// Ends the edits that the response acknowledged, on the object that sent them, where the object still has the sent
  /// values.
  package func settle<E: ManagedEntity>(_ object: E) {
    guard let shown = shown(of: object._$state.model) else { return end(object) }
    shown.settleShown(object)
  }

  private func settleShown<E: ManagedEntity>(_ object: E) {
    marker.end()
    for (member, object) in objects(of: object) { member.settle(telling: object) }
    let state = object._$state
    state.forgetSent()
    let current = object.values(values.mask)
    // Edited again while the request was under way: the row has the sent value.
    for index in values.mask.intersection(state.dirty).subtracting(state.fromResponse.union(state.saving)).indices {
      state.moveBase(toValueOf: marker, of: index)
    }
    var clean = ColumnMask()
    for index in values.mask.indices where current[index].isIdentical(to: values[index]) {
      // A link to an unsaved object was not written: see `linksToUnsaved`.
      if case .toOne(let target, _, _) = state.model.properties[index].kind,
        object.entityContext?.saving.isInserted(target, values.link(index)) == true
      {
        continue
      }
      // The property may have had another value meanwhile, which another request carries.
      if marker.set.contains(index), state.dirty.contains(index), !state.bases.isUndone(current[index], of: index) {
        continue
      }
      clean.insert(index)
    }
    for (list, sent) in lists {
      guard let context = object.entityContext, let membership = state.model.properties[list].membership,
        let current = try? context.answers.members(of: object, list), Set(current.map(\._$state.pk)) == sent,
        !marker.set.contains(list) || isInRows(list, sent, of: object),
        !sent.contains(where: { context.saving.isInserted(membership.target, $0) })
      else { continue }
      context.lists.settleMemberships(of: object, ColumnMask(list))
      clean.insert(list)
    }
    for (list, sent) in orders {
      guard let context = object.entityContext, let current = try? context.answers.members(of: object, list),
        !ListOrder.isReordered(current.map(\._$state.pk), from: sent),
        !marker.set.contains(list)
      else { continue }
      context.lists.dropPositions(of: object, ColumnMask(list))
      if case .toMany = state.model.properties[list].kind { clean.insert(list) }
    }
    object.entityContext?.saving.settle(object, clean)
    object.entityContext?.observers.tellSending(object)
  }

  /// Whether the rows have the sent members of a list, and no other request carries other members.
  private func isInRows<E: ManagedEntity>(_ list: Int, _ sent: Set<Int64>, of object: E) -> Bool {
    guard !object._$state.sent.contains(where: { $0.carries(list) }) else { return false }
    return (try? object.entityContext?.saving.saved(object, ColumnMask(list))?.lists[list]) == sent
  }

  /// Ends the sending without a response: the edits stay.
  package func end<E: ManagedEntity>(_ object: E) {
    marker.end()
    for (member, object) in objects(of: object) { member.end(object) }
    object._$state.forgetSent()
    object.entityContext?.observers.tellSending(object)
  }

  /// Does the same for a new object that was nested in the body of a request on another object. If the new object has
  /// no uid, the response said nothing about it.
  package func settleChild<E: ManagedEntity>(of parent: E) {
    guard let object = parent.entityContext?.loaded.objects[entity][pk] else { return marker.end() }
    if object.serverUID == nil { end(object) } else { settle(telling: object) }
  }

  package func endChild<E: ManagedEntity>(of parent: E) {
    guard let object = parent.entityContext?.loaded.objects[entity][pk] else { return marker.end() }
    end(object)
  }

  /// The embedded objects that were sent with an object, if the context has them loaded. The search also goes through
  /// embedded objects that are not loaded.
  private func objects<E: ManagedEntity>(of object: E) -> [(SentEdits, any ManagedEntity)] {
    object.entityContext.map(objects) ?? []
  }

  private func objects(in context: EntityContext) -> [(SentEdits, any ManagedEntity)] {
    embedded.flatMap { $0.members + $0.removed }.flatMap { member in
      context.loaded.objects[member.entity][member.pk].map { [(member, $0)] } ?? member.objects(in: context)
    }
  }

  private func settle<E: ManagedEntity>(telling object: E) {
    object.tellingObservers { settle(object) }
  }
}
