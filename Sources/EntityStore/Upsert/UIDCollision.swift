// A uid that is bound to one row while another row holds it: both were the same object all along. It happens when an
// object made here is posted while a list that already has it arrives.

extension RowWriter {
  /// Makes way for `uid` in the row `current`. A row that has another uid is none that turns out to be the same: it takes
  /// the uid as it takes any unique value, see ``UniqueValues``.
  func takeUID(_ model: EntityModel, _ current: Current, _ uid: StoredValue, written: ColumnMask) throws {
    guard !uid.isNull, let other = try find(model, uid: uid) else { return }
    other.release()
    guard other.pk != current.pk, current.uidIsNull else { return }
    try absorb(model, other.pk, into: current.pk)
    try completeAdopted(model, current.pk, except: written)
  }

  /// Ends the row `loser` in favour of `survivor`: links to it are repointed, its values fill what the survivor lacks,
  /// and whoever holds its object is told where it went.
  func absorb(_ model: EntityModel, _ loser: Int64, into survivor: Int64) throws {
    guard let found = try find(model, pk: loser) else { return }
    var values = RowValues(count: model.properties.count)
    for index in model.stored.indices where index != model.uid && !model.properties[index].isUnique {
      values[index] = found.value(index)
      // A link to itself stays one.
      if case .toOne(model.number, _, _) = model.properties[index].kind, values.link(index) == loser {
        values.setLink(survivor, index)
      }
    }
    found.release()
    adopted = values

    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      let column = other.properties[incoming.property].name.quoted
      if other.isLinks { try endTwins(other, incoming.property, of: loser, for: survivor) }
      let moved = try connection.rows(
        "UPDATE \(other.table) SET \(column) = ? WHERE \(column) = ? RETURNING _pk",
        [.integer(survivor), .integer(loser)]
      ) { $0.int64(0) }
      for pk in moved {
        note(other, pk, .updated, ColumnMask(incoming.property), .effect)
        try noteLink(other, incoming.property, pk: pk, from: loser, to: survivor, .effect)
      }
    }
    try removeRow(model, loser, links: values)
    writer.survivors[RowKey(entity: model.number, pk: loser)] = survivor
    absorbers.insert(RowKey(entity: model.number, pk: survivor))
    noteForward(model, from: loser, to: survivor)
  }

  /// The row that a row is now: itself, or the one that it turned out to be.
  func survivor(_ model: EntityModel, _ pk: Int64) -> Int64 {
    guard !writer.survivors.isEmpty else { return pk }
    var key = RowKey(entity: model.number, pk: pk)
    while let next = writer.survivors[key] { key = RowKey(entity: model.number, pk: next) }
    return key.pk
  }

  /// A row with its links to rows that turned out to be others, and which links those are. Whoever wrote them did not
  /// know yet.
  func repointed(_ model: EntityModel, _ row: RowValues) -> (row: RowValues, links: ColumnMask) {
    guard !writer.survivors.isEmpty else { return (row, ColumnMask()) }
    var (row, links) = (row, ColumnMask())
    for index in row.mask.indices {
      guard case .toOne(let target, _, _) = model.properties[index].kind else { continue }
      let now = survivor(schema.entities[target], row.link(index))
      guard now != row.link(index) else { continue }
      row.setLink(now, index)
      links.insert(index)
    }
    return (row, links)
  }

  /// Fills columns that are NULL from the row that was absorbed, but not those that are written anyway.
  func completeAdopted(_ model: EntityModel, _ pk: Int64, except written: ColumnMask, fillsOnly: Bool = true) throws {
    guard let values = adopted else { return }
    adopted = nil
    guard let found = try find(model, pk: pk) else { return }
    var row = RowValues(count: model.properties.count)
    for index in values.mask.subtracting(written).indices
    where !values[index].isNull && (!fillsOnly || found.value(index).isNull) {
      row[index] = values[index]
    }
    _ = try update(model, found, row, .effect)
  }
}
