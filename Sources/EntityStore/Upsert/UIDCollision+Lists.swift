// What becomes of the lists and parts of two rows that turn out to be one.

extension RowWriter {
  /// Makes a many-to-many list of two rows what it was set to, where only one of the two was edited. Where neither was,
  /// or both were, the surviving row has the memberships of both.
  ///
  /// A membership that was made through the list of the other object is that one's edit, and stays.
  func settleList(
    _ links: EntityModel, _ side: Int, of loser: Current, and survivor: Int64, _ edited: ColumnMask
  ) throws {
    guard case .toOne(_, let list?, _) = links.properties[side].kind,
      case .toOne(let target, let inverse, _) = links.properties[1 - side].kind,
      loser.edited.contains(list) != edited.contains(list)
    else { return }
    let (kept, other) = edited.contains(list) ? (survivor, loser.pk) : (loser.pk, survivor)
    let wanted = Set(try memberships(links, side, of: kept).map(\.member))
    for (pk, member) in try memberships(links, side, of: other) where !wanted.contains(member) {
      if let inverse, try isEdited(schema.entities[target], member, inverse) { continue }
      var row = RowValues(count: links.properties.count)
      row.setLink(other, side)
      row.setLink(member, 1 - side)
      try removeRow(links, pk, links: row)
    }
  }

  private func memberships(_ links: EntityModel, _ side: Int, of pk: Int64) throws -> [(pk: Int64, member: Int64)] {
    try connection.rows(links.selectLinks(side, from: links.table), [.integer(pk)]) { ($0.int64(0), $0.int64(1)) }
  }

  // MARK: Objects without uid

  /// The entity of the object without uid that a to-one relationship holds; `nil` for any other property.
  func part(_ model: EntityModel, _ property: Int) -> EntityModel? {
    guard case .toOne(let target, _, _) = model.properties[property].kind, schema.entities[target].uid == nil
    else { return nil }
    return schema.entities[target]
  }

  func isEditedPart(_ model: EntityModel, _ link: StoredValue) throws -> Bool {
    guard case .integer(let pk) = link else { return false }
    return try areEdited(model, [pk])
  }

  /// The objects without uid in lists of two rows that are not in the list of the surviving one: nothing tells which
  /// of them are the same, so that a list is that of the row where it was edited. Two edited lists are kept.
  func superfluousParts(
    _ model: EntityModel, _ loser: Current, _ survivor: Int64, _ edited: ColumnMask
  ) throws -> [RowKey] {
    var superfluous: [RowKey] = []
    for list in model.partLists.indices {
      guard case .toMany(let target, let link, _) = model.properties[list].kind else { continue }
      let parts = schema.entities[target]
      let own = try holders(parts, link, of: survivor)
      let theirs = try holders(parts, link, of: loser.pk)
      let isOwnEdited = edited.contains(list) || own.areEdited
      let areTheirsEdited = loser.edited.contains(list) || theirs.areEdited
      if isOwnEdited && areTheirsEdited { continue }
      let gone = areTheirsEdited || (!isOwnEdited && own.rows.isEmpty) ? own.rows : theirs.rows
      superfluous += gone.map { RowKey(entity: target, pk: $0) }
    }
    return superfluous
  }

  /// Deletes objects without uid: those of `always`, and the others where nothing refers to them any more.
  func dropParts(_ parts: [RowKey], _ always: [RowKey]) throws {
    var keys: [RowKey] = []
    for key in parts where try exists(schema.entities[key.entity], key.pk) {
      if try always.contains(key) || !hasParent(key) { keys.append(key) }
    }
    if !keys.isEmpty { try deleteWherePossible(keys) }
  }
}
