extension RowWriter {
  /// Writes the values of `row` that differ from the row that was found.
  ///
  /// - Parameters:
  ///   - fills: Whether a placeholder becomes an object by it.
  ///   - isShown: Whether a response that is the source has the object: then the server has it.
  package func update(
    _ model: EntityModel, _ found: consuming Found, _ row: RowValues, _ source: RowSource, fills: Bool = true,
    isComplete: Bool = true, isShown: Bool = true
  ) throws -> Outcome {
    try checkOpen()
    let before = model.uidParts?.parts.map { found.value($0.index) }
    var (row, repointed) = self.repointed(model, agreeing(model, row, source, before: before))
    if !model.derived.isEmpty { row.remove(model.derived) }
    let difference = self.difference(model, found, row, source)
    try checkLazies()
    if difference.staying != nil { try noteSkipped(model, difference, row) }
    for position in difference.forgotten.indices { row[position] = .null }
    if let derived = difference.derived { for index in derived.mask.indices { row[index] = derived[index] } }
    noteAnswered(model, difference.current.pk, source.answered(difference.written))
    if !model.oneToOne.isEmpty, case .response = source {
      noteClaims(model, difference.current.pk, difference.written.subtracting(difference.changed), row, source)
    }
    var changed = difference.changed
    let ended = difference.ended
    var fills = fills && difference.current.isPlaceholder
    if case .effect = source { fills = false }
    if !repointed.isEmpty { tell(model, difference.current.pk, .updated, repointed, isDirect: false) }
    let lists = source.lists
    if !lists.isEmpty { noteEditedLists(model, difference.current.pk, lists) }
    let endsInsertion =
      difference.current.marks.isNew && isShown && (shows(model, row, source) || marksNothing && source.isDirect)
    guard
      !changed.isEmpty || fills || !ended.isEmpty || endsInsertion
        || !marksNothing && !lists.subtracting(difference.current.edited).isEmpty
    else {
      let again = marksNothing ? ColumnMask() : lists.intersection(difference.current.edited)
      if !again.isEmpty {
        let marks = difference.current.marks
        try noteEdits(model, difference.current.pk, from: marks, to: marks, renewed: again)
      }
      try hear(model, difference.current.pk, difference.heard)
      return Outcome(pk: difference.current.pk, changed: lists, isInserted: false)
    }
    var current = difference.current
    var bases = difference.bases
    // Of two rows that turned out to be one, the values are known once both are written.
    var areDerivedStale = false
    try checkNulls(model, current.pk, row, changed)
    if let uid = model.uid, changed.contains(uid) {
      if let taken = try absorbHolder(model, current, uid, row, difference.written, changed: changed, source) {
        current = taken.current
        areDerivedStale = !model.derived.isEmpty
        changed.subtract(model.derived)
        bases.merge(taken.bases.mapValues { EditNote(base: $0.base) }) { own, _ in own }
        changed.subtract(taken.kept)
        fills = fills && current.isPlaceholder
        // A link to the row that made way is one to the row itself.
        (row, repointed) = self.repointed(model, row)
        if !repointed.isEmpty { tell(model, current.pk, .updated, repointed, isDirect: false) }
      }
    }
    let missing =
      isComplete && !model.required.isEmpty && (fills || !current.isPlaceholder)
      ? model.required.intersection(fills ? model.required : changed).subtracting(changed.subtracting(row.nulls))
      : ColumnMask()
    let given = editedMask(model, source, changed: changed)
    noteEdited(model, current.pk, given.intersection(changed), row)
    var marks = current.marks
    marks.known = given.union(current.edited).subtracting(ended)
    // The server has the object, where it was deleted here and its uid is another one's from now on.
    let isReturning = try model.uid.map { try changed.contains($0) && endTombstone(model, of: row) } ?? false
    if endsInsertion || isReturning { marks.isNew = false }
    try write(model, current.pk, changed, row, edited: marks == current.marks ? nil : marks, fills: fills)
    if marks != current.marks || !given.isEmpty {
      try noteEdits(
        model, current.pk, from: current.marks, to: marks, bases, renewed: given.intersection(current.edited))
    }
    if !displaced.isEmpty {
      displaced.remove(RowKey(entity: model.number, pk: current.pk), changed)
      try giveBack(model, difference.lost)
    }
    note(model, current.pk, fills ? .inserted : .updated, changed.union(lists).union(ended), source)
    try hear(model, current.pk, difference.heard)
    if areDerivedStale { try derive(model, current.pk, after: model.stored) }
    for link in difference.links where changed.contains(link.index) {
      try noteLink(model, link.index, pk: current.pk, from: link.old, to: row.link(link.index), source)
    }
    noteMoves(model, difference.moves, source)
    if !missing.isEmpty { try checkRequired(model, current.pk, missing) }
    return Outcome(pk: current.pk, changed: changed.union(lists), isInserted: fills)
  }

