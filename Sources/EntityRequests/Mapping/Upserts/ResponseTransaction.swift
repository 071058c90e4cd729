import EntityJSON
import EntityStore

/// The transaction of one response on the writer, step by step: ``run()``.
final class ResponseTransaction<E: RemoteEntity> {
  private let upsert: ResponseUpsert<E>
  private let rows: RowWriter
  private let session: UpsertSession
  private let objects: ObjectTarget
  private let mapper: Mapper<RowTarget>
  /// The plan of the response's own objects; `nil` for a document, which has parts only.
  private let plan: MappingPlan?
  // Unchecked, because a tally calls nothing that uses the transaction.
  @exclusivity(unchecked) private var own: Tally
  /// Whether the response has an object whose deletion on the server a newer answer has told.
  private var hasGone = false
  private let parts: PartReading
  private let reading: ObjectReading
  /// The properties whose sent values the server has.
  private var acknowledged: ColumnMask?

  /// - Throws: ``StoreError`` for an entity that the store does not have; ``MappingError``.
  ///
  /// - Parameter refusals: The objects that are passed over.
  init(
    _ upsert: ResponseUpsert<E>, without refusals: Refusals, _ rows: RowWriter, _ session: UpsertSession,
    _ mapper: Mapper<RowTarget>
  ) throws {
    self.upsert = upsert
    self.rows = rows
    self.session = session
    self.mapper = mapper
    objects = mapper.objects.target
    own = Tally(keepsIDs: upsert.list == nil)
    parts = try PartReading(upsert.parts, mapper)
    session.postponed.awaitsParts = upsert.hasParts
    reading = ObjectReading(mapper, upsert, without: refusals)
    plan = E.self == EntityDocument.self ? nil : session.plan(try rows.schema.model(E.self))
    parts.ownEntity = plan?.model.number
  }

  /// - Throws: ``MappingError``; ``StoreError``; ``RefusedObjects``; `CancellationError`. Nothing may be committed then.
  func run() throws -> ResponseOutcome<E> {
    try endEntry()
    try takeObjects()
    try checkPostponed { !$0 }
    let others = try deleteGoneAndMissing()
    try settleUniqueValues()
    if let acknowledged { try upsert.sent?.tellOthers(acknowledged, on: rows) }
    let unchanged = try rows.notes.repeats?.settle(rows) ?? .init()
    own.settle(unchanged, rows)
    parts.settle(unchanged)
    return try outcome(others)
  }

  /// Takes in the objects. Requirements that an object may still meet at the end are not checked.
  func takeObjects() throws {
    rows.uniqueness.valueTaken = { [session] in session.places.noteClaim($0) }
    rows.uniqueness.mayGiveUp = { [session] in try session.mayGiveUp($0, $1, $2) }
    guard let plan else { return try upsertParts() }
    let children = try ChildBinding(
      upsert.children, of: upsert.value?.object, plan, row: upsert.target?.pk, session, rows)
    try children.acknowledge(mapper) { try acknowledgeSent(plan) }
    try upsertOwn(plan)
    try upsertParts()
    try children.check(mapper.target)
  }

  // MARK: The steps

  /// Ends the entry of the outbox, so that the marks that it held can end.
  private func endEntry() throws {
    guard let entry = upsert.entry else { return }
    // A create that was only accepted has made no object yet.
    if upsert.isOnlyAccepted, upsert.value?.object.map({ plan?.recognizes($0) == true }) != true { return }
    try entry.end(in: rows)
  }

  /// Acknowledges the edits that the request sent.
  private func acknowledgeSent(_ plan: MappingPlan) throws {
    try leaveUnshown(plan)
    rows.notes.sent = upsert.sent?.marker
    if let known = try upsert.sent?.acknowledge(on: rows, sentLater: { session.sentLater(plan.model, $0) }) {
      session.acknowledge(known, of: plan.model)
      acknowledged = known.mask
    }
  }

  /// Leaves edits unacknowledged that the server may not have, because the answer does not show them.
  private func leaveUnshown(_ plan: MappingPlan) throws {
    guard upsert.isOnlyAccepted || upsert.doubt != nil, let sent = upsert.sent else { return }
    let object = upsert.value?.object
    if upsert.isOnlyAccepted, object.map(plan.recognizes) != true {
      sent.marker.leave(.all)
    } else if let unshown = try upsert.doubt?.unshown(sent, in: object, plan, rows, session) {
      sent.marker.leave(.some(unshown))
    }
  }

