import EntityJSON
import EntityStore

/// Takes in the objects of a response one after the other: its own objects, and those of its parts.
final class ObjectReading {
  private let mapper: Mapper<RowTarget>
  private var session: UpsertSession { mapper.session }
  /// How many objects there are in all.
  let total: Int
  let progress: (@Sendable (Double) -> Void)?
  /// The objects that are passed over.
  private let refusals: Refusals
  /// Whether an object that can't be taken in may be skipped in another attempt.
  private let skips: Bool
  /// The position of the first object of an array.
  private let first: Int
  /// The number of the first part.
  private let firstPart: Int
  // A number that is read or written in one step, so that no access needs an exclusivity check.
  @exclusivity(unchecked) private var done = 0
  /// Whether objects may go to the file in batches.
  private let isBatching: Bool
  private let isNewestFirst: Bool
  private let versions: SeenVersions?
  private let uidAtURL: (@Sendable (EntityModel, String) -> StoredValue?)?

  init<E: RemoteEntity>(_ mapper: Mapper<RowTarget>, _ upsert: ResponseUpsert<E>, without refusals: Refusals) {
    self.mapper = mapper
    self.refusals = refusals
    total = upsert.objectCount
    progress = upsert.progress
    skips = upsert.options.skips
    isBatching = upsert.isBatching && upsert.piece == nil
    isNewestFirst = upsert.options.isNewestFirst
    versions = upsert.versions
    uidAtURL = upsert.uidAtURL
    mapper.objects.target.isBatching = isBatching && mapper.session.core.options.rowsInBatch > 0
    first = upsert.list?.first ?? upsert.piece?.position ?? 0
    firstPart = upsert.piece?.part ?? 0
  }

  /// The response's own objects, or those of a part.
  struct Section {
    let value: JSONValue
    /// The elements of the array when they are streamed; ``value`` is then an empty array.
    var list: StreamedList?
    /// The key path and the number of the part; `nil` for the response's own objects.
    var part: (place: String?, number: Int)?
    /// The entity of the objects, for an error that names none.
    let entity: String
    /// The plans of entities whose deleted objects elements may name; see ``RemoteEntity/deletedElements``.
    var deleting: [MappingPlan] = []
    /// Takes an element that is no object; `nil` where it is an error.
    var reference: ((JSONValue) throws -> Void)?
    /// Hears of an object that is passed over.
    var passed: ((MappingPlan, JSONObject) throws -> Void)?
    /// Hears of an object that left the list, by its uid.
    var left: ((MappingPlan, StoredValue) throws -> Void)?
  }

  /// Hands each object of an array, or the single object, to `body`.
  ///
  /// - Parameters:
  ///   - batching: How objects are taken in by batches; `nil` when each object is taken in by itself.
  ///   - plan: Finds the plan of an object that is passed over.
  /// - Throws: ``MappingError``, with the place of the object.
  func forEachObject(
    of section: Section, batching: Batching?, _ plan: (JSONObject) throws -> MappingPlan?,
    _ body: (JSONObject) throws -> Void
  ) throws {
    let (entity, list, part) = (section.entity, section.list, section.part)
    session.places.current = .init(part: part?.place, partNumber: part.map { firstPart + $0.number })
    guard let elements = section.value.array else {
      return try takeDeleted(section.value, section, nil) ? () : read(section.value, section, plan, body)
    }
    var position = isNewestFirst ? first + elements.count - 1 : first
    var taken = first
    let batches = batching.flatMap { batching in
      isBatching && refusals.isEmpty && (list != nil || elements.count > 1) ? BatchReading(mapper, batching) : nil
    }
    let objects = mapper.objects.target
    objects.lookAhead = isNewestFirst ? nil : batching.flatMap { LookAhead($0.plan, elements, objects) }
    defer { objects.lookAhead = nil }
    func take(_ element: JSONValue) throws {
      if taken % 64 == 0 { try Task.checkCancellation() }
      session.places.current.position = position
      try namingPlaces(as: entity) { try objects.lookAhead?.advance() }
      if isOlder(element, section, plan) {
        done += 1
      } else if try takeDeleted(element, section, batches) {
        done += 1
      } else if let batches, try namingPlaces(as: entity, { try batches.take(element) }) {
        done += 1
      } else {
        try read(element, section, plan, body)
      }
      position += isNewestFirst ? -1 : 1
      taken += 1
      if taken % 256 == 0 { progress?(Double(done) / Double(total)) }
    }
    if let list {
      try list.elements.forEach(take)
    } else if isNewestFirst {
      for element in Array(elements).reversed() { try take(element) }
    } else {
      for element in elements { try take(element) }
    }
    if let batches { try namingPlaces(as: entity) { try batches.write() } }
  }

  /// Objects of one entity that may go to the file in batches.
  struct Batching {
    let plan: MappingPlan
    /// Called with the result of each object, in the order of the objects, once its batch is written.
    let ended: (MappingOutcome) -> Void
  }

