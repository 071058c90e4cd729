import EntityJSON
import EntityStore

/// The declared mapping: from the bytes of a response to the columns of rows, with no object made.
///
/// Entities that update by hand are handed to the ``ObjectMapper``, wherever in the response they come.
final class RowMapper {
  struct Outcome {
    let pk: Int64
    let isInserted: Bool
    let isChanged: Bool
  }

  let rows: RowWriter
  let session: UpsertSession
  let objects: ObjectMapper
  /// Empty rows for reuse, by the entity's number: an object takes as many as it nests.
  private var spare: [[RowValues]]

  init(_ rows: RowWriter, _ session: UpsertSession, _ objects: ObjectMapper) {
    self.rows = rows
    self.session = session
    self.objects = objects
    spare = Array(repeating: [], count: rows.schema.entities.count)
  }

  /// Upserts one object and what is nested in it.
  ///
  /// - Parameters:
  ///   - target: The row that the object is, whatever uid it had.
  ///   - link: A to-one property to set with it: the way back of the to-many relationship that it was nested in. It wins
  ///     over what the object itself says of it.
  /// - Returns: `nil` when a newer answer deleted the object, or its own update did.
  func upsert(
    _ plan: MappingPlan, _ object: JSONObject, target: Int64? = nil, link: (property: Int, pk: Int64)? = nil
  ) throws -> Outcome? {
    let model = plan.model
    try session.enter(model)
    defer { session.leave() }
    let uid = try plan.uid(of: object)
    let identity = try uid ?? (session.isOrdered ? self.uid(model, target) : nil)
    guard var newer = session.newer(model, identity) else {
      session.skips?.noteGone(model, uid: identity)
      try noteLateArrival(model, uid: uid, target: target)
      return nil
    }
    if plan.isDeletion(object) {
      if newer.isEmpty {
        try noteDeletion(model, uid: uid, target: target, identity)
      } else if let row = try current(model, uid: uid, target: target) {
        // A newer answer has the object.
        session.skips?.note(model, row.pk, .newerAnswer)
      }
      return nil
    }
    newer = session.heldBack(model, identity, newer, isTarget: target != nil)
    if uid == nil, target == nil, session.needsUIDs, plan.uidType != nil { throw plan.unnamedError() }
    if plan.isByHand {
      return try byHand(plan, object, uid: uid, target: target, link: link)
    }
    var row = spare[model.number].popLast() ?? RowValues(count: model.properties.count)
    defer {
      row.removeAll()
      spare[model.number].append(row)
    }
    var members: [(property: Int, value: JSONValue)] = []
    var embedded: [Embedded] = []
    /// Required relationships to what a newer answer, or its own update, deleted.
    var gone = ColumnMask()
    /// What stays before a row is written.
    var staying = MergePolicy.Staying()
    try plan.forEachProperty(of: object) { property, value in
      switch model.properties[property].kind {
      case .attribute(let type, let isOptional):
        row[property] = try plan.attribute(property, value, type, isOptional: isOptional)
      case .toOne(let number, _, _):
        let nested = session.plan(number)
        guard nested.uidType == nil else {
          let new = try linkTarget(plan, property, nested, value)
          if new == nil, model.required.contains(property) {
            gone.insert(property)
          } else {
            row.setLink(new ?? 0, property)
          }
          return
        }
        embedded.removeAll { $0.property == property }
        // Neither what a newer answer has its word on, nor another object, whose link was edited here, is the answer's.
        let (old, stays) = try linked(plan, property, uid, target, newer)
        guard stays.isEmpty else {
          if old != 0 || !value.isNull { staying.formUnion(stays) }
          return
        }
        let new = try linkTarget(plan, property, nested, value, target: old) ?? 0
        embedded.append(Embedded(property: property, entity: number, old: old, new: new))
        row.setLink(new, property)
      case .toMany, .manyToMany:
        members.removeAll { $0.property == property }
        members.append((property, value))
      }
    }
    if let index = model.uid, let uid { row[index] = uid }
    if let link { row.setLink(link.pk, link.property) }
    if let uid, let target {
      newer.subtract(try takeOver(from: model, uid: uid, target: target, newer, &row, &staying))
    }
    var isAwaiting = !members.isEmpty || session.awaitsParts
    guard
      let outcome = try write(
        plan, row, uid: uid, target: target, newer: newer, gone: gone, isAwaiting: &isAwaiting)
    else {
      session.skips?.noteGone(model, uid: identity, gone)
      return nil
    }
    staying.gone.formUnion(gone)
    if !staying.isEmpty { session.skips?.note(model, outcome.pk, staying, answered: staying.all) }
    session.mention(model, outcome.pk)
    session.isThere(model, outcome.pk, identity)
    for embedded in embedded { try settle(embedded, isTaken: outcome.changed.contains(embedded.property)) }
    var touched = row.mask
    var isChanged = !outcome.changed.isEmpty
    for (property, value) in members {
      touched.insert(property)
      if try setMembers(plan, property, value, of: outcome.pk, isOlder: newer.contains(property)) { isChanged = true }
    }
    if !session.policy.keepsEdits { try endEdits(model, outcome.pk, members.map(\.property), newer) }
    if isAwaiting {
      if session.awaitsParts { session.postpone(plan, outcome.pk) } else { try checkRequired(plan, outcome.pk) }
    }
    session.touch(model, identity, touched)
    return Outcome(pk: outcome.pk, isInserted: outcome.isInserted, isChanged: isChanged)
  }

