/// The circumstances in which a row is updated.
package struct UpdateTraits: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  // An empty literal is made by a generic function that is not specialized: it took 400 instructions a row.
  /// All of the object, which a placeholder becomes.
  package static var whole: UpdateTraits { UpdateTraits(rawValue: 0) }
  /// A placeholder stays one.
  package static let leavesPlaceholder = UpdateTraits(rawValue: 1)
  /// Relationships that it requires may come later.
  package static let incomplete = UpdateTraits(rawValue: 2)
  /// A response as the source does not have the object itself, so that the server need not have it.
  package static let unshown = UpdateTraits(rawValue: 4)
}

extension RowWriter {
  /// Writes the values of `given` that differ from the row that was found.
  package func update(
    _ model: EntityModel, _ found: consuming FoundRow, _ given: RowValues, _ source: RowSource,
    _ traits: UpdateTraits = .whole
  ) throws -> Outcome {
    try checkOpen()
    let before = model.uidParts?.parts.map { found.value($0.index) }
    let (given, repointed) = collisions.repointed(model, collisions.agreeing(model, given, source, before: before))
    let skips = notes.skips
    var plan = RowPlan(
      model, found, given, source,
      .init(
        fills: !traits.contains(.leavesPlaceholder), isComplete: !traits.contains(.incomplete),
        isShown: !traits.contains(.unshown), isOfServer: isOfServer,
        asks: skips.map { $0.isEmpty ? .whereSomeStay : .always } ?? .nobody,
        now: model.age == nil ? 0 : stamp.seconds))
    let lost = uniqueness.held(model, found, plan.changed)
    // The cursor ends before anything is written.
    _ = consume found
    try checks.checkLazies()
    if let staying = plan.staying { try noteSkipped(model, plan.row.pk, staying, of: plan.values, plan.given) }
    uniqueness.noteAnswered(model, plan.row.pk, source.answered(plan.admitted))
    if !model.oneToOne.isEmpty, case .response = source {
      uniqueness.noteClaims(model, plan.row.pk, plan.admitted.subtracting(plan.changed), plan.values, source)
    }
    if !repointed.isEmpty { tell(model, plan.row.pk, .updated, repointed, isDirect: false) }
    if !plan.lists.isEmpty { edits.noteEditedLists(model, plan.row.pk, plan.lists) }
    guard plan.isWrite else {
      let (row, again) = (plan.row, plan.listsEditedAgain)
      if !again.isEmpty { try edits.noteEdits(model, row.pk, from: row.marks, to: row.marks, renewed: again) }
      try edits.hear(model, row.pk, plan.heard)
      return Outcome(pk: row.pk, changed: plan.lists, isInserted: false)
    }
    try checks.checkNulls(model, plan.row.pk, plan.values, plan.changed)
    let hasAbsorbed = try collisions.absorbHolder(model, &plan, source)
    return try execute(plan, model, source, lost: lost, hasAbsorbed: hasAbsorbed)
  }

  /// Writes a row as planned, and tells the observers.
  ///
  /// - Parameters:
  ///   - lost: The unique values that the row loses, where another row waits for one.
  ///   - hasAbsorbed: Whether the row absorbed another one: the sources of derived columns are known once both are
  ///     written.
  private func execute(
    _ plan: RowPlan, _ model: EntityModel, _ source: RowSource, lost: RowValues?, hasAbsorbed: Bool
  ) throws -> Outcome {
    let (row, values, changed) = (plan.row, plan.values, plan.changed)
    let edited = plan.edited(model)
    edits.noteEdited(model, row.pk, edited.intersection(changed), values)
    // Where the new uid is that of an object that was deleted here, the server has the object.
    let isReturning =
      try model.uid.map { try changed.contains($0) && edits.endTombstone(model, of: values, row.pk) } ?? false
    let marks = plan.marks(model, isReturning: isReturning)
    try write(model, row.pk, changed, values, edited: marks == row.marks ? nil : marks, fills: plan.fills)
    if marks != row.marks || !edited.isEmpty {
      try edits.noteEdits(
        model, row.pk, from: row.marks, to: marks, plan.bases, renewed: edited.intersection(row.edited))
    }
    if !uniqueness.displaced.isEmpty {
      uniqueness.displaced.remove(RowKey(entity: model.number, pk: row.pk), changed)
      try uniqueness.giveBack(model, lost)
    }
    let told = changed.union(plan.lists).union(plan.ended)
    note(model, row.pk, plan.fills ? .inserted : .updated, told, source)
    try edits.hear(model, row.pk, plan.heard)
    if hasAbsorbed, !model.derived.isEmpty { try derive(model, row.pk, after: model.stored) }
    for link in plan.links where changed.contains(link.index) {
      try noteLink(model, link.index, pk: row.pk, from: link.old, to: values.link(link.index), source)
    }
    order.noteMoves(model, plan.moves, source)
    let missing = plan.missing(model)
    if !missing.isEmpty { try checks.checkRequired(model, row.pk, missing, source) }
    return Outcome(pk: row.pk, changed: changed.union(plan.lists), isInserted: plan.fills)
  }

  /// Notes the columns that stay and differ, with their values.
  private func noteSkipped(
    _ model: EntityModel, _ pk: Int64, _ staying: (columns: MergePolicy.Staying, mine: [Int: StoredValue]),
    of row: RowValues, _ answered: ColumnMask
  ) throws {
    guard let skips = notes.skips else { return }
    let notes = try edits.editNotes(model, pk, staying.columns.edited.subtracting(model.lazy))
    var values: [Int: SkippedChange.Value] = [:]
    for (index, mine) in staying.mine where !model.lazy.contains(index) {
      values[index] = schema.skippedValue(model, index, base: notes[index]?.base, mine: mine, theirs: row[index])
    }
    skips.note(model, pk, staying.columns, answered: answered, values: values)
  }

  /// Writes `row` to the row with `pk`, making it if need be.
  package func write(_ model: EntityModel, pk: Int64, _ row: RowValues, _ source: RowSource) throws -> Outcome {
    if let found = try find(model, pk: pk) { return try update(model, found, row, source) }
    return try insert(model, pk: pk, row, source)
  }

  /// Writes columns of a row. Rows that hold its unique values give them up.
  ///
  /// - Parameter edited: The marks that the row gets; `nil` leaves its present marks.
  func write(
    _ model: EntityModel, _ pk: Int64, _ mask: ColumnMask, _ row: RowValues, edited: EditMarks?, fills: Bool
  ) throws {
    try checks.checkLazies()
    observers.tell { $0.willWrite(model, pk, mask) }
    let statement = try execution.update(model, pk, mask, row, marks: edited, fills: fills)
    try uniqueness.run(statement, model, pk, row, mask)
  }

  /// Computes derived columns of a row again, after their sources were written by themselves.
  func derive(_ model: EntityModel, _ pk: Int64, after changed: ColumnMask) throws {
    guard !model.derived(from: changed).isEmpty, let found = try find(model, pk: pk) else { return }
    let none = RowValues(count: model.properties.count)
    let mask = model.derived(from: changed)
    var sources = none
    for index in model.sources(of: mask).indices { sources[index] = found.value(index) }
    var row = none
    model.derive(mask, from: sources, into: &row)
    for index in mask.indices where found.has(row[index], index) { row.remove(ColumnMask(index)) }
    guard !row.mask.isEmpty else { return }
    _ = consume found
    try write(model, pk, row.mask, row, edited: nil, fills: false)
    note(model, pk, .updated, row.mask, .effect)
  }
}
