// A uid is bound to one row while another row holds it: both rows are the same object. That happens when an object made
// here is posted while a list that already has it arrives.
//
// The row that the uid is bound to survives, and absorbs the other row. An edited value counts more than one that was
// not edited. Where both rows were edited, the surviving row's edit counts, as it was made first. Edits of either row
// stay edits.

/// The values and marks of an absorbed row, until the row that absorbs it takes them over.
struct AbsorbedRow {
  let model: EntityModel
  /// The row that absorbed it.
  let survivor: Int64
  /// All columns but the uid.
  let values: RowValues
  let marks: EditMarks
  /// The notes of its local edits.
  let notes: [Int: EditNote]
  let isPlaceholder: Bool
  /// The columns that only another version of the app declares.
  let others: [(name: String, value: StoredValue)]
  /// Embedded objects in lists of the two rows that are deleted: each list keeps the objects of one row.
  let embedded: [RowKey]

  /// The notes of the absorbed row's edits, for an absorbing row with the marks `own`. Where the absorbing object was
  /// made here, and the absorbed one is the server's, the server's values become bases of the absorbing row's edits.
  func notes(under own: EditMarks) -> [Int: EditNote] {
    guard own.isNew, !marks.isNew, !isPlaceholder else { return notes }
    var notes = notes
    for index in own.known.subtracting(marks.known).intersection(values.mask).indices {
      notes[index] = EditNote(base: values[index])
    }
    return notes
  }
}

/// Rows that turn out to be the same object.
package final class UIDCollisions: RowWriterPart {
  /// The rows that absorbed others, since the set was emptied.
  var absorbers: Set<RowKey> = []
  /// The rows without uid that were inserted for a query. Until the unit ends, they are as new as their objects.
  var insertedForQuery: Set<RowKey> = []
}

extension UIDCollisions {
  /// Whether a row that gets a uid takes over the row that has the uid. A save replaces no object that nobody named.
  ///
  /// A row takes over another row in three cases: a response says that the object has the uid, `upsert(_:uid:)` made
  /// the object, or the other row is a placeholder, which has nothing but the uid.
  ///
  /// - Returns: `false` in a unit that is not saved yet: the row then takes the uid alone. The other object may still
  ///   get another uid, or be deleted.
  /// - Throws: ``StoreError`` of kind `uniqueViolation` for an object that was made here with the uid of another
  ///   object.
  func isTakeover(
    _ model: EntityModel, _ uid: Int, of other: RowState, by pk: Int64, _ source: RowSource, isWanted: Bool
  ) throws -> Bool {
    guard case .edit(let edit) = source, !edit.fromResponse.contains(uid), !isWanted, !other.isPlaceholder
    else { return true }
    if source.isPostponing { return false }
    throw StoreError(
      .uniqueViolation,
      "An object of '\(model.name)' (row \(pk)) was inserted with the '\(model.label(uid))' of another one "
        + "(row \(other.pk)). Fetch that one and change it, or take it over with `context.upsert(_:uid:)`.",
      objects: [model.id(pk), model.id(other.pk)])
  }

  /// Makes way for the uid of a new row.
  ///
  /// - Returns: The row that the new row absorbs; `nil` for none.
  func makeWay(
    _ model: EntityModel, for pk: Int64, _ values: RowValues, _ source: RowSource, takesOver: Bool
  ) throws -> AbsorbedRow? {
    guard let uid = model.uid, values.mask.contains(uid), !values[uid].isNull,
      let other = try rows.current(model, uid: values[uid])
    else { return nil }
    if try isTakeover(model, uid, of: other, by: pk, source, isWanted: takesOver) {
      let edited = source.edited(model, values.mask, isOfServer: rows.isOfServer)
      return try absorb(model, other.pk, into: pk, edited: edited)
    }
    try rows.uniqueness.displace(model, other.pk, uid, values[uid])
    return nil
  }

