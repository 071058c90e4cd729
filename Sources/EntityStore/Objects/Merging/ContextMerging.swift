/// The commits of other contexts, and how the objects of a context take them over.
struct ContextMerging {
  let context: EntityContext
}

extension ContextMerging {
  /// Takes over a commit: marks objects stale, and records which observed columns changed. Nothing is read yet, so an
  /// object that nobody uses costs no more.
  ///
  /// - Parameter marked: The entities whose objects are all marked already.
  func apply(_ summary: CommitSummary, without marked: Set<Int> = []) {
    let isOwn = summary.origin == context.lineage.id
    // Memberships first: one that we want to remove may have been merged into another one, so that its row is gone too.
    let isOfLinks = { (forward: CommitSummary.Forward) in context.core.schema.entities[forward.entity].isLinks }
    for forward in summary.forwards where isOfLinks(forward) {
      rowForwarded(context.core.schema.entities[forward.entity], from: forward.from, to: forward.to)
    }
    for (number, changes) in summary.entities where !marked.contains(number) {
      let model = context.core.schema.entities[number]
      switch changes {
      case .all: context.observers.markAllStale(model)
      case .rows(let rows):
        forEachKnown(rows, number) { pk, change in
          let mask = isOwn ? change.mask.subtracting(change.direct) : change.mask
          // The object itself wrote the row, and has these values.
          if isOwn && mask.isEmpty && change.kind != .deleted { return }
          rowChanged(model, pk, change.kind, mask)
          if isOwn { noteEndedLinks(model, pk, mask) }
        }
      }
    }
    for forward in summary.forwards where !isOfLinks(forward) {
      rowForwarded(context.core.schema.entities[forward.entity], from: forward.from, to: forward.to)
    }
  }

  /// Calls `body` with the changes of rows that may have an object or an observer. It visits the smaller set: the
  /// changed rows, or the known ones.
  private func forEachKnown(
    _ rows: [Int64: CommitSummary.RowChange], _ number: Int, _ body: (Int64, CommitSummary.RowChange) -> Void
  ) {
    guard context.loaded.objects[number].count + context.news.observed.count < rows.count else {
      context.loaded.rowsVisited += rows.count
      for (pk, change) in rows { body(pk, change) }
      return
    }
    let known = Set(context.loaded.objects[number].rows + context.news.observed.rows(number))
    context.loaded.rowsVisited += known.count
    for pk in known { if let change = rows[pk] { body(pk, change) } }
  }

  /// Links of a row ended when the context itself deleted their targets. An unsaved edit of such a link is then no
  /// conflict with others.
  private func noteEndedLinks(_ model: EntityModel, _ pk: Int64, _ mask: ColumnMask) {
    let links = mask.intersection(model.links)
    guard !links.isEmpty, let state = context.loaded.objects[model.number][pk]?._$state else { return }
    for index in links.intersection(state.dirty).indices { state.addOwn(.null, of: index) }
  }

  /// Takes over a change of a row that its object did not make. `isDirect` marks a change that this context wrote from
  /// its objects.
  func rowChanged(
    _ model: EntityModel, _ pk: Int64, _ kind: CommitSummary.RowChange.Kind, _ mask: ColumnMask, isDirect: Bool = false
  ) {
    guard !isDirect else { return }
    if !context.unsaved.keptLists.isEmpty { context.unsaved.keptLists.drop(model.number) }
    context.loaded.prefetched.dropLists(model.number)
    guard let object = context.reading.observable(model, pk) else { return }
    let state = object._$state
    switch kind {
    case .deleted: markDeleted(object)
    case .inserted where state.life == .deleted:
      // Row ids are never reused, so an undo brought the row back.
      if isInTable(state) { rowIsBack(object) }
    case .inserted, .updated:
      guard state.life != .deleted else { return }
      // A response wrote the row of an object that is not saved yet.
      if kind == .inserted, state.isInserted { state.foundRow() }
      // The object's row in the overlay is built anew, with the columns that others changed.
      if context.unsaved.changed[model.number][pk] != nil { context.overlay.rowPending(model, pk) }
      let changed = mask.subtracting(state.unsaved)
      context.lists.listsChanged(of: object, mask)
      state.forgetRowValues(mask)
      state.staleAfterSave.formUnion(mask.intersection(state.saving))
      // `_edited` and `_placeholder` are read with the row, so the row becomes stale even if no column changed. A list
      // has no column, but its edit mark is in the row, so a changed list makes the row stale too.
      state.stale.formUnion(
        mask.isEmpty
          ? model.stored.subtracting(state.unsaved)
          : changed.intersection(model.stored)
            .union(mask.intersection(model.lists.union(model.embeddedLists).union(model.ordered))))
      tell(object, changed)
    }
  }