  /// Deletes the row that another response made of an object which was deleted here before its uid was known. A row that
  /// was edited here since is one that the person wants.
  private func deleteKnown(_ model: EntityModel, _ uid: StoredValue) throws {
    guard let row = try rows.current(model, uid: uid), row.edited.isEmpty else { return }
    do {
      try rows.deletion.delete([RowKey(entity: model.number, pk: row.pk)], leavesTombstones: true)
    } catch let error as StoreError where error.kind == .deleteDenied {
      // Nothing was written, and the object stays.
    }
  }

  /// The response's own objects.
  private func upsertOwn(_ plan: MappingPlan) throws {
    let row: Int64?
    switch try target(plan) {
    case .gone:
      let uid = try upsert.value?.object.flatMap { try plan.uid(of: $0) } ?? upsert.locatedUID
      // The object was deleted here before the server made it.
      if let uid, let target = upsert.target, upsert.sent?.endsInsertion == true {
        try deleteKnown(plan.model, uid)
        try rows.edits.leaveTombstone(plan.model, target.pk, uid)
      }
      session.skips?.noteGone(plan.model, uid: uid, pk: upsert.target?.pk ?? 0)
      return
    case .byUID: row = nil
    case .row(let pk): row = pk
    }
    session.seen.counted.insert(plan.model.number)
    session.gone.ownEntity = plan.model.number
    defer { session.gone.ownEntity = nil }
    if upsert.missing.scope != nil { session.seen.collect([plan.model.number]) }
    if upsert.walk != nil { session.seen.collect([plan.model.number]) }
    guard let value = upsert.value, upsert.target == nil || value.object == nil || object(plan) != nil else {
      try bindLocated(plan, row)
      return
    }
    let owner = try upsert.owner.flatMap { try OwnerLink($0, to: plan, mapper) }
    // The answer to a write may have the object that the write made.
    if plan.uidType == nil, upsert.target == nil, !upsert.isOfWrite {
      throw plan.anonymousError("response by itself")
    }
    let batching = owner == nil ? ObjectReading.Batching(plan: plan) { self.note($0) } : nil
    var section = ObjectReading.Section(value: value, list: upsert.list, entity: E.entityName)
    if plan.deletedElements != nil { section.deleting = [plan] }
    if upsert.listing != nil { (section.passed, section.left) = (pass, leave) }
    try reading.forEachObject(of: section, batching: batching) {
      plan.isOther($0) ? nil : plan
    } _: { object in
      try upsertOwn(object, plan, row: row, owner)
      if objects.hasFullBatch { try writeBatch(plan) }
    }
    try reading.namingPlaces(as: E.entityName) { try writeBatch(plan) }
    // A relationship concerns all objects of the response, so a single piece does not set it.
    if upsert.piece == nil { try owner?.set() }
  }

  private func upsertOwn(_ object: JSONObject, _ plan: MappingPlan, row: Int64?, _ owner: OwnerLink?) throws {
    guard plan.takes(object) else { return }
    let isAboutTarget = upsert.target != nil && upsert.value?.object != nil
    // A deletion in the answer to a request on an object need not name the object.
    let named = try plan.uidValue(of: object)
    guard named != nil || plan.recognizes(object) || isAboutTarget && plan.isDeletion(object) else {
      // The answer to a request on an object may only say that the request succeeded.
      if isAboutTarget {
        try bindLocated(plan, row)
        return
      }
      throw plan.notRecognized("neither '\(plan.uidKey)' nor another key of the entity")
    }
    // The lists of a document may have the same keys as the entity's properties.
    let own = try plan.uidParts == nil ? named.flatMap { try plan.uid($0) } : plan.uid(of: object)
    let uid = own ?? (isAboutTarget ? upsert.locatedUID : nil)
    if upsert.hasParts, upsert.options.unnamed != .insert, upsert.target == nil, plan.uidType != nil, uid == nil {
      throw plan.notRecognized("no '\(plan.uidKey)'")
    }
    let given = GivenIdentity(uid: uid, row: row, link: owner?.wayBack)
    let outcome = try mapper.upsertOutermost(plan, object, given)
    if let outcome { owner?.add(outcome.pk) }
    note(outcome)
    guard outcome == nil, upsert.listing != nil, let uid else { return }
    if let pk = try rows.edits.deletedRow(plan.model, uid) {
      self.own.pass(pk)
    } else if session.newer(plan.model, uid) == nil {
      hasGone = true
    }
  }

  /// Gives the target the uid of the header `Location`, if the body says nothing about the object.
  private func bindLocated(_ plan: MappingPlan, _ row: Int64?) throws {
    guard let uid = upsert.locatedUID, let row else { return }
    note(try mapper.bind(plan, uid: uid, row: row))
  }

  /// The server still has an object that can't be taken in: its row, if there is one, stays in the list.
  private func pass(_ plan: MappingPlan, _ object: JSONObject) throws {
    guard let uid = (try? plan.uid(of: object)) ?? nil, let row = try rows.current(plan.model, uid: uid) else { return }
    own.pass(row.pk)
  }

