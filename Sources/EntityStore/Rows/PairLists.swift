// The lists of many-to-many relationships that a response has. Objects one by one and batches of objects take this way.

/// The members that a response has in a many-to-many relationship of one row.
package struct PairList {
  let model: EntityModel
  let property: Int
  let membership: PropertyModel.Membership
  let pk: Int64
  /// The row ids of the members, in the order of the response.
  let members: [Int64]
  let policy: MergePolicy
  /// Whether a newer answer wrote the list.
  package var isOlder = false

  package init(
    of pk: Int64, _ model: EntityModel, _ property: Int, _ membership: PropertyModel.Membership, _ members: [Int64],
    _ policy: MergePolicy
  ) {
    (self.pk, self.model, self.property, self.membership) = (pk, model, property, membership)
    (self.members, self.policy) = (members, policy)
  }

  fileprivate func staying(isEdited: Bool, isNewer: Bool) -> MergePolicy.Staying {
    let column = ColumnMask(property)
    return policy.staying(
      of: column, edited: isEdited && policy.keepsEdits ? column : ColumnMask(), newer: isNewer ? column : ColumnMask())
  }
}

extension RowPairs {
  /// Gives a list the members that a response has. Pairs that were edited here stay as they are until the edit is
  /// acknowledged, and so do pairs with members whose own list a newer answer wrote.
  ///
  /// - Parameters:
  ///   - before: The pairs of the list, where the caller has read them.
  ///   - isNewer: Whether a newer answer wrote the list on a member's side.
  /// - Returns: Whether the list changed.
  package func set(
    _ list: PairList, before known: [Pair]? = nil, isNewer: (_ member: Int64) throws -> Bool = { _ in false }
  ) throws -> Bool {
    let (membership, pk) = (list.membership, list.pk)
    if !list.isOlder, !list.policy.keepsEdits { try endMarks(membership, of: pk) }
    let before = try known ?? read(membership, of: pk)
    let wanted = Set(list.members)
    var skipped = MergePolicy.Staying()
    func allowsChange(_ member: Int64, _ isEdited: Bool) throws -> Bool {
      let staying = list.staying(isEdited: isEdited, isNewer: try list.isOlder || isNewer(member))
      skipped.formUnion(staying)
      return staying.isEmpty
    }
    var isChanged = false
    // In the order of the response, in which a list without positions is read.
    let isOrdered = list.model.ordered.contains(list.property)
    let added = wanted.subtracting(before.lazy.map(\.member))
    for member in isOrdered ? ListOrder.unique(list.members, in: added) : added.sorted()
    where try allowsChange(member, isRemovedHere(membership, of: pk, member)) {
      try addMember(membership, of: pk, member)
      isChanged = true
    }
    for pair in before where !wanted.contains(pair.member) {
      guard try allowsChange(pair.member, pair.isAddedHere) else { continue }
      try removePair(membership, of: pk, pair)
      isChanged = true
    }
    if !skipped.isEmpty, let skips = rows.notes.skips {
      let value = try skippedList(
        list.model.properties[list.property], membership, of: pk, before: before, list.members)
      skips.note(
        list.model, pk, skipped, answered: ColumnMask(list.property), values: [list.property: value])
    }
    if !list.isOlder, list.policy.keepsEdits { try rows.edits.hear(membership, of: pk, wanted, before: before) }
    guard isOrdered, !list.isOlder else { return isChanged }
    rows.notes.repeats?.noteOrder(list.model, pk, list.property, isChanged: false)
    let members = before.map(\.member)
    guard members != list.members else { return isChanged }
    return try rows.order.set(list.model, list.property, of: pk, list.members, before: members, list.policy)
      || isChanged
  }

  /// Adds members to a list, and lets none go.
  package func add(to list: PairList, isNewer: (_ member: Int64) throws -> Bool) throws {
    var known = Set(try read(list.membership, of: list.pk).map(\.member))
    var skipped = MergePolicy.Staying()
    for member in list.members where known.insert(member).inserted {
      let staying = list.staying(
        isEdited: try isRemovedHere(list.membership, of: list.pk, member),
        isNewer: try list.isOlder || isNewer(member))
      skipped.formUnion(staying)
      if staying.isEmpty { try addMember(list.membership, of: list.pk, member) }
    }
    guard !skipped.isEmpty else { return }
    rows.notes.skips?.note(list.model, list.pk, skipped, answered: ColumnMask(list.property))
  }
}
