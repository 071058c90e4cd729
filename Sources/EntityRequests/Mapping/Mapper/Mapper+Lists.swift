import EntityJSON
import EntityStore

extension Mapper {
  /// Sets the members of lists as the response says.
  ///
  /// - Returns: Whether any list changed.
  func setLists(
    _ plan: MappingPlan, _ lists: [(property: Int, value: JSONValue)], of pk: Int64, _ newer: ColumnMask
  ) throws -> Bool {
    guard !lists.isEmpty else { return false }
    var isChanged = false
    var overwritten = ColumnMask()
    for (property, value) in lists {
      let isOlder = newer.contains(property)
      if try setMembers(plan, property, value, of: pk, newer) { isChanged = true }
      if !isOlder, !session.policy.keepsEdits { overwritten.insert(property) }
    }
    if !overwritten.isEmpty { try target.endEdits(plan.model, pk, overwritten) }
    return isChanged
  }

  /// Sets the members of a list as the response says. The objects in the response are linked, and all other members
  /// lose their link. No member is deleted, except a member without uid, which has no life outside its parent. Nulls
  /// are passed over.
  ///
  /// - Parameter newer: The columns that newer answers wrote. If the list is among them, its objects are upserted, but
  ///   not linked.
  /// - Returns: Whether the list changed.
  func setMembers(
    _ plan: MappingPlan, _ property: Int, _ value: JSONValue, of pk: Int64, _ newer: ColumnMask
  ) throws -> Bool {
    let isCounterpart = plan.model.properties[property].isCounterpart
    let value = isCounterpart ? value : value.list?.value ?? value
    guard isCounterpart ? value.kind != .array : value.isNull || value.kind == .array else {
      throw plan.error(
        property, "\(isCounterpart ? "an object or an id" : "an array") was expected, and there is \(value.kindName)")
    }
    guard let rows = plan.model.properties[property].list else { return false }
    let isOlder = newer.contains(property)
    let target = session.plan(rows.target)
    if isOlder, target.uidType == nil { return skip(plan, property, of: pk, .init(newer: ColumnMask(property))) }
    var list = MappedList(plan: plan, property: property, member: target, pk: pk)
    if let membership = plan.model.properties[property].membership {
      return try setMemberships(list, membership, value, newer)
    }
    if !isOlder { list.link = ParentLink(property: rows.owner, pk: pk) }
    return try setHolders(list, rows.owner, value, newer)
  }

  /// A to-many relationship of one row.
  private struct MappedList {
    let plan: MappingPlan
    let property: Int
    let member: MappingPlan
    let pk: Int64
    /// The link that each object of the response gets back to the row, if it is a column of the objects.
    var link: ParentLink?

    var owner: EntityModel { plan.model }
    var isOrdered: Bool { owner.ordered.contains(property) }
    /// Whether the members have no uid, and live in their parent.
    var isEmbedded: Bool { member.uidType == nil }
  }