  /// The object is no member of the list any more, also where it is deleted here.
  private func leave(_ plan: MappingPlan, _ uid: StoredValue) throws {
    try writeBatch(plan)
    let pk = try rows.current(plan.model, uid: uid)?.pk ?? rows.edits.deletedRow(plan.model, uid)
    if let pk { own.leave(pk) }
  }

  private func note(_ outcome: MappingOutcome?) {
    own.add(outcome, isNew: outcome.map { session.seen.inserted.contains($0.pk) } ?? false)
  }

  /// Writes the objects that were updated by hand since the last batch, and counts those whose rows changed.
  private func writeBatch(_ plan: MappingPlan) throws {
    try objects.writeBatch()
    own.settle(plan.model, rows)
  }

  private func upsertParts() throws {
    try parts.upsert(with: reading)
    let gone = session.gone.rows
    guard !gone.isEmpty else { return }
    own.remove(gone)
    parts.remove(gone)
  }

  /// Checks that each postponed object has the objects that it requires.
  ///
  /// - Parameter isWanted: Whether a row is checked, given whether the response says that it is deleted.
  /// - Throws: ``MappingError``; ``RefusedObjects`` with all incomplete objects, if objects are skipped.
  private func checkPostponed(_ isWanted: (_ isGone: Bool) -> Bool) throws {
    let checks = session.postponed.all
    guard !checks.isEmpty else { return }
    var refused: RefusedObjects?
    for check in checks where isWanted(session.gone.rows[check.pk] != nil) {
      session.places.current = check.place
      do {
        if let object = check.object {
          try mapper.objects.complete(check.plan, object)
        } else {
          try mapper.checkRequired(check.plan, check.pk)
        }
      } catch let error as MappingError {
        let error = error.at(check.place)
        guard upsert.options.skips, check.place.isOfMany else { throw error }
        refused = refused ?? RefusedObjects(Refusals(), error)
        refused?.refusals.add(error, at: check.place)
      }
    }
    if let refused { throw refused }
    try objects.writeBatch()
  }

  /// Deletes the rows that the response says are deleted, and missing rows if that was asked for. All are deleted at
  /// once, because a missing row may hold a missing row of another entity, or a row that the response says is deleted.
  ///
  /// - Returns: The counts of entities that are neither the response's own nor those of its parts.
  private func deleteGoneAndMissing() throws -> EntityCounts {
    var missing: [MissingRow] = []
    var missingFromParts: [MissingRow] = []
    // Computed for the last page only, because a walk may have had a million rows.
    var kept: RowBits {
      var rows = session.seen.mentioned
      if let walk = upsert.walk { rows.formUnion(walk.mentioned) }
      return rows
    }
    // The last page of a walk shows which rows are missing.
    if let scope = upsert.missing.scope, plan != nil, upsert.value?.array != nil {
      missing = try scope.rows(rows, session, keeping: kept, since: upsert.walk?.sequence)
    }
    if upsert.deletesMissingFromParts {
      missingFromParts = try parts.missing(besides: missing, keeping: kept, since: upsert.walk?.sequence)
    }
    // In a fixed order, because the history and a dry run show it.
    let gone = session.gone.rows.sorted { $0.key < $1.key }
    let goneKeys = gone.map { RowKey(entity: $0.value.model.number, pk: $0.key) }
    let denied = try rows.deletion.deleteWherePossible(
      goneKeys + (missing + missingFromParts).map(\.key), keeping: UnsentWork(session.policy), said: Set(goneKeys)
    ).denied
    var others = EntityCounts()
    for (key, row) in zip(goneKeys, gone.map(\.value)) {
      let isDenied = denied.contains(key)
      if isDenied { session.stays(row.model, row.uid) }
      if row.isOwn {
        own.counts.noteGone(row, isDenied: isDenied)
      } else if !parts.noteGone(row, isDenied: isDenied) {
        others.noteGone(row, isDenied: isDenied)
      }
    }
    if !denied.isEmpty { try checkPostponed { $0 } }
    for row in missing { own.noteMissing(row, denied, session) }
    for row in missingFromParts { parts.noteMissing(row, denied) }
    return others
  }

  /// Checks unique values, after all of the response was taken in and missing rows were deleted.
  ///
  /// - Throws: ``StoreError`` when a unique value has two owners, with the place of the object that came last;
  ///   ``RefusedObjects`` with all such objects, if objects are skipped.
  private func settleUniqueValues() throws {
    var refused: RefusedObjects?
    do {
      try rows.uniqueness.settleUniqueValues { error in
        guard upsert.options.skips, let place = session.places.claim(of: error), place.isOfMany,
          let new = RefusedObjects(error, at: place, as: E.entityName)
        else { return false }
        if refused == nil { refused = new } else { _ = refused?.refusals.add(new.refusals) }
        return true
      }
    } catch let error as StoreError {
      throw session.places.claim(of: error).map(error.at) ?? error
    }
    if let refused { throw refused }
  }

