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
  private let objects: ObjectMapper
  /// Empty rows for reuse, by entity: an object takes as many as it nests.
  private var spare: [Int: [RowValues]] = [:]

  init(_ rows: RowWriter, _ session: UpsertSession, _ objects: ObjectMapper) {
    self.rows = rows
    self.session = session
    self.objects = objects
  }

  /// Upserts one object and what is nested in it.
  ///
  /// - Parameters:
  ///   - uid: Its uid, where it is known from elsewhere; it wins over the response's.
  ///   - target: The row that the object is, whatever uid it had.
  ///   - link: A to-one property to set with it: the way back of the to-many relationship that it was nested in.
  /// - Returns: `nil` when a newer answer deleted the object.
  func upsert(
    _ plan: MappingPlan, _ object: ResponseObject, uid given: StoredValue? = nil, target: Int64? = nil,
    link: (property: Int, pk: Int64)? = nil
  ) throws -> Outcome? {
    let model = plan.model
    let uid = try given ?? plan.uid(of: object)
    guard let newer = session.newer(model, uid) else { return nil }
    if plan.isByHand {
      return try byHand(plan, object, uid: uid, target: target, link: link, newer: newer)
    }
    var row = spare[model.number]?.popLast() ?? RowValues(count: model.properties.count)
    defer {
      row.removeAll()
      spare[model.number, default: []].append(row)
    }
    var members: [(property: Int, value: ResponseValue)] = []
    try plan.forEachProperty(of: object) { property, value in
      switch model.properties[property].kind {
      case .attribute(let type, let isOptional):
        row[property] = try plan.attribute(property, value, type, isOptional: isOptional)
      case .toOne(let number, _, _):
        let embedded = session.plan(number).uidType == nil ? { try self.linked(plan, property, uid, target) } : { 0 }
        row.setLink(try linkTarget(plan, property, session.plan(number), value, embedded), property)
      case .toMany:
        members.removeAll { $0.property == property }
        members.append((property, value))
      }
    }
    if let index = model.uid {
      if let uid, !uid.isNull { row[index] = uid } else { row.remove(ColumnMask.single(index)) }
    }
    if let link { row.setLink(link.pk, link.property) }
    let outcome = try write(model, row, uid: uid, target: target, newer: newer)
    session.touch(model, uid, row.mask)
    var isChanged = !outcome.changed.isEmpty
    for (property, value) in members {
      if try setMembers(plan, property, value, of: outcome.pk) { isChanged = true }
    }
    return Outcome(pk: outcome.pk, isInserted: outcome.isInserted, isChanged: isChanged)
  }

  private func write(
    _ model: EntityModel, _ row: RowValues, uid: StoredValue?, target: Int64?, newer: ColumnMask
  ) throws -> RowWriter.Outcome {
    let source = RowWriter.Source.response(keepsEdits: session.keepsEdits, newer: newer)
    let found: RowWriter.Found?
    if let target {
      found = try rows.find(model, pk: target)
    } else if let uid, !uid.isNull {
      found = try rows.find(model, uid: uid)
    } else {
      found = nil
    }
    if let found { return try rows.update(model, found, row, source) }
    return try rows.insert(model, pk: target ?? rows.newPrimaryKey(), row, source)
  }

  // MARK: Relationships

  /// The row that a to-one value names: a nested object, an id, or nothing.
  private func linkTarget(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: ResponseValue, _ embedded: () throws -> Int64
  ) throws -> Int64 {
    switch value.kind {
    case .null: return 0
    case .object:
      guard let object = value.object else { return 0 }
      // An object without uid lives in its parent: it is the one that is there already.
      let current = try embedded()
      return try upsert(target, object, target: current == 0 ? nil : current)?.pk ?? 0
    case .number, .string:
      guard let uid = try target.uid(value) else {
        throw plan.error(property, "'\(target.model.name)' has no uid, so an id can't name one")
      }
      return try rows.row(target.model, uid: uid)
    case .bool, .array:
      throw plan.error(property, "an object or an id was expected, and there is \(value.kindName)")
    }
  }

  /// The row that a to-one property of the object's own row holds now.
  private func linked(_ plan: MappingPlan, _ property: Int, _ uid: StoredValue?, _ target: Int64?) throws -> Int64 {
    let found: RowWriter.Found?
    if let target {
      found = try rows.find(plan.model, pk: target)
    } else if let uid, !uid.isNull {
      found = try rows.find(plan.model, uid: uid)
    } else {
      return 0
    }
    defer { found?.release() }
    return found?.link(property) ?? 0
  }

  /// Makes a to-many relationship what the response says it is: its objects are linked, those that are not among them
  /// lose their link, and none is deleted, but for ones without uid, which have no life outside their parent.
  ///
  /// - Returns: Whether it changed.
  private func setMembers(_ plan: MappingPlan, _ property: Int, _ value: ResponseValue, of pk: Int64) throws -> Bool {
    guard case .toMany(let number, let inverse, _) = plan.model.properties[property].kind else { return false }
    let target = session.plan(number)
    let before = try rows.holders(target.model, inverse, of: pk)
    var after: Set<Int64> = []
    if !value.isNull {
      guard let array = value.array else {
        throw plan.error(property, "an array was expected, and there is \(value.kindName)")
      }
      for (position, element) in array.enumerated() {
        if let object = element.object {
          // Embedded ones are told apart by their place, for want of a uid.
          let embedded = target.uidType == nil && position < before.count ? before[position] : nil
          if let member = try upsert(target, object, target: embedded, link: (inverse, pk)) { after.insert(member.pk) }
        } else if let uid = try target.uid(element), !uid.isNull {
          let member = try rows.row(target.model, uid: uid)
          try rows.setLink(target.model, member, inverse, to: pk, source)
          after.insert(member)
        } else {
          throw plan.error(property, "objects or ids were expected, and there is \(element.kindName)")
        }
      }
    }
    let gone = before.filter { !after.contains($0) }
    if target.uidType == nil {
      try rows.delete(gone.map { RowWriter.RowKey(entity: number, pk: $0) })
    } else {
      for member in gone { try rows.setLink(target.model, member, inverse, to: 0, source) }
    }
    return !gone.isEmpty || before.count != after.count
  }

  private var source: RowWriter.Source { .response(keepsEdits: session.keepsEdits, newer: ColumnMask()) }

  // MARK: Updates by hand

  private func byHand(
    _ plan: MappingPlan, _ object: ResponseObject, uid: StoredValue?, target: Int64?,
    link: (property: Int, pk: Int64)?, newer: ColumnMask
  ) throws -> Outcome? {
    let outer = rows.written
    rows.written = []
    defer { rows.written = outer }
    let isKnown = try isKnown(plan.model, uid: uid, target: target)
    let entity = try objects.upsert(plan, object, uid: uid, target: target, newer: newer) { entity in
      guard let link else { return }
      let parent = self.objects.context.existing(
        self.session.core.schema.entities[self.parent(plan, link.property)], pk: link.pk)
      plan.model.properties[link.property].link(entity, parent)
    }
    let pk = entity._$state.pk
    let isWritten = rows.written?.contains(RowWriter.RowKey(entity: plan.model.number, pk: pk)) ?? false
    return Outcome(pk: pk, isInserted: isWritten && !isKnown, isChanged: isWritten)
  }

  private func parent(_ plan: MappingPlan, _ property: Int) -> Int {
    if case .toOne(let number, _, _) = plan.model.properties[property].kind { number } else { plan.model.number }
  }

  /// Whether the row is there, and more than a placeholder.
  private func isKnown(_ model: EntityModel, uid: StoredValue?, target: Int64?) throws -> Bool {
    let found: RowWriter.Found?
    if let target {
      found = try rows.find(model, pk: target)
    } else if let uid, !uid.isNull {
      found = try rows.find(model, uid: uid)
    } else {
      return false
    }
    found?.release()
    return found.map { !$0.row.isPlaceholder } ?? false
  }
}