  /// Upserts the objects of a list, and hands each to `body`. An object that is only an id comes with its uid.
  ///
  /// - Parameters:
  ///   - embedded: The rows without uid that are in the list already.
  ///   - unnamed: The rows without uid, for an entity that has uids; `nil` when objects are not known by their place.
  /// - Returns: Whether all members are known: none was passed over.
  private func forEachMember(
    of list: MappedList, _ value: JSONValue, embedded: [Int64], _ unnamed: UnnamedMembers?,
    _ body: (_ pk: Int64, _ reference: StoredValue?) throws -> Void
  ) throws -> Bool {
    let (plan, property, target) = (list.plan, list.property, list.member)
    var isWhole = true
    let takes: ((JSONObject) throws -> Bool)? =
      target.discriminator == nil ? nil : { try self.takes($0, plan, property, target) }
    let isCounterpart = plan.model.properties[property].isCounterpart
    func take(_ element: ListElement, at position: Int) throws {
      switch element {
      case .object(let object, let place):
        let isUnnamed = unnamed != nil && place != .named
        // Nothing tells which member this object is.
        if isUnnamed, unnamed?.staying.isEmpty == false { return }
        let given = GivenIdentity(row: place.row, isNew: isUnnamed && place.row == nil, link: list.link)
        let key = plan.model.properties[property].key
        if !isCounterpart, try passesOver(target, object.value, in: key, at: position) {
          isWhole = false
          return
        }
        if let member = try nested(target, object, given, key: key, at: isCounterpart ? nil : position) {
          try body(member, nil)
        }
      case .reference(let value):
        if value.fault != nil, try passesOver(target, value, in: "") {
          isWhole = false
          return
        }
        if let found = try named(plan, property, target, value) {
          if let found { try body(found, self.target.uid(target.model, found)) } else { isWhole = false }
          return
        }
        guard let uid = try plan.link(property, to: target, value) else { return }
        try checkReference(plan, property, target)
        if let member = try reference(target, uid) { try body(member, uid) }
      }
    }
    let isPlaced: ((JSONObject) throws -> Bool)? = unnamed.map { _ in { try target.uid(of: $0) == nil } }
    let embedded = unnamed?.places ?? embedded
    // The value of a one-to-one relationship is its one member.
    if isCounterpart {
      try CollectionOfOne(value).forEachElement(embedded: embedded, isPlaced: isPlaced, where: takes, take)
    } else {
      try value.array?.forEachElement(embedded: embedded, isPlaced: isPlaced, where: takes, take)
    }
    return isWhole
  }

  /// The members that a response has in a list.
  private struct Listed {
    var rows: Set<Int64> = []
    var order: [Int64] = []
    var isChanged = false
    /// Whether the response says which members there are.
    var isWhole = true
  }

  /// Sets a to-many relationship whose members hold the link.
  private func setHolders(
    _ list: MappedList, _ inverse: Int, _ value: JSONValue, _ newer: ColumnMask
  ) throws -> Bool {
    let (owner, property, pk) = (list.owner, list.property, list.pk)
    let isOlder = newer.contains(property)
    let holders = try target.members(owner, property, of: pk)
    if list.isEmbedded {
      let staying = try staying(
        owner, property, of: pk, isEdited: holders.areEdited || target.isEdited(owner, pk, property))
      if !staying.isEmpty { return skip(list.plan, property, of: pk, staying) }
    }
    let unnamed = try unnamed(list.plan, property, of: pk, list.member, holders.rows, newer)
    let isNested = session.lists.begin(owner, property, pk)
    var before = holders.rows
    var listed = try readHolders(list, inverse, value, before, unnamed, isOlder: isOlder)
    // The own key of an object says more than a list that lacks the object.
    let named = session.lists.named(owner, property, pk)
    let wasDisturbed = !isNested && session.lists.end(owner, property, pk)
    guard !isOlder else {
      return Set(before) == listed.rows ? false : skip(list.plan, property, of: pk, .init(newer: ColumnMask(property)))
    }
    if wasDisturbed {
      before = try target.members(owner, property, of: pk).rows
      for row in listed.rows.subtracting(before).sorted() where try relink(list.member, row, inverse, to: pk) {
        listed.isChanged = true
      }
    }
    let gone = listed.isWhole ? before.filter { !listed.rows.contains($0) && !named.contains($0) } : []
    if list.isEmbedded {
      try noteReleased(gone, list.member, pk, property)
      if try !gone.isEmpty && target.delete(list.member.model, gone) > 0 { listed.isChanged = true }
    } else {
      var unlinked = gone
      if let unnamed {
        let places = Set(wasDisturbed ? try target.unnamed(list.member.model, before).rows : unnamed.rows)
        if try removeUnnamed(gone.filter(places.contains), unnamed, from: list) { listed.isChanged = true }
        unlinked.removeAll(where: places.contains)
        listed.order += unnamed.staying.isEmpty ? [] : before.filter(places.contains)
      }
      if try unlink(unlinked, from: list, inverse) { listed.isChanged = true }
    }
    // The rows before are in the order of the list, so an unchanged list equals the order of the response.
    guard list.isOrdered, listed.isWhole else { return listed.isChanged }
    target.rows?.notes.repeats?.noteOrder(owner, pk, property, isChanged: false)
    guard listed.order != before else { return listed.isChanged }
    return try target.setOrder(owner, property, of: pk, listed.order, before: before) || listed.isChanged
  }

