extension RowWriter {
  /// A row among all entities.
  package struct RowKey: Hashable, Sendable {
    package let entity: Int
    package let pk: Int64

    package init(entity: Int, pk: Int64) {
      self.entity = entity
      self.pk = pk
    }
  }

  /// Deletes rows and does what the delete rules say. Rows that are gone already are passed over.
  ///
  /// A row without uid that a to-one relationship holds lives in its parent: it goes with it, unless another row still
  /// has it. For the members of a list the list's own rule decides.
  ///
  /// - Returns: How many rows were deleted, those by cascade included.
  /// - Throws: ``StoreError`` of kind `deleteDenied` that names the relationship.
  @discardableResult
  package func delete(_ keys: [RowKey]) throws -> Int {
    let plan = try deletionPlan(of: keys)
    guard let (key, blocker) = plan.denial else { return try carryOut(plan, plan.rows.keys.contains) }
    let object = "An object of '\(schema.entities[key.entity].name)' (row \(key.pk)) can't be deleted: "
    let name = "'\(schema.entities[blocker.key.entity].name)' (row \(blocker.key.pk))"
    throw StoreError(
      .deleteDenied,
      blocker.isRequired
        ? object
          + "\(name) has it as '\(blocker.relationship)', which is required. Give that another, delete it too, or "
          + "declare `onDelete: .cascade` on the inverse."
        : object + "'\(blocker.relationship)' still has \(name).",
      objects: plan.named(in: key, blocker).map { schema.entities[$0.entity].id($0.pk) })
  }

  /// Deletes those of the rows that may be deleted, as a response says that all of them are gone: what a delete rule
  /// denies, or another row requires, stays as it is, with all that would have gone with it.
  ///
  /// - Returns: How many rows were deleted, those by cascade included, and which of `keys` stay.
  @discardableResult
  package func deleteWherePossible(_ keys: [RowKey]) throws -> (count: Int, denied: Set<RowKey>) {
    let plan = try deletionPlan(of: keys)
    let going = plan.possible()
    return (try carryOut(plan, going.contains), Set(keys.filter { !going.contains($0) }))
  }

  /// - Returns: How many rows were deleted.
  private func carryOut(_ plan: DeletionPlan, _ isGoing: (RowKey) -> Bool) throws -> Int {
    var count = 0
    var ended: Set<RowKey> = []
    for key in plan.order where isGoing(key) {
      guard let row = plan.rows[key] else { continue }
      for membership in row.memberships {
        guard ended.insert(RowKey(entity: membership.entity, pk: membership.pk)).inserted else { continue }
        let model = schema.entities[membership.entity]
        var links = RowValues(count: model.properties.count)
        links.setLink(key.pk, membership.side)
        links.setLink(membership.other.pk, 1 - membership.side)
        try removeRow(model, membership.pk, links: links)
      }
      for holder in row.holders where !isGoing(holder.key) { try cut(holder.key, holder.property) }
      guard row.isThere else { continue }
      count += 1
      try removeRow(schema.entities[key.entity], key.pk, links: row.links)
    }
    return count
  }

  /// Whether another row refers to a row without uid, or has it in a list.
  package func hasParent(_ key: RowKey) throws -> Bool {
    let model = schema.entities[key.entity]
    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let column = other.properties[incoming.property].name.quoted
      let isReferred = try connection.rows(
        "SELECT 1 FROM \(other.table) WHERE \(column) = ? LIMIT 1", [.integer(key.pk)]
      ) { _ in true }
      if !isReferred.isEmpty { return true }
    }
    guard let found = try find(model, pk: key.pk) else { return false }
    defer { found.release() }
    return model.properties.contains {
      if case .toOne(_, .some, _) = $0.kind { found.link($0.index) != 0 } else { false }
    }
  }

  /// Deletes the row itself.
  func removeRow(_ model: EntityModel, _ pk: Int64, links: RowValues) throws {
    let lost =
      try displaced.isEmpty || model.unique.isEmpty
      ? nil
      : find(model, pk: pk).flatMap { found in
        defer { found.release() }
        return held(model, found, model.unique)
      }
    try connection.prepare("DELETE FROM \(model.table) WHERE _pk = ?").run([.integer(pk)])
    displaced.remove(RowKey(entity: model.number, pk: pk), model.unique)
    try giveBack(model, lost)
    note(model, pk, .deleted, ColumnMask(), .effect)
    for index in links.mask.indices { try noteLink(model, index, pk: pk, from: links.link(index), to: 0, .effect) }
  }

  private func cut(_ holder: RowKey, _ property: Int) throws {
    let model = schema.entities[holder.entity]
    guard let found = try find(model, pk: holder.pk) else { return }
    var row = RowValues(count: model.properties.count)
    row.setLink(0, property)
    _ = try update(model, found, row, .effect)
  }
}
