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
    let deletion = try deletion(of: keys)
    for denied in deletion.denied {
      let object = "An object of '\(schema.entities[denied.key.entity].name)' (row \(denied.key.pk)) can't be deleted: "
      let blocker = "'\(schema.entities[denied.blocker.entity].name)' (row \(denied.blocker.pk))"
      throw StoreError(
        .deleteDenied,
        denied.isRequired
          ? object
            + "\(blocker) has it as '\(denied.relationship)', which is required. Give that another, delete it too, or "
            + "declare `onDelete: .cascade` on the inverse."
          : object + "'\(denied.relationship)' still has \(blocker).")
    }
    return deletion.count
  }

  /// Deletes those of the rows that may be deleted, as a response says that all of them are gone: what a delete rule
  /// denies, or another row requires, stays as it is, with all that would have gone with it.
  ///
  /// - Returns: How many rows were deleted, those by cascade included, and which of `keys` stay.
  package func deleteWherePossible(_ keys: [RowKey]) throws -> (count: Int, denied: Set<RowKey>) {
    var left = keys
    var denied: Set<RowKey> = []
    // What stays may hold others in turn: mostly one round more, and never many.
    for _ in 0..<16 where !left.isEmpty {
      let (mark, before) = (mark, progress)
      try connection.prepare("SAVEPOINT deletion").run()
      let deletion: Deletion
      do {
        deletion = try self.deletion(of: left)
        if !deletion.denied.isEmpty { try connection.prepare("ROLLBACK TO deletion").run() }
        try connection.prepare("RELEASE deletion").run()
      } catch {
        try? connection.prepare("ROLLBACK TO deletion").run()
        try? connection.prepare("RELEASE deletion").run()
        throw error
      }
      if deletion.denied.isEmpty { return (deletion.count, denied) }
      try undone(to: mark, before)
      denied.formUnion(deletion.denied.map(\.root))
      left.removeAll { denied.contains($0) }
    }
    return (0, denied.union(left))
  }

  private struct Deletion {
    let requested: Set<RowKey>
    /// The requested row that is being deleted.
    var root: RowKey
    var deleted: Set<RowKey> = []
    var count = 0
    var denied: [Denial] = []

    mutating func deny(_ key: RowKey, by blockers: [RowKey], _ relationship: String, isRequired: Bool = false) {
      for blocker in blockers where !requested.contains(blocker) && !deleted.contains(blocker) {
        denied.append(
          Denial(root: root, key: key, blocker: blocker, relationship: relationship, isRequired: isRequired))
      }
    }
  }

  private struct Denial {
    let root: RowKey
    let key: RowKey
    let blocker: RowKey
    let relationship: String
    let isRequired: Bool
  }

  private func deletion(of keys: [RowKey]) throws -> Deletion {
    try checkOpen()
    guard let first = keys.first else { return Deletion(requested: [], root: RowKey(entity: 0, pk: 0)) }
    var deletion = Deletion(requested: Set(keys), root: first)
    for key in keys {
      deletion.root = key
      try delete(key, &deletion)
    }
    // What was denied may have gone with a later one of the same unit.
    deletion.denied.removeAll { [deleted = deletion.deleted] in deleted.contains($0.blocker) }
    return deletion
  }

  private func delete(_ first: RowKey, _ deletion: inout Deletion) throws {
    // A chain of cascades may be long; a list of what is left takes no stack.
    var pending = [first]
    while let key = pending.popLast() {
      guard !deletion.deleted.contains(key) else { continue }
      let model = schema.entities[key.entity]
      var links = RowValues(count: model.properties.count)
      // A row that is not there was never saved; rows of the same save may hold links to it all the same.
      let found = try find(model, pk: key.pk)
      var embedded: [RowKey] = []
      if let found {
        for property in model.properties {
          guard case .toOne(let target, _, let rule) = property.kind else { continue }
          let pk = found.link(property.index)
          links.setLink(pk, property.index)
          let other = RowKey(entity: target, pk: pk)
          guard pk != 0, other != key, !model.isLinks else { continue }
          if rule == .cascade { pending.append(other) }
          if rule == .nullify, schema.entities[target].uid == nil { embedded.append(other) }
          if rule == .deny { deletion.deny(key, by: [other], "\(model.name).\(property.name)") }
        }
        found.release()
      }
      deletion.deleted.insert(key)
      for incoming in model.incoming {
        let other = schema.entities[incoming.entity]
        let (rule, relationship) = self.rule(for: incoming, of: model)
        let property = other.properties[incoming.property]
        let column = property.name.quoted
        if other.isLinks {
          try endMemberships(other, incoming.property, of: key, rule, relationship, &pending, &deletion)
          continue
        }
        let holders = try connection.rows("SELECT _pk FROM \(other.table) WHERE \(column) = ?", [.integer(key.pk)]) {
          RowKey(entity: other.number, pk: $0.int64(0))
        }.filter { !deletion.deleted.contains($0) }
        switch rule {
        case .cascade: pending += holders
        case .deny: deletion.deny(key, by: holders, relationship)
        case .nullify where property.isRequired:
          deletion.deny(key, by: holders, "\(other.name).\(property.name)", isRequired: true)
        case .nullify: break
        }
        // A required link stays until its row goes: there is nothing else that it could be.
        if rule != .cascade, !property.isRequired { try cut(holders, incoming.property) }
      }
      if found != nil {
        deletion.count += 1
        try removeRow(model, key.pk, links: links)
      }
      for row in embedded where try !deletion.deleted.contains(row) && !hasParent(row) { pending.append(row) }
    }
  }

  /// The memberships of a row go with it; what they link it to goes, or stands in the way, if its list says so.
  private func endMemberships(
    _ links: EntityModel, _ side: Int, of key: RowKey, _ rule: DeleteRule, _ relationship: String,
    _ pending: inout [RowKey], _ deletion: inout Deletion
  ) throws {
    guard case .toOne(let target, _, _) = links.properties[1 - side].kind else { return }
    let rows = try connection.rows(links.selectLinks(side, from: links.table), [.integer(key.pk)]) {
      (link: $0.int64(0), other: RowKey(entity: target, pk: $0.int64(1)))
    }
    for (link, other) in rows {
      var row = RowValues(count: links.properties.count)
      row.setLink(key.pk, side)
      row.setLink(other.pk, 1 - side)
      try removeRow(links, link, links: row)
      guard other != key, !deletion.deleted.contains(other) else { continue }
      switch rule {
      case .nullify: break
      case .cascade: pending.append(other)
      case .deny: deletion.deny(key, by: [other], relationship)
      }
    }
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
    try connection.prepare("DELETE FROM \(model.table) WHERE _pk = ?").run([.integer(pk)])
    note(model, pk, .deleted, ColumnMask(), .effect)
    for index in links.mask.indices { try noteLink(model, index, pk: pk, from: links.link(index), to: 0, .effect) }
  }

  private func cut(_ holders: [RowKey], _ property: Int) throws {
    for holder in holders {
      let model = schema.entities[holder.entity]
      guard let found = try find(model, pk: holder.pk) else { continue }
      var row = RowValues(count: model.properties.count)
      row.setLink(0, property)
      _ = try update(model, found, row, .effect)
    }
  }

  /// The rule for the holders of a link: that of the to-many relationship on this side, if there is one.
  private func rule(for incoming: EntityModel.Incoming, of model: EntityModel) -> (DeleteRule, String) {
    let property = schema.entities[incoming.entity].properties[incoming.property]
    guard case .toOne(_, let inverse?, _) = property.kind else { return (.nullify, property.name) }
    let name = "\(model.name).\(model.properties[inverse].name)"
    return switch model.properties[inverse].kind {
    case .toMany(_, _, let rule), .manyToMany(_, let rule): (rule, name)
    case .attribute, .toOne: (.nullify, property.name)
    }
  }
}
