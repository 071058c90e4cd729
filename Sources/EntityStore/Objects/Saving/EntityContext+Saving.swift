import Observation

extension EntityContext {
  /// Saves all changes of the context, in one transaction or not at all.
  ///
  /// In the main context the calling thread waits for a unit of work that is running, at most `busyTimeout`, and not for
  /// those that wait: a save goes before them. In `background` the changes go to the unit's own transaction, which is
  /// committed when the unit returns.
  ///
  /// Others may have changed properties since they were edited here: ``ConflictPolicy`` decides about those.
  ///
  /// - Throws: ``StoreError``, of kind `writerBusy` when the unit that is running took longer, and `conflict` where others
  ///   changed what was edited. The changes are then still there: mend them and save again, or roll them back.
  public func save() throws { try saveNow(nil) }

  /// - Parameter policy: That of the save itself.
  func saveNow(_ policy: ConflictPolicy?) throws {
    guard !isOver else { throw Self.over }
    guard !isDetached else { throw detachment }
    try throwMistakes()
    if let parent { return try save(to: parent, ConflictPolicies(save: policy, context: conflictPolicy)) }
    if kind == .unit {
      try flush()
      return isOfResponse ? () : try keepUnit()
    }
    guard hasChanges else { return discarded = [] }
    try prepareToSave()
    let saved = try collectChanges(ConflictPolicies(save: policy, context: conflictPolicy))
    let image = saveUndo?.box()
    do {
      end(saved, try core.blockingUnit(from: id) { try saved.set.apply(to: $0, image) })
    } catch {
      restore(saved)
      throw error
    }
    saveUndo?.saved(image)
    mergeSaved()
  }

  /// Saves all changes of the context without holding up its thread. Changes that are made while it saves stay unsaved.
  /// Like the synchronous save, it waits for the unit of work that is running, and for none that waits.
  ///
  /// Isolation: the caller's, which is the context's own.
  ///
  /// - Throws: ``StoreError``; `CancellationError` when the task was cancelled before the commit. The changes are then still
  ///   there: mend them and save again, or roll them back.
  public nonisolated(nonsending) func save() async throws {
    do { return atCaller(try await saveWhenFree(nil)) } catch { throw atCaller(error) }
  }

  nonisolated(nonsending) func saveWhenFree(_ policy: ConflictPolicy?) async throws {
    guard kind == .main, !isChild else { return try saveNow(policy) }
    // One at a time: a second save must not take changes that the first one still has to finish.
    while isSaving { await withCheckedContinuation { saveWaiters.append($0) } }
    // Setters may have been called while it waited.
    guard !isDetached else { throw detachment }
    try throwMistakes()
    guard hasChanges else { return discarded = [] }
    try prepareToSave()
    isSaving = true
    defer { endSaving() }
    let saved = try collectChanges(ConflictPolicies(save: policy, context: conflictPolicy))
    let set = saved.set
    let image = saveUndo?.box()
    do {
      end(saved, try await core.unit(from: id) { try set.apply(to: $0, image) })
    } catch {
      restore(saved)
      throw error
    }
    saveUndo?.saved(image)
    mergeSaved()
  }

  /// The next one that waits may save.
  func endSaving() {
    isSaving = false
    let waiters = saveWaiters
    saveWaiters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Takes over the save's own commit, and those before it. The changes are saved, whatever comes of that. Where the generation
  /// can't be read, the next read merges. Where the history can't be, all objects are then stale, and are read again when they
  /// are used.
  private func mergeSaved() { try? merge() }

  /// Throws an error that could not be thrown where it happened: in a setter, or in the read of a property.
  package func throwMistakes() throws {
    if let error = refusals.consume() { throw error }
    try throwDeferredError()
  }

  func throwDeferredError() throws {
    guard let error = deferredError else { return }
    deferredError = nil
    throw error
  }

  /// Sends the changes of a unit to its transaction, all or none of them.
  ///
  /// - Parameters:
  ///   - isForQuery: Whether that is only for a query to find them: a required link may then be set later, and
  ///     another object may still give up a unique value.
  ///   - inBatches: Whether the rows of a response may go to the file together. Where the file refuses one of them, the error
  ///     does not say which.
  /// - Throws: ``StoreError``; ``BatchFailure`` where it writes in batches.
  package func flush(isForQuery: Bool = false, inBatches: Bool = false) throws {
    guard let rows else { return }
    try rows.checkOpen()
    let sent = isForQuery ? objectsToCheck() : []
    if !isForQuery { try prepareToSave() }
    // Values may change hands among the objects of a response, which come one by one.
    let isEnd = !isForQuery && !isOfResponse
    if hasChanges {
      try write(to: rows, for: isForQuery ? .querying : .save, isEnd: isEnd, inBatches: inBatches)
      for map in objects { map.boxYoung() }
    } else {
      discarded = []
      if isEnd { try rows.uniqueness.settleUniqueValues() }
    }
    noteUnchecked(sent)
    if !isForQuery {
      try rows.checks.checkPostponed()
      try endOverwritten()
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
        let written = try isOfResponse ? saved.set.writeAll(to: rows, inBatches: inBatches) : saved.set.apply(to: rows)
        if isEnd { try rows.uniqueness.settleUniqueValues() }
        return written
      }
      end(saved, written)
    } catch {
      restore(saved)
      rowsRolledBack()
      throw error
    }
  }

  // MARK: Units

  // A query sends a unit's changes to its transaction before they are saved; the savepoint tells the two apart.

  func beginUnit() throws {
    try connection.prepare("SAVEPOINT unsaved").run()
    unitMark = rows?.mark
  }

  private func keepUnit() throws {
    keptLists = KeptLists()
    try connection.prepare("RELEASE unsaved").run()
    try beginUnit()
  }
}
