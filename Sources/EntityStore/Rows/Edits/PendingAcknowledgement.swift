// Pending changes that the app read, sent itself, and acknowledges. Meanwhile properties may have been edited again,
// and an undo may have taken changes back. Then the server has other values than the row, and the row's values are
// edits.

import Foundation

extension PendingSettlement {
  /// Acknowledges a change with the values that it has.
  func acknowledge(_ change: PendingChange) throws {
    let model = schema.entities[change.key.entity]
    let key = RowKey(entity: change.key.entity, pk: rows.collisions.survivor(model, change.key.pk))
    switch change.kind {
    case .insert:
      guard try rows.exists(model, key.pk) else { return try deleteForServer(model, change.key) }
      // Properties that have other values by now, or were edited since, stay edits: the object is now one of the
      // server's.
      let sent = try sentValues(change, model)
      let others = try differing(sent, model, key.pk).union(edited(model, key.pk).subtracting(names(change, model)))
      try settle(key, nil, but: others.union(sentLists(change, model)))
      try acknowledgeLists(change, model, key.pk)
    case .edit:
      let sent = try sentValues(change, model)
      let differing = try differing(sent, model, key.pk)
      let later = try editedSince(change, model, key.pk)
      try settle(key, names(change, model), but: differing.union(later).union(sentLists(change, model)))
      // The later edits are based on the values that the server has by now.
      var bases = sent
      bases.remove(sent.mask.subtracting(differing.union(later)))
      try rows.edits.setBases(model, key.pk, bases)
      try acknowledgeLists(change, model, key.pk)
      try markUndone(sent, differing, model, key)
      for edit in change.edits {
        try markUndonePairs(edit, model, key.pk)
        try markUndoneOrder(edit, model, key.pk)
      }
    case .deletion:
      try rows.answerNotes.endAnswers(lists: false)
      try rows.edits.endTombstone(model, pk: change.key.pk, .acknowledged)
      // The deletion was on its way when an undo brought the object back.
      if try undone().hasBroughtBack(change.key) { try rows.deletion.deleteWherePossible([change.key]) }
    }
  }

  /// An undo took out an object that the server has by now.
  private func deleteForServer(_ model: EntityModel, _ key: RowKey) throws {
    try rows.answerNotes.endAnswers()
    guard let uid = model.uid,
      let value = try undone().takenOut(key, model.properties[uid].name), !value.isNull
    else { return }
    try rows.edits.leaveTombstone(model, key.pk, value)
  }

  /// Marks properties that an undo gave their old values while the sent values were on their way: the change back is a
  /// new edit.
  private func markUndone(_ sent: RowValues, _ differing: ColumnMask, _ model: EntityModel, _ key: RowKey) throws {
    guard let (row, values) = try rows.find(model, pk: key.pk)?.read(model, differing), !row.marks.isNew else { return }
    try rows.checks.checkLazies()
    let undone = try undone()
    var marks = row.marks
    var notes: [Int: EditNote] = [:]
    for index in differing.subtracting(row.edited).indices
    where undone.hasReverted(key, model.properties[index].name, from: sent[index], to: values[index]) {
      marks.known.insert(index)
      notes[index] = EditNote(base: model.lazy.contains(index) ? nil : sent[index])
    }
    guard marks != row.marks else { return }
    try rows.write(model, key.pk, ColumnMask(), RowValues(count: 0), edited: marks, fills: false)
    try rows.edits.noteEdits(model, key.pk, from: row.marks, to: marks, notes)
    rows.note(model, key.pk, .updated, marks.known.subtracting(row.edited), .effect)
  }

  /// The lists of a change whose pairs or order are compared.
  private func sentLists(_ change: PendingChange, _ model: EntityModel) -> ColumnMask {
    var mask = ColumnMask()
    for edit in change.edits {
      if let list = sentList(edit, model) { mask.insert(list.index) }
      if let list = sentOrder(edit, model) { mask.insert(list.index) }
    }
    return mask
  }

  /// A many-to-many list with the members that a change has.
  private func sentList(
    _ edit: PendingChange.Edit, _ model: EntityModel
  ) -> (index: Int, membership: PropertyModel.Membership, members: Set<Int64>)? {
    guard let list = model.index(of: edit.property), case .list(let ids) = edit.value,
      let membership = model.properties[list].membership
    else { return nil }
    return (list, membership, Set(ids.map { rows.collisions.survivor(schema.entities[membership.target], $0.pk) }))
  }

  /// An ordered list with its members in the order that a change has.
  private func sentOrder(_ edit: PendingChange.Edit, _ model: EntityModel) -> (index: Int, members: [Int64])? {
    guard let list = model.index(of: edit.property), model.ordered.contains(list), case .list(let ids) = edit.value,
      let target = schema.target(of: model.properties[list])
    else { return nil }
    return (list, ids.map { rows.collisions.survivor(target, $0.pk) })
  }

  /// Acknowledges the lists of a change. Pairs that were added or taken out since stay edits, and so does an order that
  /// was changed since.
  private func acknowledgeLists(_ change: PendingChange, _ model: EntityModel, _ pk: Int64) throws {
    guard try rows.exists(model, pk) else { return }
    for edit in change.edits {
      if let (_, membership, members) = sentList(edit, model) {
        try rows.pairs.acknowledge(
          RowPairs.SentList(
            membership: membership, pk: pk, sent: members, before: nil, isSavedSince: true,
            editedSince: editedMembers(edit, membership, pk)))
      }
      if let (list, members) = sentOrder(edit, model) {
        _ = try rows.pairs.acknowledgeOrder(model, list, of: pk, members, isUnsaved: false)
      }
    }
  }

