// The hooks of entities run code of the user's, which may do all that it may do elsewhere: no collection of the context is gone
// through while it runs, and no read is open.

/// The hooks of a context that are due.
struct DueHooks {
  /// Objects that a query of a unit has sent to its transaction, and that no save has looked at.
  var unchecked: [ObjectIdentifier: UncheckedObject] = [:]
  /// Objects that have got their values, and have not heard of it.
  var awakening: [any ManagedEntity] = []
  /// How many calls of ``EntityContext/awake()`` are under way, one within the other.
  var depth = 0
  /// Whether the hooks of a save run.
  var isPreparing = false
}

/// An object that no save has looked at since it was edited.
struct UncheckedObject {
  let object: any ManagedEntity
  /// The lazy properties that were set, all of them for a new object.
  var lazy: ColumnMask
  /// Whether it was made since.
  var isNew: Bool

  init(_ object: any ManagedEntity) {
    self.object = object
    let state = object._$state
    isNew = state.isInserted
    lazy = state.isInserted ? state.model.lazy : state.unsaved.intersection(state.model.lazy)
  }
}

extension ContextSaving {
  /// Calls the hooks of the objects that a save is about to take, and checks them.
  ///
  /// - Throws: ``StoreError`` of kind `invalidObject`; the error of a hook.
  func prepareToSave() throws {
    guard context.core.schema.preparesSaves, !context.isOfResponse, context.rows?.isOfServer != true else { return }
    guard !context.saves.due.isPreparing else {
      throw StoreError(
        .invalidObject,
        "A context was saved by `willSave()` or `validate(_:)` of one of its objects. The save that called it "
          + "takes the changes: leave the call out.")
    }
    context.saves.due.isPreparing = true
    defer { context.saves.due.isPreparing = false }
    try tellWillSave()
    try check()
    // A value that a hook set may have been refused.
    try throwMistakes()
  }

  /// The changes of a save were written.
  func saveHooksDone() { if !context.saves.due.unchecked.isEmpty { context.saves.due.unchecked = [:] } }

  /// The objects that the save is to look at, where a unit sends its changes to its transaction for a query.
  func objectsToCheck() -> [UncheckedObject] {
    guard context.core.schema.preparesSaves, !context.isOfResponse, context.rows?.isOfServer != true else { return [] }
    // Those that an earlier query sent are noted already.
    var objects: [UncheckedObject] = []
    for model in context.core.schema.entities {
      let isHooked = !model.hooks.isDisjoint(with: [.saves, .validates])
      guard isHooked || model.checksLinks else { continue }
      for (_, object) in context.unsaved.changed[model.number].all
      where object._$state.isEditedHere && (isHooked || !missingLinks(object).isEmpty) {
        objects.append(UncheckedObject(object))
      }
    }
    return objects
  }

  /// The changes were sent. Objects of which they could not be are unsaved still, and may be rolled back.
  func noteUnchecked(_ objects: [UncheckedObject]) {
    for var unchecked in objects {
      let key = ObjectIdentifier(unchecked.object)
      if let earlier = context.saves.due.unchecked[key] {
        unchecked.lazy.formUnion(earlier.lazy)
        unchecked.isNew = unchecked.isNew || earlier.isNew
      }
      context.saves.due.unchecked[key] = unchecked
    }
  }

  private func tellWillSave() throws {
    // They are held: a new object could get the address of one that is gone.
    var told: [ObjectIdentifier: any ManagedEntity] = [:]
    // Hooks that insert objects of an entity with hooks without end would never come to one. A hook that edits objects that
    // are there comes to the last of them.
    var roundsOfNew = 0
    while roundsOfNew < Self.mostRounds {
      let objects = context.core.schema.entities.filter { $0.hooks.contains(.saves) }.flatMap { edited($0) }
        .filter { told[ObjectIdentifier($0)] == nil }
      guard !objects.isEmpty else { return }
      if objects.allSatisfy({
        $0._$state.isInserted || context.saves.due.unchecked[ObjectIdentifier($0)]?.isNew == true
      }) {
        roundsOfNew += 1
      }
      for object in objects where !object._$state.isGone {
        told[ObjectIdentifier(object)] = object
        try (object as? any SavingEntity)?.willSave()
      }
    }
    throw StoreError(
      .invalidObject,
      "`willSave()` has made other objects \(Self.mostRounds) times over, whose `willSave()` did the same. Make it end."
    )
  }

