import EntityJSON
import EntityStore

/// The parts of one response on their way to the rows.
final class PartReading {
  private let parts: [(part: ResponsePart, value: JSONValue?, plans: Plans)]
  private let mapper: Mapper<RowTarget>
  private let rows: RowWriter
  /// The plan of the entity whose objects are taken in.
  private var current: MappingPlan?
  private var session: UpsertSession { mapper.session }
  private var tallies: [Int: Tally] = [:]
  /// How many of the written rows are in the count of an entity.
  private var counted = 0
  /// The objects of lists of several entities, in their order.
  private var items: [(model: EntityModel, pk: Int64)] = []
  private let entities: Set<Int>
  /// The entity of the response's own objects.
  var ownEntity: Int?

  /// Which entity an object of a part is of.
  fileprivate enum Plans {
    case one(MappingPlan)
    case typed(by: String, [String: MappingPlan])
    /// By key path and type.
    case discriminated([(key: String, types: [String: MappingPlan])])

    var all: [MappingPlan] {
      switch self {
      case .one(let plan): [plan]
      case .typed(_, let plans): Array(plans.values)
      case .discriminated(let keys): keys.flatMap(\.types.values)
      }
    }

    /// For errors about an object that does not name its entity.
    var names: String { Set(all.map(\.model.name)).sorted().joined(separator: " or ") }
  }

  /// - Throws: ``StoreError`` for an entity that the store does not have.
  init(_ parts: [OpenPart], _ mapper: Mapper<RowTarget>) throws {
    self.mapper = mapper
    let session = mapper.session
    rows = mapper.target.writer
    let schema = rows.schema
    self.parts = try parts.map { open in
      let plans: Plans =
        switch open.part.entities {
        case .one(let type): .one(session.plan(try schema.model(type)))
        case .typed(let key, let types):
          .typed(by: key, try types.mapValues { session.plan(try schema.model($0)) })
        case .discriminated(let types):
          try Plans(discriminating: types.map { session.plan(try schema.model($0)) }, in: open.part)
        }
      if let plan = plans.all.first(where: { $0.uidType == nil }) {
        throw plan.anonymousError("part of a response").at(.init(part: open.part.place))
      }
      return (open.part, open.value, plans)
    }
    // A list of deletions has no objects: its deletions count where those of other objects of the entity do.
    entities = Set(self.parts.filter { $0.part.form != .deletions }.flatMap(\.plans.all).map(\.model.number))
    session.seen.counted.formUnion(entities)
    for (part, _, plans) in self.parts {
      if part.missing != nil { session.seen.collect(plans.all.map(\.model.number)) }
    }
  }

  func upsert(with reading: ObjectReading) throws {
    for (number, (part, value, plans)) in parts.enumerated() {
      guard let value else { continue }
      if part.form == .deletions, case .one(let plan) = plans {
        try delete(value, plan, (part.place, number), reading)
        continue
      }
      var batching: ObjectReading.Batching?
      if case .one(let plan) = plans { batching = .init(plan: plan) { self.note($0, plan) } }
      counted = rows.rowsWritten
      var section = ObjectReading.Section(value: value, part: (part.place, number), entity: plans.names)
      section.deleting = plans.all.filter { $0.deletedElements != nil }
      try reading.forEachObject(of: section, batching: batching) { object in
        try plan(of: object, plans, part)
      } _: { object in
        guard let plan = try plan(of: object, plans, part) else { return }
        let pk = try upsert(object, plan)
        if let pk, part.entities.areSeveral { items.append((plan.model, pk)) }
      }
      try reading.namingPlaces(as: plans.names) { try writeBatch() }
    }
  }

  /// Takes in a list of ids, or of objects with their uid, of which the server says that they are deleted.
  private func delete(
    _ value: JSONValue, _ plan: MappingPlan, _ place: (String?, Int), _ reading: ObjectReading
  ) throws {
    session.gone.ownEntity = ownEntity
    defer { session.gone.ownEntity = nil }
    func delete(_ uid: StoredValue?, _ object: JSONObject) throws {
      guard let uid else { throw plan.unnamedError() }
      _ = try mapper.upsertOutermost(plan, object, GivenIdentity(uid: uid, isDeletion: true))
    }
    var section = ObjectReading.Section(value: value, part: place, entity: plan.model.name)
    section.reference = { value in
      guard plan.isReference(value) else {
        throw MappingError(plan.model.name, "", "", "an object or an id was expected, and there is \(value.kindName)")
      }
      try delete(plan.uid(value), [:])
    }
    try reading.forEachObject(of: section, batching: nil) { _ in
      plan
    } _: {
      try delete(plan.uid(of: $0), $0)
    }
  }

  /// Writes the objects that were updated by hand since the last batch, and counts the rows that were written for them.
  private func writeBatch() throws {
    guard let plan = current else { return }
    counted = rows.rowsWritten
    try mapper.objects.target.writeBatch()
    tallies[plan.model.number]?.settle(plan.model, rows)
    countWritten(plan)
  }

  /// Counts the rows that were written since the last time for an entity.
  private func countWritten(_ plan: MappingPlan) {
    tallies[plan.model.number, default: Tally()].counts.rowsWritten += rows.rowsWritten - counted
    counted = rows.rowsWritten
  }

