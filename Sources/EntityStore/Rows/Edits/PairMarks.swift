// Local edits of many-to-many relationships are marked in the pair. A membership that was added here names in its
// `_edited` the sides through whose lists it was added. A pair that was taken out here is a row of another table until
// the server has acknowledged that. Only code that writes has to know that table.

/// The pairs of many-to-many relationships, and the local edits of them.
package final class RowPairs: RowWriterPart {
  /// Whether pairs were taken out here, by the number of their entity.
  var removals: [Int: Bool] = [:]
  /// The lists with pairs that were marked as edited here, since the set was emptied.
  var markedLists: Set<NamedList> = []
  /// The lists in which the server's changes ended marked pairs, since the set was emptied.
  var endedLists: Set<NamedList> = []
}

extension RowPairs {
  /// A member of a row's list.
  package struct Pair {
    /// The row id of the membership.
    let pk: Int64
    package let member: Int64
    /// The sides through whose lists the pair was added here, and the positions that it was given there; empty for a
    /// pair that the server has, at its position.
    let mark: ColumnMask
    /// Whether the server has the pair: it was taken out here before it was added again.
    let isBack: Bool
    /// The positions in ``mark``.
    var moves: ColumnMask { mark.subtracting(ColumnMask.all(2)) }

    /// Whether it was added here and is not acknowledged.
    package var isAddedHere: Bool { mark != moves }

    init(pk: Int64, member: Int64, mark: ColumnMask, isBack: Bool = false) {
      (self.pk, self.member, self.mark, self.isBack) = (pk, member, mark, isBack)
    }

    /// - Parameter row: Row id, marks and member, as ``EntityModel/selectPairs(_:from:key:)`` has them.
    init(_ row: Statement, _ links: EntityModel) {
      let marks = links.edited(row)
      self.init(pk: row.int64(0), member: row.int64(2), mark: marks.known, isBack: marks.isBack)
    }
  }

  /// The pairs of the row `pk`, in the order of its list.
  package func read(_ membership: PropertyModel.Membership, of pk: Int64) throws -> [Pair] {
    let links = schema.entities[membership.links]
    return try connection.rows(links.selectPairs(membership.side, from: links.table), [.integer(pk)]) {
      Pair($0, links)
    }
  }

  /// Whether a pair was taken out here, and the server has not acknowledged that.
  package func isRemovedHere(_ membership: PropertyModel.Membership, of pk: Int64, _ member: Int64) throws -> Bool {
    let links = schema.entities[membership.links]
    guard try hasRemovals(links) else { return false }
    let sql = links.selectRemoved(membership.side)
    return try !connection.rows(sql, [.integer(pk), .integer(member)]) { _ in true }.isEmpty
  }

  /// Takes a pair out of the list of the row `pk`, as a response or an acknowledgement says.
  package func removePair(_ membership: PropertyModel.Membership, of pk: Int64, _ pair: Pair) throws {
    try endMembership(membership, of: pk, pair)
    try settleNames(membership, pk, pair.member, pair.mark)
  }

  /// Ends the marks of all pairs of the row's list, for a response that overwrites local edits. The response has the
  /// whole list, so it decides about the pairs that it has and about all others.
  package func endMarks(_ membership: PropertyModel.Membership, of pk: Int64) throws {
    for pair in try read(membership, of: pk) where !pair.mark.isEmpty { try endMark(membership, of: pk, pair) }
    try endRemovals(membership, of: pk) { _ in true }
    try settleName(membership.links, membership.side, of: pk)
  }

  /// Ends the marks of one pair of the row's list, for a response that overwrites local edits and has that pair alone.
  package func endMarks(_ membership: PropertyModel.Membership, of pk: Int64, with member: Int64) throws {
    let links = schema.entities[membership.links]
    let row = ends(membership, pk, member)
    var mark = try forgetRemoval(links, row).known
    if let link = try self.membership(links, row), let known = try rows.current(links, pk: link) {
      mark.formUnion(known.edited)
      if !known.edited.isEmpty { try setMark(links, link, ColumnMask()) }
    }
    try settleNames(links, row, mark)
  }

  func endMembership(_ membership: PropertyModel.Membership, of pk: Int64, _ pair: Pair) throws {
    try rows.deletion.removeRow(schema.entities[membership.links], pair.pk, links: ends(membership, pk, pair.member))
  }

