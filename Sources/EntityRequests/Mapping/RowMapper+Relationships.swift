import EntityStore

extension RowMapper {
  /// A to-one property whose object has no uid: it lives in its parent, and with it.
  struct Embedded {
    let property: Int
    let entity: Int
    let old: Int64
    let new: Int64
  }

  /// The row that a to-one value names: a nested object, an id, or nothing.
  ///
  /// - Parameter target: The row of a nested object without uid: the one that is there already.
  func linkTarget(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: ResponseValue, target old: Int64 = 0
  ) throws -> Int64 {
    if value.isNull { return 0 }
    if let object = value.object {
      do {
        guard let nested = try upsert(target, object, target: old == 0 ? nil : old) else { return 0 }
        if nested.isInserted { session.noteInserted(target.model, nested.pk) }
        return nested.pk
      } catch let error as MappingError {
        throw error.nested(in: plan.model.properties[property].key)
      }
    }
    guard let uid = try plan.link(property, to: target, value) else { return 0 }
    // What a newer answer deleted is not brought back by an older one's link.
    guard session.newer(target.model, uid) != nil else { return 0 }
    let pk = try rows.row(target.model, uid: uid)
    session.mention(target.model, pk)
    return pk
  }

  /// The row that a to-one property of the object's own row holds now.
  func linked(_ plan: MappingPlan, _ property: Int, _ uid: StoredValue?, _ target: Int64?) throws -> Int64 {
    let found: RowWriter.Found?
    if let target {
      found = try rows.find(plan.model, pk: target)
    } else if let uid {
      found = try rows.find(plan.model, uid: uid)
    } else {
      return 0
    }
    defer { found?.release() }
    return found?.link(property) ?? 0
  }

  /// Deletes the object that its parent no longer holds, or never got to hold: a local edit of the link stays.
  func settle(_ embedded: Embedded, isTaken: Bool) throws {
    let loser = isTaken ? embedded.old : embedded.new
    guard embedded.old != embedded.new, loser != 0 else { return }
    try rows.deleteEmbedded(session.core.schema.entities[embedded.entity], loser)
  }

  func uid(_ model: EntityModel, _ pk: Int64?) throws -> StoredValue? {
    guard let index = model.uid, let pk, let found = try rows.find(model, pk: pk) else { return nil }
    defer { found.release() }
    let uid = found.value(index)
    return uid.isNull ? nil : uid
  }

  /// Makes a to-many relationship what the response says it is: its objects are linked, those that are not among them
  /// lose their link, and none is deleted, but for ones without uid, which have no life outside their parent. Nulls are
  /// passed over.
  ///
  /// - Parameter isOlder: Whether a newer answer said what the relationship is; the objects are upserted all the same.
  /// - Returns: Whether it changed.
  func setMembers(
    _ plan: MappingPlan, _ property: Int, _ value: ResponseValue, of pk: Int64, isOlder: Bool
  ) throws -> Bool {
    guard case .toMany(let number, let inverse, _) = plan.model.properties[property].kind else { return false }
    let target = session.plan(number)
    guard value.isNull || value.kind == .array else {
      throw plan.error(property, "an array was expected, and there is \(value.kindName)")
    }
    if isOlder, target.uidType == nil { return false }
    let isNested = session.beginList(plan.model, property, pk)
    var before = try rows.holders(target.model, inverse, of: pk)
    let known = Set(before)
    var after: Set<Int64> = []
    var isChanged = false
    var place = 0
    var position = 0
    for element in value.array.map(AnySequence.init) ?? AnySequence([]) {
      defer { position += 1 }
      if position % 64 == 63 { try Task.checkCancellation() }
      if element.isNull { continue }
      if let object = element.object {
        // Embedded ones are told apart by their place, for want of a uid.
        let embedded = target.uidType == nil && place < before.count ? before[place] : nil
        place += 1
        do {
          let link = isOlder ? nil : (property: inverse, pk: pk)
          guard let member = try upsert(target, object, target: embedded, link: link) else { continue }
          after.insert(member.pk)
          if member.isInserted { session.noteInserted(target.model, member.pk) }
          if !isOlder, !known.contains(member.pk) { isChanged = true }
        } catch let error as MappingError {
          throw error.nested(in: plan.model.properties[property].key, at: position)
        }
      } else if let uid = try plan.link(property, to: target, element), session.newer(target.model, uid) != nil {
        let member = try rows.row(target.model, uid: uid)
        session.mention(target.model, member)
        after.insert(member)
        if !isOlder, try relink(target, member, uid, inverse, to: pk) { isChanged = true }
      }
    }
    let wasNested = !isNested && session.endList(plan.model, property, pk)
    guard !isOlder else { return false }
    if wasNested {
      before = try rows.holders(target.model, inverse, of: pk)
      for member in after.subtracting(before).sorted() {
        let uid = try session.isOrdered ? self.uid(target.model, member) : nil
        if try relink(target, member, uid, inverse, to: pk) { isChanged = true }
      }
    }
    let gone = before.filter { !after.contains($0) }
    if target.uidType == nil {
      try rows.delete(gone.map { RowWriter.RowKey(entity: number, pk: $0) })
      return isChanged || !gone.isEmpty
    }
    for member in gone {
      let uid = try session.isOrdered ? self.uid(target.model, member) : nil
      if try relink(target, member, uid, inverse, to: 0) { isChanged = true }
    }
    return isChanged
  }

  /// Sets the way back of a member, where no newer answer and no local edit has its word on it.
  private func relink(
    _ target: MappingPlan, _ member: Int64, _ uid: StoredValue?, _ inverse: Int, to pk: Int64
  ) throws -> Bool {
    guard let newer = session.newer(target.model, uid) else { return false }
    let before = rows.rowsWritten
    try rows.setLink(
      target.model, member, inverse, to: pk, .response(keepsEdits: session.keepsEdits, newer: newer))
    session.touch(target.model, uid, ColumnMask.single(inverse))
    return rows.rowsWritten != before
  }
}

extension RowWriter {
  /// Deletes a row without uid that its parent let go of, unless another one holds it.
  func deleteEmbedded(_ model: EntityModel, _ pk: Int64) throws {
    let key = RowKey(entity: model.number, pk: pk)
    if try !hasParent(key) { try delete([key]) }
  }
}
