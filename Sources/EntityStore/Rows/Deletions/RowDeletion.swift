/// Deletes rows by the delete rules.
package struct RowDeletion {
  let rows: RowWriter

  var connection: Connection { rows.connection }
  var schema: SchemaModel { rows.schema }
}

extension RowDeletion {
  /// Deletes rows by the delete rules. Rows that are gone already are passed over.
  ///
  /// An embedded row of a to-one relationship goes with its parent, unless another row still has it. For the members of
  /// a list, the list's own rule decides.
  ///
  /// - Parameters:
  ///   - leavesTombstones: Whether the server is yet to hear of the deletion.
  ///   - known: The rows of `keys` that the server has deleted. It also sees to the rows that go with them.
  /// - Returns: How many rows were deleted, those by cascade included.
  /// - Throws: ``StoreError`` of kind `deleteDenied` that names the relationship, and the objects that stand in the way.
  @discardableResult
  package func delete(
    _ keys: [RowKey], leavesTombstones: Bool = false, but known: Set<RowKey> = []
  ) throws -> Int {
    let plan = try deletionPlan(of: keys)
    guard let (key, blocker) = plan.denial else {
      return try carryOut(plan, nil, unheard: leavesTombstones ? Set(keys).subtracting(known) : [])
    }
    let object = "An object of '\(schema.entities[key.entity].name)' (row \(key.pk)) can't be deleted: "
    let name = "'\(schema.entities[blocker.key.entity].name)' (row \(blocker.key.pk))"
    let others = plan.blockers(but: blocker)
    let more =
      switch others.count {
      case 0: ""
      case 1: " 1 more object stands in the way of this deletion or of others."
      default: " \(others.count) more objects stand in the way of this deletion or of others."
      }
    throw StoreError(
      .deleteDenied,
      blocker.isRequired
        ? object
          + "\(name) has it as '\(blocker.relationship)', which is required. Give that another, delete it too, or "
          + "declare `onDelete: .cascade` on the inverse.\(more)"
        : object + "'\(blocker.relationship)' still has \(name).\(more)",
      objects: (plan.named(in: key, blocker) + others.prefix(Self.namedBlockers - 1))
        .map { schema.entities[$0.entity].id($0.pk) })
  }

  /// The most rows in the way that a denial names.
  private static let namedBlockers = 100

  /// Deletes those of the rows that may be deleted, because a response says that all of them are gone. A row that a
  /// delete rule protects, or that another row requires, stays, with all rows that would have gone with it. A row with
  /// work that the server does not have stays too, with the rows that would take it along.
  ///
  /// - Parameters:
  ///   - unsent: Which work stays. Rows with such work are noted as skipped.
  ///   - said: The rows of which the response says that they are deleted; others it only lacks. The merge rule of an outbox
  ///     decides about their edits.
  /// - Returns: The number of deleted rows, those by cascade included, and which of `keys` stay.
  @discardableResult
  package func deleteWherePossible(
    _ keys: [RowKey], keeping unsent: UnsentWork = .none, said: Set<RowKey> = []
  ) throws -> (count: Int, denied: Set<RowKey>) {
    let plan = try deletionPlan(of: keys)
    var unsentRows = plan.unsent.filter { unsent.keeps(schema.entities[$0.key.entity], isMadeHere: $0.isMadeHere) }
    var yielding: [(key: RowKey, uid: StoredValue)] = []
    if unsent == .all, !said.isEmpty {
      for row in unsentRows where !row.isMadeHere && said.contains(row.key) {
        if let uid = try rows.outbox.yieldingUID(row.key) { yielding.append((row.key, uid)) }
      }
      let keys = Set(yielding.map(\.key))
      unsentRows.removeAll { keys.contains($0.key) }
    }
    let held = Set(unsentRows.map(\.key))
    let going = plan.possible(holding: held)
    let denied = going.map { going in Set(keys.filter { !going.contains($0) }) } ?? []
    if let skips = rows.notes.skips {
      for key in keys where denied.contains(key) && !held.contains(key) {
        skips.note(schema.entities[key.entity], key.pk, .denied)
      }
      for row in yielding where going?.contains(row.key) ?? true {
        skips.noteYielded(schema.entities[row.key.entity], row.key.pk, uid: row.uid)
      }
    }
    for row in unsentRows {
      let isKept = try unsent == .all && !row.isMadeHere && said.contains(row.key) && rows.outbox.keepAside(row.key)
      rows.notes.skips?.note(schema.entities[row.key.entity], row.key.pk, isKept ? .keptAside : .deletedThere)
    }
    return (try carryOut(plan, going, keeping: unsent), denied)
  }

  /// Whether a row, or one that would go with it, has edits that the server does not have, or was made here.
  package func hasUnsentWork(_ model: EntityModel, _ pk: Int64) throws -> Bool {
    try !deletionPlan(of: [RowKey(entity: model.number, pk: pk)]).unsent.isEmpty
  }