  private func outcome(_ others: EntityCounts) throws -> ResponseOutcome<E> {
    try noteVersion()
    let lacksUID = try lacksUID()
    // Without its uid the object could never be changed on the server. A person says which one it is.
    if lacksUID, upsert.entry != nil, !upsert.isOnlyAccepted {
      throw RequestError(.missingUID, "The answer to the create of a '\(E.entityName)' names no uid.")
    }
    let outcomes = parts.outcomes
    var counts = plan == nil ? outcomes.total : own.counts
    counts.add(others)
    counts.rowsWritten = rows.rowsWritten
    var refused = session.passed?.values ?? RefusedValues()
    refused.add(session.kept?.values ?? RefusedValues())
    let details = ResponseDetails(
      unrecognized: session.unrecognized.all, skipped: try session.skips?.changes(rows) ?? SkippedChanges(),
      written: WrittenRows(rows), absentKeys: plan.map(session.absentKeys) ?? [],
      unreadKeys: session.read?.others(in: upsert.roots) ?? [],
      refused: refused, lacksUID: lacksUID)
    return ResponseOutcome(
      ids: own.pks.map { EntityID(pk: $0) },
      // A list has the order of the page, also where the page is read from its end.
      listed: upsert.options.isNewestFirst ? own.listed.reversed() : own.listed, left: own.left, hasGone: hasGone,
      counts: counts, details: details, parts: outcomes)
  }

  /// Notes the version of the one object that the response is about.
  private func noteVersion() throws {
    guard let plan, upsert.piece == nil, upsert.value?.object != nil, own.pks.count == 1,
      let delivery = upsert.context?.delivery
    else { return }
    let pk = own.pks[0]
    let uid = try plan.model.uid.flatMap { try rows.find(plan.model, pk: pk)?.value($0) }
    // The values of a newer response stay, and this version is not theirs: the object is read again.
    let isOlder = session.newer(plan.model, uid)?.isEmpty != true
    try rows.outbox.noteVersion(
      isOlder ? nil : delivery.headers["ETag"], of: RowKey(entity: plan.model.number, pk: pk))
  }

  /// Whether the object that was posted still has no uid. An object that was deleted meanwhile lacks none.
  private func lacksUID() throws -> Bool {
    guard upsert.awaitsUID, let plan, let target = upsert.target, let uid = plan.model.uid else { return false }
    guard let found = try rows.find(plan.model, pk: rows.collisions.survivor(plan.model, target.pk)) else {
      return upsert.targetIsUnsaved && upsert.sent?.marker.isWithdrawn != true
    }
    return found.value(uid).isNull
  }

  // MARK: The object that the request was made on

  private enum Target {
    case row(Int64)
    /// The uids of the objects name their rows.
    case byUID
    /// The object that the answer is about was deleted since the request was made.
    case gone
  }

  /// The object of the body; `nil` where it is of another kind, such as an `OperationOutcome` of FHIR, and so says nothing of the
  /// request's object.
  private func object(_ plan: MappingPlan) -> JSONObject? {
    upsert.value?.object.flatMap { plan.isOther($0) ? nil : $0 }
  }

  /// The row of a single object: the row of the request's object, unless the answer names another object.
  private func target(_ plan: MappingPlan) throws -> Target {
    let object = upsert.value?.object
    guard let target = upsert.target, object != nil || upsert.value == nil && upsert.locatedUID != nil else {
      return .byUID
    }
    let uid = try self.object(plan).flatMap { try plan.uid(of: $0) } ?? upsert.locatedUID
    // The row may have become one with another row while the request was under way.
    let pk = rows.collisions.survivor(plan.model, target.pk)
    guard let found = try rows.find(plan.model, pk: pk) else {
      if upsert.targetIsUnsaved, upsert.sent?.marker.isWithdrawn != true { return .row(target.pk) }
      // Another row may have the object's uid by now, for example a row of a later list.
      guard let uid, let other = try rows.current(plan.model, uid: uid) else { return .gone }
      // The outbox deletes on the server what was deleted here while its create was under way.
      if upsert.entry != nil, upsert.sent?.endsInsertion == true, other.edited.isEmpty { return .gone }
      return .byUID
    }
    guard let index = plan.model.uid, let uid else { return .row(pk) }
    let current = found.value(index)
    return current.isNull || current.isIdentical(to: uid) ? .row(pk) : .byUID
  }
}
