import Observation

extension EntityContext {
  /// Saves all changes of the context, in one transaction or not at all.
  ///
  /// In the main context the calling thread waits for a unit of work that is running, at most `busyTimeout`. In
  /// `background` the changes go to the unit's own transaction, which is committed when the unit returns.
  ///
  /// - Throws: ``StoreError``. The changes are then still there: mend them and save again, or roll them back.
  public func save() throws {
    try throwDeferredError()
    guard kind != .reading else {
      if hasChanges { throw Self.readOnly }
      return
    }
    if kind == .unit {
      try flush()
      return try keepUnit()
    }
    guard hasChanges else { return }
    let saved = try takeChanges()
    do {
      try core.blockingUnit(from: id) { try saved.set.apply(to: $0) }
      end(saved)
    } catch {
      restore(saved)
      throw error
    }
    try merge()
  }

  /// Saves all changes of the context without holding up its thread. What is changed while it saves stays unsaved.
  ///
  /// Isolation: that of the caller, which is the context's own.
  ///
  /// - Throws: ``StoreError``. The changes are then still there: mend them and save again, or roll them back.
  public nonisolated(nonsending) func save() async throws {
    try throwDeferredError()
    guard kind == .main else { return try saveNow() }
    // One at a time: what a second save takes must not be what the first one still has to finish.
    while isSaving { await withCheckedContinuation { saveWaiters.append($0) } }
    guard hasChanges else { return }
    isSaving = true
    defer {
      isSaving = false
      let waiters = saveWaiters
      saveWaiters = []
      for waiter in waiters { waiter.resume() }
    }
    let saved = try takeChanges()
    let set = saved.set
    do {
      try await core.unit(from: id) { try set.apply(to: $0) }
      end(saved)
    } catch {
      restore(saved)
      throw error
    }
    try merge()
  }

  /// The synchronous save, for where overloading would pick the other one.
  private func saveNow() throws { try save() }

  /// Drops all unsaved changes: edited objects read as they are in the store, new ones become deleted.
  ///
  /// In `background` that is all since the unit began or last saved.
  public func rollback() {
    deferredError = nil
    if kind == .unit { rollbackUnit() }
    for number in changed.indices {
      for (pk, object) in changed[number] {
        let state = object._$state
        if state.flags.contains(.inserted), !state.flags.contains(.inserting) {
          state.flags.remove(.inserted)
          state.flags.insert(.deleted)
          notifyLater(object, nil)
        } else {
          if state.flags.contains(.deleting) {
            state.flags.remove(.deleting)
            notifyLater(object, nil)
          }
          let dropped = state.dirty
          state.stale.formUnion(dropped)
          state.dirty = ColumnMask()
          state.fromResponse = ColumnMask()
          for index in dropped.indices {
            notifyLater(object, index)
            linkDropped(state.model, index, object)
          }
        }
        pending[number].changed.insert(pk)
      }
      changed[number] = [:]
    }
    deliver()
  }

  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }

  /// Sends the changes of a unit to its transaction.
  package func flush() throws {
    guard let rows, hasChanges else { return }
    try rows.checkOpen()
    let saved = try takeChanges()
    do {
      try saved.set.apply(to: rows)
      end(saved)
    } catch {
      restore(saved)
      throw error
    }
  }

  // MARK: Units

  // A query sends a unit's changes to its transaction before they are saved; the savepoint tells the two apart.

  func beginUnit() throws { try connection.prepare("SAVEPOINT unsaved").run() }

  private func keepUnit() throws {
    try connection.prepare("RELEASE unsaved").run()
    try connection.prepare("SAVEPOINT unsaved").run()
  }

  private func rollbackUnit() {
    do {
      try connection.prepare("ROLLBACK TO unsaved").run()
    } catch {
      deferredError = error
    }
    for model in core.schema.entities { markAllStale(model) }
  }

  // MARK: Steps of a save

  /// What a save took, to be ended or given back.
  private struct Saved {
    var set = ChangeSet()
    var objects: [(object: any ManagedEntity, mask: ColumnMask, fromResponse: ColumnMask, wasInserted: Bool)] = []
    var deleted: [any ManagedEntity] = []
  }

  private func takeChanges() throws -> Saved {
    var saved = Saved()
    for number in changed.indices {
      // In the order the objects were made: a save writes the same rows the same way each time.
      for (pk, object) in changed[number].sorted(by: { $0.key < $1.key }) {
        let state = object._$state
        if state.flags.contains(.deleted) {
          guard !state.dirty.isEmpty else { continue }
          throw StoreError(
            .objectDeleted,
            "An object of '\(state.model.name)' (row \(pk)) was changed, but is deleted. Check isDeleted, and roll "
              + "the change back.")
        }
        if state.flags.contains(.deleting) {
          saved.set.deleted.append(.init(entity: number, pk: pk))
          saved.deleted.append(object)
          continue
        }
        let isInserted = state.flags.contains(.inserted) && !state.flags.contains(.inserting)
        saved.objects.append((object, state.dirty, state.fromResponse, isInserted))
        saved.set.rows.append(
          .init(
            entity: number, pk: pk, values: object.values(state.dirty), fromResponse: state.fromResponse,
            isInserted: isInserted, isPlaceholder: state.flags.contains(.placeholder)))
      }
    }
    for entry in saved.objects {
      let state = entry.object._$state
      state.saving.formUnion(entry.mask)
      state.dirty.subtract(entry.mask)
      state.fromResponse.subtract(entry.mask)
      if entry.wasInserted { state.flags.insert(.inserting) }
      for marker in state.sent { marker.saved(entry.mask) }
      state.sent.removeAll { $0.isOver }
      changed[state.model.number][state.pk] = entry.object
    }
    return saved
  }

  private func end(_ saved: Saved) {
    for entry in saved.objects {
      let state = entry.object._$state
      state.saving.subtract(entry.mask)
      state.edited.formUnion(entry.mask.subtracting(entry.fromResponse))
      if entry.wasInserted { state.flags.subtract([.inserted, .inserting]) }
      forget(entry.object)
    }
    for object in saved.deleted {
      object._$state.dirty = ColumnMask()
      markDeleted(object)
      forget(object)
    }
    deliver()
  }

  private func restore(_ saved: Saved) {
    for entry in saved.objects {
      let state = entry.object._$state
      state.saving.subtract(entry.mask)
      state.dirty.formUnion(entry.mask)
      state.fromResponse.formUnion(entry.fromResponse)
      if entry.wasInserted { state.flags.remove(.inserting) }
      changed[state.model.number][state.pk] = entry.object
      pending[state.model.number].changed.insert(state.pk)
    }
  }

  /// Lets go of an object that has no changes left.
  private func forget(_ object: any ManagedEntity) {
    let state = object._$state
    pending[state.model.number].changed.insert(state.pk)
    guard !state.hasChanges, state.saving.isEmpty else { return }
    changed[state.model.number][state.pk] = nil
  }

  private func linkDropped(_ model: EntityModel, _ index: Int, _ object: any ManagedEntity) {
    guard case .toOne = model.properties[index].kind else { return }
    // Which parents it left and enters is known once it is read again; both may have observers.
    guard case .toOne(let target, let inverse?, _) = model.properties[index].kind else { return }
    for parent in objects[target].live { notifyLater(parent, inverse) }
  }
}