  /// The way in which the server hears of the deletion of a row.
  private enum Hearing: Equatable {
    /// It has heard of it, or sees to it itself.
    case known
    /// By a deletion of its own.
    case byItself
    /// By the deletion of the object with a row id, which took the row along.
    case with(Int64)

    var cause: Int64? { if case .with(let pk) = self { pk } else { nil } }
  }

  /// - Parameters:
  ///   - going: The rows of the plan that go; `nil` for all.
  ///   - unheard: The roots whose deletion the server is yet to hear of: they leave tombstones, with all rows that go
  ///     with them.
  ///   - unsent: Which work of other rows the deletion must not change in silence: links and pairs.
  /// - Returns: How many rows were deleted.
  func carryOut(
    _ plan: DeletionPlan, _ going: Set<RowKey>?, unheard: Set<RowKey> = [], keeping unsent: UnsentWork = .none
  ) throws -> Int {
    func isGoing(_ key: RowKey) -> Bool { going?.contains(key) ?? plan.contains(key) }
    var count = 0
    var edited: Set<RowPairs.NamedList> = []
    // The lists that lose an object which was added here.
    var lost: Set<RowPairs.NamedList> = []
    let roots = unheard.isEmpty ? [] : Set(plan.roots)
    // How the server hears of the rows that each row takes along.
    var passed = unheard.isEmpty ? [] : [Hearing](repeating: .known, count: plan.order.count)
    for (place, key) in plan.order.enumerated() where going?.contains(key) ?? true {
      var hearing = Hearing.known
      if roots.contains(key) {
        if unheard.contains(key) { hearing = .byItself }
      } else if !passed.isEmpty, let parent = plan.parent(of: place) {
        hearing = passed[parent]
      }
      if !passed.isEmpty { passed[place] = hearing }
      if plan.isThere(key) {
        let lists = try rows.pairs.editedLists(with: key)
        edited.formUnion(lists)
        if unsent == .all, !lists.isEmpty { lost.formUnion(try rows.pairs.editedLists(with: key, isAdded: true)) }
      }
      try removePairs(of: key, at: place, plan, isGoing)
      for holder in plan.holders(of: place) where !isGoing(holder.key) {
        guard try unsent == .none || !endEdit(of: holder, unsent, isGoing) else { continue }
        try cut(holder.key, holder.property)
      }
      let model = schema.entities[key.entity]
      guard plan.isThere(key) else {
        try rows.history.noteAbsent(model, key.pk)
        continue
      }
      count += 1
      let uid = hearing == .known ? nil : try rows.edits.serverUID(model, key.pk)
      if uid != nil { try rows.outbox.keepVersion(model, key.pk) }
      let address = uid == nil ? nil : try rows.edits.address(model, key.pk)
      try rows.notes.deletions?.note(model, key.pk, in: rows)
      // Without a uid it leaves no tombstone, and the next answer makes it again.
      if unheard.contains(key), model.uid == nil { try rows.answerNotes.endAnswers() }
      try removeRow(model, key.pk)
      if let uid, try rows.edits.leaveTombstone(model, key.pk, uid, address: address, cause: hearing.cause) {
        passed[place] = .with(hearing.cause ?? key.pk)
      }
      for link in plan.links(of: place) {
        try rows.noteLink(model, link.property, pk: key.pk, from: link.pk, to: 0, .effect)
      }
    }
    // The rows that stay may still name their lists as edited.
    for list in edited { try rows.pairs.settleName(list) }
    for list in lost {
      guard case .toOne(let owner, let property?, _) = schema.entities[list.links].properties[list.side].kind else {
        continue
      }
      rows.notes.skips?.note(schema.entities[owner], list.pk, targetDeletedThere: ColumnMask(property))
    }
    return count
  }

  /// Removes the pairs of a row in lists of many-to-many. A pair belongs to both its ends, which may be one row. The end that
  /// comes first in the plan removes it.
  private func removePairs(
    of key: RowKey, at place: Int, _ plan: DeletionPlan, _ isGoing: (RowKey) -> Bool
  ) throws {
    for membership in plan.memberships(of: place) {
      let model = schema.entities[Int(membership.entity)]
      let side = Int(membership.side)
      guard let target = model.properties[1 - side].target else { continue }
      let other = RowKey(entity: target, pk: membership.other)
      if other == key ? side == 1 : plan.place(of: other).map({ $0 < place && isGoing(other) }) ?? false { continue }
      var links = RowValues(count: model.properties.count)
      links.setLink(key.pk, side)
      links.setLink(other.pk, 1 - side)
      try removeRow(model, membership.pk, links: links)
    }
  }

