// The values that a server says of columns with local edits. Such a column stays as it is, and the note of its edit gets the
// value: the base of an edit is always the last word of the server. A value that the column has already ends the edit.
// Nothing of this runs for a row without local edits.

extension RowEdits {
  /// An answer has values of columns that stay as they were edited here.
  ///
  /// - Parameter values: Those of the answer, without columns that newer answers wrote.
  func hear(_ model: EntityModel, _ pk: Int64, _ values: RowValues) throws {
    let heard = values.mask.subtracting(model.lazy)
    guard !heard.isEmpty, let (row, present) = try rows.find(model, pk: pk)?.read(model, heard), !row.marks.isNew else {
      return
    }
    try rows.checks.checkLazies()
    var (agreed, others) = (ColumnMask(), RowValues(count: model.properties.count))
    for index in heard.intersection(row.edited).indices {
      if present[index].isIdentical(to: values[index]), !isOnItsWay(model, pk, index) {
        agreed.insert(index)
      } else {
        others[index] = values[index]
      }
    }
    try setBases(model, pk, others)
    if !agreed.isEmpty { try acknowledge(model, pk: pk, agreed) }
  }

  /// Gives edits of a row other values from before them. One that has no note, or whose note has the value, stays as it is.
  func setBases(_ model: EntityModel, _ pk: Int64, _ values: RowValues) throws {
    guard !values.mask.isEmpty, !model.isLinks else { return }
    for index in values.mask.subtracting(model.lazy).indices {
      rows.observers.tell { $0.willChangeEdits(model, pk) }
      let changed = try connection.rows(
        "UPDATE \(EditNotes.table) SET base = ?1, has_base = 1 WHERE entity = ?2 AND pk = ?3 AND property = ?4 "
          + "AND (has_base = 0 OR base IS NOT ?1) RETURNING 1",
        [values[index], .text(model.name), .integer(pk), .text(model.properties[index].name)]
      ) { _ in true }
      guard !changed.isEmpty else { continue }
      noteChanges += 1
      rows.notes.repeats?.noteBase(RowKey(entity: model.number, pk: pk), index)
    }
  }

  /// An answer has a list of a row. Pairs that were put into it here, and that the answer has, are edits no more; nor are those
  /// that were taken out of it here, and that the answer lacks.
  ///
  /// - Parameter before: The pairs of the list before the answer.
  package func hear(
    _ membership: PropertyModel.Membership, of pk: Int64, _ members: Set<Int64>, before: [RowPairs.Pair]
  ) throws {
    let links = schema.entities[membership.links]
    guard try before.contains(where: \.isAddedHere) || rows.pairs.hasRemovals(links),
      case .toOne(let entity, let list?, _) = links.properties[membership.side].kind
    else { return }
    guard !isOnItsWay(schema.entities[entity], pk, list) else {
      return try rows.pairs.rebase(membership, of: pk, members)
    }
    let other = schema.entities[membership.target]
    func isFree(_ member: Int64) -> Bool {
      membership.inverse.map { !isOnItsWay(other, member, $0) } ?? true
    }
    for pair in before where pair.isAddedHere && members.contains(pair.member) {
      if isFree(pair.member) { try rows.pairs.endMark(membership, of: pk, pair, keepsMoves: true) }
    }
    try rows.pairs.endRemovals(membership, of: pk) { $0.map { !members.contains($0) && isFree($0) } ?? false }
    try rows.pairs.rebase(membership, of: pk, members)
    try rows.pairs.settleName(membership.links, membership.side, of: pk)
  }

  /// An answer has the order that a list was given here.
  func hearOrder(_ model: EntityModel, _ list: Int, of pk: Int64) throws {
    if !isOnItsWay(model, pk, list) { try rows.pairs.endOrderEdit(model, list, of: pk) }
  }

  /// The columns of a row as the server last said them, as far as that is known.
  func serverValues(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws -> RowValues {
    var known = RowValues(count: model.properties.count)
    guard !mask.isEmpty, let (row, values) = try rows.find(model, pk: pk)?.read(model, mask) else { return known }
    try rows.checks.checkLazies()
    let notes = try editNotes(model, pk, mask.intersection(row.edited))
    for index in mask.indices {
      if let value = row.edited.contains(index) ? notes[index]?.base : values[index] { known[index] = value }
    }
    return known
  }

  /// The requests under way that carry edits of a row.
  func underWay(_ model: EntityModel, _ pk: Int64, but own: SentEdits.Marker?) -> [SentEdits.Marker] {
    rows.writer.underWay.markers(of: RowKey(entity: model.number, pk: pk), but: own)
  }

  /// Whether another request than that of the answer being taken in carries a property of a row: the server may have its value
  /// in the end.
  private func isOnItsWay(_ model: EntityModel, _ pk: Int64, _ index: Int) -> Bool {
    !rows.writer.underWay.isEmpty && underWay(model, pk, but: rows.notes.sent).contains { $0.carries(index) }
  }
}
