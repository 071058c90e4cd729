// The app itself settles pending changes: their values go back, or stay as they are.

/// Settles changes that the server has not acknowledged: takes them back, or treats them as known to the server.
struct PendingSettlement {
  let rows: RowWriter

  var connection: Connection { rows.connection }
  var schema: SchemaModel { rows.schema }
}

extension PendingSettlement {
  /// Takes changes back. Edited properties get the values from before their edits. An object that was made here goes.
  /// An object that was deleted here comes back with the next answer that has it.
  ///
  /// - Parameters:
  ///   - mask: The properties; `nil` for all, and for an insert or a deletion.
  ///   - unheard: The values of properties whose value on the server is not known.
  func discard(_ key: RowKey, _ mask: ColumnMask?, unheard: RowValues? = nil) throws {
    try rows.answerNotes.endAnswers()
    let model = schema.entities[key.entity]
    let pk = rows.collisions.survivor(model, key.pk)
    if mask == nil { try rows.edits.endTombstone(model, pk: key.pk, .takenBack) }
    guard let row = try rows.current(model, pk: pk) else { return }
    if mask == nil, row.marks.isNew {
      try takeBackLinks(to: pk, model)
      _ = try rows.deletion.delete([RowKey(entity: key.entity, pk: pk)])
      return
    }
    // An object that was made here has no values to go back to.
    guard !row.marks.isNew else { return }
    let ending = mask.map(row.edited.intersection) ?? row.edited
    let embedded = try embeddedHere(model, pk, ending)
    try putBack(model, row, ending.intersection(model.stored), unheard)
    for list in ending.intersection(model.lists).indices {
      guard let membership = model.properties[list].membership else { continue }
      try putBack(membership, of: pk)
    }
    try rows.edits.acknowledge(model, pk: pk, ending)
    if mask == nil { try endOtherMarks(model, pk) }
    // Nothing leads any more to objects that were embedded by the edits.
    let now = Set(try embeddedHere(model, pk, ending))
    _ = try rows.deletion.delete(embedded.filter { !now.contains($0) })
  }

  /// Takes back the edits by which other objects link to a row that was made here and goes. A delete rule would take objects of the
  /// server along, and nothing would tell the server.
  private func takeBackLinks(to pk: Int64, _ model: EntityModel) throws {
    for incoming in model.incoming where !schema.entities[incoming.entity].isLinks {
      let other = schema.entities[incoming.entity]
      let holders = try connection.rows(
        "SELECT _pk FROM \(other.table) WHERE \(other.properties[incoming.property].name.quoted) = ? AND _edited IS NOT NULL",
        [.integer(pk)]
      ) { $0.int64(0) }
      for holder in holders {
        try discard(RowKey(entity: other.number, pk: holder), ColumnMask(incoming.property))
      }
    }
  }

