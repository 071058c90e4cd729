// How marks end: the server has the pairs of a list, or a list has no marked pair left, and its row no longer names it.

extension RowPairs {
  /// A list as a request carried it.
  struct SentList {
    let membership: PropertyModel.Membership
    let pk: Int64
    /// The members that were sent.
    let sent: Set<Int64>
    /// The members in the rows at that time, where edits that were not saved were sent.
    let before: Set<Int64>?
    /// Whether the object's context saved an edit of the list since: a pair that then differs from `sent` is a later
    /// edit.
    let isSavedSince: Bool
    /// The members whose pairs were edited since, in whatever context: those pairs keep their marks.
    let editedSince: Set<Int64>
  }

  /// Acknowledges the pairs of a list as they were sent. Pairs that were changed since keep their marks.
  func acknowledge(_ list: SentList) throws {
    let (membership, pk) = (list.membership, list.pk)
    let target = schema.entities[membership.target]
    var missing = list.sent
    var isMarked = false
    for pair in try read(membership, of: pk) {
      if missing.remove(pair.member) != nil {
        if pair.isAddedHere, !list.editedSince.contains(pair.member) {
          try endMark(membership, of: pk, pair, keepsMoves: true)
        }
      } else if let before = list.before, before.contains(pair.member) || !pair.isAddedHere {
        // The request sent this pair's removal before a save. Where the list was saved since, the pair was put back:
        // that is a later edit. A pair that is not in `before`, and has no mark, came from the answer to an earlier
        // request.
        if list.isSavedSince {
          try markAdded(membership, of: pk, pair)
          isMarked = true
        } else {
          try removePair(membership, of: pk, pair)
        }
      }
    }
    try endRemovals(membership, of: pk) {
      $0.map { !list.sent.contains($0) && !list.editedSince.contains($0) } ?? true
    }
    if list.before != nil {
      for member in missing.sorted()
      where try rows.exists(target, member) && !isRemovedHere(membership, of: pk, member) {
        if list.isSavedSince {
          let row = ends(membership, pk, member)
          try markRemoved(
            schema.entities[membership.links], row.link(0), row.link(1), ColumnMask(membership.side))
          isMarked = true
        } else {
          try addMember(membership, of: pk, member)
        }
      }
    }
    try rebase(membership, of: pk, list.sent)
    // The answer to an earlier request may have ended the edit of the list.
    let side = schema.entities[membership.links].properties[membership.side]
    if isMarked, case .toOne(let entity, let named?, _) = side.kind {
      try rows.edits.markEdited(schema.entities[entity], pk, named)
    }
    try settleName(membership.links, membership.side, of: pk)
  }

  /// Bases the edits of pairs that are left on the members that the server has by now.
  func rebase(_ membership: PropertyModel.Membership, of pk: Int64, _ members: Set<Int64>) throws {
    let links = schema.entities[membership.links]
    for pair in try read(membership, of: pk) where pair.isAddedHere && pair.isBack != members.contains(pair.member) {
      rows.edits.noteChanges += 1
      try setMark(links, pair.pk, pair.mark, isBack: !pair.isBack)
    }
    for removal in try removals(membership, of: pk) {
      guard let member = removal.member, removal.marks.isBack == members.contains(member) else { continue }
      var marks = removal.marks
      marks.isBack.toggle()
      rows.edits.noteChanges += 1
      try connection.prepare("UPDATE \(links.removedTable) SET _edited = ? WHERE rowid = ?").run([
        links.names(marks), .integer(removal.row),
      ])
    }
  }

  /// A pair that was taken out here.
  struct Removal {
    /// Its row id in the table of removed pairs.
    let row: Int64
    let marks: EditMarks
    /// `nil` stands for all members that are not in the list.
    let member: Int64?
  }

  /// The pairs of a row that were taken out here, through whichever list.
  func removals(_ membership: PropertyModel.Membership, of pk: Int64) throws -> [Removal] {
    let links = schema.entities[membership.links]
    guard try hasRemovals(links) else { return [] }
    let (own, other) = (links.properties[membership.side].name, links.properties[membership.otherSide].name)
    return try connection.rows(
      "SELECT rowid, _edited, \(other.quoted) FROM \(links.removedTable) WHERE \(own.quoted) = ?", [.integer(pk)]
    ) { Removal(row: $0.int64(0), marks: links.edited($0), member: $0.optionalInt64(2)) }
  }

  /// - Parameter keepsMoves: Whether the pair's position stays an edit.
  func endMark(
    _ membership: PropertyModel.Membership, of pk: Int64, _ pair: Pair, keepsMoves: Bool = false
  ) throws {
    let left = keepsMoves ? pair.moves : ColumnMask()
    try setMark(schema.entities[membership.links], pair.pk, left)
    try settleNames(membership, pk, pair.member, pair.mark.subtracting(ColumnMask(membership.side)).subtracting(left))
  }

  /// Ends the marks of pairs that were moved in the row's list.
  func endMoves(_ membership: PropertyModel.Membership, of pk: Int64) throws {
    let links = schema.entities[membership.links]
    guard let position = links.position(of: membership.side) else { return }
    for pair in try read(membership, of: pk) where pair.mark.contains(position) {
      try setMark(links, pair.pk, pair.mark.subtracting(ColumnMask(position)), isBack: pair.isBack)
    }
  }

