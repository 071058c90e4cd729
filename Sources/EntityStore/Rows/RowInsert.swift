/// The circumstances in which a row is inserted.
package struct InsertionTraits: OptionSet, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// It stands for an object of which nothing but the uid is known.
  package static let placeholder = InsertionTraits(rawValue: 1)
  /// Relationships that it requires may come later.
  package static let incomplete = InsertionTraits(rawValue: 2)
  /// The server has the object, though it has no uid and a context writes it.
  package static let ofServer = InsertionTraits(rawValue: 4)
  /// It may take over the row that has its uid, with values of any source.
  package static let takingOver = InsertionTraits(rawValue: 8)
  /// The caller has looked, and no row had its uid.
  package static let freeUID = InsertionTraits(rawValue: 16)
}

extension RowWriter {
  /// Writes a row that is not there yet. `pk` must be fresh.
  package func insert(
    _ model: EntityModel, pk: Int64, _ given: RowValues, _ source: RowSource, _ traits: InsertionTraits = []
  ) throws -> Outcome {
    try checkOpen()
    let agreed = collisions.agreeing(model, given, source)
    let source = source.withUID(of: model)
    if traits.contains(.freeUID), let outcome = try insert(model, pk, agreed, source, traits, over: nil) {
      return outcome
    }
    let absorbed = try collisions.makeWay(model, for: pk, agreed, source, takesOver: traits.contains(.takingOver))
    return try insert(model, pk, agreed, source, traits.subtracting(.freeUID), over: absorbed)
      ?? Outcome(pk: pk, changed: ColumnMask(), isInserted: false)
  }

  /// - Parameter absorbed: The row that it takes the place of.
  /// - Returns: `nil` where a row has got the free uid since the caller looked. No row is inserted then.
  private func insert(
    _ model: EntityModel, _ pk: Int64, _ agreed: RowValues, _ source: RowSource, _ traits: InsertionTraits,
    over absorbed: AbsorbedRow?
  ) throws -> Outcome? {
    var (values, repointed) = collisions.repointed(model, agreed)
    if let coverage = model.coverage {
      values[coverage] = knowledge.missing(
        model, values.mask.subtracting(ColumnMask(coverage)), lists: values.heardLists, source,
        isPlaceholder: traits.contains(.placeholder),
        saying: values.mask.contains(coverage) ? values[coverage] : nil)
    }
    if let age = model.age, !values.mask.contains(age),
      let heard = knowledge.heard(source, isPlaceholder: traits.contains(.placeholder))
    {
      values[age] = heard
    }
    if model.isLinks, source.isEdit, try !pairs.canInsertMembership(model, pk: pk, values) {
      return Outcome(pk: pk, changed: ColumnMask(), isInserted: false)
    }
    uniqueness.noteAnswered(model, pk, source.answered(values.mask))
    var plan = InsertionPlan(
      model, values, edited: source.edited(model, agreed.mask, isOfServer: isOfServer), traits)
    try checks.checkNulls(model, pk, plan.values)
    plan.removal = model.isLinks ? try pairs.forgetRemoval(model, plan.values) : EditMarks()
    let isReturning = try edits.endTombstone(model, of: plan.values, pk)
    plan.isNew =
      !isReturning && traits.isDisjoint(with: [.placeholder, .ofServer])
      && edits.isMadeHere(model, plan.values.mask, source, edited: plan.known)
    let statement = try execution.insertion(model, pk, plan)
    do {
      try statement.run()
    } catch let error as StoreError where error.kind == .uniqueViolation {
      if traits.contains(.freeUID), let uid = model.uid, plan.values.mask.contains(uid),
        try current(model, uid: plan.values[uid]) != nil
      {
        return nil
      }
      try uniqueness.runAgain(statement, model, pk, plan.whole(model), plan.mask, after: error)
    }
    return try tellInserted(model, pk, plan, source, repointed: repointed, absorbed)
  }

  private func tellInserted(
    _ model: EntityModel, _ pk: Int64, _ plan: InsertionPlan, _ source: RowSource, repointed: ColumnMask,
    _ absorbed: AbsorbedRow?
  ) throws -> Outcome {
    let (values, marks, removal) = (plan.values, plan.marks, plan.removal)
    let edited = marks.known
    if model.isLinks {
      pairs.noteMarks(model, values, edited)
      notes.repeats?.noteAdded(model, pk, values)
    } else {
      edits.noteEdited(model, pk, edited.intersection(values.mask), values)
    }
    if !marks.isEmpty { try edits.noteEdits(model, pk, from: EditMarks(), to: marks) }
    if source.isPostponing, let uid = model.uid, !values.mask.contains(uid) || values[uid].isNull {
      collisions.insertedForQuery.insert(RowKey(entity: model.number, pk: pk))
    }
    note(model, pk, .inserted, plan.mask.union(source.lists), source, isMade: true)
    if !repointed.isEmpty { tell(model, pk, .updated, repointed, isDirect: false) }
    for index in values.mask.intersection(model.links).indices {
      try noteLink(model, index, pk: pk, from: 0, to: values.link(index), source)
    }
    if edited.isEmpty { try pairs.settleNames(model, values, removal.known) }
    var changed = values.mask.union(source.lists)
    if let absorbed {
      changed.subtract(try collisions.moveValues(absorbed, values, values.mask, edited: edited, source))
    }
    if !plan.missing.isEmpty { try checks.checkRequired(model, pk, plan.missing, source) }
    return Outcome(pk: pk, changed: changed, isInserted: !plan.isPlaceholder)
  }
}
