import EntityStore

/// The objects that updates by hand made or changed and that are not written yet, by uid. The next objects of the
/// response find them here.
final class PendingObjects {
  /// How many objects are written at once.
  static let batch = 256

  /// By the entity's number.
  private let rows: [UIDTable]
  private var flushes = 0

  init(entities: Int) { rows = (0..<entities).map { _ in UIDTable() } }

  subscript(entity: Int, uid: StoredValue) -> Int64? { rows[entity][uid] }

  func count(_ entity: Int) -> Int { rows[entity].count }

  func add(_ entity: Int, _ uid: StoredValue, _ pk: Int64) { rows[entity].add(uid, pk) }

  func remove(_ entity: Int, _ uid: StoredValue, _ pk: Int64) { rows[entity].remove(uid, pk) }

  /// Forgets all objects if they were written since the last call.
  ///
  /// - Parameter count: How often the context has sent its changes to the rows.
  func forget(ifFlushed count: Int) {
    guard flushes != count else { return }
    flushes = count
    for entity in rows.indices { rows[entity].removeAll() }
  }
}

extension ObjectTarget {
  /// Lets an object be found by its uid, though its row is not written.
  func notePending(_ model: EntityModel, _ uid: StoredValue, _ pk: Int64) {
    pending.forget(ifFlushed: context.answers.flushes)
    pending.add(model.number, uid, pk)
  }

  /// Notes whether an object that was updated has changes to be written.
  func noteUpdated(_ model: EntityModel, _ uid: StoredValue?, _ subject: Subject) throws {
    let pk = subject.state.pk
    let flushes = context.answers.flushes
    if subject.state.hasChanges {
      // Most objects were noted when they were made.
      if let uid, subject.pendingSince != flushes { notePending(model, uid, pk) }
    } else {
      pending.forget(ifFlushed: flushes)
      if let uid { pending.remove(model.number, uid, pk) }
      return
    }
    session.places.notePending(pk)
    // An object may nest any number of others, so the number of pending objects has a limit.
    if session.places.pendingCount >= 2 * PendingObjects.batch { try writePending() }
  }

  /// The row id of an object that is not written yet, by its uid. If other unwritten changes may have the uid, they are
  /// written first.
  func pendingRow(_ model: EntityModel, _ uid: StoredValue) throws -> Int64? {
    guard isUsed else { return nil }
    let count = context.answers.changedCount(model)
    if count == 0, pending.count(model.number) == 0 { return nil }
    pending.forget(ifFlushed: context.answers.flushes)
    if let pk = pending[model.number, uid] { return pk }
    if context.kind == .unit, count > pending.count(model.number) { try context.saving.flush(isForQuery: true) }
    return nil
  }

  /// Writes the pending objects, if any is of an entity whose rows are needed now.
  func writePending(of model: EntityModel) throws {
    if isUsed, context.answers.changedCount(model) != 0 { try writePending() }
  }

  /// Writes the pending objects. Required objects and the owners of unique values may still follow.
  func writePending() throws {
    guard context.kind == .unit, context.hasChanges else { return }
    try context.saving.flush(isForQuery: true)
    session.places.clearPending()
  }

  /// Writes a batch of whole objects.
  ///
  /// - Throws: ``StoreError``; ``ObjectReading`` names the place of its object. ``BatchFailure``.
  func writeBatch() throws {
    lookAhead?.release()
    try context.saving.flush(inBatches: isBatching)
    session.places.clearPending()
  }

  var hasFullBatch: Bool { session.places.pendingCount >= PendingObjects.batch }
}