  /// Absorbs the row that holds the uid which a row gets.
  ///
  /// - Returns: Whether a row was absorbed.
  func absorbHolder(_ model: EntityModel, _ plan: inout RowPlan, _ source: RowSource) throws -> Bool {
    guard let uid = model.uid, plan.changed.contains(uid),
      let taken = try absorbHolder(model, plan, uid, source)
    else { return false }
    var repointed = ColumnMask()
    plan.absorbed(model, row: taken.row, kept: taken.kept, notes: taken.notes) { values in
      let (values, links) = self.repointed(model, values)
      repointed = links
      return values
    }
    if !repointed.isEmpty { rows.tell(model, plan.row.pk, .updated, repointed, isDirect: false) }
    return true
  }

  /// Absorbs the row that holds the uid which a row gets. A row that had another uid before absorbs nothing: it takes
  /// the uid as it takes any unique value, see ``UniqueValues``.
  ///
  /// - Returns: The row after that, the columns that keep an edit of the absorbed row, and the notes of edits that are
  ///   about to be written; `nil` where no row is absorbed.
  private func absorbHolder(
    _ model: EntityModel, _ plan: RowPlan, _ uid: Int, _ source: RowSource
  ) throws -> (row: RowState, kept: ColumnMask, notes: [Int: EditNote])? {
    let row = plan.row
    guard !plan.values[uid].isNull, let other = try rows.current(model, uid: plan.values[uid]) else { return nil }
    guard other.pk != row.pk, row.uidIsNull else { return nil }
    // A query of the same unit wrote the new object before it had a uid.
    let isNew = insertedForQuery.contains(RowKey(entity: model.number, pk: row.pk))
    guard try !isNew || isTakeover(model, uid, of: other, by: row.pk, source, isWanted: false) else { return nil }
    let edited = row.edited.union(plan.edited(model))
    guard let absorbed = try absorb(model, other.pk, into: row.pk, edited: edited) else { return nil }
    let kept = try moveValues(absorbed, plan.values, plan.admitted, edited: edited, source)
    var own = row.marks
    own.known = edited
    return try rows.current(model, pk: row.pk).map { ($0, kept, absorbed.notes(under: own)) }
  }

  /// Merges the row `loser` into `survivor`: links to the loser are repointed, and contexts that hold its object are
  /// told where it went.
  ///
  /// - Parameter edited: The properties of the survivor that have edits, including those about to be written.
  func absorb(
    _ model: EntityModel, _ loser: Int64, into survivor: Int64, edited: ColumnMask
  ) throws -> AbsorbedRow? {
    let columns = model.stored.subtracting(model.identity).subtracting(model.derived)
    guard let found = try rows.find(model, pk: loser)?.read(model, columns) else { return nil }
    // A value that could not be read would go with its row.
    try rows.checks.checkLazies()
    let row = found.row
    var values = found.values
    for index in columns.indices {
      // A link of the row to itself stays one.
      if case .toOne(model.number, _, _) = model.properties[index].kind, values.link(index) == loser {
        values.setLink(survivor, index)
      }
    }
    let absorbed = try AbsorbedRow(
      model: model, survivor: survivor, values: values, marks: row.marks,
      notes: rows.edits.editNotes(model, loser, row.marks.known),
      isPlaceholder: row.isPlaceholder,
      others: undeclared(model, loser),
      embedded: superfluousEmbedded(model, row, survivor, edited))

    for incoming in model.incoming {
      let other = schema.entities[incoming.entity]
      if incoming.otherEnd != nil {
        try settlePairs(other, incoming.property, of: loser, and: survivor)
        try rows.pairs.endTwins(other, incoming.property, of: loser, for: survivor)
      }
      let isOneToOne = other.oneToOne.contains(incoming.property)
      let holder = isOneToOne ? try rows.order.holders(other, incoming.property, of: survivor).rows.last : nil
      let moved = try rows.execution.repoint(other, incoming.property, from: loser, to: survivor)
      try rows.edits.moveBases(other, incoming.property, from: loser, to: survivor)
      // An edited link has another target, which its request names.
      if try !moved.isEmpty && rows.edits.hasNotes(other) { rows.edits.noteChanges += 1 }
      for pk in moved {
        rows.note(other, pk, .updated, ColumnMask(incoming.property), .effect)
        if incoming.otherEnd != nil { try tellOtherEnd(other, incoming.property, ofPair: pk) }
        try rows.noteLink(other, incoming.property, pk: pk, from: loser, to: survivor, .effect)
      }
      // Both rows may have had a row that links to them. The survivor's keeps its link, as the survivor's attributes
      // stay.
      if let holder { rows.uniqueness.noteClaim(other, incoming.property, pk: holder, target: survivor, .effect) }
    }
    try rows.edits.moveUndeclaredNotes(model, from: loser, to: survivor)
    try rows.outbox.moveEntries(model, from: loser, to: survivor)
    try rows.collections.moveMember(model, from: loser, to: survivor)
    try rows.deletion.removeRow(model, loser, links: values)
    rows.writer.survivors[RowKey(entity: model.number, pk: loser)] = survivor
    absorbers.insert(RowKey(entity: model.number, pk: survivor))
    noteForward(model, from: loser, to: survivor)
    return absorbed
  }

