extension RowWriter {
  /// Writes a row that is not there yet. `pk` must be fresh.
  ///
  /// - Parameters:
  ///   - isOfServer: Whether it is an object without uid that the server has, though a context writes it.
  ///   - takesOver: Whether it may take over the row that has its uid, with values of any source.
  ///   - hasFreeUID: Whether the caller has looked, and no row had the uid. A row that got the uid since is treated as
  ///     it is without this flag.
  package func insert(
    _ model: EntityModel, pk: Int64, _ given: RowValues, _ source: RowSource, isPlaceholder: Bool = false,
    isComplete: Bool = true, isOfServer: Bool = false, takesOver: Bool = false, hasFreeUID: Bool = false
  ) throws -> Outcome {
    try checkOpen()
    let agreed = collisions.agreeing(model, given, source)
    let source = source.withUID(of: model)
    let edited = source.edited(model, agreed.mask, isOfServer: self.isOfServer)
    let absorbed =
      hasFreeUID ? nil : try makeWay(model, for: pk, agreed, source, edited: edited, takesOver: takesOver)
    let (values, repointed) = collisions.repointed(model, agreed)
    if model.isLinks, source.isEdit, try !pairs.canInsertMembership(model, pk: pk, values) {
      return Outcome(pk: pk, changed: ColumnMask(), isInserted: false)
    }
    uniqueness.noteAnswered(model, pk, source.answered(values.mask))
    let plan = InsertionPlan(
      model, values, edited: edited, isPlaceholder: isPlaceholder, isComplete: isComplete)
    try checks.checkNulls(model, pk, plan.values)
    let removal = model.isLinks ? try pairs.forgetRemoval(model, plan.values) : EditMarks()
    let isReturning = try edits.endTombstone(model, of: plan.values)
    let isNew =
      !isReturning && !isPlaceholder && !isOfServer
      && edits.isMadeHere(
        model, plan.values.mask, source, edited: edited.isEmpty ? edited : edited.union(removal.known))
    let marks = plan.marks(isNew: isNew, removal: removal)
    let statement = try execution.insertion(
      model, pk, plan.mask, plan.values, defaults: plan.defaults, marks: marks, isPlaceholder: isPlaceholder)
    do {
      try statement.run()
    } catch let error as StoreError where error.kind == .uniqueViolation {
      if hasFreeUID, let uid = model.uid, plan.values.mask.contains(uid),
        try current(model, uid: plan.values[uid]) != nil
      {
        return try insert(
          model, pk: pk, plan.values, source, isPlaceholder: isPlaceholder, isComplete: isComplete,
          isOfServer: isOfServer, takesOver: takesOver)
      }
      try uniqueness.runAgain(statement, model, pk, plan.whole(model), plan.mask, after: error)
    }
    return try tellInserted(
      model, pk, plan, marks, source, removal: removal, repointed: repointed, absorbed, isPlaceholder: isPlaceholder)
  }

  /// Makes way for the uid of a new row.
  ///
  /// - Returns: The row that the new row absorbs; `nil` for none.
  private func makeWay(
    _ model: EntityModel, for pk: Int64, _ values: RowValues, _ source: RowSource, edited: ColumnMask, takesOver: Bool
  ) throws -> AbsorbedRow? {
    guard let uid = model.uid, values.mask.contains(uid), !values[uid].isNull,
      let other = try current(model, uid: values[uid])
    else { return nil }
    if try collisions.isTakeover(model, uid, of: other, by: pk, source, isWanted: takesOver) {
      return try collisions.absorb(model, other.pk, into: pk, edited: edited)
    }
    try uniqueness.displace(model, other.pk, uid, values[uid])
    return nil
  }

  private func tellInserted(
    _ model: EntityModel, _ pk: Int64, _ plan: InsertionPlan, _ marks: EditMarks, _ source: RowSource,
    removal: EditMarks, repointed: ColumnMask, _ absorbed: AbsorbedRow?, isPlaceholder: Bool
  ) throws -> Outcome {
    let (values, edited) = (plan.values, marks.known)
    if model.isLinks {
      pairs.noteMarks(model, values, edited)
    } else {
      edits.noteEdited(model, pk, edited.intersection(values.mask), values)
    }
    if !marks.isEmpty { try edits.noteEdits(model, pk, from: EditMarks(), to: marks) }
    if source.isPostponing, let uid = model.uid, !values.mask.contains(uid) || values[uid].isNull {
      collisions.insertedForQuery.insert(RowKey(entity: model.number, pk: pk))
    }
    if model.isLinks { notes.repeats?.noteAdded(model, pk, values) }
    note(model, pk, .inserted, plan.mask.union(source.lists), source, isMade: true)
    if !repointed.isEmpty { tell(model, pk, .updated, repointed, isDirect: false) }
    for index in values.mask.intersection(model.links).indices {
      try noteLink(model, index, pk: pk, from: 0, to: values.link(index), source)
    }
    if edited.isEmpty { try pairs.settleNames(model, values, removal.known) }
    var changed = values.mask.union(source.lists)
    if let absorbed {
      changed.subtract(try collisions.moveValues(absorbed, model, pk, values, values.mask, edited: edited, source))
    }
    if !plan.missing.isEmpty { try checks.checkRequired(model, pk, plan.missing, source) }
    return Outcome(pk: pk, changed: changed, isInserted: !isPlaceholder)
  }
}