  /// Takes in an element that names a deleted object, or one that left the list.
  ///
  /// - Returns: `false` for any other element.
  private func takeDeleted(_ element: JSONValue, _ section: Section, _ batches: BatchReading?) throws -> Bool {
    guard !section.deleting.isEmpty, !refusals.contains(session.places.current),
      let object = (element.fault?.last ?? element).object
    else { return false }
    for plan in section.deleting {
      guard let named = plan.deletedElements?.object(object) else { continue }
      try namingPlaces(as: section.entity) {
        try batches?.write()
        guard let uid = try uid(of: named, object, plan) else { return }
        if case .left = named { return try leave(plan, uid, section) }
        _ = try mapper.upsertOutermost(plan, object, GivenIdentity(uid: uid, isDeletion: true))
      }
      return true
    }
    return false
  }

  /// The object lives on, so it is none of the missing ones.
  private func leave(_ plan: MappingPlan, _ uid: StoredValue, _ section: Section) throws {
    if session.seen.isCollecting { try mapper.mention(plan, uid) }
    try section.left?(plan, uid)
  }

  /// Whether an earlier page of the walk had a newer version of the object. An element that names no object is none.
  private func isOlder(
    _ element: JSONValue, _ section: Section, _ plan: (JSONObject) throws -> MappingPlan?
  ) -> Bool {
    guard let versions, let object = (element.fault?.last ?? element).object else { return false }
    let deleted = section.deleting.lazy.compactMap { plan in plan.deletedElements?.object(object).map { (plan, $0) } }
      .first
    let found: (plan: MappingPlan, uid: StoredValue)?
    if let (plan, named) = deleted {
      found = ((try? uid(of: named, object, plan)) ?? nil).map { (plan, $0) }
    } else {
      found = ((try? plan(object)) ?? nil).flatMap { plan in ((try? plan.uid(of: object)) ?? nil).map { (plan, $0) } }
    }
    guard let found else { return false }
    let key = SeenVersions.Key(entity: found.plan.model.number, uid: found.uid)
    session.versions.insert(key)
    return versions.has(key)
  }

  /// The uid of a deleted object; `nil` for none.
  private func uid(
    of named: DeletedElements.Object, _ object: JSONObject, _ plan: MappingPlan
  ) throws -> StoredValue? {
    let uid: StoredValue?
    switch named {
    case .nobody: return nil
    case .left(let left): return try self.uid(of: left, object, plan)
    case .itself: uid = try plan.uid(of: object)
    case .uid(let value): uid = try plan.uid(value)
    case .url(let text):
      guard let found = uidAtURL?(plan.model, text) else {
        throw MappingError(plan.model.name, "", "", "the URL of a deleted object is that of no object of the entity")
      }
      return found
    }
    guard let uid else { throw plan.unnamedError() }
    return uid
  }

  private func read(
    _ element: JSONValue, _ section: Section, _ plan: (JSONObject) throws -> MappingPlan?,
    _ body: (JSONObject) throws -> Void
  ) throws {
    if refusals.contains(session.places.current) {
      try passOver(element, plan)
      if let passed = section.passed, let object = element.object, let plan = (try? plan(object)) ?? nil {
        try passed(plan, object)
      }
      done += 1
      return
    }
    let entity = section.entity
    try namingPlaces(as: entity) {
      guard let object = element.object else {
        if element.fault == nil, !element.isNull, let take = section.reference { return try take(element) }
        if let fault = element.fault { throw MappingError(entity, fault: fault) }
        throw MappingError(entity, "", "", "an object was expected, and there is \(element.kindName)")
      }
      try body(object)
    }
    done += 1
  }

  /// Runs `body`, and gives its errors the place of the object that they are about.
  ///
  /// Objects that were updated by hand are written in batches, so an error of the write may be about an object that was
  /// taken in before.
  ///
  /// - Parameter entity: The entity of the objects, for an error that names none.
  func namingPlaces<T>(as entity: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as MappingError {
      throw told(error.at(session.places.current), at: session.places.current, as: entity)
    } catch let error as StoreError {
      let place = session.places.place(of: error) ?? session.places.current
      throw skips ? told(error, at: place, as: entity) : error.at(place)
    }
  }

  private func told(_ error: any Error, at place: MappingError.Place, as entity: String) -> any Error {
    skips ? RefusedObjects(error, at: place, as: entity) ?? error : error
  }

  /// Notes that an object that is passed over is not missing, and that the objects that it names are not missing.
  ///
  /// - Throws: ``DoubtfulDeletion`` when nothing says which objects these are, and missing objects may be deleted.
  private func passOver(_ element: JSONValue, _ plan: (JSONObject) throws -> MappingPlan?) throws {
    guard session.seen.isCollecting else { return }
    func doubt() -> DoubtfulDeletion { DoubtfulDeletion(place: session.places.current) }
    guard let object = element.object else { throw doubt() }
    let known: MappingPlan?
    do { known = try plan(object) } catch { throw doubt() }
    // An object of another entity is none of the missing objects.
    guard let known else { return }
    guard try mapper.mention(known, object) else { throw doubt() }
  }
}

/// The objects of a response in its order, each once, with the result of each.
struct Tally {
  private enum Fate { case unchanged, updated, inserted }

