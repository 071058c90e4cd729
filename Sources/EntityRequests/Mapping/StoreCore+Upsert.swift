package import EntityStore

extension StoreCore {
  /// Upserts a response: one transaction on the writer. Nothing of it is written when anything fails, or when the task is
  /// cancelled before the commit.
  ///
  /// - Throws: ``MappingError``; ``StoreError``; `CancellationError`.
  package func upsert<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    try await unit { rows in
      let session = UpsertSession(self, sequence: upsert.sequence, keepsEdits: upsert.localEdits == .keep)
      let context = EntityContext.ofResponse(self, rows)
      let objects = ObjectMapper(context, session)
      let mapper = RowMapper(rows, session, objects)
      let outcome = try CurrentUpsert.with(objects) { try Self.run(upsert, mapper, session) }
      try context.throwMistakes()
      try Task.checkCancellation()
      rows.afterCommit {
        session.leaveMarks()
        upsert.walk?.add(session.mentioned)
      }
      return outcome
    }
  }

  /// Deletes a row that the server said is gone.
  ///
  /// - Returns: How many rows went, those by cascade included.
  package func delete<E: RemoteEntity>(_ id: EntityID<E>, sequence: RequestSequence.Number) async throws -> Int {
    try await unit { rows in
      let session = UpsertSession(self, sequence: sequence, keepsEdits: true)
      let model = try self.schema.model(E.self)
      if let found = try rows.find(model, pk: id.pk) {
        session.touch(model, model.uid.map { found.value($0) }, ColumnMask(), isDeletion: true)
        found.release()
      }
      let count = try rows.delete([.init(entity: model.number, pk: id.pk)])
      rows.afterCommit { session.leaveMarks() }
      return count
    }
  }

  private static func run<E: RemoteEntity>(
    _ upsert: ResponseUpsert<E>, _ mapper: RowMapper, _ session: UpsertSession
  ) throws -> ResponseOutcome<E> {
    let rows = mapper.rows
    var tally = Tally()
    let plan = session.plan(try rows.schema.model(E.self))
    if let known = try upsert.sent?.acknowledge(on: rows) { session.touch(plan.model, known.uid, known.mask) }
    let target: Int64?
    switch try self.target(of: upsert, plan, rows) {
    case .gone: return ResponseOutcome(ids: [], counts: EntityCounts())
    case .byUID: target = nil
    case .row(let pk): target = pk
    }
    session.counted = plan.model.number
    var isComplete = false
    if case .deleteMissing = upsert.missing { session.collected = plan.model.number }
    if upsert.walk != nil { session.collected = plan.model.number }
    if let value = upsert.value {
      let elements = value.array
      let count = elements?.count ?? 1
      isComplete = elements != nil
      var position = 0
      for element in elements.map(AnyCollection.init) ?? AnyCollection([value]) {
        if position % 64 == 0 { try Task.checkCancellation() }
        guard let object = element.object else {
          var error = MappingError(E.entityName, "", "", "an object was expected, and there is \(element.kindName)")
          error.position = position
          throw error
        }
        guard plan.recognizes(object) else {
          // The answer to a request on an object may say no more than that it went well.
          if upsert.target != nil, elements == nil { break }
          var error = MappingError(
            E.entityName, "", "",
            "it has neither '\(plan.uidKey)' nor another key of the entity. If the objects are under a key of the response, "
              + "name that as the envelope")
          error.position = elements == nil ? nil : position
          throw error
        }
        do {
          let outcome = try mapper.upsert(plan, object, target: target)
          tally.add(outcome, isNew: outcome.map { session.inserted.contains($0.pk) } ?? false)
        } catch var error as MappingError where elements != nil {
          error.position = error.position ?? position
          throw error
        }
        position += 1
        if position % 256 == 0 { upsert.progress?(Double(position) / Double(count)) }
      }
    }
    if !isComplete { upsert.walk?.breakOff() }
    if case .deleteMissing(let scope) = upsert.missing, isComplete,
      let before = upsert.walk.map(\.mentioned) ?? []
    {
      let kept = session.mentioned.union(before)
      (tally.counts.deleted, tally.counts.denied) = try deleteMissing(
        plan, scope, rows, session, keeping: kept, since: upsert.walk?.sequence)
    }
    tally.counts.deleted += session.deletions
    tally.counts.rowsWritten = rows.rowsWritten
    return ResponseOutcome(
      ids: tally.pks.map { EntityID(pk: $0) }, counts: tally.counts, unrecognized: session.unrecognized.all)
  }

  private enum Target {
    case row(Int64)
    /// The objects are those that their uids name.
    case byUID
    /// The object that the answer is about was deleted since the request was made.
    case gone
  }

  /// The row that a single object is: that of the object the request was made on, unless the answer names another one.
  private static func target<E: RemoteEntity>(
    of upsert: ResponseUpsert<E>, _ plan: MappingPlan, _ rows: RowWriter
  ) throws -> Target {
    guard let target = upsert.target, let object = upsert.value?.object else { return .byUID }
    let uid = try plan.uid(of: object)
    guard let found = try rows.find(plan.model, pk: target.pk) else {
      if upsert.targetIsUnsaved { return .row(target.pk) }
      // Another row may have it by now: one that this one turned out to be, or that came with a later list.
      guard let uid, let other = try rows.find(plan.model, uid: uid) else { return .gone }
      other.release()
      return .byUID
    }
    defer { found.release() }
    guard let index = plan.model.uid, let uid else { return .row(target.pk) }
    let current = found.value(index)
    return current.isNull || current.isIdentical(to: uid) ? .row(target.pk) : .byUID
  }

  private static func deleteMissing<E: RemoteEntity>(
    _ plan: MappingPlan, _ scope: EntityQuery<E>, _ rows: RowWriter, _ session: UpsertSession, keeping kept: Set<Int64>,
    since begin: RequestSequence.Number?
  ) throws -> (deleted: Int, denied: Int) {
    let missing = try rows.missing(plan.model, in: scope, keeping: kept).filter {
      // A newer answer has it: the list is older than the row.
      session.newer(plan.model, $0.uid, than: begin).map(\.isEmpty) ?? false
    }
    let keys = missing.map { RowWriter.RowKey(entity: plan.model.number, pk: $0.pk) }
    let denied = try rows.deleteWherePossible(keys).denied
    for (row, key) in zip(missing, keys) where !denied.contains(key) {
      session.touch(plan.model, row.uid, ColumnMask(), isDeletion: true)
    }
    return (missing.count - denied.count, denied.count)
  }

  /// The objects of a response in its order, each once, and what became of them.
  private struct Tally {
    private enum Fate { case unchanged, updated, inserted }

    private(set) var pks: [Int64] = []
    private var fates: [Int64: Fate] = [:]
    var counts = EntityCounts()

    mutating func add(_ outcome: RowMapper.Outcome?, isNew: Bool) {
      guard let outcome else { return }
      let fate: Fate = outcome.isInserted || isNew ? .inserted : outcome.isChanged ? .updated : .unchanged
      guard let before = fates[outcome.pk] else {
        pks.append(outcome.pk)
        fates[outcome.pk] = fate
        count(fate, 1)
        return
      }
      // The same object again: it is one, and counts for the most that became of it.
      guard before == .unchanged, fate == .updated else { return }
      fates[outcome.pk] = fate
      count(before, -1)
      count(fate, 1)
    }

    private mutating func count(_ fate: Fate, _ step: Int) {
      switch fate {
      case .unchanged: counts.unchanged += step
      case .updated: counts.updated += step
      case .inserted: counts.inserted += step
      }
    }
  }
}

extension EntityStore {
  package func upsert<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    try await core.upsert(upsert)
  }

  package func delete<E: RemoteEntity>(_ id: EntityID<E>, sequence: RequestSequence.Number) async throws -> Int {
    try await core.delete(id, sequence: sequence)
  }
}