  /// Upserts the members that a response has in a list, and links them.
  ///
  /// - Parameter isOlder: Whether a newer answer had the list: nothing is linked then.
  private func readHolders(
    _ list: MappedList, _ inverse: Int, _ value: JSONValue, _ before: [Int64], _ unnamed: UnnamedMembers?,
    isOlder: Bool
  ) throws -> Listed {
    let (property, pk) = (list.property, list.pk)
    let known = Set(before)
    var listed = Listed()
    let places =
      list.isEmbedded
      ? session.places(of: pk, property, session.ordered(before, list.owner, property, of: pk)) : []
    listed.isWhole = try forEachMember(of: list, value, embedded: places, unnamed) { row, reference in
      if session.isOverruled(row) {
        // If the object stands in the list twice, its later occurrence counts.
        if listed.rows.remove(row) != nil, list.isOrdered { listed.order.removeAll { $0 == row } }
        return
      }
      if listed.rows.insert(row).inserted, list.isOrdered { listed.order.append(row) }
      guard !isOlder else { return }
      if let reference {
        if try relink(list.member, row, reference, inverse, to: pk) { listed.isChanged = true }
      } else if try !known.contains(row) && target.link(list.member.model, inverse, of: row) == pk {
        listed.isChanged = true
      }
    }
    return listed
  }

  /// Deletes members that are known by their place, and that the response lacks.
  private func removeUnnamed(_ rows: [Int64], _ unnamed: UnnamedMembers, from list: MappedList) throws -> Bool {
    let surplus = unnamed.staying.isEmpty ? rows : []
    try noteReleased(surplus, list.member, list.pk, list.property)
    return try !surplus.isEmpty && target.delete(list.member.model, surplus) > 0
  }

  /// Ends the links of members that the response lacks. A member that the response has put elsewhere meanwhile stays there.
  private func unlink(_ rows: [Int64], from list: MappedList, _ inverse: Int) throws -> Bool {
    var isChanged = false
    for row in rows where try target.link(list.member.model, inverse, of: row) == list.pk {
      if try relink(list.member, row, inverse, to: 0) { isChanged = true }
    }
    return isChanged
  }

  private func setMemberships(
    _ list: MappedList, _ membership: PropertyModel.Membership, _ value: JSONValue, _ newer: ColumnMask
  ) throws -> Bool {
    let (plan, property, member, pk) = (list.plan, list.property, list.member, list.pk)
    var order: [Int64] = []
    var embedded: [Int64] = []
    if member.uidType == nil {
      let members = try target.members(plan.model, property, of: pk)
      let staying = try staying(
        plan.model, property, of: pk, isEdited: members.areEdited || target.isEdited(plan.model, pk, property))
      if !staying.isEmpty { return skip(plan, property, of: pk, staying) }
      embedded = session.places(of: pk, property, session.ordered(members.rows, plan.model, property, of: pk))
    }
    let unnamed = try unnamed(
      plan, property, of: pk, member, target.members(plan.model, property, of: pk).rows, newer)
    let isWhole = try forEachMember(of: list, value, embedded: embedded, unnamed) { row, _ in order.append(row) }
    // A member that is not known may be any of those that the list has.
    if !isWhole { order = try ListOrder.unique(order + target.members(plan.model, property, of: pk).rows) }
    if let unnamed, !unnamed.staying.isEmpty { order += unnamed.rows }
    // Read only now, because nested objects may have changed the same memberships.
    let before = member.uidType == nil ? try target.members(plan.model, property, of: pk).rows : []
    let isChanged = try target.setMemberships(plan, property, membership, of: pk, order, newer: newer)
    if let unnamed, unnamed.staying.isEmpty {
      let lost = try target.unnamed(member.model, unnamed.rows + order).rows
      let now = Set(try lost.isEmpty ? [] : target.members(plan.model, property, of: pk).rows)
      let gone = Set(lost).subtracting(now).sorted()
      try noteReleased(gone, member, pk, property)
      for row in gone { try target.release(member.model, row) }
    }
    guard member.uidType == nil, !newer.contains(property) else { return isChanged }
    // Members that were removed, and members that a kept edit did not let in.
    let now = Set(order)
    try noteReleased(before.filter { !now.contains($0) }, member, pk, property)
    for row in now.symmetricDifference(before).sorted() { try target.release(member.model, row) }
    return isChanged
  }

