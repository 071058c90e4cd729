import EntityJSON
package import EntityStore

extension StoreCore {
  /// Upserts a response: one transaction on the writer. Nothing of it is written when anything fails, or when the task is
  /// cancelled before the commit.
  ///
  /// - Throws: ``MappingError``; ``StoreError``; `CancellationError`.
  package func upsert<E: RemoteEntity>(_ upsert: ResponseUpsert<E>) async throws -> ResponseOutcome<E> {
    try await unit { rows in
      let session = UpsertSession(self, sequence: upsert.sequence, upsert.localEdits.policy, skips: SkipLog())
      rows.skips = session.skips
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
      let session = UpsertSession(self, sequence: sequence, .keepingEdits)
      let model = try self.schema.model(E.self)
      if let found = try rows.find(model, pk: id.pk) {
        session.touch(model, model.uid.map { found.value($0) }, ColumnMask(), isDeletion: true)
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
    rows.valueTaken = { session.noteClaim($0) }
    var own = Tally()
    var parts = try PartReading(upsert.parts, mapper)
    var reading = ObjectReading(session, total: upsert.objectCount, progress: upsert.progress)
    let plan = E.self == EntityDocument.self ? nil : session.plan(try rows.schema.model(E.self))
    if let plan { try takeOwn(upsert, plan, mapper, &own, &reading) }
    try parts.take(&reading)
    let gone = session.gone
    if !gone.isEmpty {
      own.remove { gone[$0] != nil }
      parts.remove(gone)
    }
    try session.settlePostponed(mapper) { gone[$0] == nil }
    // What is missing from a walk is known with its last page.
    var missing: [MissingRow] = []
    var missingFromParts: [MissingRow] = []
    // Put together for the last page only: a walk may have had a million rows.
    var kept: Set<Int64> { upsert.walk.map { session.mentioned.union($0.mentioned) } ?? session.mentioned }
    if case .deleteMissing(let scope) = upsert.missing, plan != nil, upsert.value?.array != nil {
      missing = try self.missing(scope, rows, session, keeping: kept, since: upsert.walk?.sequence)
    }
    if upsert.deletesMissingFromParts {
      missingFromParts = try parts.missing(besides: missing, keeping: kept, since: upsert.walk?.sequence)
    }
    // All at once: what is missing of one entity may be what keeps that of another, or what is said to be deleted.
    let goneKeys = gone.map { RowWriter.RowKey(entity: $0.value.model.number, pk: $0.key) }
    let denied = try rows.deleteWherePossible(goneKeys + (missing + missingFromParts).map(\.key)).denied
    var others = EntityCounts()
    for (key, row) in zip(goneKeys, gone.values) {
      let isDenied = denied.contains(key)
      if isDenied { session.stays(row.model, row.uid) }
      if row.isOwn {
        own.counts.noteGone(row, isDenied: isDenied)
      } else if !parts.noteGone(row, isDenied: isDenied) {
        others.noteGone(row, isDenied: isDenied)
      }
    }
    if !denied.isEmpty { try session.settlePostponed(mapper) { gone[$0] != nil } }
    try session.settleUniqueValues(rows)
    for row in missing { own.noteMissing(row, denied, session) }
    for row in missingFromParts { parts.noteMissing(row, denied) }
    let outcomes = parts.outcomes
    var counts = plan == nil ? outcomes.total : own.counts
    counts.add(others)
    counts.rowsWritten = rows.rowsWritten
    return ResponseOutcome(
      ids: own.pks.map { EntityID(pk: $0) }, counts: counts, unrecognized: session.unrecognized.all,
      skipped: try session.skips?.changes(rows) ?? SkippedChanges(), parts: outcomes)
  }

  /// Takes the response's own objects.
  private static func takeOwn<E: RemoteEntity>(
    _ upsert: ResponseUpsert<E>, _ plan: MappingPlan, _ mapper: RowMapper, _ tally: inout Tally,
    _ reading: inout ObjectReading
  ) throws {
    let session = mapper.session
    let rows = mapper.rows
    if let known = try upsert.sent?.acknowledge(on: rows, sentLater: { session.sentLater(plan.model, $0) }) {
      session.take(known, of: plan.model)
    }
    let target: Int64?
    switch try self.target(of: upsert, plan, rows) {
    case .gone:
      let uid = try upsert.value?.object.flatMap { try plan.uid(of: $0) }
      session.skips?.noteGone(plan.model, uid: uid, pk: upsert.target?.pk ?? 0)
      return
    case .byUID: target = nil
    case .row(let pk): target = pk
    }
    session.counted.insert(plan.model.number)
    session.ownEntity = plan.model.number
    defer { session.ownEntity = nil }
    if case .deleteMissing = upsert.missing { session.collected.insert(plan.model.number) }
    if upsert.walk != nil { session.collected.insert(plan.model.number) }
    guard let value = upsert.value else { return }
    // The answer to a write may say what was made.
    if plan.uidType == nil, upsert.target == nil, !upsert.isOfWrite {
      throw plan.anonymousError("response by itself")
    }
    try reading.forEachObject(of: value, in: nil, as: E.entityName) { object in
      let isAboutTarget = upsert.target != nil && value.object != nil
      // Nor does one that says that the object is deleted need to name it.
      guard plan.recognizes(object) || isAboutTarget && plan.isDeletion(object) else {
        // The answer to a request on an object may say no more than that it went well.
        if isAboutTarget { return }
        throw plan.notRecognized("neither '\(plan.uidKey)' nor another key of the entity")
      }
      // The lists of a document may have the names of the entity's own.
      if !upsert.parts.isEmpty, upsert.target == nil, plan.uidType != nil, try plan.uid(of: object) == nil {
        throw plan.notRecognized("no '\(plan.uidKey)'")
      }
      let outcome = try mapper.upsert(plan, object, target: target)
      tally.add(outcome, isNew: outcome.map { session.inserted.contains($0.pk) } ?? false)
    }
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
      guard let uid, try rows.current(plan.model, uid: uid) != nil else { return .gone }
      return .byUID
    }
    guard let index = plan.model.uid, let uid else { return .row(target.pk) }
    let current = found.value(index)
    return current.isNull || current.isIdentical(to: uid) ? .row(target.pk) : .byUID
  }

  /// The rows of a scope that a response lacks.
  static func missing<E: ManagedEntity>(
    _ scope: EntityQuery<E>, _ rows: RowWriter, _ session: UpsertSession, keeping kept: Set<Int64>,
    since begin: RequestSequence.Number?
  ) throws -> [MissingRow] {
    let model = try rows.schema.model(E.self)
    let missing = try rows.missing(model, in: scope, keeping: kept) {
      if session.gone[$0] == nil { session.skips?.note(model, $0, .locallyEdited) }
    }
    return missing.compactMap { row in
      // It is deleted for what the response says of it.
      guard session.gone[row.pk] == nil else { return nil }
      // A newer answer has it: the list is older than the row.
      guard let newer = session.newer(model, row.uid, than: begin), newer.isEmpty else {
        session.skips?.note(model, row.pk, .newerAnswer)
        return nil
      }
      return MissingRow(model: model, pk: row.pk, uid: row.uid)
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
