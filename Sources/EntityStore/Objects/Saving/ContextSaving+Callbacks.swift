// The callbacks of entities run the user's code, which may do everything that it may do elsewhere. So while a callback runs,
// the context iterates over none of its collections and no read is open.

/// The callbacks of a context that are due.
struct DueCallbacks {
  /// Objects that a unit sent to its transaction for a query, and that no save has checked.
  var unchecked: [ObjectIdentifier: UncheckedObject] = [:]
  /// Objects that got their values, and whose callback has not run yet.
  var awakening: [any ManagedEntity] = []
  /// How many nested calls of ``EntityContext/awake()`` are under way.
  var depth = 0
  /// Whether a save is running callbacks now.
  var isPreparing = false
}

/// An object that no save has checked since it was edited.
struct UncheckedObject {
  let object: any ManagedEntity
  /// The lazy properties that were set; all lazy properties for a new object.
  var lazy: ColumnMask
  /// Whether the object was made since the last save.
  var isNew: Bool

  init(_ object: any ManagedEntity) {
    self.object = object
    let state = object._$state
    isNew = state.isInserted
    lazy = state.isInserted ? state.model.lazy : state.unsaved.intersection(state.model.lazy)
  }
}

extension ContextSaving {
  /// Calls the callbacks of the objects that a save is about to take, and then checks the objects.
  ///
  /// - Throws: ``StoreError`` of kind `invalidObject`; the error of a callback.
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
    // A value that a callback set may have been refused.
    try throwMistakes()
  }

  /// The changes of a save were written, so nothing is left to check.
  func saveHooksDone() { if !context.saves.due.unchecked.isEmpty { context.saves.due.unchecked = [:] } }

  /// The objects that a later save has to check, when a unit sends its changes to its transaction for a query.
  func objectsToCheck() -> [UncheckedObject] {
    guard context.core.schema.preparesSaves, !context.isOfResponse, context.rows?.isOfServer != true else { return [] }
    // Objects that an earlier query sent are recorded already.
    var objects: [UncheckedObject] = []
    for model in context.core.schema.entities {
      let hasCallbacks = !model.callbacks.isDisjoint(with: [.saves, .validates])
      guard hasCallbacks || model.checksLinks else { continue }
      for (_, object) in context.unsaved.changed[model.number].all
      where object._$state.isEditedHere && (hasCallbacks || !missingLinks(object).isEmpty) {
        objects.append(UncheckedObject(object))
      }
    }
    return objects
  }

  /// The changes were sent. Objects that could not be sent are still unsaved, and can be rolled back.
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
    // Held, because a new object could get the address of a released one.
    var told: [ObjectIdentifier: any ManagedEntity] = [:]
    // The limit is for callbacks that insert objects whose callbacks insert more, without end. It does not count rounds with
    // callbacks that edit existing objects, since those come to an end.
    var roundsOfNew = 0
    while roundsOfNew < Self.mostRounds {
      let objects = context.core.schema.entities.filter { $0.callbacks.contains(.saves) }.flatMap { edited($0) }
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
      if model.callbacks.contains(.validates), let type = model.type as? any ValidatedEntity.Type {
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

  /// The required relationships of an edited object that have no target. Links that were not edited are in the row, and
  /// not checked.
  private func missingLinks(_ object: any ManagedEntity) -> [ValidationProblem] {
    let state = object._$state
    let model = state.model
    guard model.checksLinks else { return [] }
    // If the object takes over a row, that row may have the other links.
    let isWhole = state.life == .new && !state.flags.contains(.takesOver)
    var mask = isWhole ? model.required : model.required.intersection(state.dirty)
    // A query of the unit sent the object without these links. The row may have got them since by an update by query,
    // and the object does not know: such links are checked in the row at the end.
    if let sent = context.rows?.checks.incomplete[RowKey(entity: model.number, pk: state.pk)] {
      mask.formUnion(sent.subtracting(state.stale))
    }
    guard !mask.isEmpty else { return [] }
    let values = object.values(mask)
    return mask.indices.filter { values.link($0) == 0 }
      .map { ValidationProblem(missing: model.properties[$0].name, of: state.id) }
  }

  /// The objects of an entity that a save takes as edits of this context, in the order of their row ids.
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

  /// Records that an object of a row got its values.
  func noteAwaking(_ object: any ManagedEntity, _ model: EntityModel) {
    if model.callbacks.contains(.awakes), !context.isOfResponse { context.saves.due.awakening.append(object) }
  }

  /// Runs `awakeFromFetch` of the objects that got their values. It may read other objects; their callbacks run before the
  /// read returns.
  func awake() {
    // In a chain, each object's callback may read the next object. From a certain depth on, the callback runs only when an
    // outer read returns, so that a chain of any length fits on the stack.
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
  /// Whether the object was made or edited here, and has to be saved.
  fileprivate var isEditedHere: Bool {
    guard !isGone, !flags.contains(.placeholder) else { return false }
    // A new position in a list is no change of the object.
    let edits = dirty.subtracting(fromResponse).subtracting(model.hidden)
    return !edits.isEmpty || (life == .new && dirty.isEmpty)
  }
}

extension ManagedEntity {
  /// Runs `awakeFromInsert` of a new object.
  func awakeIfNew() {
    if _$state.model.callbacks.contains(.awakes) { (self as? any AwakeningEntity)?.awakeFromInsert() }
  }
}