  /// Notes that a list stays as it is.
  ///
  /// - Returns: `false`, because the list did not change.
  private func skip(_ plan: MappingPlan, _ property: Int, of pk: Int64, _ staying: MergePolicy.Staying) -> Bool {
    session.skips?.note(plan.model, pk, staying, answered: ColumnMask(property))
    return false
  }

  private func relink(_ member: MappingPlan, _ row: Int64, _ inverse: Int, to pk: Int64) throws -> Bool {
    let uid = try session.isOrdered ? target.uid(member.model, row) : nil
    return try relink(member, row, uid, inverse, to: pk)
  }

  /// Sets the link of a member back to the list's owner. The link stays if a newer answer or a local edit decides it. A
  /// required link stays until the server says where the member went.
  private func relink(
    _ member: MappingPlan, _ row: Int64, _ uid: StoredValue?, _ inverse: Int, to pk: Int64
  ) throws -> Bool {
    if pk == 0, member.model.properties[inverse].isRequired { return false }
    guard let newer = session.newer(member.model, uid) else { return false }
    let isChanged = try target.setLink(member.model, row, inverse, to: pk, newer: newer)
    session.touch(member.model, uid, ColumnMask(inverse))
    return isChanged
  }
}

/// An element of a list in a response.
enum ListElement {
  /// An object, and how its row is found.
  case object(JSONObject, Place)
  /// The id of an object.
  case reference(JSONValue)

  enum Place: Equatable {
    /// By the uid of the object.
    case named
    /// By the place of the object: the row without uid that stood there.
    case row(Int64)
    /// No row without uid stood at the place of the object.
    case new

    var row: Int64? { if case .row(let row) = self { row } else { nil } }
  }
}

extension Sequence<JSONValue> {
  /// Goes through a list. Nulls are passed over, and so are blank texts in a format without types.
  ///
  /// - Parameters:
  ///   - embedded: The rows without uid that are in the list already, each known by its place.
  ///   - isPlaced: Whether an object is known by its place; `nil` when every object is.
  ///   - takes: Whether an object belongs to the list; `nil` when every object does.
  func forEachElement(
    embedded: [Int64], isPlaced: ((JSONObject) throws -> Bool)? = nil,
    where takes: ((JSONObject) throws -> Bool)? = nil,
    _ body: (_ element: ListElement, _ position: Int) throws -> Void
  ) throws {
    var place = 0
    var position = 0
    for element in self {
      defer { position += 1 }
      if position % 64 == 63 { try Task.checkCancellation() }
      if element.isNothing, element.fault == nil { continue }
      guard let object = element.object else {
        try body(.reference(element), position)
        continue
      }
      if let takes, try !takes(object) { continue }
      if let isPlaced, try !isPlaced(object) {
        try body(.object(object, .named), position)
        continue
      }
      try body(.object(object, place < embedded.count ? .row(embedded[place]) : .new), position)
      place += 1
    }
  }
}
