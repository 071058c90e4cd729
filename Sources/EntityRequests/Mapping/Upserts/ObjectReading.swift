import EntityJSON
import EntityStore

/// Takes the objects of a response one after the other, its own and those of its parts.
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
  private var done = 0
  /// Whether objects may go to the file in batches.
  private let isBatching: Bool

  init<E: RemoteEntity>(_ mapper: Mapper<RowTarget>, _ upsert: ResponseUpsert<E>, without refusals: Refusals) {
    self.mapper = mapper
    self.refusals = refusals
    total = upsert.objectCount
    progress = upsert.progress
    skips = upsert.options.skips
    isBatching = upsert.isBatching && upsert.piece == nil
    mapper.objects.target.isBatching = isBatching && mapper.session.core.options.rowsInBatch > 0
    first = upsert.list?.first ?? upsert.piece?.position ?? 0
    firstPart = upsert.piece?.part ?? 0
  }

  /// Hands each object of an array, or the one object that there is, to `body`.
  ///
  /// - Parameters:
  ///   - list: The elements of the array, where it is empty because they are streamed.
  ///   - part: The key path of the part that the objects are of, and its number; `nil` for the response's own.
  ///   - batching: How objects are taken in that may go to the file in batches; `nil` where each goes by itself.
  ///   - plan: The plan of an object, for one that is passed over.
  /// - Throws: ``MappingError``, with the place of the object.
  func forEachObject(
    of value: JSONValue, _ list: StreamedList? = nil, in part: (place: String?, number: Int)?, as entity: String,
    batching: Batching? = nil, _ plan: (JSONObject) throws -> MappingPlan?, _ body: (JSONObject) throws -> Void
  ) throws {
    session.places.current = .init(part: part?.place, partNumber: part.map { firstPart + $0.number })
    guard let elements = value.array else { return try read(value, as: entity, plan, body) }
    var position = first
    let batches = batching.flatMap { batching in
      isBatching && refusals.isEmpty && (list != nil || elements.count > 1) ? BatchReading(mapper, batching) : nil
    }
    let objects = mapper.objects.target
    objects.lookAhead = batching.flatMap { LookAhead($0.plan, elements, objects) }
    defer { objects.lookAhead = nil }
    func take(_ element: JSONValue) throws {
      if position % 64 == 0 { try Task.checkCancellation() }
      session.places.current.position = position
      try namingPlaces(as: entity) { try objects.lookAhead?.advance() }
      if let batches, try namingPlaces(as: entity, { try batches.take(element) }) {
        done += 1
      } else {
        try read(element, as: entity, plan, body)
      }
      position += 1
      if position % 256 == 0 { progress?(Double(done) / Double(total)) }
    }
    if let list { try list.elements.forEach(take) } else { for element in elements { try take(element) } }
    if let batches { try namingPlaces(as: entity) { try batches.write() } }
  }

  /// Objects of one entity that may go to the file in batches.
  struct Batching {
    let plan: MappingPlan
    /// Called with the result of each object, in their order, once its batch is written.
    let ended: (MappingOutcome) -> Void
  }

  private func read(
    _ element: JSONValue, as entity: String, _ plan: (JSONObject) throws -> MappingPlan?,
    _ body: (JSONObject) throws -> Void
  ) throws {
    if refusals.contains(session.places.current) {
      try passOver(element, plan)
      done += 1
      return
    }
    try namingPlaces(as: entity) {
      guard let object = element.object else {
        throw MappingError(entity, "", "", "an object was expected, and there is \(element.kindName)")
      }
      try body(object)
    }
    done += 1
  }

  /// Runs `body`; its errors get the place of the object that they are about.
  ///
  /// An object that was updated by hand is written with a batch: an error that the write meets may be about one that was
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

  /// An object that is passed over is not missing, and neither are those that it names.
  ///
  /// - Throws: ``DoubtfulDeletion`` where it does not say which objects these are, and missing ones may be deleted.
  private func passOver(_ element: JSONValue, _ plan: (JSONObject) throws -> MappingPlan?) throws {
    guard session.seen.isCollecting else { return }
    func doubt() -> DoubtfulDeletion { DoubtfulDeletion(place: session.places.current) }
    guard let object = element.object else { throw doubt() }
    let known: MappingPlan?
    do { known = try plan(object) } catch { throw doubt() }
    // An object that says to be of another entity is none of those that may be missing.
    guard let known else { return }
    guard try mapper.mention(known, object) else { throw doubt() }
  }
}

/// The objects of a response in its order, each once, with the result of each.
struct Tally {
  private enum Fate { case unchanged, updated, inserted }

  /// Whether the row ids are kept in their order. Without them the objects are counted alone: an object takes some bits.
  private let keepsIDs: Bool
  private(set) var pks: [Int64] = []
  private var seen = RowBits()
  /// The rows that were updated or inserted, and those that were updated.
  private var changed = RowBits()
  private var updated = RowBits()
  /// Those of which a batch that is not written yet says whether they changed.
  private var pending: [Int64] = []
  var counts = EntityCounts()

  init(keepsIDs: Bool = true) { self.keepsIDs = keepsIDs }

  /// - Parameter isNew: Whether something nested made the row.
  mutating func add(_ outcome: MappingOutcome?, isNew: Bool) {
    guard let outcome else { return }
    let pk = outcome.pk
    if outcome.isPending { pending.append(pk) }
    let fate: Fate = outcome.isInserted || isNew ? .inserted : outcome.isChanged ? .updated : .unchanged
    guard seen.insert(pk) else {
      // The same object again: it is one, and counts for the most that became of it.
      if fate == .updated, !changed.contains(pk) { update(pk) }
      return
    }
    if keepsIDs { pks.append(pk) }
    if fate != .unchanged { changed.insert(pk) }
    if fate == .updated { updated.insert(pk) }
    count(fate, 1)
  }

  private mutating func update(_ pk: Int64) {
    changed.insert(pk)
    updated.insert(pk)
    count(.unchanged, -1)
    count(.updated, 1)
  }

  /// A batch was written: an object that was updated by hand has changed if its row is in the batch.
  mutating func settle(_ model: EntityModel, _ rows: RowWriter) {
    defer { rows.notes.written?.removeAll() }
    for pk in pending where seen.contains(pk) && !changed.contains(pk) {
      if rows.notes.written?.contains(model, pk) == true { update(pk) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Rows are in the end as they were before the response, which changed them more than once.
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

  /// Objects that the response has, and says later that they are gone.
  mutating func remove(_ gone: [Int64: GoneRows.Row]) {
    for pk in gone.keys where seen.remove(pk) {
      let isChanged = changed.remove(pk)
      count(updated.remove(pk) ? .updated : isChanged ? .inserted : .unchanged, -1)
    }
    pks.removeAll { gone[$0] != nil }
  }

  /// A row that the response lacks was deleted, or stays because something holds it.
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
  /// A row that a response says is deleted went, or stays because something holds it.
  mutating func noteGone(_ row: GoneRows.Row, isDenied: Bool) {
    guard !row.isPlaceholder else { return }
    if isDenied { denied += 1 } else { deleted += 1 }
  }
}
