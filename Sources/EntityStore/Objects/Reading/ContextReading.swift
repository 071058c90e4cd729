import Observation

extension EntityContext {
  /// Loads the values that are missing or out of date.
  @usableFromInline func fulfil(_ object: any ManagedEntity) {
    let state = object._$state
    if state.attention.bits == 0 { return }
    guard state.epoch != news.epoch || state.life == .unloaded || !state.stale.isEmpty else { return }
    observers.catchUp(state)
    guard state.life == .unloaded || !state.stale.isEmpty else { return }
    // A deleted object keeps its last values; one that was deleted before it was read has none.
    guard state.life != .deleted else { return }
    do {
      try merging.entry(isGetter: true) {
        guard state.life != .unloaded else { return try reading.loadUnloaded(object) }
        loaded.counters.counts.refreshes += 1
        try reading.load(object)
      }
    } catch {
      // A property can't throw. The object keeps its last values, and the next call that can throw throws the error.
      unsaved.deferredError = error
    }
  }
}

/// The reads of a context: values of objects, related objects, reads ahead, statements.
@usableFromInline package struct ContextReading {
  @usableFromInline let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextReading {
  /// Drops the lists and objects that were read for later use, as any row may have changed.
  func drop() {
    context.unsaved.keptLists.dropAll()
    context.loaded.prefetched.dropAll()
  }

  /// Reads the object's row, which may be gone.
  func load(_ object: any ManagedEntity) throws {
    let state = object._$state
    // The merge at the entry may have found that the object was deleted.
    guard state.life != .deleted else { return }
    if let above = context.family.changedAbove(state.model, state.pk) {
      return context.family.load(from: above, into: object)
    }
    let statement = try context.connection.prepare(state.model.selectByPK)
    defer { statement.reset() }
    try statement.bind(state.pk, at: 1)
    if try statement.step() {
      load(statement, into: object)
    } else if !state.isInserted {
      context.merging.markDeleted(object)
    }
  }

  /// Loads the row under the cursor into its object.
  func load(_ statement: Statement, into object: any ManagedEntity) {
    let state = object._$state
    context.observers.catchUp(state)
    let isUnloaded = state.life == .unloaded
    let mask = (isUnloaded ? state.model.stored : state.stale).subtracting(state.unsaved)
    object.loadColumns(RowReader(statement, mask, offset: EntityModel.resultOffset))
    if let displaced = displacedValues(state) { object.loadColumns(RowReader(displaced, mask)) }
    loadMarks(statement, into: state)
    let isPlaceholder = state.model.hasPlaceholders && statement.int64(2) != 0 && !state.flags.contains(.filled)
    if isPlaceholder { state.flags.insert(.placeholder) } else { state.flags.remove(.placeholder) }
    state.foundRow()
    state.stale = ColumnMask()
    if isUnloaded, !state.model.callbacks.isEmpty { context.saving.noteAwaking(object, state.model) }
  }

  /// The values that a row of the unit gave up to another row. The object keeps them until the unit ends.
  func displacedValues(_ state: ObjectState) -> RowValues? {
    guard let rows = context.rows, rows.uniqueness.hasDisplaced else { return nil }
    return rows.uniqueness.displaced[.init(entity: state.model.number, pk: state.pk)]
  }

  /// The objects of the rows of a statement. It is not generic, because a generic function would look up the type of
  /// its array for each row.
  func objects(_ model: EntityModel, of statement: Statement) throws -> [AnyObject] {
    defer { statement.reset() }
    var objects: [AnyObject] = []
    while try statement.step() { objects.append(object(model, from: statement)) }
    return objects
  }

  /// The object of the row under the cursor.
  func object(_ model: EntityModel, from statement: Statement) -> any ManagedEntity {
    let pk = statement.int64(0)
    guard let object = context.loaded.objects[model.number][pk] else { return newObject(model, pk, from: statement) }
    let state = object._$state
    context.observers.catchUp(state)
    // Another store or process undid the deletion of the object.
    if state.life == .deleted, context.kind == .main, !context.family.isChild { context.merging.rowIsBack(object) }
    let isOutOfDate = state.life == .unloaded || !state.stale.isEmpty
    if isOutOfDate, !state.isInserted { load(statement, into: object) }
    return object
  }

  /// The first object of the row under the cursor. It has neither edits nor stale values.
  private func newObject(_ model: EntityModel, _ pk: Int64, from statement: Statement) -> any ManagedEntity {
    let state = ObjectState(model, pk: pk, context: context, life: .saved)
    takeObservers(state)
    let object = model.makeObject(state)
    object.loadColumns(RowReader(statement, model.stored, offset: EntityModel.resultOffset))
    if let displaced = displacedValues(state) { object.loadColumns(RowReader(displaced, model.stored)) }
    if !statement.isNull(1) { loadMarks(statement, into: state) }
    if model.hasPlaceholders, statement.int64(2) != 0 { state.flags.insert(.placeholder) }
    context.loaded.objects[model.number].insert(object, pk)
    if !model.callbacks.isEmpty { context.saving.noteAwaking(object, model) }
    return object
  }

  /// Gives a new object the registrar of its row. Only the main context and its children have any.
  @inline(__always) private func takeObservers(_ state: ObjectState) {
    guard context.kind == .main else { return }
    state.observers = context.news.observed.observers(state.model.number, state.pk)
  }

  private func loadMarks(_ statement: Statement, into state: ObjectState) {
    let marks = state.model.edited(statement)
    state.edited = marks.known
    if marks.isNew { state.flags.insert(.madeHere) } else { state.flags.remove(.madeHere) }
    if marks.others == nil { state.flags.remove(.editedByOthers) } else { state.flags.insert(.editedByOthers) }
  }

  /// The object of a row, if it is loaded or may be observed.
  func observable(_ model: EntityModel, _ pk: Int64) -> (any ManagedEntity)? {
    if let object = context.loaded.objects[model.number][pk] { return object }
    // Only the main context has observers.
    guard context.kind == .main, context.news.observed.observers(model.number, pk) != nil else { return nil }
    return object(model, pk)
  }

  /// The object of a row. A new one is not loaded yet.
  func object(_ model: EntityModel, _ pk: Int64) -> any ManagedEntity {
    if let object = context.loaded.objects[model.number][pk] { return object }
    let state = ObjectState(model, pk: pk, context: context, life: .unloaded)
    takeObservers(state)
    let object = model.makeObject(state)
    context.loaded.objects[model.number].insert(object, pk)
    return object
  }
}