  /// Ends the edit of a link that was set here to a row which the server has deleted: the edit can't be sent. The link
  /// goes back to its target before the edit. In an object that was made here, no link has such a target.
  ///
  /// - Returns: Whether the link leads elsewhere now; else the caller cuts it.
  private func endEdit(
    of holder: DeletionPlan.Holder, _ unsent: UnsentWork, _ isGoing: (RowKey) -> Bool
  ) throws -> Bool {
    let model = schema.entities[holder.key.entity]
    guard let row = try rows.current(model, pk: holder.key.pk) else { return true }
    let column = ColumnMask(holder.property)
    if row.isMadeHere {
      rows.notes.skips?.note(model, row.pk, targetDeletedThere: column)
      return false
    }
    guard row.edited.contains(holder.property), case .toOne(let target, _, _) = model.properties[holder.property].kind
    else { return false }
    let base = try rows.edits.editNote(model, row.pk, model.properties[holder.property].name)?.base
    try rows.edits.acknowledge(model, pk: row.pk, column)
    if unsent == .all { rows.notes.skips?.note(model, row.pk, targetDeletedThere: column) }
    guard case .integer(let pk)? = base, pk != 0, !isGoing(RowKey(entity: target, pk: pk)),
      try rows.current(schema.entities[target], pk: pk) != nil
    else { return false }
    try rows.setLink(model, row.pk, holder.property, to: pk, .effect)
    return true
  }

  /// Whether another row refers to a row without uid, or has it in a list.
  package func hasParent(_ key: RowKey) throws -> Bool {
    let model = schema.entities[key.entity]
    if try connection.isReferred(key.pk, of: model, schema, in: { $0.table }) { return true }
    guard let found = try rows.find(model, pk: key.pk) else { return false }
    return model.properties.contains {
      if case .toOne(_, .some, _) = $0.kind { found.link($0.index) != 0 } else { false }
    }
  }

  /// Deletes the row itself.
  func removeRow(_ model: EntityModel, _ pk: Int64, links: RowValues) throws {
    try removeRow(model, pk, ends: links)
    for index in links.mask.indices { try rows.noteLink(model, index, pk: pk, from: links.link(index), to: 0, .effect) }
  }

  /// The uid that the row has given up to another one in this transaction.
  func lostUID(_ model: EntityModel, _ key: RowKey) -> StoredValue? {
    guard !rows.uniqueness.displaced.isEmpty, let uid = model.uid, let values = rows.uniqueness.displaced[key],
      values.mask.contains(uid)
    else {
      return nil
    }
    return values[uid]
  }

  /// - Parameter ends: The two links of a membership, where they are known.
  private func removeRow(_ model: EntityModel, _ pk: Int64, ends: RowValues? = nil) throws {
    let key = RowKey(entity: model.number, pk: pk)
    try rows.observers.tell { try $0.willDelete(model, pk, ends: ends, in: rows) }
    let lost = try rows.uniqueness.held(model, pk, model.unique)
    try rows.execution.delete(model, pk)
    try rows.edits.dropNotes(model, pk)
    try rows.collections.noteRow(model, pk)
    rows.uniqueness.displaced.remove(key, model.unique)
    try rows.uniqueness.giveBack(model, lost)
    rows.note(model, pk, .deleted, ColumnMask(), .effect)
  }

  private func cut(_ holder: RowKey, _ property: Int) throws {
    let model = schema.entities[holder.entity]
    guard let found = try rows.find(model, pk: holder.pk) else { return }
    var row = RowValues(count: model.properties.count)
    row.setLink(0, property)
    _ = try rows.update(model, found, row, .effect)
  }

  /// Deletes rows by the delete rules, all or none of them.
  ///
  /// - Returns: `false` where a rule forbids it.
  func deleteIfAllowed(_ keys: [RowKey]) throws -> Bool {
    let plan = try deletionPlan(of: keys)
    guard plan.denial == nil else { return false }
    _ = try rows.atomically { try carryOut(plan, nil, unheard: rows.isOfServer ? [] : Set(keys)) }
    return true
  }

  /// Deletes an embedded row that its parent let go of, unless another row holds it.
  package func deleteEmbedded(_ model: EntityModel, _ pk: Int64, keeping unsent: UnsentWork) throws {
    let key = RowKey(entity: model.number, pk: pk)
    if try !hasParent(key) { _ = try deleteWherePossible([key], keeping: unsent) }
  }
}

extension Connection {
  /// Whether a row links to a row of an entity.
  ///
  /// - Parameter source: The table of an entity, or what is read in its place.
  func isReferred(
    _ pk: Int64, of model: EntityModel, _ schema: SchemaModel, in source: (EntityModel) throws -> String
  ) throws -> Bool {
    try model.incoming.contains { incoming in
      let other = schema.entities[incoming.entity]
      let column = other.properties[incoming.property].name.quoted
      return try !rows("SELECT 1 FROM \(source(other)) WHERE \(column) = ? LIMIT 1", [.integer(pk)]) { _ in true }
        .isEmpty
    }
  }
}
