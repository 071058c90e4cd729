// The server's values of columns with local edits. Such a column stays as it is, and the note of its edit gets the
// server's value: the base of an edit is always the server's last value. A value that the column already has ends the
// edit. Nothing of this runs for a row without local edits.

extension RowEdits {
  /// Takes note of an answer's values for columns that stay as they were edited here.
  ///
  /// - Parameter values: The values of the answer, without columns that newer answers wrote.
  func hear(_ model: EntityModel, _ pk: Int64, _ values: RowValues) throws {
    let heard = values.mask.subtracting(model.lazy)
    guard !heard.isEmpty, let (row, present) = try rows.find(model, pk: pk)?.read(model, heard), !row.marks.isNew else {
      return
    }
    try rows.checks.checkLazies()
    var (agreed, others) = (ColumnMask(), RowValues(count: model.properties.count))
    let anyRule = rows.writer.merging.rule(of: model.number)
    // The effect of a command is no edit: the answer to the command decides about it. Merged, it would be sent as an edit, too.
    let effects = try anyRule == nil ? ColumnMask() : rows.outbox.effects(on: RowKey(entity: model.number, pk: pk))
    for index in heard.intersection(row.edited).indices {
      let (mine, theirs) = (present[index], values[index])
      let rule = effects.contains(index) ? nil : anyRule
      // While a request carries the property, the server may have that request's value in the end.
      let isFree = try !isOnItsWay(model, pk, index)
      var ends = isFree && mine.isIdentical(to: theirs)
      // Equal values may be two increments by one, unless the server's may come from this device.
      if isFree, let rule, !ends || !rows.notes.mayHaveOwnValues {
        ends = try merge(model, pk, index, mine, values, by: rule) ?? ends
      }
      if ends {
        agreed.insert(index)
      } else if try isFree || rule == nil || mine.isIdentical(to: theirs)
        || rows.outbox.claims(theirs, model, pk, index)
      {
        others[index] = theirs
      }
      // Else the merge comes with the end of the request, and needs the base that the edit was made on.
    }
    try setBases(model, pk, others)
    if !agreed.isEmpty { try acknowledge(model, pk: pk, agreed) }
  }

  /// Merges a value of a response with a local edit that was based on another value.
  ///
  /// - Parameter heard: The values of the response.
  /// - Returns: Whether the edit ends; `nil` where the edit was based on the value, or on none that is known.
  private func merge(
    _ model: EntityModel, _ pk: Int64, _ index: Int, _ mine: StoredValue, _ heard: RowValues,
    by rule: AnswerMerging.Rule
  ) throws -> Bool? {
    let (name, theirs) = (model.properties[index].name, heard[index])
    guard let note = try editNote(model, pk, name), let base = note.base, !base.isIdentical(to: theirs) else {
      return nil
    }
    func pending(_ stored: StoredValue) -> PendingValue { schema.pendingValue(stored, model, index) }
    let conflict = Conflict(
      id: model.id(pk), uid: try uidText(model, pk), property: name,
      values: (pending(base), pending(mine), pending(theirs)), isLocalEdit: false)
    let meeting = AnswerMerging.Meeting(
      conflict: conflict, model: model, index: index, edited: note.time.map(rows.writer.merging.clock.time)
    ) { attribute in
      // The row has the response's value by now, unless the attribute was edited here, or the setters of an update by
      // hand have handed it over.
      if heard.mask.contains(attribute) { return heard[attribute] }
      guard let found = try self.rows.find(model, pk: pk) else { return nil }
      return try self.serverValue(model, found, attribute)
    }
    func tell(_ reason: SkippedChange.Reason, mine: StoredValue) {
      rows.notes.skips?.note(
        model, pk, reason, of: index, schema.skippedValue(model, index, base: base, mine: mine, theirs: theirs))
    }
    // A rule that fails leaves the decision to a person: the response is taken in all the same.
    switch (try? rule.end(meeting)) ?? .held {
    case .mine: return false
    case .theirs:
      guard !mine.isIdentical(to: theirs) else { return true }
      try put(model, pk, index, theirs)
      tell(.yielded, mine: mine)
      return true
    case .value(let value):
      // The edit has another value from now on, and the server's is its base.
      try rows.outbox.setEdit(value, index, of: RowKey(entity: model.number, pk: pk))
      tell(.merged, mine: value)
      return value.isIdentical(to: theirs)
    case .held:
      try rows.outbox.hold(RowKey(entity: model.number, pk: pk), name, base: base, theirs: theirs)
      tell(.conflict, mine: mine)
      return false
    }
  }