  /// Acknowledges the order of a list as it was sent. An order that was changed since stays an edit.
  ///
  /// - Parameter isUnsaved: Whether the rows do not have the order yet.
  /// - Returns: Whether the rows have the order that was sent.
  func acknowledgeOrder(
    _ model: EntityModel, _ list: Int, of pk: Int64, _ sent: [Int64], isUnsaved: Bool
  ) throws -> Bool {
    var places = try rows.order.places(model, list, of: pk)
    if isUnsaved {
      places = ListOrder.places(ListOrder.merged(sent, places.map(\.member)), of: places)
      try rows.order.move(model, list, places)
    }
    guard !ListOrder.isReordered(places.map(\.member), from: sent) else { return false }
    try endOrderEdit(model, list, of: pk)
    return true
  }

  /// The server has the order of a list.
  func endOrderEdit(_ model: EntityModel, _ list: Int, of pk: Int64) throws {
    if let membership = model.properties[list].membership {
      try endMoves(membership, of: pk)
      try settleName(membership.links, membership.side, of: pk)
    } else {
      try rows.edits.acknowledge(model, pk: pk, ColumnMask(list))
    }
  }

  /// - Parameter isEnding: Asked for each member that was taken out; `nil` stands for all that are not in the list.
  func endRemovals(
    _ membership: PropertyModel.Membership, of pk: Int64, where isEnding: (Int64?) throws -> Bool
  ) throws {
    let links = schema.entities[membership.links]
    for entry in try removals(membership, of: pk) where try isEnding(entry.member) {
      try connection.prepare("DELETE FROM \(links.removedTable) WHERE rowid = ?").run([.integer(entry.row)])
      guard let member = entry.member else { continue }
      try settleNames(membership, pk, member, entry.marks.known.subtracting(ColumnMask(membership.side)))
    }
  }

  // MARK: The names of lists in rows

  /// Ends the edits of a pair's lists on the sides in `mark`, where no pair of the list is marked any more.
  func settleNames(
    _ membership: PropertyModel.Membership, _ pk: Int64, _ member: Int64, _ mark: ColumnMask
  ) throws {
    for side in schema.entities[membership.links].sides(mark) {
      try settleName(membership.links, side, of: side == membership.side ? pk : member)
    }
  }

  /// A list that a row may name as edited.
  struct NamedList: Hashable {
    let links: Int
    let side: Int
    let pk: Int64
  }

  /// The lists of other rows through which pairs with a row were edited. When the row goes, these pairs go too.
  ///
  /// - Parameter isAdded: Whether only pairs count that were added, and none that were taken out.
  func editedLists(with key: RowKey, isAdded: Bool = false) throws -> [NamedList] {
    var lists: [NamedList] = []
    for incoming in schema.entities[key.entity].incoming {
      guard let side = incoming.otherEnd?.property else { continue }
      let links = schema.entities[incoming.entity]
      let own = links.properties[incoming.property].name.quoted
      let other = links.properties[side].name.quoted
      for table in try !isAdded && hasRemovals(links) ? [links.table, links.removedTable] : [links.table] {
        lists += try connection.rows(
          "SELECT NULL, _edited, \(other) FROM \(table) WHERE \(own) = ? AND _edited IS NOT NULL AND \(other) IS NOT NULL",
          [.integer(key.pk)]
        ) { (mark: links.edited($0).known, pk: $0.int64(2)) }
        .filter { links.sides($0.mark).contains(side) }.map { NamedList(links: links.number, side: side, pk: $0.pk) }
      }
    }
    return lists
  }

  /// Takes an edited list off the row that names it, where no pair of the list was marked since ``RowPairs/markedLists``
  /// was emptied, nor before.
  func settleUnmarked(_ list: NamedList) throws {
    if !markedLists.contains(list) { try settleName(list) }
  }

  func settleName(_ list: NamedList) throws { try settleName(list.links, list.side, of: list.pk) }

  func settleNames(_ links: EntityModel, _ row: RowValues, _ mark: ColumnMask) throws {
    for side in links.sides(mark) { try settleName(links.number, side, of: row.link(side)) }
  }

  func settleName(_ links: Int, _ side: Int, of pk: Int64) throws {
    let links = schema.entities[links]
    guard case .toOne(let entity, let list?, _) = links.properties[side].kind,
      try rows.edits.isEdited(schema.entities[entity], pk, list)
    else { return }
    if try !hasMarks(links, side, of: pk) {
      try rows.edits.acknowledge(schema.entities[entity], pk: pk, ColumnMask(list))
    }
  }

  /// Whether a pair of the list on one side of the row `pk` is marked.
  func hasMarks(_ links: EntityModel, _ side: Int, of pk: Int64) throws -> Bool {
    let name = links.properties[side].name
    return try [links.table, links.removedTable].contains { table in
      try !connection.rows(
        "SELECT 1 FROM \(table) WHERE \(name.quoted) = ? AND instr(_edited, '\(name)') > 0 LIMIT 1", [.integer(pk)]
      ) { _ in true }.isEmpty
    }
  }
}