  /// Whether values of a source say that the server has the object.
  private func shows(_ model: EntityModel, _ row: RowValues, _ source: RowSource) -> Bool {
    switch source {
    case .response: true
    case .effect: false
    case .edit(let fromResponse, _): shows(model, fromResponse) { row.link($0) }
    }
  }

  /// Whether columns that a response has say that the server has the object. A link that is cleared says nothing: a list of
  /// another object let go of this one, and a list lacks what the server does not know.
  func shows(_ model: EntityModel, _ columns: ColumnMask, link: (Int) -> Int64) -> Bool {
    columns.indices.contains { index in
      guard case .toOne = model.properties[index].kind else { return true }
      return link(index) != 0
    }
  }

  /// The difference between a row that was found and the values to be written.
  private struct Difference {
    let current: Current
    /// The columns that the source may write.
    var written: ColumnMask
    /// Those of them that have other values.
    var changed = ColumnMask()
    /// The edits that the source overwrites: they end also where it has the same value.
    var ended = ColumnMask()
    /// The columns that stay and differ, with their values; `nil` where nobody asks.
    var staying: (columns: MergePolicy.Staying, mine: [Int: StoredValue])?
    /// The values that the source has of columns that stay as they were edited here.
    var heard = RowValues(count: 0)
    /// The links among the changed columns, with their old targets.
    var links: [(index: Int, old: Int64)] = []
    /// The values of columns that the source marks as edited.
    var bases: [Int: EditNote] = [:]
    /// The positions in lists that the row leaves, or that it comes into by its link: there it has the place of its row id.
    var forgotten = ColumnMask()
    /// The links to the objects whose lists have the row at another place.
    var moves: [(link: Int, pk: Int64)] = []
    /// The derived columns that change with others, with their new values.
    var derived: RowValues?
    /// The unique values that the row loses, where another row waits for one.
    var lost: RowValues?
  }

  private func difference(
    _ model: EntityModel, _ found: consuming Found, _ row: RowValues, _ source: RowSource
  ) -> Difference {
    var difference = Difference(current: found.row, written: row.mask)
    if case .response(let policy, let newer) = source {
      var staying = policy.staying(of: row.mask, edited: found.row.edited, newer: newer)
      if model.uidParts != nil { staying.keepUID(model.identity.intersection(row.mask)) }
      difference.written.subtract(staying.all)
      difference.ended = difference.written.intersection(found.row.edited)
      // An older answer does not say what the server has by now.
      let heard = staying.edited.subtracting(newer).subtracting(model.identity)
      if !heard.isEmpty {
        difference.heard = row
        difference.heard.remove(row.mask.subtracting(heard))
      }
      noteStaying(&difference, found, row, staying)
    }
    for index in difference.written.indices where !found.has(row[index], index) { difference.changed.insert(index) }
    for index in difference.changed.intersection(model.links).indices {
      difference.links.append((index, found.link(index)))
    }
    if !model.derived.isEmpty, let derived = derived(model, found, row, difference.changed) {
      difference.derived = derived
      difference.changed.formUnion(derived.mask)
    }
    let sorting = model.sortKeys.intersection(difference.changed)
    for property in sorting.isEmpty ? [] : model.properties {
      guard let key = property.sortKey, sorting.contains(key), !difference.changed.contains(property.index) else {
        continue
      }
      difference.moves.append((property.index, found.link(property.index)))
    }
    for position in model.positions.indices {
      guard let link = model.properties[position].positionOf else { continue }
      if difference.changed.contains(position) {
        if !difference.changed.contains(link) { difference.moves.append((link, found.link(link))) }
      } else if difference.changed.contains(link), !row.mask.contains(position), !found.has(.null, position) {
        difference.forgotten.insert(position)
        difference.changed.insert(position)
      }
    }
    let marked = editedMask(model, source, changed: difference.changed).subtracting(found.row.edited)
    // The values of a placeholder, and those of an object that was made here, are none of the server's.
    if !marked.isEmpty, !model.isLinks, !found.row.isPlaceholder, !found.row.marks.isNew {
      // A lazy value is not read, nor written a second time: the note has none.
      for index in marked.intersection(model.stored).subtracting(model.lazy).indices {
        difference.bases[index] = EditNote(base: found.value(index))
      }
    }
    if marksNothing, case .edit = source { difference.ended = difference.changed.intersection(found.row.edited) }
    difference.lost = held(model, found, difference.changed)
    return difference
  }

