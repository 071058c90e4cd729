extension RowWriter {
  /// Writes a row that is not there yet. `pk` must be fresh.
  ///
  /// - Parameters:
  ///   - isOfServer: Whether it is an object without uid that the server has, though a context writes it.
  ///   - takesOver: Whether it may take over the row that has its uid, with values of any source.
  ///   - hasFreeUID: Whether the caller has looked, and no row had its uid. Where one has got it since, the two rows meet as
  ///     they do without it.
  package func insert(
    _ model: EntityModel, pk: Int64, _ given: RowValues, _ source: RowSource, isPlaceholder: Bool = false,
    isComplete: Bool = true, isOfServer: Bool = false, takesOver: Bool = false, hasFreeUID: Bool = false
  ) throws -> Outcome {
    try checkOpen()
    var given = agreeing(model, given, source)
    let source = source.withUID(of: model)
    let lists = source.lists
    var edited = editedMask(model, source, changed: given.mask)
    var absorbed: AbsorbedRow?
    if !hasFreeUID, let uid = model.uid, given.mask.contains(uid), !given[uid].isNull,
      let other = try current(model, uid: given[uid])
    {
      if try isTakeover(model, uid, of: other, by: pk, source, isWanted: takesOver) {
        absorbed = try absorb(model, other.pk, into: pk, edited: edited)
      } else {
        try displace(model, other.pk, uid, given[uid])
      }
    }
    let repointed: ColumnMask
    (given, repointed) = self.repointed(model, given)
    if model.isLinks, case .edit = source, try !canInsertMembership(model, pk: pk, given) {
      return Outcome(pk: pk, changed: ColumnMask(), isInserted: false)
    }
    noteAnswered(model, pk, source.answered(given.mask))
    given = withDerived(model, given)
    // No row is copied for defaults. They are neither NULL nor links.
    let defaults = model.defaulted.subtracting(given.mask)
    let mask = given.mask.union(defaults)
    try checkNulls(model, pk, given)
    let missing =
      isComplete && !isPlaceholder && !model.required.isEmpty
      ? model.required.subtracting(given.mask.subtracting(given.nulls)) : ColumnMask()
    let removal = model.isLinks ? try forgetRemoval(model, given) : EditMarks()
    let isReturning = try endTombstone(model, of: given)
    if !edited.isEmpty { edited.formUnion(removal.known) }
    let marks = EditMarks(
      known: edited,
      isNew: !isReturning && !isPlaceholder && !isOfServer && isMadeHere(model, given, source, edited: edited),
      isBack: !edited.isEmpty && !removal.isEmpty && !removal.isBack)
    let statement = try statements.statement(
      .init(entity: model.number, mask: mask, kind: 0), on: connection
    ) {
      let names = mask.indices.map { model.properties[$0].name.quoted }
      let columns = ["_pk", "_edited", "_placeholder"] + names
      let places = Array(repeating: "?", count: columns.count)
      return "INSERT INTO \(model.table) (\(columns.joined(separator: ", "))) "
        + "VALUES (\(places.joined(separator: ", ")))"
    }
    try statement.bind(pk, at: 1)
    try statement.bind(model.names(marks), at: 2)
    try statement.bind(isPlaceholder ? 1 : 0, at: 3)
    var position = 4
    for index in mask.indices {
      try statement.bind(defaults.contains(index) ? model.defaults[index] : given[index], at: position)
      position += 1
    }
    do {
      try statement.run()
    } catch let error as StoreError where error.kind == .uniqueViolation {
      if hasFreeUID, let uid = model.uid, given.mask.contains(uid), try current(model, uid: given[uid]) != nil {
        return try insert(
          model, pk: pk, given, source, isPlaceholder: isPlaceholder, isComplete: isComplete,
          isOfServer: isOfServer, takesOver: takesOver)
      }
      try runAgain(statement, model, pk, withDefaults(model, given), mask, after: error)
    }
    if model.isLinks {
      noteMarks(model, given, edited)
    } else {
      noteEdited(model, pk, edited.intersection(given.mask), given)
    }
    if !marks.isEmpty { try noteEdits(model, pk, from: EditMarks(), to: marks) }
    if postponesRequired, let uid = model.uid, !given.mask.contains(uid) || given[uid].isNull {
      insertedForQuery.insert(RowKey(entity: model.number, pk: pk))
    }
    if model.isLinks { repeats?.noteAdded(model, pk, given) }
    note(model, pk, .inserted, mask.union(lists), source, isMade: true)
    if !repointed.isEmpty { tell(model, pk, .updated, repointed, isDirect: false) }
    for index in given.mask.intersection(model.links).indices {
      try noteLink(model, index, pk: pk, from: 0, to: given.link(index), source)
    }
    if edited.isEmpty { try settleNames(model, given, removal.known) }
    var changed = given.mask.union(lists)
    if let absorbed {
      changed.subtract(try moveValues(absorbed, model, pk, given, given.mask, edited: edited, source))
    }
    if !missing.isEmpty { try checkRequired(model, pk, missing) }
    return Outcome(pk: pk, changed: changed, isInserted: !isPlaceholder)
  }

  private func withDefaults(_ model: EntityModel, _ given: RowValues) -> RowValues {
    var row = given
    for index in model.defaulted.subtracting(given.mask).indices { row[index] = model.properties[index].defaultValue }
    return row
  }
}
