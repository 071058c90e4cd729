import EntityJSON
import EntityStore

/// Takes the objects of a response one after the other, its own and those of its parts.
final class ObjectReading {
  private let mapper: Mapper<RowTarget>
  private var session: UpsertSession { mapper.session }
  /// How many objects there are in all.
  let total: Int
  let progress: (@Sendable (Double) -> Void)?
  private var done = 0

  init(_ mapper: Mapper<RowTarget>, total: Int, progress: (@Sendable (Double) -> Void)?) {
    self.mapper = mapper
    self.total = total
    self.progress = progress
  }

  /// Hands each object of an array, or the one object that there is, to `body`.
  ///
  /// - Throws: ``MappingError``, with the place of the object.
  func forEachObject(
    of value: JSONValue, in part: String?, as entity: String, _ body: (JSONObject) throws -> Void
  ) throws {
    session.places.current = .init(part: part)
    guard let elements = value.array else { return try read(value, as: entity, body) }
    var position = 0
    for element in elements {
      if position % 64 == 0 { try Task.checkCancellation() }
      session.places.current.position = position
      try read(element, as: entity, body)
      position += 1
      if position % 256 == 0 { progress?(Double(done) / Double(total)) }
    }
  }

  private func read(
    _ element: JSONValue, as entity: String, _ body: (JSONObject) throws -> Void
  ) throws {
    try namingPlaces {
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
  func namingPlaces(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as MappingError {
      throw error.at(session.places.current)
    } catch let error as StoreError {
      throw error.at(session.places.place(of: error) ?? session.places.current)
    }
  }
}

/// The objects of a response in its order, each once, with the result of each.
struct Tally {
  private enum Fate { case unchanged, updated, inserted }

  private(set) var pks: [Int64] = []
  private var fates: [Int64: Fate] = [:]
  /// Those of which a batch that is not written yet says whether they changed.
  private var pending: [Int64] = []
  var counts = EntityCounts()

  /// - Parameter isNew: Whether something nested made the row.
  mutating func add(_ outcome: MappingOutcome?, isNew: Bool) {
    guard let outcome else { return }
    if outcome.isPending { pending.append(outcome.pk) }
    let fate: Fate = outcome.isInserted || isNew ? .inserted : outcome.isChanged ? .updated : .unchanged
    guard let before = fates[outcome.pk] else {
      pks.append(outcome.pk)
      fates[outcome.pk] = fate
      count(fate, 1)
      return
    }
    // The same object again: it is one, and counts for the most that became of it.
    if before == .unchanged, fate == .updated { update(outcome.pk) }
  }

  private mutating func update(_ pk: Int64) {
    fates[pk] = .updated
    count(.unchanged, -1)
    count(.updated, 1)
  }

  /// A batch was written: an object that was updated by hand has changed if its row is in the batch.
  mutating func settle(_ model: EntityModel, _ rows: RowWriter) {
    defer { rows.forgetWritten() }
    for pk in pending where fates[pk] == .unchanged {
      if rows.hasWritten(model, pk) { update(pk) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Objects that the response has, and says later that they are gone.
  mutating func remove(_ isGone: (Int64) -> Bool) {
    for pk in pks where isGone(pk) {
      if let fate = fates.removeValue(forKey: pk) { count(fate, -1) }
    }
    pks.removeAll(where: isGone)
  }

  /// A row that the response lacks was deleted, or stays because something holds it.
  mutating func noteMissing(_ row: MissingRow, _ denied: Set<RowWriter.RowKey>, _ session: UpsertSession) {
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
