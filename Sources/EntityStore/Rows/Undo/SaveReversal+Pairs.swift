// Pairs of many-to-many relationships in an undo: the change back of a change that the server has is a new edit.

extension SaveReversal {
  /// The sides on which a pair that comes back is a new edit: the server has its removal, or is being told of it.
  func sidesOfRemoval(_ links: EntityModel, _ ends: RowValues) throws -> ColumnMask {
    let pair = links.ends.map { ends[$0.index] }
    guard let after = takenOut[links.number]?[pair] else { return ColumnMask() }
    let marks = links.marks(of: after).known
    let isThere = try !rows.connection.rows(SaveImage.selectRemoval(links), pair) { _ in true }.isEmpty
    return isThere ? marks.intersection(sent(links, ends)) : marks
  }

  /// The sides on which the server has a pair that comes back. An acknowledgement since said so, and noted that the
  /// server is to take the pair out.
  func unheardRemoval(_ links: EntityModel, _ ends: RowValues) throws -> ColumnMask {
    guard takenOut[links.number]?[links.ends.map { ends[$0.index] }] == nil else { return ColumnMask() }
    return try rows.pairs.forgetRemoval(links, ends).known
  }

  /// The sides of a pair whose objects a request carries.
  func sent(_ links: EntityModel, _ ends: RowValues) -> ColumnMask {
    var mask = ColumnMask()
    for end in links.ends {
      guard case .toOne(let entity, _, _) = end.kind else { continue }
      if sending.contains(RowKey(entity: entity, pk: ends.link(end.index))) { mask.insert(end.index) }
    }
    return mask
  }

  mutating func revertRemovals() throws {
    for removal in image.removals {
      let links = rows.schema.entities[removal.links]
      let names = links.ends.map(\.name.quoted)
      rows.pairs.removals = [:]
      try rows.connection.prepare(
        "DELETE FROM \(links.removedTable) WHERE " + names.map { "\($0) IS ?" }.joined(separator: " AND ")
      ).run(removal.ends)
      guard let before = removal.before, try !lacksEnds(links, removal.ends) else { continue }
      try rows.connection.prepare(
        "INSERT INTO \(links.removedTable) (_edited, \(names.joined(separator: ", "))) VALUES (?, ?, ?)"
      ).run([before] + removal.ends)
    }
    for (links, ends, mark) in removedAgain {
      let known = try rows.connection.rows(SaveImage.selectRemoval(links), links.ends.map { ends[$0.index] }) {
        links.marks(of: $0.value(0)).known
      }.first
      guard try !rows.pairs.lacksEnds(links, ends) else { continue }
      try rows.pairs.markRemoved(links, ends.link(0), ends.link(1), mark.union(known ?? ColumnMask()))
      for (side, list) in lists(links, mark, ends) { try rows.edits.markEdited(side.model, side.pk, list) }
    }
  }

  /// Whether an object of a pair is gone.
  private func lacksEnds(_ links: EntityModel, _ ends: [StoredValue]) throws -> Bool {
    try zip(links.ends, ends).contains { end, value in
      guard case .toOne(let target, _, _) = end.kind, case .integer(let pk) = value else { return false }
      return try !rows.exists(rows.schema.entities[target], pk)
    }
  }

  /// The lists on the sides in `mask` of a pair.
  func lists(
    _ links: EntityModel, _ mask: ColumnMask, _ ends: RowValues
  ) -> [((model: EntityModel, pk: Int64), Int)] {
    guard links.isLinks else { return [] }
    return mask.intersection(ColumnMask.all(2)).indices.compactMap { side in
      guard case .toOne(let entity, let list?, _) = links.properties[side].kind else { return nil }
      return ((rows.schema.entities[entity], ends.link(side)), list)
    }
  }

  /// Names a list as edited in its row again, where pairs of the list were edited since.
  func markIfPairsAre(_ model: EntityModel, _ pk: Int64, _ list: Int) throws {
    guard let membership = model.properties[list].membership else { return }
    if try rows.pairs.hasMarks(rows.schema.entities[membership.links], membership.side, of: pk) {
      try rows.edits.markEdited(model, pk, list)
    }
  }
}
