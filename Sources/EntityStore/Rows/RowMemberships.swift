// Many-to-many relationships in rows: a membership is a row with two links; see ``LinkRow``.

extension RowPairs {
  /// The rows in a many-to-many relationship of the row `pk`, in a fixed order.
  package func members(_ membership: PropertyModel.Membership, of pk: Int64) throws -> [Int64] {
    let links = schema.entities[membership.links]
    return try connection.rows(links.selectLinks(membership.side, from: links.table), [.integer(pk)]) { $0.int64(1) }
  }

  /// Adds a row to a many-to-many relationship of the row `pk`; it must not be in it.
  @discardableResult
  package func addMember(
    _ membership: PropertyModel.Membership, of pk: Int64, _ member: Int64
  ) throws -> Pair {
    let links = schema.entities[membership.links]
    let link = try rows.insert(links, pk: rows.newPrimaryKey(), ends(membership, pk, member), .effect)
    return Pair(pk: link.pk, member: member, mark: ColumnMask())
  }

  /// Gives each list that was set its members, also where others changed the list since the context last saw the rows.
  func complete(_ row: RowKey, _ lists: [Int: Set<Int64>]) throws {
    let model = schema.entities[row.entity]
    guard try rows.exists(model, row.pk) else { return }
    for (list, wanted) in lists.sorted(by: { $0.key < $1.key }) {
      guard let membership = model.properties[list].membership else { continue }
      let target = schema.entities[membership.target]
      let current = try read(membership, of: row.pk)
      let members = Set(wanted.map { rows.collisions.survivor(target, $0) })
      var isWhole = true
      for member in members.subtracting(current.lazy.map(\.member)).sorted() {
        if try rows.exists(target, member) {
          // The pair may have been taken out here before: the addition comes on top of that.
          let mark = try forgetRemoval(schema.entities[membership.links], ends(membership, row.pk, member))
          let pair = try addMember(membership, of: row.pk, member)
          try markAdded(
            membership, of: row.pk, Pair(pk: pair.pk, member: member, mark: mark.known),
            isBack: !mark.isEmpty && !mark.isBack)
        } else {
          isWhole = false
        }
      }
      // A member without a row was deleted, or another process merged it into another row, which is in the list in its
      // place. And a row that absorbed another one has the memberships of both.
      guard isWhole, !rows.collisions.absorbers.contains(row) else { continue }
      for pair in current where !members.contains(pair.member) {
        try markRemoved(schema.entities[membership.links], pair.pk, through: membership.side)
        try endMembership(membership, of: row.pk, pair)
      }
    }
  }

  /// The membership of two rows; `nil` for none, and for an entity that is no relationship.
  func membership(_ links: EntityModel, _ row: RowValues) throws -> Int64? {
    guard links.isLinks else { return nil }
    let names = links.ends.map { "\($0.name.quoted) = ?" }
    return try connection.rows(
      "SELECT _pk FROM \(links.table) WHERE \(names.joined(separator: " AND "))", links.ends.map { row[$0.index] }
    ) { $0.int64(0) }.first
  }

  /// Whether a membership that was made here can be inserted: not when it was made elsewhere too, and not when a row at
  /// one of its ends was deleted since.
  func canInsertMembership(_ links: EntityModel, pk: Int64, _ row: RowValues) throws -> Bool {
    if let other = try membership(links, row) {
      rows.observers.tell { $0.didForward(links, from: pk, to: other) }
      return false
    }
    return try !lacksEnds(links, row)
  }

  /// Whether one of the two rows of a membership is not there.
  func lacksEnds(_ links: EntityModel, _ row: RowValues) throws -> Bool {
    for property in links.properties {
      guard case .toOne(let target, _, _) = property.kind else { continue }
      if try !rows.exists(schema.entities[target], row.link(property.index)) { return true }
    }
    return false
  }

  /// Ends the memberships that a row shares with the row that absorbs it.
  func endTwins(_ links: EntityModel, _ side: Int, of loser: Int64, for survivor: Int64) throws {
    try moveRemovals(links, side, of: loser, to: survivor)
    let own = links.properties[side].name.quoted
    let other = links.properties[1 - side].name.quoted
    // A row may be in its own list; where both ends move, either may meet the other.
    let twins = try connection.rows(
      "SELECT a._pk, a._edited, a.\(other), b._pk FROM \(links.table) AS a JOIN \(links.table) AS b "
        + "ON b.\(own) = ?2 AND b.\(other) = a.\(other) WHERE a.\(own) = ?1",
      [.integer(loser), .integer(survivor)]
    ) { (pk: $0.int64(0), mark: links.edited($0).known, member: $0.int64(2), twin: $0.int64(3)) }
    for twin in twins {
      // A pair that was added here through either row counts as added here.
      try addMarks(links, twin.twin, twin.mark)
      rows.observers.tell { $0.didForward(links, from: twin.pk, to: twin.twin) }
      var row = RowValues(count: links.properties.count)
      row.setLink(loser, side)
      row.setLink(twin.member, 1 - side)
      try rows.deletion.removeRow(links, twin.pk, links: row)
    }
  }
}
