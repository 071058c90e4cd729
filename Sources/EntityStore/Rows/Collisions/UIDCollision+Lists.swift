// The lists and embedded objects of two rows that turn out to be one.

extension UIDCollisions {
  /// Takes pairs out of a many-to-many list of two rows that are merged. A pair that was taken out here through one row
  /// goes, unless it was added here to the other row. The surviving row has all other pairs of both.
  func settlePairs(_ links: EntityModel, _ side: Int, of loser: Int64, and survivor: Int64) throws {
    for (pk, other) in [(loser, survivor), (survivor, loser)] {
      for link in try pairsRemovedElsewhere(links, side, of: pk, by: other) {
        var row = RowValues(count: links.properties.count)
        row.setLink(pk, side)
        row.setLink(link.member, 1 - side)
        try rows.deletion.removeRow(links, link.pk, links: row)
      }
    }
  }

  /// The row at the end `side` of a pair was merged: tells observers that the list of the row at the other end has
  /// another member.
  func tellOtherEnd(_ links: EntityModel, _ side: Int, ofPair pk: Int64) throws {
    guard case .toOne(let target, let list?, _) = links.properties[1 - side].kind else { return }
    let end = links.properties[1 - side].name.quoted
    let ends = try connection.rows("SELECT \(end) FROM \(links.table) WHERE _pk = ?", [.integer(pk)]) { $0.int64(0) }
    for end in ends { rows.tell(schema.entities[target], end, .updated, ColumnMask(list), isDirect: false) }
  }

  private func pairsRemovedElsewhere(
    _ links: EntityModel, _ side: Int, of pk: Int64, by other: Int64
  ) throws -> [(pk: Int64, member: Int64)] {
    let own = links.properties[side].name.quoted
    let member = links.properties[1 - side].name.quoted
    return try connection.rows(
      "SELECT _pk, \(member) FROM \(links.table) WHERE \(own) = ?1 AND _edited IS NULL AND \(member) IN "
        + "(SELECT \(member) FROM \(links.removedTable) WHERE \(own) = ?2)",
      [.integer(pk), .integer(other)]
    ) { ($0.int64(0), $0.int64(1)) }
  }

  // MARK: Objects without uid

  /// The entity of the embedded object that a to-one relationship holds; `nil` for any other property. A link with an
  /// inverse embeds nothing: its target is the owner.
  func embedded(_ model: EntityModel, _ property: Int) -> EntityModel? {
    guard case .toOne(let target, nil, _) = model.properties[property].kind, schema.entities[target].uid == nil
    else { return nil }
    return schema.entities[target]
  }

  func isEditedEmbedded(_ model: EntityModel, _ link: StoredValue) throws -> Bool {
    guard case .integer(let pk) = link else { return false }
    return try rows.edits.areEdited(model, [pk])
  }

  /// The embedded objects that go when the lists of two rows become one. Nothing tells which of these objects are the
  /// same, so one row's list stays whole. That is the edited list, else the surviving row's, unless it is empty. Where
  /// both lists were edited, both stay; of two edited counterparts, the surviving row's stays.
  func superfluousEmbedded(
    _ model: EntityModel, _ loser: RowState, _ survivor: Int64, _ edited: ColumnMask
  ) throws -> [RowKey] {
    var superfluous: [RowKey] = []
    for list in model.embeddedLists.indices {
      guard case .toMany(let target, let link, _) = model.properties[list].kind else { continue }
      let embedded = schema.entities[target]
      let own = try rows.order.holders(embedded, link, of: survivor)
      let theirs = try rows.order.holders(embedded, link, of: loser.pk)
      let isOwnEdited = edited.contains(list) || own.areEdited
      let areTheirsEdited = loser.edited.contains(list) || theirs.areEdited
      let isCounterpart = model.properties[list].isCounterpart
      if isOwnEdited && areTheirsEdited && !isCounterpart { continue }
      let gone = (areTheirsEdited && !isOwnEdited) || (!isOwnEdited && own.rows.isEmpty) ? own.rows : theirs.rows
      superfluous += gone.map { RowKey(entity: target, pk: $0) }
    }
    return superfluous
  }

  /// Deletes embedded objects: all of `always`, and those of `candidates` that nothing refers to.
  func dropEmbedded(_ candidates: [RowKey], _ always: [RowKey]) throws {
    var keys: [RowKey] = []
    for key in candidates where try rows.exists(schema.entities[key.entity], key.pk) {
      if try always.contains(key) || !rows.deletion.hasParent(key) { keys.append(key) }
    }
    if !keys.isEmpty { try rows.deletion.deleteWherePossible(keys) }
  }
}
