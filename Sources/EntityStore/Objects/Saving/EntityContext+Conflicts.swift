// Properties that others have changed since they were edited here; see ``ConflictPolicy``.

extension EntityContext {
  /// Saves all changes of the context, in one transaction or not at all. The calling thread waits.
  ///
  /// - Parameter conflicts: Decides about the properties that others changed since they were edited here, whatever the
  ///   entity and the context say.
  /// - Throws: ``StoreError``; the error of a custom policy. The changes are then still there.
  public func save(conflicts: ConflictPolicy) throws { try saving.saveNow(conflicts) }

  /// Saves all changes of the context without holding up its thread. Isolation: the caller's, which is the context's own.
  ///
  /// - Parameter conflicts: Decides about the properties that others changed since they were edited here, whatever the
  ///   entity and the context say.
  /// - Throws: ``StoreError``; the error of a custom policy; `CancellationError`. The changes are then still there.
  public nonisolated(nonsending) func save(conflicts: ConflictPolicy) async throws {
    do { return atCaller(try await saving.saveWhenFree(conflicts)) } catch { throw atCaller(error) }
  }

  /// Takes in what others have committed, and reads an object again.
  ///
  /// Unsaved edits stay. They are based on the values that the row has then, so that the next save writes them over those.
  /// Edits that a save under way has taken are left to it. An object whose row is gone becomes deleted.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - keepingEdits: Whether unsaved edits stay. Otherwise they are dropped, as ``rollback(_:)`` does.
  /// - Throws: ``StoreError``, of kind `wrongContext` among others.
  public func refresh<E: ManagedEntity>(_ object: E, keepingEdits: Bool = true) throws {
    let state = object._$state
    guard !saves.isOver else { throw StoreError.contextIsOver }
    guard state.context === self else { throw StoreError.foreign(object) }
    if !keepingEdits { try rollback(object) }
    try merging.entry {
      observers.catchUp(state)
      guard state.life != .deleted, !state.isInserted else { return }
      let mask = state.model.stored.subtracting(state.unsaved)
      let before = state.life == .fault ? RowValues(count: 0) : object.values(mask)
      state.stale.formUnion(mask)
      try reading.load(object)
      guard state.life != .deleted else { return }
      let after = object.values(before.mask)
      for index in before.mask.indices where !after[index].isIdentical(to: before[index]) {
        observers.notifyLater(object, index)
      }
      try saving.rebase(state, state.model.stored)
      for child in lineage.children.live { child.family.parentChanged(state.model, state.pk, state.model.stored) }
    }
  }

  /// Drops all unsaved changes and all that the context knows: each object is read again when it is next used. Objects stay
  /// what they are; only new ones become deleted, as nothing has them.
  ///
  /// ``rollback()`` drops the changes alone: what was read and not changed is not read again, as the context hears of each
  /// commit. A change that it can't hear of, as by a program that writes to the file with SQL, calls for a reset. In
  /// `background` both do the same. It is another thing than ``EntityStore/EntityStore/reset(discardsPending:)``, which
  /// empties the store.
  ///
  /// A save that is under way is not called off; changes since it began are dropped.
  public func reset() {
    guard kind == .main, !saves.isOver else { return rollback() }
    for model in core.schema.entities {
      observers.markAllStale(model)
      if !news.liveQueries.isEmpty { news.liveQueries.noteEdit(model.number, nil, nil) }
    }
    rollback()
    for child in lineage.children.live { child.family.parentReset() }
    guard !news.telling.isOver else { return }
    observers.tellSome()
    observers.deliver()
  }
}

extension ContextSaving {
  /// Bases unsaved edits on the values that the row has.
  func rebase(_ state: ObjectState, _ columns: ColumnMask) throws {
    // An edit on top of a save under way is based on what that one writes.
    var edits = state.dirty.intersection(columns).subtracting(state.fromResponse.union(state.saving))
    // An edit of a lazy value is based on nothing then: it counts as any, and the row's value is not read.
    state.forgetBases(edits.intersection(state.model.lazy))
    edits.subtract(state.model.lazy)
    guard !edits.isEmpty, let values = try context.edits.rowValues(state, edits) else { return }
    for index in edits.indices { state.setBase(values[index], row: values[index], of: index) }
  }

  /// The values that the unsaved edits of an object are based on, for a save that takes them.
  func savedBases(of object: any ManagedEntity, _ state: ObjectState) -> EditBases {
    // Nobody else changes a row in the transaction of a unit.
    guard context.kind == .main, !state.bases.isEmpty else { return EditBases() }
    var bases = state.bases
    // Based on a value that a save under way is to write: that one may yet fail or be cancelled.
    for index in state.dirty.intersection(state.saving).indices {
      for earlier in context.saves.inFlight.flatMap({ $0.bases(of: object, index) }) { bases.add(earlier, of: index) }
    }
    return bases
  }

  /// A save gives edits back. They are based on the values that they were based on before it.
  func giveBackBases(of entry: SavedChanges.Entry) {
    let state = entry.state
    guard context.kind == .main else { return state.forgetBases(entry.mask) }
    // A later save has ended meanwhile that had the same columns. Where it has written them, the row has what the object has.
    let overtaken = entry.mask.subtracting(state.saving).intersection(state.model.stored)
    var bases = state.bases
    bases.take(entry.mask.subtracting(overtaken), from: entry.bases)
    let written = entry.object.values(overtaken.subtracting(state.dirty))
    for index in written.mask.indices { bases.set(written[index], row: nil, of: index) }
    state.bases = bases
  }

  /// Of more objects the lists are told in turns of the main actor, and none of the objects is read.
  private static let mostRead = 64

  /// Columns of objects have others' values after a save, and not those that the save took: tells the lists that the objects
  /// are in by them, or have their places by. The commit of the others told those lists too, but they read as the save had it
  /// until now.
  func tellLists(of overtaken: [(object: any ManagedEntity, columns: ColumnMask)]) {
    guard !context.news.observed.isEmpty || !context.lineage.children.isEmpty else { return }
    let moved = overtaken.compactMap { object, columns in
      let links = links(of: object._$state.model, by: columns)
      return links.isEmpty ? nil : (object: object, links: links)
    }
    guard moved.count <= Self.mostRead else {
      let targets = moved.reduce(into: Set<Int>()) { targets, moved in
        for index in moved.links.indices {
          if case .toOne(let target, _, _) = moved.object._$state.model.properties[index].kind {
            targets.insert(target)
          }
        }
      }
      for target in targets { context.news.telling.beginAll(of: target) }
      if !context.news.telling.isOver { context.observers.tellSome() }
      return
    }
    for (object, links) in moved {
      tellLists(of: object, links)
      context.fulfil(object)
      tellLists(of: object, links)
    }
  }

  /// The links whose lists on the other side are others where columns have other values: also the order of a list is.
  private func links(of model: EntityModel, by columns: ColumnMask) -> ColumnMask {
    let places = columns.indices.reduce(into: ColumnMask()) { places, index in
      if let link = model.properties[index].positionOf { places.insert(link) }
    }
    return model.links.indices.reduce(into: ColumnMask()) { links, index in
      let isSorted = model.properties[index].sortKey.map { columns.contains($0) } ?? false
      if columns.contains(index) || places.contains(index) || isSorted { links.insert(index) }
    }
  }

  private func tellLists(of object: any ManagedEntity, _ links: ColumnMask) {
    let values = object.values(links)
    for index in links.indices {
      guard case .toOne(let target, let list?, _) = object._$state.model.properties[index].kind else { continue }
      context.family.tell(context.core.schema.entities[target], values.link(index), list)
    }
  }
}