  /// - Parameter isAwaiting: Whether what the object requires may yet come, in its own lists or another part of the
  ///   response; then, whether it must.
  /// - Returns: `nil` for a new object whose required target is `gone`.
  private func write(
    _ plan: MappingPlan, _ row: RowValues, uid: StoredValue?, target: Int64?, newer: ColumnMask, gone: ColumnMask,
    isAwaiting: inout Bool
  ) throws -> RowWriter.Outcome? {
    let model = plan.model
    let source = RowWriter.Source.response(session.policy, newer: newer)
    let mayAwait = isAwaiting
    isAwaiting = false
    var missing = model.required.subtracting(row.mask)
    /// Whether what is missing leaves nothing to write.
    func isRefused() throws -> Bool {
      guard let first = missing.subtracting(gone).indices.first(where: { _ in true }) else { return !missing.isEmpty }
      isAwaiting = mayAwait
      if !isAwaiting { throw plan.missingError(first) }
      return false
    }
    guard let found = try find(model, uid: uid, target: target) else {
      let isAnother = try !missing.isEmpty && target != nil && isKnown(model, uid: uid, target: nil)
      if try !isAnother && isRefused() { return nil }
      return try rows.insert(model, pk: target ?? rows.newPrimaryKey(), row, source, isComplete: !isAwaiting)
    }
    if found.row.isPlaceholder {
      for index in missing.indices where found.link(index) != 0 { missing.subtract(.single(index)) }
      if try isRefused() { return nil }
    }
    return try rows.update(model, found, row, source, isComplete: !isAwaiting)
  }

  func checkRequired(_ plan: MappingPlan, _ pk: Int64) throws {
    guard let found = try rows.find(plan.model, pk: pk) else { return }
    if let missing = plan.model.required.indices.first(where: { found.link($0) == 0 }) {
      throw plan.missingError(missing)
    }
  }

  /// The row of an object that the response says is deleted goes with the others, once all of the response was read: what
  /// requires it may be among them.
  private func noteDeletion(
    _ model: EntityModel, uid: StoredValue?, target: Int64?, _ identity: StoredValue?
  ) throws {
    guard uid != nil || target != nil else { return }
    session.touch(model, identity, ColumnMask(), isDeletion: true)
    guard let found = try find(model, uid: uid, target: target) else { return }
    session.noteDeletion(model, found.pk, identity, isPlaceholder: found.row.isPlaceholder)
  }

  // MARK: Updates by hand

  private func byHand(
    _ plan: MappingPlan, _ object: JSONObject, uid: StoredValue?, target: Int64?,
    link: (property: Int, pk: Int64)?
  ) throws -> Outcome? {
    let outer = rows.written
    rows.written = []
    defer { rows.written = outer }
    let isKnown = try isKnown(plan.model, uid: uid, target: target)
    let parent = link.map {
      let parent = session.core.schema.entities[self.parent(plan, $0.property)]
      return (property: $0.property, object: objects.context.existing(parent, pk: $0.pk))
    }
    let entity = try objects.upsert(plan, object, uid: uid, target: target, link: parent)
    guard let pk = entity?._$state.pk else { return nil }
    let isWritten = rows.written?.contains(RowWriter.RowKey(entity: plan.model.number, pk: pk)) ?? false
    let isChanged = isWritten || entity?._$state.hasChangedLists == true
    return Outcome(pk: pk, isInserted: isWritten && !isKnown, isChanged: isChanged)
  }

  private func parent(_ plan: MappingPlan, _ property: Int) -> Int {
    if case .toOne(let number, _, _) = plan.model.properties[property].kind { number } else { plan.model.number }
  }

  /// Whether the row is there, and more than a placeholder.
  private func isKnown(_ model: EntityModel, uid: StoredValue?, target: Int64?) throws -> Bool {
    try current(model, uid: uid, target: target)?.isPlaceholder == false
  }

  private func current(_ model: EntityModel, uid: StoredValue?, target: Int64?) throws -> RowWriter.Current? {
    try find(model, uid: uid, target: target)?.row
  }

  /// The row that an object is: the one it is known to be, or else that of its uid.
  func find(_ model: EntityModel, uid: StoredValue?, target: Int64?) throws -> RowWriter.Found? {
    if let target { return try rows.find(model, pk: target) }
    guard let uid else { return nil }
    return try rows.find(model, uid: uid)
  }
}