  /// Finds the columns that stay and differ, where somebody asks.
  private func noteStaying(
    _ difference: inout Difference, _ found: borrowing Found, _ row: RowValues, _ staying: MergePolicy.Staying
  ) {
    guard let skips, !staying.isEmpty || !skips.isEmpty else { return }
    var staying = staying
    var mine: [Int: StoredValue] = [:]
    for index in staying.all.indices {
      if found.has(row[index], index) { staying.remove(ColumnMask(index)) } else { mine[index] = found.value(index) }
    }
    difference.staying = (staying, mine)
  }

  /// Notes the columns that stay and differ, with their values.
  private func noteSkipped(_ model: EntityModel, _ difference: Difference, _ row: RowValues) throws {
    guard let skips, let (staying, mine) = difference.staying else { return }
    let notes = try editNotes(model, difference.current.pk, staying.edited.subtracting(model.lazy))
    var values: [Int: SkippedValue] = [:]
    for (index, mine) in mine where !model.lazy.contains(index) {
      values[index] = schema.skippedValue(model, index, base: notes[index]?.base, mine: mine, theirs: row[index])
    }
    skips.note(model, difference.current.pk, staying, answered: row.mask, values: values)
  }

  /// Writes `row` to the row with `pk`, making it if need be.
  package func write(_ model: EntityModel, pk: Int64, _ row: RowValues, _ source: RowSource) throws -> Outcome {
    if let found = try find(model, pk: pk) { return try update(model, found, row, source) }
    return try insert(model, pk: pk, row, source)
  }

  /// - Parameter edited: The marks that the row gets; `nil` leaves those that it has.
  func write(
    _ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ row: RowValues, edited: EditMarks?, fills: Bool
  ) throws {
    try checkLazies()
    recorder?.noteWritten(model, pk, mask)
    let statement = try statements.statement(
      .init(entity: model.number, mask: mask, kind: 1 | (edited == nil ? 0 : 2) | (fills ? 4 : 0)), on: connection
    ) {
      var parts = mask.indices.map { "\(model.properties[$0].name.quoted) = ?" }
      if edited != nil { parts.append("_edited = ?") }
      if fills { parts.append("_placeholder = 0") }
      return "\(model.update(of: mask)) SET \(parts.joined(separator: ", ")) WHERE _pk = ?"
    }
    var position = 1
    for index in mask.indices {
      try statement.bind(row[index], at: position)
      position += 1
    }
    if let edited {
      try statement.bind(model.names(edited), at: position)
      position += 1
    }
    try statement.bind(pk, at: position)
    try run(statement, model, pk, row, mask)
  }
}

extension EntityModel {
  /// The beginning of a statement that updates one row by its row id.
  ///
  /// An UPDATE that sets a foreign key to its own table may end midway, as SQLite sees it, and notes each page in a journal of
  /// its own. Within a savepoint SQLite cuts that journal back after each statement, piece by piece from its beginning, so that
  /// the time grows with the square of the rows. `OR FAIL` leaves the rows of a statement that fails as far as they were written
  /// (https://sqlite.org/lang_conflict.html), and needs no journal: of one row all constraints are checked before any of it is
  /// written.
  func update(of columns: ColumnMask) -> String {
    let isOfOwnEntity = columns.intersection(links).indices.contains {
      if case .toOne(number, _, _) = properties[$0].kind { true } else { false }
    }
    return "UPDATE \(isOfOwnEntity ? "OR FAIL " : "")\(table)"
  }
}