  /// Whether any pair of a relationship was taken out here, as far as this transaction knows. Mostly none was, and the
  /// result is kept: a response with many pairs asks once.
  func hasRemovals(_ links: EntityModel) throws -> Bool {
    if let known = removals[links.number] { return known }
    let found = try !connection.rows("SELECT 1 FROM \(links.removedTable) LIMIT 1") { _ in true }.isEmpty
    removals[links.number] = found
    return found
  }

  // MARK: Local edits

  /// Remembers that a membership is about to be taken out through the list of one side.
  ///
  /// A membership that was only ever made here is remembered too: a request under way may have sent it.
  func markRemoved(_ links: EntityModel, _ link: Int64, through side: Int) throws {
    guard let found = try rows.find(links, pk: link) else { return }
    if rows.isOfServer {
      // The server's change takes the pair out, through whichever list it was added here.
      for side in found.row.edited.indices {
        endedLists.insert(NamedList(links: links.number, side: side, pk: found.link(side)))
      }
      return
    }
    let sides = found.row.edited.intersection(ColumnMask.all(2))
    try markRemoved(
      links, found.link(0), found.link(1), sides.union(ColumnMask(side)),
      isBack: !sides.isEmpty && !found.row.marks.isBack)
  }

  /// - Parameter isBack: Whether the server does not have the pair either, because it was added here.
  func markRemoved(
    _ links: EntityModel, _ owner: Int64, _ member: Int64, _ mark: ColumnMask, isBack: Bool = false
  ) throws {
    guard !rows.isOfServer else { return }
    let mark = mark.intersection(ColumnMask.all(2))
    removals[links.number] = true
    var ends = RowValues(count: links.properties.count)
    ends.setLink(owner, 0)
    ends.setLink(member, 1)
    rows.edits.noteEditedPair(links, ends, isIn: false)
    for (side, pk) in [owner, member].enumerated() where mark.contains(side) {
      markedLists.insert(NamedList(links: links.number, side: side, pk: pk))
    }
    // No two removals that are marked here have the same row id: an acknowledgement tells removals apart by it. SQLite
    // gives other row ids, which are greater than all in the table.
    try connection.prepare(
      "INSERT INTO \(links.removedTable) (rowid, _edited, owner, member) VALUES (?, ?, ?, ?) "
        + "ON CONFLICT (owner, member) DO UPDATE SET _edited = excluded._edited"
    ).run([
      .integer(-rows.newPrimaryKey()), links.names(EditMarks(known: mark, isBack: isBack)), .integer(owner),
      .integer(member),
    ])
  }

  /// Remembers the lists that a marked pair belongs to.
  func noteMarks(_ links: EntityModel, _ row: RowValues, _ mark: ColumnMask) {
    if !mark.isEmpty { rows.edits.noteEditedPair(links, row, isIn: true) }
    for side in links.sides(mark) {
      markedLists.insert(NamedList(links: links.number, side: side, pk: row.link(side)))
    }
  }

  /// Marks a membership as added through the list of one side of the row `pk`.
  ///
  /// - Parameter isBack: Whether the server has the pair, because it was taken out here.
  func markAdded(_ membership: PropertyModel.Membership, of pk: Int64, _ pair: Pair, isBack: Bool = false) throws {
    guard !rows.isOfServer else { return }
    markedLists.insert(NamedList(links: membership.links, side: membership.side, pk: pk))
    rows.edits.noteEditedPair(schema.entities[membership.links], ends(membership, pk, pair.member), isIn: true)
    try setMark(
      schema.entities[membership.links], pair.pk, pair.mark.union(ColumnMask(membership.side)), isBack: isBack)
  }

  func setMark(_ links: EntityModel, _ link: Int64, _ mark: ColumnMask, isBack: Bool = false) throws {
    try rows.execution.set("_edited", of: links, link, to: links.names(EditMarks(known: mark, isBack: isBack)))
  }

  /// Forgets the removal of a pair that is about to be in the rows.
  ///
  /// - Returns: The marks of the removal: the sides through whose lists the pair had been taken out.
  func forgetRemoval(_ links: EntityModel, _ row: RowValues) throws -> EditMarks {
    guard try hasRemovals(links) else { return EditMarks() }
    let statement = try rows.statements.statement(
      .init(entity: links.number, mask: ColumnMask(), kind: 8), on: connection
    ) {
      "DELETE FROM \(links.removedTable) WHERE owner = ? AND member = ? RETURNING NULL, _edited"
    }
    defer { statement.reset() }
    for index in 0...1 { try statement.bind(row[index], at: index + 1) }
    return try statement.step() ? links.edited(statement) : EditMarks()
  }

