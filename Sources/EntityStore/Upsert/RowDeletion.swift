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
    try checkOpen()
    var deletion = Deletion(requested: Set(keys))
    for key in keys { try delete(key, &deletion) }
    // What was denied may have gone with a later one of the same unit.
    for denied in deletion.denied where !deletion.deleted.contains(denied.blocker) {
      throw StoreError(
        .deleteDenied,
        "An object of '\(schema.entities[denied.key.entity].name)' (row \(denied.key.pk)) can't be deleted: "
          + "'\(denied.relationship)' still has '\(schema.entities[denied.blocker.entity].name)' (row \(denied.blocker.pk))."
      )
    }
    return deletion.count
  }

  private struct Deletion {
    let requested: Set<RowKey>
    var deleted: Set<RowKey> = []
    var count = 0
    var denied: [(key: RowKey, blocker: RowKey, relationship: String)] = []
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
          guard pk != 0, other != key else { continue }
          if rule == .cascade { pending.append(other) }
          if rule == .nullify, schema.entities[target].uid == nil { embedded.append(other) }
          if rule == .deny, !deletion.requested.contains(other), !deletion.deleted.contains(other) {
            deletion.denied.append((key, other, "\(model.name).\(property.name)"))
          }
        }
        found.release()
      }
      deletion.deleted.insert(key)
      for incoming in model.incoming {
        let other = schema.entities[incoming.entity]
        let (rule, relationship) = self.rule(for: incoming, of: model)
        let column = other.properties[incoming.property].name.quoted
        let holders = try connection.rows("SELECT _pk FROM \(other.table) WHERE \(column) = ?", [.integer(key.pk)]) {
          RowKey(entity: other.number, pk: $0.int64(0))
        }.filter { !deletion.deleted.contains($0) }
        switch rule {
        case .cascade: pending += holders
        case .deny:
          deletion.denied += holders.filter { !deletion.requested.contains($0) }.map { (key, $0, relationship) }
        case .nullify: break
        }
        if rule != .cascade { try cut(holders, incoming.property) }
      }
      if found != nil {
        deletion.count += 1
        try removeRow(model, key.pk, links: links)
      }
      for row in embedded where try !deletion.deleted.contains(row) && !hasParent(row) { pending.append(row) }
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
    for index in links.mask.indices { noteLink(model, index, pk: pk, from: links.link(index), to: 0, .effect) }
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
    guard case .toOne(_, let inverse?, _) = property.kind,
      case .toMany(_, _, let rule) = model.properties[inverse].kind
    else { return (.nullify, property.name) }
    return (rule, "\(model.name).\(model.properties[inverse].name)")
  }
}
