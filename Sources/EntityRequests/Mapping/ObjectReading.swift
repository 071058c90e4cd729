import EntityJSON
import EntityStore

/// Takes the objects of a response one after the other, its own and those of its parts.
struct ObjectReading {
  let session: UpsertSession
  /// How many objects there are in all.
  let total: Int
  let progress: (@Sendable (Double) -> Void)?
  private var done = 0

  init(_ session: UpsertSession, total: Int, progress: (@Sendable (Double) -> Void)?) {
    self.session = session
    self.total = total
    self.progress = progress
  }

  /// Hands each object of an array, or the one object that there is, to `body`.
  ///
  /// - Throws: ``MappingError``, with the place of the object.
  mutating func forEachObject(
    of value: JSONValue, in part: String?, as entity: String, _ body: (JSONObject) throws -> Void
  ) throws {
    session.place = .init(part: part)
    guard let elements = value.array else { return try take(value, as: entity, body) }
    var position = 0
    for element in elements {
      if position % 64 == 0 { try Task.checkCancellation() }
      session.place.position = position
      try take(element, as: entity, body)
      position += 1
      if position % 256 == 0 { progress?(Double(done) / Double(total)) }
    }
  }

  private mutating func take(
    _ element: JSONValue, as entity: String, _ body: (JSONObject) throws -> Void
  ) throws {
    do {
      guard let object = element.object else {
        throw MappingError(entity, "", "", "an object was expected, and there is \(element.kindName)")
      }
      try body(object)
    } catch let error as MappingError {
      throw error.at(session.place)
    } catch let error as StoreError {
      throw error.at(session.place)
    }
    done += 1
  }
}

/// The objects of a response in its order, each once, and what became of them.
struct Tally {
  private enum Fate { case unchanged, updated, inserted }

  private(set) var pks: [Int64] = []
  private var fates: [Int64: Fate] = [:]
  var counts = EntityCounts()

  /// - Parameter isNew: Whether something nested made the row.
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
  mutating func noteGone(_ row: UpsertSession.Gone, isDenied: Bool) {
    guard !row.isPlaceholder else { return }
    if isDenied { denied += 1 } else { deleted += 1 }
  }
}

/// A row that a response lacks, and that is to be deleted for that.
struct MissingRow {
  let model: EntityModel
  let pk: Int64
  let uid: StoredValue

  var key: RowWriter.RowKey { .init(entity: model.number, pk: pk) }
}
