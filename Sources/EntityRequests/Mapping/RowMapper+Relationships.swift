import EntityJSON
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
  /// - Returns: 0 for none; `nil` for an object that a newer answer, or its own update, deleted.
  func linkTarget(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue, target old: Int64 = 0
  ) throws -> Int64? {
    let isRequired = plan.model.required.contains(property)
    if value.isNull {
      if isRequired { throw plan.requiredError(property, value) }
      return 0
    }
    if let object = value.object {
      do {
        guard let nested = try upsert(target, object, target: old == 0 ? nil : old) else { return nil }
        if nested.isInserted { session.noteInserted(target.model, nested.pk) }
        return nested.pk
      } catch let error as MappingError {
        throw error.nested(in: plan.model.properties[property].key)
      }
    }
    guard let uid = try plan.link(property, to: target, value) else {
      if isRequired { throw plan.requiredError(property, value) }
      return 0
    }
    // What a newer answer deleted is not brought back by an older one's link.
    guard session.newer(target.model, uid) != nil else {
      session.skips?.noteGone(target.model, uid: uid)
      return nil
    }
    let pk = try rows.row(target.model, uid: uid) { session.noteInserted(target.model, $0) }
    session.mention(target.model, pk)
    return pk
  }

  /// The row that a to-one property of the object's own row holds now, and whether the property stays as it is.
  ///
  /// - Parameter newer: The columns that newer answers wrote.
  func linked(
    _ plan: MappingPlan, _ property: Int, _ uid: StoredValue?, _ target: Int64?, _ newer: ColumnMask
  ) throws -> (row: Int64, staying: MergePolicy.Staying) {
    let column = ColumnMask.single(property)
    guard let found = try find(plan.model, uid: uid, target: target) else {
      return (0, session.policy.staying(of: column, edited: ColumnMask(), newer: newer))
    }
    let isUnsettled = session.isUnsettled(plan.model, property, of: found.pk)
    let edited = isUnsettled ? found.row.edited.union(column) : found.row.edited
    return (found.link(property), session.policy.staying(of: column, edited: edited, newer: newer))
  }

  /// Deletes the object that its parent no longer holds, or never got to hold: a local edit of the link stays.
  func settle(_ embedded: Embedded, isTaken: Bool) throws {
    let loser = isTaken ? embedded.old : embedded.new
    guard embedded.old != embedded.new, loser != 0 else { return }
    try rows.deleteEmbedded(session.core.schema.entities[embedded.entity], loser)
  }

  func uid(_ model: EntityModel, _ pk: Int64?) throws -> StoredValue? {
    guard let index = model.uid, let pk, let found = try rows.find(model, pk: pk) else { return nil }
    let uid = found.value(index)
    return uid.isNull ? nil : uid
  }

  /// Makes a list what the response says it is: its objects are linked, those that are not among them lose their link,
  /// and none is deleted, but for ones without uid, which have no life outside their parent. Nulls are passed over.
  ///
  /// - Parameter isOlder: Whether a newer answer said what the relationship is; the objects are upserted all the same.
  /// - Returns: Whether it changed.
  func setMembers(
    _ plan: MappingPlan, _ property: Int, _ value: JSONValue, of pk: Int64, isOlder: Bool
  ) throws -> Bool {
    guard value.isNull || value.kind == .array else {
      throw plan.error(property, "an array was expected, and there is \(value.kindName)")
    }
    switch plan.model.properties[property].kind {
    case .attribute, .toOne: return false
    case .toMany(let target, let inverse, _):
      let target = session.plan(target)
      if isOlder, target.uidType == nil { return skip(plan, property, of: pk, .init(newer: .single(property))) }
      return try setHolders(plan, property, target, inverse, value, of: pk, isOlder: isOlder)
    case .manyToMany(let membership, _):
      let target = session.plan(membership.target)
      if isOlder, target.uidType == nil { return skip(plan, property, of: pk, .init(newer: .single(property))) }
      return try setMemberships(plan, property, target, membership, value, of: pk, isOlder: isOlder)
    }
  }

  /// Upserts the objects of a list, and hands each to `body` with its uid where that is known.
  ///
  /// - Parameters:
  ///   - embedded: The rows without uid that are in the list already: told apart by their place, for want of a uid.
  ///   - link: The way back of the objects, if it is a column of theirs.
  private func forEachMember(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ value: JSONValue, embedded: [Int64],
    link: (property: Int, pk: Int64)?, _ body: (_ pk: Int64, _ reference: StoredValue?) throws -> Void
  ) throws {
    var place = 0
    var position = 0
    for element in value.array ?? [] {
      defer { position += 1 }
      if position % 64 == 63 { try Task.checkCancellation() }
      if element.isNull { continue }
      if let object = element.object {
        let known = target.uidType == nil && place < embedded.count ? embedded[place] : nil
        place += 1
        do {
          guard let member = try upsert(target, object, target: known, link: link) else { continue }
          if member.isInserted { session.noteInserted(target.model, member.pk) }
          try body(member.pk, nil)
        } catch let error as MappingError {
          throw error.nested(in: plan.model.properties[property].key, at: position)
        }
      } else if let uid = try plan.link(property, to: target, element) {
        guard session.newer(target.model, uid) != nil else {
          session.skips?.noteGone(target.model, uid: uid)
          continue
        }
        let member = try rows.row(target.model, uid: uid) { session.noteInserted(target.model, $0) }
        session.mention(target.model, member)
        try body(member, uid)
      }
    }
  }

  private func setHolders(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ inverse: Int, _ value: JSONValue,
    of pk: Int64, isOlder: Bool
  ) throws -> Bool {
    let holders = try rows.holders(target.model, inverse, of: pk)
    // Without uid, nothing tells which of the server's objects the edit is about.
    if target.uidType == nil, try isEdited(plan.model, pk, property, holders.areEdited) {
      return skip(plan, property, of: pk, .init(edited: .single(property)))
    }
    let isNested = session.beginList(plan.model, property, pk)
    var before = holders.rows
    let known = Set(before)
    var after: Set<Int64> = []
    var isChanged = false
    try forEachMember(
      plan, property, target, value, embedded: session.ordered(before, plan.model, property, of: pk),
      link: isOlder ? nil : (property: inverse, pk: pk)
    ) { member, reference in
      after.insert(member)
      guard !isOlder else { return }
      if let reference {
        if try relink(target, member, reference, inverse, to: pk) { isChanged = true }
      } else if try !known.contains(member) && linked(target, inverse, nil, member, ColumnMask()).row == pk {
        isChanged = true
      }
    }
    let wasNested = !isNested && session.endList(plan.model, property, pk)
    guard !isOlder else {
      return known == after ? false : skip(plan, property, of: pk, .init(newer: .single(property)))
    }
    if wasNested {
      before = try rows.holders(target.model, inverse, of: pk).rows
      for member in after.subtracting(before).sorted() {
        let uid = try session.isOrdered ? self.uid(target.model, member) : nil
        if try relink(target, member, uid, inverse, to: pk) { isChanged = true }
      }
    }
    let gone = before.filter { !after.contains($0) }
    if target.uidType == nil {
      let keys = gone.map { RowWriter.RowKey(entity: target.model.number, pk: $0) }
      return try rows.deleteWherePossible(keys).denied.count < keys.count || isChanged
    }
    for member in gone {
      let uid = try session.isOrdered ? self.uid(target.model, member) : nil
      if try relink(target, member, uid, inverse, to: 0) { isChanged = true }
    }
    return isChanged
  }

  private func setMemberships(
    _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ membership: PropertyModel.Membership,
    _ value: JSONValue, of pk: Int64, isOlder: Bool
  ) throws -> Bool {
    var after: Set<Int64> = []
    // Without uid, nothing tells which of the server's objects the edit is about.
    var embedded: [Int64] = []
    if target.uidType == nil {
      let members = try rows.members(membership, of: pk)
      if try isEdited(plan.model, pk, property, rows.areEdited(target.model, members)) {
        return skip(plan, property, of: pk, .init(edited: .single(property)))
      }
      embedded = session.ordered(members, plan.model, property, of: pk)
    }
    try forEachMember(plan, property, target, value, embedded: embedded, link: nil) { member, _ in after.insert(member)
    }
    if !isOlder, !session.policy.keepsEdits { try rows.endMarks(membership, of: pk) }
    // Only now: what is nested in the objects may have said something of the same memberships.
    let before = try rows.pairs(membership, of: pk)
    let added = after.subtracting(before.lazy.map(\.member)).sorted()
    let gone = before.filter { !after.contains($0.member) }
    var isChanged = false
    // Pairs that were edited here stay as they are until that is acknowledged; all others are what the response says.
    var skipped = MergePolicy.Staying()
    func allowsChange(_ member: Int64, _ isEdited: @autoclosure () throws -> Bool) throws -> Bool {
      let column = ColumnMask.single(property)
      let isNewer = try isOlder || !self.allowsChange(target, membership, member)
      let isEdited = try session.policy.keepsEdits && isEdited()
      let staying = session.policy.staying(
        of: column, edited: isEdited ? column : ColumnMask(), newer: isNewer ? column : ColumnMask())
      skipped.formUnion(staying)
      return staying.isEmpty
    }
    for member in added where try allowsChange(member, rows.isRemovedHere(membership, of: pk, member)) {
      try rows.addMember(membership, of: pk, member)
      isChanged = true
    }
    for pair in gone where try allowsChange(pair.member, pair.isAddedHere) {
      try rows.removePair(membership, of: pk, pair)
      isChanged = true
    }
    if !skipped.isEmpty { _ = skip(plan, property, of: pk, skipped) }
    guard !isOlder else { return false }
    if target.uidType == nil {
      for member in added + gone.map(\.member) { try rows.deleteEmbedded(target.model, member) }
    }
    return isChanged
  }

  /// Ends the edits of lists that the response overwrote.
  func endEdits(_ model: EntityModel, _ pk: Int64, _ lists: [Int], _ newer: ColumnMask) throws {
    var mask = ColumnMask()
    for list in lists where !newer.contains(list) { mask.insert(list) }
    if !mask.isEmpty { try rows.acknowledge(model, pk: pk, mask) }
  }

  /// A list stays as it is.
  ///
  /// - Returns: `false`: it did not change.
  private func skip(_ plan: MappingPlan, _ property: Int, of pk: Int64, _ staying: MergePolicy.Staying) -> Bool {
    session.skips?.note(plan.model, pk, staying, answered: .single(property))
    return false
  }

  /// Whether a list of objects without uid stays as it is: it was edited, or one of its members.
  private func isEdited(
    _ model: EntityModel, _ pk: Int64, _ property: Int, _ areEdited: @autoclosure () throws -> Bool
  ) throws -> Bool {
    guard session.policy.keepsEdits else { return false }
    return try session.isUnsettled(model, property, of: pk) || areEdited() || rows.isEdited(model, pk, property)
  }

  /// Whether no newer answer said what the list on the other side is.
  private func allowsChange(
    _ target: MappingPlan, _ membership: PropertyModel.Membership, _ member: Int64
  ) throws -> Bool {
    guard session.isOrdered, let inverse = membership.inverse else { return true }
    return session.newer(target.model, try uid(target.model, member)).map { !$0.contains(inverse) } ?? false
  }

  /// Sets the way back of a member, where no newer answer and no local edit has its word on it. A required one is kept
  /// until the server says where the member went.
  private func relink(
    _ target: MappingPlan, _ member: Int64, _ uid: StoredValue?, _ inverse: Int, to pk: Int64
  ) throws -> Bool {
    if pk == 0, target.model.properties[inverse].isRequired { return false }
    guard let newer = session.newer(target.model, uid) else { return false }
    let before = rows.rowsWritten
    try rows.setLink(
      target.model, member, inverse, to: pk, .response(session.policy, newer: newer))
    session.touch(target.model, uid, ColumnMask.single(inverse))
    return rows.rowsWritten != before
  }
}

extension RowWriter {
  /// Deletes a row without uid that its parent let go of, unless another one holds it.
  func deleteEmbedded(_ model: EntityModel, _ pk: Int64) throws {
    let key = RowKey(entity: model.number, pk: pk)
    if try !hasParent(key) { _ = try deleteWherePossible([key]) }
  }
}
