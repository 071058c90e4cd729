// A child context lies over its parent as a parent lies over the rows: an object is read from the unsaved changes of the
// parent, or else from its row, and a query runs over the parent's source. So a child sees all that its parent does.

extension EntityContext {
  /// Makes a context over this one. Its objects are its own: what is set of them is seen nowhere else until its `save()`
  /// makes it unsaved changes of this context, which saves them in its turn. A child that is let go of drops its changes.
  ///
  /// It sees all changes of this context, those that are not saved too; an unsaved edit of its own counts more. It may have
  /// children itself. Isolation: that of this context. For one object there is ``edit(_:)``, and ``draft(_:)`` for a new one.
  ///
  /// - Throws: ``StoreError`` of kind `wrongContext` in a context of `background` or `read`; `storeGone`.
  public func child() throws -> EntityContext {
    guard kind == .main else {
      throw StoreError(
        .wrongContext,
        "A context of `background` or `read` ends with its closure and has no children: use the main context.")
    }
    guard !isDetached else { throw detachment }
    let child = EntityContext(core, kind: .main, connection: connection, parent: self)
    child.batchesFaults = batchesFaults
    // Those that are gone make room.
    _ = lineage.children.live
    lineage.children.add(child)
    return child
  }
}

/// The drafts and children of a context, and its parent.
@usableFromInline package struct ContextFamily {
  @usableFromInline let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextFamily {
  /// Whether it is a child of another context, which saves its changes in its turn.
  package var isChild: Bool { context.lineage.parent != nil }

  /// The context at the top, whose connection all use.
  var root: EntityContext { context.lineage.parent?.family.root ?? self.context }

  /// An object that a context above has unsaved changes of, which are not in the rows; `nil` where none has.
  func changedAbove(_ model: EntityModel, _ pk: Int64) -> (any ManagedEntity)? {
    guard let parent = context.lineage.parent else { return nil }
    guard let object = parent.unsaved.changed[model.number][pk] else { return parent.family.changedAbove(model, pk) }
    parent.fulfil(object)
    return object
  }

  /// The properties of an object that a context above has unsaved edits of.
  func editsAbove(_ model: EntityModel, _ pk: Int64) -> ColumnMask {
    guard let parent = context.lineage.parent else { return ColumnMask() }
    let edits = parent.unsaved.changed[model.number][pk]?._$state.unsavedEdits ?? ColumnMask()
    return edits.union(parent.family.editsAbove(model, pk))
  }

  /// Whether a context above has inserted an object, and not saved it.
  func isInsertedAbove(_ model: EntityModel, _ pk: Int64) -> Bool {
    guard let parent = context.lineage.parent else { return false }
    return parent.unsaved.changed[model.number][pk]?._$state.isInserted == true
      || parent.family.isInsertedAbove(model, pk)
  }

  /// Takes the values of the parent's object.
  func load(from source: any ManagedEntity, into object: any ManagedEntity) {
    let (state, above) = (object._$state, source._$state)
    guard !above.isGone else { return loseRow(object, above) }
    let isFault = state.life == .fault
    let mask = (isFault ? state.model.stored : state.stale).subtracting(state.unsaved)
    let values = source.values(mask)
    object.loadColumns(RowReader(values, mask))
    // The parent may have let go of a lazy value, and so does the child.
    for index in mask.intersection(state.model.lazy).subtracting(values.mask).indices { state.keep(nil, index) }
    if isFault, !state.model.hooks.isEmpty { context.saving.noteAwaking(object, state.model) }
    state.edited = above.edited
    var inherited: ObjectState.Flags = above.flags.intersection([.placeholder, .editedByOthers, .madeHere])
    if state.flags.contains(.filled) { inherited.remove(.placeholder) }
    state.flags.subtract([.placeholder, .editedByOthers, .madeHere])
    state.flags.formUnion(inherited)
    state.foundRow()
    state.stale = ColumnMask()
  }

  /// The parent has deleted an object, which may be taken back there: the changes of the child outlive that.
  private func loseRow(_ object: any ManagedEntity, _ above: ObjectState) {
    let state = object._$state
    guard !state.isInserted, !state.isDeleting else { return }
    context.merging.markDeleted(object, keepsBases: above.isDeleting)
  }

  /// The parent has forgotten all that it has read.
  func parentReset() {
    context.loaded.prefetched.dropAll()
    for model in context.core.schema.entities { context.observers.markAllStale(model) }
    if !context.news.telling.isOver { context.observers.tellSome() }
    root.family.deliverLater()
    for child in context.lineage.children.live { child.family.parentReset() }
  }

  // MARK: News of the parent

  /// The parent took over commits.
  func parentMerged(_ news: CommitNews, _ crowded: Set<Int>, upTo generation: Int64) {
    context.dropReads()
    context.merging.takeOver(news, crowded, upTo: generation)
  }

  /// Unsaved changes of a row in the parent are others than before.
  ///
  /// - Parameter columns: The columns that may have other values; `nil` where the row may have come or gone.
  func parentChanged(_ model: EntityModel, _ pk: Int64, _ columns: ColumnMask?) {
    // The children ask whether the object of this context is there.
    defer { for child in context.lineage.children.live { child.family.parentChanged(model, pk, columns) } }
    if !context.unsaved.keptLists.isEmpty { context.unsaved.keptLists.drop(model.number) }
    if !context.loaded.prefetched.hasNoLists { context.loaded.prefetched.rowPending(model, columns: columns) }
    guard let object = context.reading.observable(model, pk) else { return }
    let state = object._$state
    if let above = context.lineage.parent?.loaded.objects[model.number][pk]?._$state, above.isGone {
      loseRow(object, above)
    } else {
      // Its deletion was taken back.
      if columns == nil { state.rowMayBeBack() }
      context.merging.rowChanged(model, pk, .updated, columns ?? model.all)
    }
    root.family.deliverLater()
  }

  /// Tells the observers of a property of a row, here and in the children. There may be an object in some of them alone.
  func tell(_ model: EntityModel, _ pk: Int64, _ property: Int) {
    if let object = context.reading.observable(model, pk) { return context.observers.notifyLater(object, property) }
    for child in context.lineage.children.live { child.family.parentTold(model, pk, property) }
  }

  /// The parent tells the observers of an object.
  func parentTold(_ model: EntityModel, _ pk: Int64, _ property: Int?) {
    guard let object = context.reading.observable(model, pk) else {
      for child in context.lineage.children.live { child.family.parentTold(model, pk, property) }
      return
    }
    context.observers.notifyLater(object, property)
    root.family.deliverLater()
  }

  /// Tells the observers of all children in a turn of its own: the change that they are to hear of may not be done yet.
  func deliverLater() {
    guard !context.lineage.isDeliveryScheduled, let store = context.core.store else { return }
    context.lineage.isDeliveryScheduled = true
    store.scheduleDelivery()
  }

  /// Tells the observers of all children.
  func deliverToChildren() {
    context.lineage.isDeliveryScheduled = false
    for child in context.lineage.children.live {
      child.observers.deliver()
      child.family.deliverToChildren()
    }
  }
}