  /// The members of a list whose pairs were marked since an edit of it was read.
  private func editedMembers(_ edit: PendingChange.Edit, _ membership: PropertyModel.Membership, _ pk: Int64) throws
    -> Set<
      Int64
    >
  {
    let added = try rows.pairs.read(membership, of: pk).filter { $0.isAddedHere && !edit.marks.contains($0.pk) }.map(
      \.member)
    let removed = try rows.pairs.removals(membership, of: pk).filter { !edit.marks.contains($0.row) }.compactMap(
      \.member)
    return Set(added + removed)
  }

  /// Marks the pairs that an undo took out or put back while the list was on its way.
  private func markUndonePairs(_ edit: PendingChange.Edit, _ model: EntityModel, _ pk: Int64) throws {
    guard let (list, membership, sent) = sentList(edit, model), try rows.exists(model, pk) else { return }
    let (links, target) = (schema.entities[membership.links], schema.entities[membership.target])
    let undone = try undone()
    let pairs = try rows.pairs.read(membership, of: pk)
    for pair in pairs where !sent.contains(pair.member) {
      guard undone.lastChange(links, rows.pairs.ends(membership, pk, pair.member)) == .cameBack else { continue }
      try rows.pairs.markAdded(membership, of: pk, pair)
      try rows.edits.markEdited(model, pk, list)
    }
    for member in sent.subtracting(pairs.map(\.member)).sorted() where try rows.exists(target, member) {
      let ends = rows.pairs.ends(membership, pk, member)
      guard undone.lastChange(links, ends) == .went else { continue }
      try rows.pairs.markRemoved(links, ends.link(0), ends.link(1), ColumnMask(membership.side))
      try rows.edits.markEdited(model, pk, list)
    }
  }

  /// Marks the order that an undo changed back while the list was on its way.
  private func markUndoneOrder(_ edit: PendingChange.Edit, _ model: EntityModel, _ pk: Int64) throws {
    guard let (list, sent) = sentOrder(edit, model), let position = model.properties[list].position,
      let members = schema.listRows(model.properties[list]), try rows.exists(model, pk)
    else { return }
    let places = try rows.order.places(model, list, of: pk)
    guard ListOrder.isReordered(places.map(\.member), from: sent) else { return }
    let (undone, name) = (try undone(), members.properties[position].name)
    guard !undone.isEmpty else { return }
    var moved: [Int64] = []
    let before = try places.map { place -> (key: Int64, row: Int64, member: Int64) in
      guard let value = try rows.find(members, pk: place.row)?.value(position),
        let before = undone.takenBack(RowKey(entity: members.number, pk: place.row), name, now: value)
      else { return (place.key, place.row, place.member) }
      moved.append(place.row)
      return (ListPlace.key(before, place.row), place.row, place.member)
    }
    // Without the undo the list would have the order that was sent. Else somebody has changed the order since.
    let former = before.sorted { ($0.key, $0.row) < ($1.key, $1.row) }.map(\.member)
    guard !moved.isEmpty, !ListOrder.isReordered(former, from: sent) else { return }
    if members.isLinks { for row in moved { try rows.pairs.addMarks(members, row, ColumnMask(position)) } }
    try rows.edits.markEdited(model, pk, list)
  }

  /// The effects of undos on the present rows.
  private func undone() throws -> UndoneSaves { try rows.writer.undone.since(connection.age()) }

  private func edited(_ model: EntityModel, _ pk: Int64) throws -> ColumnMask {
    try rows.current(model, pk: pk)?.edited ?? ColumnMask()
  }

  /// The properties of a change that the app declares.
  private func names(_ change: PendingChange, _ model: EntityModel) -> ColumnMask {
    var mask = ColumnMask()
    for edit in change.edits { if let index = model.index(of: edit.property) { mask.insert(index) } }
    return mask
  }

  /// The columns of a change with the values that it has.
  private func sentValues(_ change: PendingChange, _ model: EntityModel) throws -> RowValues {
    var values = RowValues(count: model.properties.count)
    for edit in change.edits {
      guard let index = model.index(of: edit.property), model.stored.contains(index) else { continue }
      switch (model.properties[index].kind, edit.value) {
      case (.attribute, .attribute(let value)): values[index] = value
      case (.toOne(let target, _, _), .object(let id)):
        values.setLink(id.map { rows.collisions.survivor(schema.entities[target], $0.pk) } ?? 0, index)
      default: break
      }
    }
    return values
  }

  /// The properties that were edited since a change was read, also where they have its values again: each edit has another
  /// time.
  private func editedSince(_ change: PendingChange, _ model: EntityModel, _ pk: Int64) throws -> ColumnMask {
    let notes = try rows.edits.editNotes(model, pk, names(change, model))
    var mask = ColumnMask()
    for edit in change.edits {
      guard let index = model.index(of: edit.property), let note = notes[index] else { continue }
      if note.time != edit.time?.timeIntervalSince1970 { mask.insert(index) }
    }
    return mask
  }

  /// The columns in which a row differs from the sent values.
  private func differing(_ sent: RowValues, _ model: EntityModel, _ pk: Int64) throws -> ColumnMask {
    guard let found = try rows.find(model, pk: pk) else { return ColumnMask() }
    var mask = ColumnMask()
    for index in sent.mask.indices where !found.has(sent[index], index) { mask.insert(index) }
    try rows.checks.checkLazies()
    return mask
  }
}
