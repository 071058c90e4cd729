// A child context lies over its parent as the parent lies over the rows. A child reads an object from the unsaved
// changes of the parent, or else from its row. A query of the child runs over the parent's source. So a child sees
// everything that its parent sees.

extension EntityContext {
  /// Makes a context over this one, with objects of its own. Changes in the child are visible nowhere else until its
  /// `save()` makes them unsaved changes of this context. Then save this context. A child drops its changes when its
  /// last reference is gone.
  ///
  /// The child sees all changes of this context, also unsaved ones; its own unsaved edits take precedence. It may have
  /// children itself. Isolation: that of this context. To edit one object use ``edit(_:)``, and for a new object use
  /// ``draft(_:)``.
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
    // Reading `live` removes the children that are gone.
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
  /// Whether the context is a child of another context, which receives its saves.
  package var isChild: Bool { context.lineage.parent != nil }

  /// The context at the top, whose connection all contexts of the tree use.
  var root: EntityContext { context.lineage.parent?.family.root ?? self.context }

  /// The object of a context above with unsaved changes, which are not in the row; `nil` if no context above has such
  /// changes.
  func changedAbove(_ model: EntityModel, _ pk: Int64) -> (any ManagedEntity)? {
    guard let parent = context.lineage.parent else { return nil }
    guard let object = parent.unsaved.changed[model.number][pk] else { return parent.family.changedAbove(model, pk) }
    parent.fulfil(object)
    return object
  }

  /// The properties of an object that have unsaved edits in a context above.
  func editsAbove(_ model: EntityModel, _ pk: Int64) -> ColumnMask {
    guard let parent = context.lineage.parent else { return ColumnMask() }
    let edits = parent.unsaved.changed[model.number][pk]?._$state.unsavedEdits ?? ColumnMask()
    return edits.union(parent.family.editsAbove(model, pk))
  }

  /// Whether a context above has inserted the object and not saved it.
  func isInsertedAbove(_ model: EntityModel, _ pk: Int64) -> Bool {
    guard let parent = context.lineage.parent else { return false }
    return parent.unsaved.changed[model.number][pk]?._$state.isInserted == true
      || parent.family.isInsertedAbove(model, pk)
  }

  /// Loads the values of the parent's object.
  func load(from source: any ManagedEntity, into object: any ManagedEntity) {
    let (state, above) = (object._$state, source._$state)
    guard !above.isGone else { return loseRow(object, above) }
    let isUnloaded = state.life == .unloaded
    let mask = (isUnloaded ? state.model.stored : state.stale).subtracting(state.unsaved)
    let values = source.values(mask)
    object.loadColumns(RowReader(values, mask))
    // Where the parent has dropped a lazy value, so does the child.
    for index in mask.intersection(state.model.lazy).subtracting(values.mask).indices { state.keep(nil, index) }
    if isUnloaded, !state.model.callbacks.isEmpty { context.saving.noteAwaking(object, state.model) }
    state.edited = above.edited
    var inherited: ObjectState.Flags = above.flags.intersection([.placeholder, .editedByOthers, .madeHere])
    if state.flags.contains(.filled) { inherited.remove(.placeholder) }
    state.flags.subtract([.placeholder, .editedByOthers, .madeHere])
    state.flags.formUnion(inherited)
    state.foundRow()
    state.stale = ColumnMask()
  }

  /// The parent has deleted an object. The deletion may be taken back there, so the child keeps its changes.
  private func loseRow(_ object: any ManagedEntity, _ above: ObjectState) {
    let state = object._$state
    guard !state.isInserted, !state.isDeleting else { return }
    context.merging.markDeleted(object, keepsBases: above.isDeleting)
  }

  /// The parent has dropped everything that it has read.
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
    context.reading.drop()
    context.merging.takeOver(news, crowded, upTo: generation)
  }

  /// Unsaved changes of a row in the parent have changed.
  ///
  /// - Parameter columns: The columns that may have changed; `nil` where the row may have been inserted or deleted.
  func parentChanged(_ model: EntityModel, _ pk: Int64, _ columns: ColumnMask?) {
    // Last, because the children ask this context for its object.
    defer { for child in context.lineage.children.live { child.family.parentChanged(model, pk, columns) } }
    if !context.unsaved.keptLists.isEmpty { context.unsaved.keptLists.drop(model.number) }
    if !context.loaded.prefetched.hasNoLists { context.loaded.prefetched.rowPending(model, columns: columns) }
    guard let object = context.reading.observable(model, pk) else { return }
    let state = object._$state
    if let above = context.lineage.parent?.loaded.objects[model.number][pk]?._$state, above.isGone {
      loseRow(object, above)
    } else {
      // The parent took the deletion of the object back.
      if columns == nil { state.rowMayBeBack() }
      context.merging.rowChanged(model, pk, .updated, columns ?? model.all)
    }
    root.family.deliverLater()
  }

  /// Tells the observers of a property of a row, here and in the children. Some of these contexts may have no object of
  /// the row.
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

  /// Tells the observers of all children in a turn of its own, because the change may not be complete yet.
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
