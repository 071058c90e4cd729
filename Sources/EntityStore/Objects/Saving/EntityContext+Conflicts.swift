// Properties that others have changed since they were edited here; see ``ConflictPolicy``.

extension EntityContext {
  /// Saves all changes of the context, in one transaction or not at all. The calling thread waits.
  ///
  /// - Parameter conflicts: The policy for properties that others changed since they were edited here. It takes
  ///   precedence over those of the entity and the context.
  /// - Throws: ``StoreError``; the error of a custom policy. The changes are then still there.
  public func save(conflicts: ConflictPolicy) throws { try saving.saveNow(conflicts) }

  /// Saves all changes of the context without blocking its thread. Isolation: the caller's, which is the context's own.
  ///
  /// - Parameter conflicts: The policy for properties that others changed since they were edited here. It takes
  ///   precedence over those of the entity and the context.
  /// - Throws: ``StoreError``; the error of a custom policy; `CancellationError`. The changes are then still there.
  public nonisolated(nonsending) func save(conflicts: ConflictPolicy) async throws {
    do { return atCaller(try await saving.saveWhenFree(conflicts)) } catch { throw atCaller(error) }
  }

  /// Merges the commits of others, and reads an object again.
  ///
  /// Unsaved edits stay. From then on they are based on the row's present values, so the next save overwrites those.
  /// Edits that a save under way has taken are left to that save. An object whose row is gone becomes deleted.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - keepingEdits: Whether unsaved edits stay. Otherwise they are dropped, as by ``rollback(_:)``.
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
      let before = state.life == .unloaded ? RowValues(count: 0) : object.values(mask)
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

  /// Drops all unsaved changes and everything that the context has read: each object is read again at its next use.
  /// Objects keep their identity. Only new ones become deleted, as they have no row.
  ///
  /// ``rollback()`` drops only the changes: unchanged objects are not read again, because the context learns of each
  /// commit. Use a reset after a change that the context can't learn of, such as one by a program that writes to the
  /// file with SQL. In `background` both do the same. The method has little in common with
  /// ``EntityStore/EntityStore/reset(discardsPending:)``, which empties the store.
  ///
  /// A save under way is not cancelled; changes since it began are dropped.
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
  /// Bases unsaved edits on the row's present values.
  func rebase(_ state: ObjectState, _ columns: ColumnMask) throws {
    // An edit during a save is based on the value that the save writes.
    var edits = state.dirty.intersection(columns).subtracting(state.fromResponse.union(state.saving))
    // An edit of a lazy value then has no base: it overwrites any value, and the row's value is not read.
    state.forgetBases(edits.intersection(state.model.lazy))
    edits.subtract(state.model.lazy)
    guard !edits.isEmpty, let values = try context.edits.rowValues(state, edits) else { return }
    for index in edits.indices { state.setBase(values[index], row: values[index], of: index) }
  }

  /// The bases of an object's unsaved edits, for a save that takes the edits.
  func savedBases(of object: any ManagedEntity, _ state: ObjectState) -> EditBases {
    // Nobody else changes a row in the transaction of a unit.
    guard context.kind == .main, !state.bases.isEmpty else { return EditBases() }
    var bases = state.bases
    // Such a base is a value that a save under way writes. That save may yet fail or be cancelled, so its bases count
    // too.
    for index in state.dirty.intersection(state.saving).indices {
      for earlier in context.saves.inFlight.flatMap({ $0.bases(of: object, index) }) { bases.add(earlier, of: index) }
    }
    return bases
  }

  /// A save gives edits back. They get the bases that they had before the save.
  func giveBackBases(of entry: SavedChanges.Entry) {
    let state = entry.state
    guard context.kind == .main else { return state.forgetBases(entry.mask) }
    // A later save with the same columns has ended meanwhile. Where it wrote them, the row has the object's value.
    let overtaken = entry.mask.subtracting(state.saving).intersection(state.model.stored)
    var bases = state.bases
    bases.take(entry.mask.subtracting(overtaken), from: entry.bases)
    let written = entry.object.values(overtaken.subtracting(state.dirty))
    for index in written.mask.indices { bases.set(written[index], row: nil, of: index) }
    state.bases = bases
  }

  /// For more objects than this, no object is read, and the lists are told in turns of the main actor.
  private static let mostRead = 64

  /// Tells the lists about columns that have others' values after a save, in place of the saved ones. A list is told if
  /// one of these columns puts an object into the list, or decides on its place there. The commit of the others told
  /// those lists too, but until now they read the save's values.
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

  /// The links whose lists on the other side change with some columns: in their members, or in their order.
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