  private func note(_ outcome: MappingOutcome?, _ plan: MappingPlan) {
    let isNew = outcome.map { session.seen.inserted.contains($0.pk) } ?? false
    // Not through a copy of the tally, because a copy would hold all ids so far.
    tallies[plan.model.number, default: Tally()].add(outcome, isNew: isNew)
    countWritten(plan)
  }

  /// - Returns: `nil` for a type that the part does not name.
  private func plan(of object: JSONObject, _ plans: Plans, _ part: ResponsePart) throws -> MappingPlan? {
    let keys: [(key: String, types: [String: MappingPlan])]
    switch plans {
    case .one(let plan): return plan.takes(object) ? plan : nil
    case .typed(let key, let types): keys = [(key, types)]
    case .discriminated(let given): keys = given
    }
    var other: (key: String, type: String)?
    for (key, types) in keys {
      guard let type = Discriminator.type(object[key]) else { continue }
      if let plan = types[type] { return plan }
      other = other ?? (key, type)
    }
    guard let other else {
      throw MappingError(plans.names, "", keys.first?.key ?? "", "a text that says what the object is was expected")
    }
    session.unrecognized.note("", (part.place.map { $0 + "." } ?? "") + other.key, .text(other.type))
    return nil
  }

  /// - Returns: The row id; `nil` for an object that is gone.
  private func upsert(_ object: JSONObject, _ plan: MappingPlan) throws -> Int64? {
    guard plan.recognizes(object) else {
      throw MappingError(plan.model.name, "", "", "it has neither '\(plan.uidKey)' nor another key of the entity")
    }
    // Pending objects are counted for the entity that they were read for.
    if current !== plan { try writeBatch() }
    current = plan
    counted = rows.rowsWritten
    let outcome = try mapper.upsertOutermost(plan, object)
    note(outcome, plan)
    if mapper.objects.target.hasFullBatch { try writeBatch() }
    return outcome?.pk
  }

  /// Counts rows as unchanged that ended as they were before the response.
  func settle(_ unchanged: RepeatedWrites.UnchangedRows) {
    for number in tallies.keys { tallies[number]?.settle(unchanged, rows) }
  }

  /// Removes rows that the response says are deleted, because they are none of its objects.
  func remove(_ gone: [Int64: GoneRows.Row]) {
    for number in tallies.keys { tallies[number]?.remove(gone) }
    items.removeAll { gone[$0.pk] != nil }
  }

  /// Counts a row that the response says is deleted: it was deleted, or stays because something holds it.
  ///
  /// - Returns: Whether the row's entity has a part, which then counts the row.
  func noteGone(_ row: GoneRows.Row, isDenied: Bool) -> Bool {
    guard entities.contains(row.model.number) else { return false }
    tallies[row.model.number, default: Tally()].counts.noteGone(row, isDenied: isDenied)
    if !isDenied { tallies[row.model.number]?.counts.rowsWritten += 1 }
    return true
  }

  /// The missing rows of the parts whose missing rows are to be deleted.
  func missing(
    besides known: [MissingRow], keeping kept: RowBits, since begin: RequestNumber?
  ) throws -> [MissingRow] {
    var seen = Set(known.map(\.key))
    return try parts.filter { $0.value != nil }.flatMap { part, _, _ in
      try part.missing?.rows(rows, session, keeping: kept, since: begin).filter { seen.insert($0.key).inserted } ?? []
    }
  }

  func noteMissing(_ row: MissingRow, _ denied: Set<RowKey>) {
    tallies[row.model.number, default: Tally()].noteMissing(row, denied, session)
    if !denied.contains(row.key) { tallies[row.model.number]?.counts.rowsWritten += 1 }
  }

  var outcomes: PartOutcomes {
    var outcomes = PartOutcomes()
    for (number, tally) in tallies {
      outcomes[rows.schema.entities[number].type] = .init(pks: tally.pks, counts: tally.counts)
    }
    outcomes.addItems(items.map { .init(type: $0.model.type, id: $0.model.id($0.pk)) })
    return outcomes
  }
}

extension PartReading.Plans {
  /// - Throws: ``MappingError`` for an entity without a discriminator, and for two entities of one type.
  fileprivate init(discriminating plans: [MappingPlan], in part: ResponsePart) throws {
    var keys: [(key: String, types: [String: MappingPlan])] = []
    for plan in plans {
      func mistake(_ reason: String) -> MappingError {
        MappingError(plan.model.name, "", "", reason).at(.init(part: part.place))
      }
      guard let discriminator = plan.discriminator else {
        throw mistake("a list of several entities needs the 'discriminator' of each, and there is none")
      }
      let place = keys.firstIndex { $0.key == discriminator.key } ?? keys.count
      if place == keys.count { keys.append((discriminator.key, [:])) }
      for type in discriminator.values {
        if let other = keys[place].types.updateValue(plan, forKey: type) {
          throw mistake("the discriminator of '\(other.model.name)' has a value in common with it")
        }
      }
    }
    self = .discriminated(keys)
  }
}
