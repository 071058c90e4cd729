import Observation

extension EntityContext {
  /// Saves all changes of the context, in one transaction or not at all.
  ///
  /// In the main context the calling thread waits for the running unit of work, at most `busyTimeout`. It does not wait
  /// for queued units: a save goes before them. In `background` the changes go to the unit's own transaction, which is
  /// committed when the unit returns.
  ///
  /// Others may have changed properties since they were edited here: ``ConflictPolicy`` decides about these.
  ///
  /// - Throws: ``StoreError``, of kind `writerBusy` when the running unit took longer, and `conflict` when others
  ///   changed the edited properties. The changes stay unsaved: correct them and save again, or roll them back.
  public func save() throws { try saving.saveNow(nil) }

  /// Saves all changes of the context without blocking its thread. Changes that are made during the save stay unsaved.
  /// Like the synchronous save, it waits for the running unit of work, and for no queued one.
  ///
  /// Isolation: the caller's, which is the context's own.
  ///
  /// - Throws: ``StoreError``; `CancellationError` when the task was cancelled before the commit. The changes stay
  ///   unsaved: correct them and save again, or roll them back.
  public nonisolated(nonsending) func save() async throws {
    do { return atCaller(try await saving.saveWhenFree(nil)) } catch { throw atCaller(error) }
  }
}

/// The saves and rollbacks of a context.
@usableFromInline package struct ContextSaving {
  @usableFromInline let context: EntityContext

  @inlinable init(context: EntityContext) { self.context = context }
}

extension ContextSaving {
  /// Writes the changes of a unit of work so far.
  package func flushUnit() throws {
    try throwMistakes()
    try flush()
  }

  /// Saves in these steps: callbacks and rules of the entities, then the changes are taken out of the objects
  /// (``SavedChanges``), then one unit writes them (``ChangeSet``), then the objects are clean, or unsaved again
  /// (`ContextSaving+Ending.swift`), then the context merges the commit.
  ///
  /// - Parameter policy: The policy of the save itself.
  func saveNow(_ policy: ConflictPolicy?) throws {
    guard !context.saves.isOver else { throw StoreError.contextIsOver }
    guard !context.isDetached else { throw context.detachment }
    try throwMistakes()
    if let parent = context.lineage.parent {
      return try context.family.save(to: parent, ConflictPolicies(save: policy, context: context.conflictPolicy))
    }
    if context.kind == .unit {
      try flush()
      return context.isOfResponse ? () : try keepUnit()
    }
    // A save under way is waited for, also where nothing was changed since.
    guard context.holdsChanges else { return context.unsaved.discarded = [] }
    try prepareToSave()
    let saved = try collectChanges(ConflictPolicies(save: policy, context: context.conflictPolicy))
    let image = context.saves.saveUndo?.box()
    do {
      end(saved, try context.core.blockingUnit(from: context.lineage.id) { try saved.set.apply(to: $0, image) })
    } catch {
      restore(saved)
      throw error
    }
    context.saves.saveUndo?.saved(image)
    mergeSaved()
  }

  nonisolated(nonsending) func saveWhenFree(_ policy: ConflictPolicy?) async throws {
    guard context.kind == .main, !context.family.isChild else { return try saveNow(policy) }
    // One save at a time: a second save must not take changes that the first has not finished.
    while context.saves.isSaving { await withCheckedContinuation { context.saves.saveWaiters.append($0) } }
    // Setters may have been called during the wait.
    guard !context.isDetached else { throw context.detachment }
    try throwMistakes()
    guard context.hasChanges else { return context.unsaved.discarded = [] }
    try prepareToSave()
    context.saves.isSaving = true
    defer { endSaving() }
    let saved = try collectChanges(ConflictPolicies(save: policy, context: context.conflictPolicy))
    let set = saved.set
    let image = context.saves.saveUndo?.box()
    do {
      let origin = UnitOrigin(context: context.lineage.id)
      end(saved, try await context.core.unit(from: origin) { try set.apply(to: $0, image) })
    } catch {
      restore(saved)
      throw error
    }
    context.saves.saveUndo?.saved(image)
    mergeSaved()
  }

  /// Lets the next waiting save begin.
  func endSaving() {
    context.saves.isSaving = false
    let waiters = context.saves.saveWaiters
    context.saves.saveWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Merges the save's own commit, and earlier ones. The changes are saved even if this fails. If the generation can't
  /// be read, the next read merges. If the history can't be read, all objects become stale, and each is read again when
  /// it is used.
  private func mergeSaved() { try? context.merging.merge() }

  /// Throws an error that could not be thrown where it happened: in a setter, or while a property was read.
  package func throwMistakes() throws {
    if let error = context.unsaved.refusals.consume() { throw error }
    try throwDeferredError()
  }

  func throwDeferredError() throws {
    guard let error = context.unsaved.deferredError else { return }
    context.unsaved.deferredError = nil
    throw error
  }

  /// Sends the changes of a unit to its transaction, all or none of them.
  ///
  /// - Parameters:
  ///   - isForQuery: `true` when the changes are sent only so that a query finds them. Then a required link may still
  ///     be set later, and another object may still give up a unique value.
  ///   - inBatches: Whether rows of a response may be written in batches. If the file refuses a row, the error does not
  ///     say which.
  /// - Throws: ``StoreError``; ``BatchFailure`` if it writes in batches.
  package func flush(isForQuery: Bool = false, inBatches: Bool = false) throws {
    guard let rows = context.rows else { return }
    try rows.checkOpen()
    let sent = isForQuery ? objectsToCheck() : []
    if !isForQuery { try prepareToSave() }
    // The objects of a response come one by one, so one may take a unique value before another has given it up.
    let isEnd = !isForQuery && !context.isOfResponse
    if context.hasChanges {
      try write(to: rows, for: isForQuery ? .querying : .save, isEnd: isEnd, inBatches: inBatches)
      for map in context.loaded.objects { map.boxYoung() }
    } else {
      context.unsaved.discarded = []
      if isEnd { try rows.uniqueness.settleUniqueValues() }
    }
    noteUnchecked(sent)
    if !isForQuery {
      try rows.checks.checkPostponed()
      try context.answers.endOverwritten()
      rows.collisions.insertedForQuery = []
      saveHooksDone()
    }
  }

  private func write(
    to rows: RowWriter, for purpose: RowEdit.Purpose, isEnd: Bool, inBatches: Bool
  ) throws {
    var saved = try collectObjects()
    saved.set.purpose = purpose
    do {
      let written = try rows.atomically {
        addRows(to: &saved)
        let written =
          try context.isOfResponse ? saved.set.writeAll(to: rows, inBatches: inBatches) : saved.set.apply(to: rows)
        if isEnd { try rows.uniqueness.settleUniqueValues() }
        return written
      }
      end(saved, written)
    } catch {
      restore(saved)
      context.merging.rowsRolledBack()
      throw error
    }
  }

  // MARK: Units

  // A query sends a unit's changes to its transaction before they are saved. The savepoint separates sent changes from
  // saved ones.

  func beginUnit() throws {
    try context.connection.prepare("SAVEPOINT unsaved").run()
    context.saves.unitMark = context.rows?.mark
  }

  private func keepUnit() throws {
    context.unsaved.keptLists = KeptLists()
    try context.connection.prepare("RELEASE unsaved").run()
    try beginUnit()
  }
}
