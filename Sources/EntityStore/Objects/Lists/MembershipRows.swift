// The memberships that a context finds, and whether a response may change them.

extension ContextLists {
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
  func allowsChange(
    of membership: PropertyModel.Membership, _ state: ObjectState, _ pk: Int64, _ rows: [MembershipRow]
  ) throws -> Bool {
    guard let update = context.arrival.update else { return true }
    let links = context.core.schema.entities[membership.links]
    let list = if case .toOne(_, let list?, _) = links.properties[membership.side].kind { list } else { 0 }
    let column = ColumnMask(list)
    var others = MergePolicy.Staying()
    if let inverse = membership.inverse {
      others = update.staying(
        list: inverse, of: context.reading.fault(context.core.schema.entities[membership.target], pk))
    }
    let isEdited = try update.policy.keepsEdits && isEdited(membership, state, pk, rows)
    let staying = update.policy.staying(
      of: column, edited: isEdited || !others.edited.isEmpty ? column : ColumnMask(),
      newer: others.newer.union(others.gone).isEmpty ? ColumnMask() : column)
    if staying.isEmpty { return true }
    context.rows?.notes.skips?.note(state.model, state.pk, staying, answered: ColumnMask())
    return false
  }

  /// Whether a membership was made or ended here, without an acknowledgement yet.
  private func isEdited(
    _ membership: PropertyModel.Membership, _ state: ObjectState, _ pk: Int64, _ rows: [MembershipRow]
  ) throws -> Bool {
    let links = context.core.schema.entities[membership.links]
    let unsaved = context.unsaved.changed[links.number].memberships(membership.side, of: state.pk, with: pk)
    if unsaved.contains(where: { !$0.isFromResponse }) { return true }
    guard rows.isEmpty else { return rows.contains(where: \.isMarked) }
    return try !context.connection.rows(links.selectRemoved(membership.side), [.integer(state.pk), .integer(pk)]) { _ in
      true
    }
    .isEmpty
  }
}