  /// Tells observers that properties of an object changed. While a commit is taken over, they are told later, in turns.
  ///
  /// - Parameter columns: The changed columns; `nil` for a deletion of the object.
  private func tell(_ object: any ManagedEntity, _ columns: ColumnMask?) {
    guard !context.news.isTakingOver else {
      let state = object._$state
      // Nobody has read the object, here or in a child.
      guard state.observers != nil || !context.lineage.children.isEmpty else { return }
      return context.news.telling.add(.init(entity: state.model.number, pk: state.pk, columns: columns))
    }
    guard let columns else { return context.observers.notifyLater(object, nil) }
    for index in columns.indices { context.observers.notifyLater(object, index) }
  }

  /// - Parameter keepsBases: Whether the row may come back. The bases of unsaved edits are then kept.
  func markDeleted(_ object: any ManagedEntity, keepsBases: Bool = false) {
    let state = object._$state
    guard state.life != .deleted else { return }
    let isEdited = context.unsaved.changed[state.model.number][state.pk] != nil
    if !keepsBases { state.bases = EditBases() }
    context.lists.tellUnsavedLists(with: object)
    // The object was deleted here too, so its earlier edits end with it.
    if state.isDeleting, !state.flags.contains(.editedAfterDelete) { state.dirty = ColumnMask() }
    state.lostRow()
    state.flags.remove(.filled)
    // A position in a list is no edit worth keeping.
    state.dirty.subtract(state.model.positions)
    // Edits of a deleted object stay: the next save throws, and a rollback drops them.
    if state.dirty.isEmpty { context.unsaved.letGo(of: state) }
    context.overlay.rowPending(state.model, state.pk, tellsQueries: isEdited || !context.news.isTakingOver)
    tell(object, nil)
  }

  /// The row of a deleted object exists again.
  func rowIsBack(_ object: any ManagedEntity) {
    let state = object._$state
    state.rowMayBeBack()
    state.forwardedTo = 0
    state.flags.subtract([.editedAfterDelete, .deletedThere])
    state.forgetRowValues(state.model.stored)
    state.stale = state.model.stored.subtracting(state.unsaved).union(state.model.lists)
    context.lists.listsChanged(of: object, state.model.all)
    if context.unsaved.changed[state.model.number][state.pk] != nil {
      context.overlay.rowPending(state.model, state.pk)
    }
    tell(object, nil)
    tell(object, state.model.all.subtracting(state.unsaved))
  }

  func isInTable(_ state: ObjectState) -> Bool {
    guard context.kind == .main else { return false }
    let found = try? context.connection.rows("SELECT 1 FROM \(state.model.table) WHERE _pk = ?", [.integer(state.pk)]) {
      _ in
      true
    }
    return found?.isEmpty == false
  }

  /// The rows of a unit went back to an earlier state, so all values that objects have read are stale.
  func rowsRolledBack() {
    context.reading.drop()
    for (number, map) in context.loaded.objects.enumerated() {
      let model = context.core.schema.entities[number]
      for object in map.live {
        let state = object._$state
        guard !state.isInserted else { continue }
        state.rowMayBeBack()
        state.forwardedTo = 0
        state.forgetRowValues(model.stored)
        state.stale = model.stored.subtracting(state.unsaved)
      }
    }
  }
}