  /// Whether the row ids are kept in their order. Otherwise objects are only counted, and each takes some bits.
  private let keepsIDs: Bool
  private(set) var pks: [Int64] = []
  private var seen = RowBits()
  /// The rows that were updated or inserted, and the updated ones among them.
  private var changed = RowBits()
  private var updated = RowBits()
  /// The rows of objects in a batch that is not written yet. Its write shows whether they changed.
  private var pending: [Int64] = []
  /// The rows of objects that were passed over or are deleted here, each with the number of objects before it.
  private var passed: [(index: Int, pk: Int64)] = []
  /// The rows of objects that left the list, by the response's last word on them.
  private(set) var left: Set<Int64> = []
  var counts = EntityCounts()

  init(keepsIDs: Bool = true) { self.keepsIDs = keepsIDs }

  /// - Parameter isNew: Whether the row was made for a nested object.
  mutating func add(_ outcome: MappingOutcome?, isNew: Bool) {
    guard let outcome else { return }
    let pk = outcome.pk
    if !left.isEmpty { left.remove(pk) }
    if outcome.isPending { pending.append(pk) }
    let fate: Fate = outcome.isInserted || isNew ? .inserted : outcome.isChanged ? .updated : .unchanged
    guard seen.insert(pk) else {
      // An object that comes again counts once. If it was unchanged so far and changed now, it counts as updated.
      if fate == .updated, !changed.contains(pk) { update(pk) }
      return
    }
    if keepsIDs { pks.append(pk) }
    if fate != .unchanged { changed.insert(pk) }
    if fate == .updated { updated.insert(pk) }
    count(fate, 1)
  }

  mutating func pass(_ pk: Int64) {
    left.remove(pk)
    passed.append((pks.count, pk))
  }

  mutating func leave(_ pk: Int64) { left.insert(pk) }

  /// The rows of all objects of the list that the response has, those that were passed over among them, in its order and each
  /// once.
  var listed: [Int64] { left.isEmpty ? all : all.filter { !left.contains($0) } }

  private var all: [Int64] {
    guard !passed.isEmpty else { return pks }
    var taken = Set(pks)
    var listed: [Int64] = []
    var next = 0
    for (index, pk) in passed where taken.insert(pk).inserted {
      listed += pks[next..<index]
      listed.append(pk)
      next = index
    }
    return listed + pks[next...]
  }

  private mutating func update(_ pk: Int64) {
    changed.insert(pk)
    updated.insert(pk)
    count(.unchanged, -1)
    count(.updated, 1)
  }

  /// Counts the pending objects after their batch was written. An object has changed if its row was written.
  mutating func settle(_ model: EntityModel, _ rows: RowWriter) {
    defer { rows.notes.written?.removeAll() }
    for pk in pending where seen.contains(pk) && !changed.contains(pk) {
      if rows.notes.written?.contains(model, pk) == true { update(pk) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Counts rows as unchanged that the response changed more than once, if they ended as they were before the response.
  mutating func settle(_ unchanged: RepeatedWrites.UnchangedRows, _ rows: RowWriter) {
    guard unchanged.isSettled else { return }
    let same = rows.rowsWritten == 0 ? Array(updated) : unchanged.pks.filter(updated.contains)
    for pk in same {
      updated.remove(pk)
      changed.remove(pk)
      count(.updated, -1)
      count(.unchanged, 1)
      if counts.rowsWritten > 0 { counts.rowsWritten -= 1 }
    }
    if rows.rowsWritten == 0 { counts.rowsWritten = 0 }
  }

  /// Removes objects that the response has, and says later are gone.
  mutating func remove(_ gone: [Int64: GoneRows.Row]) {
    for pk in gone.keys where seen.remove(pk) {
      let isChanged = changed.remove(pk)
      count(updated.remove(pk) ? .updated : isChanged ? .inserted : .unchanged, -1)
    }
    // The numbers of objects are those from before.
    passed = passed.compactMap { passed in
      gone[passed.pk] == nil ? (passed.index - pks[..<passed.index].count { gone[$0] != nil }, passed.pk) : nil
    }
    pks.removeAll { gone[$0] != nil }
  }

  /// Counts a row that the response lacks: it was deleted, or stays because something holds it.
  mutating func noteMissing(_ row: MissingRow, _ denied: Set<RowKey>, _ session: UpsertSession) {
    guard !denied.contains(row.key) else {
      counts.denied += 1
      return
    }
    counts.deleted += 1
    session.touch(row.model, row.uid, ColumnMask(), isDeletion: true)
  }

  private mutating func count(_ fate: Fate, _ step: Int) {
    switch fate {
    case .unchanged: counts.unchanged += step
    case .updated: counts.updated += step
    case .inserted: counts.inserted += step
    }
  }
}

extension EntityCounts {
  /// Counts a row that a response says is deleted: it was deleted, or stays because something holds it.
  mutating func noteGone(_ row: GoneRows.Row, isDenied: Bool) {
    guard !row.isPlaceholder else { return }
    if isDenied { denied += 1 } else { deleted += 1 }
  }
}