  /// The embedded objects that were made here, of to-one relationships.
  private func embeddedHere(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws -> [RowKey] {
    guard let found = try rows.find(model, pk: pk) else { return [] }
    return try mask.indices.compactMap { index in
      let property = model.properties[index]
      guard property.leadsToEmbedded, case .toOne(let target, _, _) = property.kind, found.link(index) != 0,
        try rows.current(schema.entities[target], pk: found.link(index))?.marks.isNew == true
      else { return nil }
      return RowKey(entity: target, pk: found.link(index))
    }
  }

  /// Takes changes as known to the server.
  ///
  /// - Parameters:
  ///   - mask: The properties; `nil` for all, and for an insert or a deletion.
  ///   - others: The properties that stay edits.
  func settle(_ key: RowKey, _ mask: ColumnMask?, but others: ColumnMask = ColumnMask()) throws {
    let model = schema.entities[key.entity]
    let pk = rows.collisions.survivor(model, key.pk)
    let wasDeletion = try mask == nil && !rows.edits.endTombstone(model, pk: key.pk, .acknowledged).isEmpty
    try rows.answerNotes.endAnswers(lists: !wasDeletion)
    guard let row = try rows.current(model, pk: pk) else { return }
    let ending = (mask.map(row.edited.intersection) ?? row.edited).subtracting(others)
    for list in ending.intersection(model.lists).indices {
      guard let membership = model.properties[list].membership else { continue }
      try endOwnMarks(membership, of: pk)
    }
    try rows.edits.acknowledge(model, pk: pk, ending, endsInsertion: mask == nil)
    for marker in rows.edits.underWay(model, pk, but: nil) { rows.afterCommit { marker.acknowledged(ending) } }
    if mask == nil { try endOtherMarks(model, pk) }
  }

  /// Writes the values from before the edits of the columns `mask`, where they are known. A link to a target that is
  /// gone since becomes empty. A required link keeps the edited target. A property that no response had is missing again.
  private func putBack(_ model: EntityModel, _ row: RowState, _ mask: ColumnMask, _ unheard: RowValues?) throws {
    var values = RowValues(count: model.properties.count)
    var unloaded = ColumnMask()
    for (index, note) in try rows.edits.editNotes(model, row.pk, mask) {
      let unknown = note.base == nil ? unknownValue(model, index, row) : nil
      if unknown != nil { unloaded.insert(index) }
      guard let base = note.base ?? unknown ?? unheard.flatMap({ $0.mask.contains(index) ? $0[index] : nil }) else {
        continue
      }
      values[index] = base
      guard case .toOne(let target, _, _) = model.properties[index].kind, values.link(index) != 0 else { continue }
      let now = rows.collisions.survivor(schema.entities[target], values.link(index))
      if try rows.exists(schema.entities[target], now) {
        values.setLink(now, index)
      } else if model.properties[index].isRequired {
        values.remove(ColumnMask(index))
      } else {
        values.setLink(0, index)
      }
    }
    guard !values.mask.isEmpty, let found = try rows.find(model, pk: row.pk) else { return }
    _ = try rows.update(model, found, values, .effect)
    try rows.knowledge.noteUnloaded(model, row.pk, unloaded)
  }

  /// The value of a property that no response had, where the entity tells it from a value of the server; `nil` where the
  /// edited value has to stay.
  private func unknownValue(_ model: EntityModel, _ index: Int, _ row: RowState) -> StoredValue? {
    let property = model.properties[index]
    guard model.coverage != nil, model.coverable.contains(index), !model.lazy.contains(index), !row.isPlaceholder,
      !property.isRequired
    else { return nil }
    return property.defaultValue
  }

  /// Takes out the pairs of a list that were added here, and puts back the pairs that were taken out here.
  private func putBack(_ membership: PropertyModel.Membership, of pk: Int64) throws {
    let (links, target) = (schema.entities[membership.links], schema.entities[membership.target])
    let removed = try removedHere(membership, of: pk)
    try rows.pairs.endMoves(membership, of: pk)
    for pair in try rows.pairs.read(membership, of: pk) where pair.mark.contains(membership.side) {
      if pair.isBack {
        try rows.pairs.endMark(membership, of: pk, pair)
      } else {
        try rows.pairs.removePair(membership, of: pk, pair)
      }
    }
    for member in removed {
      let row = rows.pairs.ends(membership, pk, member)
      let mark = try rows.pairs.forgetRemoval(links, row)
      if try !mark.isBack && rows.exists(target, member), try rows.pairs.membership(links, row) == nil {
        try rows.pairs.addMember(membership, of: pk, member)
      }
      try rows.pairs.settleNames(links, row, mark.known)
    }
    // This removal stands for all pairs that are not in the list.
    try rows.pairs.endRemovals(membership, of: pk) { $0 == nil }
    try rows.pairs.settleName(membership.links, membership.side, of: pk)
  }

  /// The members that were taken out through the row's list.
  private func removedHere(_ membership: PropertyModel.Membership, of pk: Int64) throws -> [Int64] {
    try rows.pairs.removals(membership, of: pk).filter { $0.marks.known.contains(membership.side) }.compactMap(\.member)
  }

  /// Ends the marks of the pairs that were edited through the row's list.
  private func endOwnMarks(_ membership: PropertyModel.Membership, of pk: Int64) throws {
    try rows.pairs.endMoves(membership, of: pk)
    for pair in try rows.pairs.read(membership, of: pk) where pair.mark.contains(membership.side) {
      try rows.pairs.endMark(membership, of: pk, pair)
    }
    let removed = Set(try removedHere(membership, of: pk))
    try rows.pairs.endRemovals(membership, of: pk) { $0.map(removed.contains) ?? true }
    try rows.pairs.settleName(membership.links, membership.side, of: pk)
  }

  /// Ends the edits of properties that only another version of the app declares.
  private func endOtherMarks(_ model: EntityModel, _ pk: Int64) throws {
    guard let row = try rows.current(model, pk: pk), row.marks.others != nil else { return }
    var marks = row.marks
    marks.others = nil
    try rows.edits.setMarks(model, row, marks, told: ColumnMask())
  }
}