  /// The text of a row's uid; `nil` where it has none.
  func uidText(_ model: EntityModel, _ pk: Int64) throws -> String? {
    guard let index = model.uid, let type = model.uidType else { return nil }
    return try rows.find(model, pk: pk)?.value(index).uidText(type)
  }

  /// Gives a property another value, whose mark stays.
  private func put(_ model: EntityModel, _ pk: Int64, _ index: Int, _ value: StoredValue) throws {
    guard let found = try rows.find(model, pk: pk) else { return }
    var values = RowValues(count: model.properties.count)
    values[index] = value
    _ = try rows.update(model, found, values, .effect)
  }

  /// Gives edits of a row other bases. An edit without a note, or whose note has the value, stays as it is.
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
      rows.observers.tell { $0.didChangeBases(model, pk) }
      rows.notes.repeats?.noteBase(RowKey(entity: model.number, pk: pk), index)
    }
  }

  /// Ends the edits of a list's pairs that an answer confirms: pairs that were added here and that the answer has, and
  /// pairs that were taken out here and that the answer lacks.
  ///
  /// - Parameter before: The pairs of the list before the answer.
  package func hear(
    _ membership: PropertyModel.Membership, of pk: Int64, _ members: Set<Int64>, before: [RowPairs.Pair]
  ) throws {
    let links = schema.entities[membership.links]
    guard try before.contains(where: \.isAddedHere) || rows.pairs.hasRemovals(links),
      case .toOne(let entity, let list?, _) = links.properties[membership.side].kind
    else { return }
    guard try !isOnItsWay(schema.entities[entity], pk, list) else {
      return try rows.pairs.rebase(membership, of: pk, members)
    }
    let other = schema.entities[membership.target]
    func isFree(_ member: Int64) throws -> Bool {
      try membership.inverse.map { try !isOnItsWay(other, member, $0) } ?? true
    }
    for pair in before where pair.isAddedHere && members.contains(pair.member) {
      if try isFree(pair.member) { try rows.pairs.endMark(membership, of: pk, pair, keepsMoves: true) }
    }
    try rows.pairs.endRemovals(membership, of: pk) { try $0.map { try !members.contains($0) && isFree($0) } ?? false }
    try rows.pairs.rebase(membership, of: pk, members)
    try rows.pairs.settleName(membership.links, membership.side, of: pk)
  }

  /// An answer has the order that a list was given here: ends the edit, unless another request carries the order.
  func hearOrder(_ model: EntityModel, _ list: Int, of pk: Int64) throws {
    if try !isOnItsWay(model, pk, list) { try rows.pairs.endOrderEdit(model, list, of: pk) }
  }

  /// The server's last values of a row's columns, as far as they are known; none of a placeholder.
  func serverValues(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) throws -> RowValues {
    var known = RowValues(count: model.properties.count)
    guard !mask.isEmpty, let (row, values) = try rows.find(model, pk: pk)?.read(model, mask), !row.isPlaceholder
    else { return known }
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

  /// Whether a request other than the one being answered carries a property of a row: the server may have that
  /// request's value in the end. The requests are those of this process, and the claims of the outbox: also those of
  /// another process, and those that lost their sender.
  private func isOnItsWay(_ model: EntityModel, _ pk: Int64, _ index: Int) throws -> Bool {
    if !rows.writer.underWay.isEmpty, underWay(model, pk, but: rows.notes.sent).contains(where: { $0.carries(index) }) {
      return true
    }
    return try rows.outbox.isClaimed(model, pk, index, but: rows.notes.sentEntry)
  }
}