  // MARK: Rows that turn out to be one

  /// Moves the removals of pairs in a row's list to the row that absorbs it. A pair that was added here through one of
  /// the two rows, and taken out here through the other one, stays with the marks of both.
  func moveRemovals(_ links: EntityModel, _ side: Int, of loser: Int64, to survivor: Int64) throws {
    guard try hasRemovals(links) else { return }
    let own = links.properties[side].name.quoted
    let other = links.properties[1 - side].name.quoted
    func marks(_ columns: String, _ table: String, _ pk: Int64, _ member: Int64? = nil) throws -> [MovedMark] {
      let filter = member == nil ? "" : " AND \(other) = ?"
      return try connection.rows(
        "SELECT \(columns), _edited, \(other) FROM \(table) WHERE \(own) = ?\(filter)",
        [.integer(pk)] + (member.map { [.integer($0)] } ?? [])
      ) { MovedMark(row: $0.int64(0), mark: links.edited($0).known, member: $0.optionalInt64(2)) }
    }
    for pk in [loser, survivor] {
      for removal in try marks("rowid", links.removedTable, pk) {
        // This removal stands for all pairs that are not in the list.
        guard let member = removal.member else {
          if pk == loser { try setEnd(links, removal.row, own, to: survivor) }
          continue
        }
        let pairs = try [loser, survivor].flatMap { try marks("_pk", links.table, $0, member) }
        for pair in pairs { try setMark(links, pair.row, pair.mark.union(removal.mark)) }
        if !pairs.isEmpty {
          try connection.prepare("DELETE FROM \(links.removedTable) WHERE rowid = ?").run([.integer(removal.row)])
        } else if pk == loser {
          // Where both rows have the removal, the loser's goes with its row.
          guard let twin = try marks("rowid", links.removedTable, survivor, member).first else {
            try setEnd(links, removal.row, own, to: survivor)
            continue
          }
          try connection.prepare("UPDATE \(links.removedTable) SET _edited = ? WHERE rowid = ?").run([
            links.names(twin.mark.union(removal.mark)), .integer(twin.row),
          ])
        }
      }
    }
  }

  private struct MovedMark {
    let row: Int64
    let mark: ColumnMask
    let member: Int64?
  }

  private func setEnd(_ links: EntityModel, _ removal: Int64, _ own: String, to pk: Int64) throws {
    try connection.prepare("UPDATE \(links.removedTable) SET \(own) = ? WHERE rowid = ?").run([
      .integer(pk), .integer(removal),
    ])
  }

  /// Adds marks to a membership.
  func addMarks(_ links: EntityModel, _ link: Int64, _ mark: ColumnMask) throws {
    guard !mark.isEmpty, let known = try rows.current(links, pk: link) else { return }
    try setMark(links, link, known.edited.union(mark), isBack: known.marks.isBack)
  }

  func ends(_ membership: PropertyModel.Membership, _ pk: Int64, _ member: Int64) -> RowValues {
    var row = RowValues(count: schema.entities[membership.links].properties.count)
    row.setLink(pk, membership.side)
    row.setLink(member, membership.otherSide)
    return row
  }
}

extension EntityModel {
  /// The memberships of an object on one side: row id, mark, and the row id of the object on the other side.
  func selectPairs(_ side: Int, from source: String, key: String = "_pk") -> String {
    let order = key == "_pk" ? pairOrder(side, member: 3) : "3"
    return "SELECT \(key), _edited, \(properties[1 - side].name.quoted) FROM \(source) "
      + "WHERE \(properties[side].name.quoted) = ? ORDER BY \(order)"
  }

  /// Whether a pair, an object on one side and then one on the other, was taken out here.
  func selectRemoved(_ side: Int) -> String {
    let own = properties[side].name.quoted
    let other = properties[1 - side].name.quoted
    return "SELECT 1 FROM \(removedTable) WHERE (\(own) = ?1 AND \(other) = ?2) OR (\(own) = ?1 AND \(other) IS NULL) "
      + "OR (\(own) IS NULL AND \(other) = ?2) LIMIT 1"
  }
}
