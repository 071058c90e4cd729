// The rows of entities and pairs that an undo takes out, changes and brings back.

extension SaveReversal {
  mutating func remove(
    _ pk: Int64, _ table: ImageTable, _ after: [StoredValue], _ values: [StoredValue]
  ) throws {
    let model = table.model
    let (old, new) = (table.marks(of: after), table.marks(of: values))
    try rows.deletion.removeRow(model, pk, links: table.links(values))
    if model.isLinks {
      let ends = table.values(values)
      var mark = old.known.subtracting(new.known).intersection(ColumnMask.all(2))
      mark.formUnion(old.known.intersection(sent(model, ends)))
      if !mark.isEmpty { removedAgain.append((model, ends, mark)) }
      return
    }
    removed.append((model, pk))
    guard old.isNew, !new.isNew else { return }
    guard let uid = model.uid, let place = table.places[uid], !values[place].isNull else {
      return try rows.answerNotes.endAnswers()
    }
    try rows.edits.leaveTombstone(model, pk, values[place])
  }

  /// - Returns: The values that the row has then.
  mutating func change(
    _ key: RowKey, _ table: ImageTable, _ cells: [SaveImage.Cell], _ values: [StoredValue]
  ) throws -> [StoredValue] {
    let model = table.model
    let marks = try MarkReversal(
      rows, of: .init(key: key, table: table, cells: cells, values: values, notes: image.notes[key]),
      isSent: sending.contains(key))
    var written = values
    var mask = ColumnMask()
    for cell in cells where cell.column != table.marks {
      written[cell.column] =
        cell.column == table.coverage ? uncovered(model, cell, values[cell.column]) : cell.before
      if let index = table.properties[cell.column] { mask.insert(index) }
    }
    written[table.marks] = marks.text
    let columns = values.indices.filter { !values[$0].isIdentical(to: written[$0]) }
    if !columns.isEmpty {
      rows.observers.tell { $0.willWrite(model, key.pk, mask) }
      let statement = try rows.execution.update(model, columns.map { table.names[$0] }, mask)
      defer { statement.reset() }
      for (place, column) in columns.enumerated() { try statement.bind(written[column], at: place + 1) }
      try statement.bind(key.pk, at: columns.count + 1)
      let lost = try rows.uniqueness.held(model, key.pk, mask.intersection(model.unique))
      try rows.uniqueness.run(statement, model, key.pk, table.values(written), mask)
      if !rows.uniqueness.displaced.isEmpty {
        rows.uniqueness.displaced.remove(key, mask)
        try rows.uniqueness.giveBack(model, lost)
      }
    }
    try marks.writeNotes()
    // Queries do not find placeholders: for them the row comes or goes.
    let isOther = table.isPlaceholder(values) != table.isPlaceholder(written)
    rows.note(model, key.pk, isOther ? .inserted : .updated, mask.union(marks.changed), .effect)
    try rows.derive(model, key.pk, after: mask)
    let (old, new) = (table.values(values), table.values(written))
    for index in mask.intersection(model.links).indices {
      try rows.noteLink(model, index, pk: key.pk, from: old.link(index), to: new.link(index), .effect)
    }
    noteMoves(model, key.pk, model.withDerived(mask), new)
    for list in marks.left.intersection(model.lists).indices { left.append((model, key.pk, list)) }
    return written
  }

  /// Tells the observers of lists in which the row has another place, because their order follows from its columns.
  private func noteMoves(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ new: RowValues) {
    for property in model.properties where !mask.contains(property.index) {
      guard let key = property.sortKey, mask.contains(key) else { continue }
      rows.order.noteMoves(model, [(property.index, new.link(property.index))], .effect)
    }
    for position in mask.intersection(model.positions).indices {
      guard let link = model.properties[position].positionOf, !mask.contains(link) else { continue }
      rows.order.noteMoves(model, [(link, new.link(link))], .effect)
    }
  }

  /// The properties that a row lacks again: those that the save loaded, beside those that the row lacks by now.
  private func uncovered(_ model: EntityModel, _ cell: SaveImage.Cell, _ present: StoredValue) -> StoredValue {
    let loaded = model.missing(cell.before).known.subtracting(model.missing(cell.after).known)
    var missing = model.missing(present)
    missing.known.formUnion(loaded)
    return model.names(missing)
  }

  mutating func insert(_ key: RowKey, _ table: ImageTable, _ before: [StoredValue]) throws {
    let model = table.model
    var before = before
    var edited = ColumnMask()
    var notes = image.notes[key]
    if model.isLinks {
      edited = try sidesOfRemoval(model, table.values(before))
      var marks = table.marks(of: before)
      marks.known.formUnion(edited)
      marks.known.subtract(try unheardRemoval(model, table.values(before)))
      before[table.marks] = model.names(marks)
    } else if !deletions.contains(key), let uid = try rows.edits.endTombstone(model, pk: key.pk, .returned).first?.uid {
      // An acknowledgement since said that the server has the object, and under which uid, and noted a deletion of it.
      before[table.marks] = .null
      notes = nil
      if let place = model.uid.flatMap({ table.places[$0] }), model.uidParts == nil, before[place].isNull, !uid.isNull,
        try rows.find(model, uid: uid) == nil
      {
        before[place] = uid
      }
    }
    let statement = try rows.execution.insertion(model, table.names)
    defer { statement.reset() }
    try statement.bind(before)
    let values = table.values(before)
    rows.observers.tell { $0.willWrite(model, key.pk, model.lazy) }
    try rows.uniqueness.run(statement, model, key.pk, values, model.stored)
    if let notes { try rows.edits.replaceNotes(model, key.pk, notes) }
    rows.note(model, key.pk, .inserted, model.all, .effect)
    try rows.collections.noteRow(model, key.pk)
    for index in model.links.indices {
      try rows.noteLink(model, index, pk: key.pk, from: 0, to: values.link(index), .effect)
    }
    for (side, list) in lists(model, edited, values) { try rows.edits.markEdited(side.model, side.pk, list) }
  }
}