  private static let mostRounds = 100

  private func check() throws {
    var problems: [ValidationProblem] = []
    for model in context.core.schema.entities {
      if model.hooks.contains(.validates), let type = model.type as? any ValidatedEntity.Type {
        check(type, edited(model), &problems)
      } else if model.checksLinks {
        for object in edited(model, where: { !missingLinks($0).isEmpty }) { problems += missingLinks(object) }
      }
    }
    guard problems.isEmpty else { throw StoreError(problems) }
  }

  private func check<E: ValidatedEntity>(
    _ type: E.Type, _ objects: [any ManagedEntity], _ problems: inout [ValidationProblem]
  ) {
    let rules = E.validationRules
    for case let object as E in objects where !object._$state.isGone {
      problems += missingLinks(object)
      var own = ValidationProblems(object)
      own.check(rules)
      problems += own.all
    }
  }

  /// The relationships of an edited object that are required and have no object. Those that were not edited are the row's.
  private func missingLinks(_ object: any ManagedEntity) -> [ValidationProblem] {
    let state = object._$state
    let model = state.model
    guard model.checksLinks else { return [] }
    // A row that the object takes over may have the others.
    let isWhole = state.life == .new && !state.flags.contains(.takesOver)
    var mask = isWhole ? model.required : model.required.intersection(state.dirty)
    // A query of the unit has sent the object without them. A link that the row got since, by an update by query, is not in
    // the object: the row is asked in the end.
    if let sent = context.rows?.checks.incomplete[RowKey(entity: model.number, pk: state.pk)] {
      mask.formUnion(sent.subtracting(state.stale))
    }
    guard !mask.isEmpty else { return [] }
    let values = object.values(mask)
    return mask.indices.filter { values.link($0) == 0 }
      .map { ValidationProblem(missing: model.properties[$0].name, of: state.id) }
  }

  /// The objects of an entity that a save takes as edits of this context, in the order of their rows.
  private func edited(
    _ model: EntityModel, where isWanted: (any ManagedEntity) -> Bool = { _ in true }
  ) -> [any ManagedEntity] {
    var own: [Int64: any ManagedEntity] = [:]
    for object in context.saves.due.unchecked.values.lazy.map(\.object)
    where object._$state.model.number == model.number && !object._$state.isGone && isWanted(object) {
      own[object._$state.pk] = object
    }
    for (pk, object) in context.unsaved.changed[model.number].all where object._$state.isEditedHere && isWanted(object)
    {
      own[pk] = object
    }
    return own.sorted { $0.key < $1.key }.map(\.value)
  }

  // MARK: Awaking

  private static let mostDepth = 16

  /// An object of a row has got its values.
  func noteAwaking(_ object: any ManagedEntity, _ model: EntityModel) {
    if model.hooks.contains(.awakes), !context.isOfResponse { context.saves.due.awakening.append(object) }
  }

  /// Tells the objects that have got their values. They may read others, which are told before the read returns.
  func awake() {
    // Each object of a chain may read the next one. Those deep in it are told when the read of an earlier one returns, so that
    // no length of a chain is too much for the stack.
    guard context.saves.due.depth < Self.mostDepth else { return }
    context.saves.due.depth += 1
    defer { context.saves.due.depth -= 1 }
    while !context.saves.due.awakening.isEmpty {
      let objects = context.saves.due.awakening
      context.saves.due.awakening = []
      for object in objects where !object._$state.isGone { (object as? any AwakeningEntity)?.awakeFromFetch() }
    }
  }
}

extension ObjectState {
  /// Whether the object was made or edited here, and is to be saved.
  fileprivate var isEditedHere: Bool {
    guard !isGone, !flags.contains(.placeholder) else { return false }
    // A place in a list is no change of the object.
    let edits = dirty.subtracting(fromResponse).subtracting(model.hidden)
    return !edits.isEmpty || (life == .new && dirty.isEmpty)
  }
}

extension ManagedEntity {
  /// Tells a new object that it was made here.
  func awakeIfNew() {
    if _$state.model.hooks.contains(.awakes) { (self as? any AwakeningEntity)?.awakeFromInsert() }
  }
}