  private func noteForward(_ model: EntityModel, from: Int64, to: Int64) {
    rows.observers.tell { $0.didForward(model, from: from, to: to) }
    guard !rows.writer.underWay.isEmpty else { return }
    let keys = [from, to].map { RowKey(entity: model.number, pk: $0) }
    rows.afterCommit { [writer = rows.writer] in writer.underWay.move(from: keys[0], to: keys[1]) }
  }

  /// Gives a row the values that it takes over from the row that it absorbed.
  ///
  /// - Parameters:
  ///   - answer: The values that the source of the uid has.
  ///   - given: The columns of `answer` that the source may write.
  ///   - edited: The properties of the row that have edits, including those among `given`.
  /// - Returns: The columns of `given` that keep an edit of the absorbed row.
  @discardableResult
  func moveValues(
    _ absorbed: AbsorbedRow, _ answer: RowValues, _ given: ColumnMask, edited: ColumnMask, _ source: RowSource
  ) throws -> ColumnMask {
    let (model, pk) = (absorbed.model, absorbed.survivor)
    guard let (current, own) = try rows.find(model, pk: pk)?.read(model, absorbed.values.mask) else {
      return ColumnMask()
    }
    try rows.checks.checkLazies()
    let moved = try movedValues(absorbed, own, given, edited: edited, source)
    var links: [(index: Int, old: Int64)] = []
    var changed = ColumnMask()
    for index in moved.row.mask.indices where !own[index].isIdentical(to: moved.row[index]) {
      changed.insert(index)
      if case .toOne = model.properties[index].kind { links.append((index, own.link(index))) }
    }

    var marks = current.marks
    marks.known.formUnion(moved.edits)
    marks.formUnionOfOthers(of: absorbed.marks)
    // One of the two objects is the server's.
    if !absorbed.marks.isNew { marks.isNew = false }
    let fills = current.isPlaceholder && !absorbed.isPlaceholder
    if !changed.isEmpty || marks != current.marks || fills {
      try rows.write(model, pk, changed, moved.row, edited: marks == current.marks ? nil : marks, fills: fills)
      try rows.edits.noteEdits(model, pk, from: current.marks, to: marks, absorbed.notes(under: current.marks))
      rows.note(model, pk, fills ? .inserted : .updated, changed.union(moved.edits), .effect)
      for link in links {
        try rows.noteLink(model, link.index, pk: pk, from: link.old, to: moved.row.link(link.index), .effect)
      }
      try rows.derive(model, pk, after: changed)
    }
    try moveUndeclared(absorbed, own: current.marks)
    try dropEmbedded(moved.dropped, absorbed.embedded)
    let kept = moved.kept.intersection(given)
    noteSkipped(model, pk, kept.intersection(source.answered(given)), of: answer, for: absorbed.values)
    return kept
  }

  /// The values and edits that a row takes over from the row that it absorbed.
  private struct MovedValues {
    var row: RowValues
    /// The properties whose edits are those of the absorbed row from then on.
    var edits: ColumnMask
    /// The properties in which the absorbed row's edit holds off the values of the source.
    var kept: ColumnMask
    /// Rows of embedded objects, some of which no row has any more.
    var dropped: [RowKey]
  }

