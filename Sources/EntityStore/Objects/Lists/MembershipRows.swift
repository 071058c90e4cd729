// The memberships that a context finds, and whether a response may change them.

extension ContextLists {
  /// A many-to-many relationship of one object.
  struct PairedList {
    let state: ObjectState
    let membership: PropertyModel.Membership
    /// The entity whose rows are the memberships.
    let links: EntityModel

    var pk: Int64 { state.pk }
    var side: Int { membership.side }
  }

  func pairedList(_ state: ObjectState, _ membership: PropertyModel.Membership) -> PairedList {
    PairedList(state: state, membership: membership, links: context.core.schema.entities[membership.links])
  }

  /// A membership as a context sees it.
  struct MembershipRow {
    let pk: Int64
    /// Whether the membership was added here and is not acknowledged yet.
    let isMarked: Bool

    init(_ row: Statement, _ links: EntityModel) {
      pk = row.int64(0)
      isMarked = !row.isNull(1) && !links.edited(row).known.subtracting(links.positions).isEmpty
    }
  }

  /// The memberships of an object, by the object on the other side. One object can have two: an unsaved one that was
  /// made here, and one that others made.
  func memberships(of pk: Int64, _ links: EntityModel, _ side: Int) throws -> [Int64: [MembershipRow]] {
    try context.merging.entry(isGetter: true) {
      let rows = try context.connection.rows(
        links.selectPairs(side, from: context.overlay.source(links)), [.integer(pk)]
      ) {
        (other: $0.int64(2), row: MembershipRow($0, links))
      }
      var memberships: [Int64: [MembershipRow]] = [:]
      memberships.reserveCapacity(rows.count)
      for (other, row) in rows { memberships[other, default: []].append(row) }
      return memberships
    }
  }

  /// The memberships of an object with one object on the other side.
  func memberships(
    of pk: Int64, _ links: EntityModel, _ side: Int, with other: Int64
  ) throws -> [MembershipRow] {
    let names = [side, 1 - side].map { "\(links.properties[$0].name.quoted) = ?" }
    return try context.connection.rows(
      "SELECT _pk, _edited FROM \(try context.overlay.source(links)) WHERE \(names.joined(separator: " AND "))",
      [.integer(pk), .integer(other)]
    ) { MembershipRow($0, links) }
  }

  /// True when a response may change a membership. It may not when the membership was edited here, or when a newer
  /// response had the list of the object on the other side. In these cases the skip is recorded.
  ///
  /// - Parameter rows: The existing memberships.
  func allowsChange(of list: PairedList, _ member: Int64, _ rows: [MembershipRow]) throws -> Bool {
    guard let update = context.arrival.update else { return true }
    let property = if case .toOne(_, let list?, _) = list.links.properties[list.side].kind { list } else { 0 }
    let column = ColumnMask(property)
    var others = MergePolicy.Staying()
    if let inverse = list.membership.inverse {
      others = update.staying(
        list: inverse, of: context.reading.object(context.core.schema.entities[list.membership.target], member))
    }
    let isEdited = try update.policy.keepsEdits && isEdited(list, member, rows)
    let staying = update.policy.staying(
      of: column, edited: isEdited || !others.edited.isEmpty ? column : ColumnMask(),
      newer: others.newer.union(others.gone).isEmpty ? ColumnMask() : column)
    if staying.isEmpty { return true }
    context.rows?.notes.skips?.note(list.state.model, list.pk, staying, answered: ColumnMask())
    return false
  }

  /// Whether a membership was made or ended here, without an acknowledgement yet.
  private func isEdited(_ list: PairedList, _ member: Int64, _ rows: [MembershipRow]) throws -> Bool {
    let unsaved = context.unsaved.changed[list.links.number].memberships(list.side, of: list.pk, with: member)
    if unsaved.contains(where: { !$0.isFromResponse }) { return true }
    guard rows.isEmpty else { return rows.contains(where: \.isMarked) }
    return try !context.connection.rows(
      list.links.selectRemoved(list.side), [.integer(list.pk), .integer(member)]
    ) { _ in true }.isEmpty
  }
}