  private func movedValues(
    _ absorbed: AbsorbedRow, _ own: RowValues, _ given: ColumnMask, edited: ColumnMask, _ source: RowSource
  ) throws -> MovedValues {
    let model = absorbed.model
    var edits = absorbed.marks.known.subtracting(edited)
    // Both rows have the uid: it is an edit where this row's uid is one.
    edits.subtract(model.identity)
    if case .response(let policy, _) = source {
      edits.subtract(given.subtracting(policy.staying(of: given, edited: edits, newer: ColumnMask()).all))
    }
    var moved = MovedValues(
      row: RowValues(count: model.properties.count), edits: edits, kept: edits, dropped: absorbed.embedded)
    for index in absorbed.values.mask.indices {
      let (own, theirs) = (own[index], absorbed.values[index])
      let isWanted: Bool
      if let embedded = embedded(model, index) {
        let isOwnEdited = try edited.contains(index) || isEditedEmbedded(embedded, own)
        let isTheirsEdited = try moved.edits.contains(index) || isEditedEmbedded(embedded, theirs)
        isWanted = !isOwnEdited && (isTheirsEdited || (own.isNull && !given.contains(index)))
        if isWanted, isTheirsEdited { moved.kept.insert(index) }
        if !isWanted { moved.edits.remove(index) }
        for link in [theirs, own] {
          if case .integer(let pk) = link { moved.dropped.append(RowKey(entity: embedded.number, pk: pk)) }
        }
      } else {
        // A default is no value that anybody set.
        let isOwnEmpty = own.isNull || own.isIdentical(to: model.properties[index].defaultValue)
        isWanted =
          moved.edits.contains(index)
          || (!edited.contains(index) && !given.contains(index) && isOwnEmpty && !theirs.isNull)
      }
      if isWanted { moved.row[index] = theirs }
    }
    return moved
  }

  /// Notes the columns of an answer that keep an edit of a row which made way, and differ.
  private func noteSkipped(
    _ model: EntityModel, _ pk: Int64, _ kept: ColumnMask, of answer: RowValues, for values: RowValues
  ) {
    guard let skips = rows.notes.skips, !kept.isEmpty else { return }
    var staying = MergePolicy.Staying(edited: kept)
    for index in kept.indices where values[index].isIdentical(to: answer[index]) { staying.remove(ColumnMask(index)) }
    skips.note(model, pk, staying, answered: kept)
  }

  /// The present row for a row id: the row itself, or the row that absorbed it.
  package func survivor(_ model: EntityModel, _ pk: Int64) -> Int64 {
    guard rows.writer.hasSurvivors else { return pk }
    var key = RowKey(entity: model.number, pk: pk)
    while let next = rows.writer.survivors[key] { key = RowKey(entity: model.number, pk: next) }
    return key.pk
  }

  /// Repoints links whose targets were absorbed after the links were set.
  ///
  /// - Returns: The row with links to the surviving rows, and these links.
  func repointed(_ model: EntityModel, _ row: RowValues) -> (row: RowValues, links: ColumnMask) {
    guard rows.writer.hasSurvivors else { return (row, ColumnMask()) }
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

  // MARK: Columns that only another version of the app declares, and those of removed properties

  private func undeclared(_ model: EntityModel, _ pk: Int64) throws -> [(name: String, value: StoredValue)] {
    let names = try connection.rows(
      "SELECT name FROM pragma_table_info(?, 'main')", [.text(model.name)]
    ) { $0.text(0) ?? "" }
    .filter { !["_pk", "_edited", "_placeholder"].contains($0) && model.index(of: $0) == nil }
    guard !names.isEmpty else { return [] }
    return try connection.rows(
      "SELECT \(names.map(\.quoted).joined(separator: ", ")) FROM \(model.table) WHERE _pk = ?", [.integer(pk)]
    ) { row in names.enumerated().map { ($0.element, row.value($0.offset)) } }.first ?? []
  }

  private func moveUndeclared(_ absorbed: AbsorbedRow, own: EditMarks) throws {
    let edited = absorbed.marks.otherNames.filter { !own.otherNames.contains($0) }
    for (name, value) in absorbed.others where edited.contains(Substring(name)) || !value.isNull {
      let isEdited = edited.contains(Substring(name))
      try rows.execution.set(name, of: absorbed.model, absorbed.survivor, to: value, isWhereNull: !isEdited)
    }
  }
}
