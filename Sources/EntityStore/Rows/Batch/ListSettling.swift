/// Ends the lists of a response whose rows were written by batch.
struct ListSettling {
  private let rows: RowWriter
  private let batches: RowBatches
  private let policy: MergePolicy
  /// The members of the lists before the batches were written: those that hold a link to the owner.
  private var holders: [Key: [Int64]] = [:]
  /// The pairs of the lists before the batches were written, of the relationships that ``isRead``.
  private var pairs: [Key: [RowPairs.Pair]] = [:]
  private var isRead: Set<Kind> = []

  /// A relationship of an entity.
  private struct Kind: Hashable {
    let owner: Int
    let property: Int
  }

  /// A list of a row.
  private struct Key: Hashable {
    let kind: Kind
    let owner: Int64
  }

  /// Reads the members that the lists have before the batches are written, with a statement for each relationship.
  ///
  /// - Throws: ``StoreError``.
  init(_ writer: RowBatchWriter, _ batches: RowBatches, _ policy: MergePolicy) throws {
    (rows, self.batches, self.policy) = (writer.rows, batches, policy)
    var owners: [Kind: [UInt32]] = [:]
    for case .list(let list) in batches.steps {
      let kind = Kind(owner: list.owner.entity, property: list.property)
      let isFound = batches[list.owner.entity].isFound(list.owner.row)
      owners[kind, default: []] += isFound ? [UInt32(truncatingIfNeeded: list.owner.row)] : []
    }
    for (kind, found) in owners {
      guard let list = rows.schema.entities[kind.owner].properties[kind.property].list else { continue }
      guard list.member != nil else {
        try readHolders(kind, found, rows.schema.entities[list.entity], list.owner)
        continue
      }
      // A list of the other side changes the same pairs meanwhile.
      let inverse = list.inverse.map { Kind(owner: list.target, property: $0) }
      if inverse.map({ owners[$0] != nil }) ?? false { continue }
      isRead.insert(kind)
      try readPairs(kind, found, list)
    }
  }

  private mutating func readHolders(_ kind: Kind, _ owners: [UInt32], _ member: EntityModel, _ inverse: Int) throws {
    guard !owners.isEmpty else { return }
    let statement = try rows.connection.prepare(member.heldSQL(by: inverse))
    try batches[kind.owner].lend(owners, source: batches.source) { batch in
      try statement.run(&batch) {
        holders[Key(kind: kind, owner: statement.int64(0)), default: []].append(statement.int64(1))
      }
    }
  }

  private mutating func readPairs(
    _ kind: Kind, _ owners: [UInt32], _ list: PropertyModel.ListRows
  ) throws {
    guard !owners.isEmpty else { return }
    let links = rows.schema.entities[list.entity]
    let statement = try rows.connection.prepare(links.pairsSQL(of: list.owner))
    try batches[kind.owner].lend(owners, source: batches.source) { batch in
      try statement.run(&batch) {
        pairs[Key(kind: kind, owner: statement.int64(3)), default: []].append(RowPairs.Pair(statement, links))
      }
    }
  }

  /// Ends a list.
  ///
  /// - Parameter step: The number of its step.
  /// - Throws: ``StoreError``; ``BatchFailure``.
  func settle(_ list: RowList, at step: Int) throws {
    let (owners, members) = (batches[list.owner.entity], batches[list.member])
    let isChanged: Bool
    let property = owners.model.properties[list.property]
    if let membership = property.membership {
      let pk = owners.pks[list.owner.row]
      let kind = Kind(owner: list.owner.entity, property: list.property)
      isChanged = try rows.pairs.set(
        PairList(of: pk, owners.model, list.property, membership, list.members.map { members.pks[$0] }, policy),
        before: isRead.contains(kind) ? pairs[Key(kind: kind, owner: pk)] ?? [] : nil)
    } else {
      guard let link = property.list?.owner else { return }
      isChanged = try settle(list, link, of: members, at: step)
    }
    if isChanged, owners.rows[list.owner.row].fate == .unchanged { owners.setFate(.updated, list.owner.row) }
  }

  /// Members that the list lacks now lose their link, unless the link is required. A member that the response has put
  /// into another list stays there.
  private func settle(_ list: RowList, _ inverse: Int, of members: RowBatch, at step: Int) throws -> Bool {
    let owner = batches[list.owner.entity].pks[list.owner.row]
    let before = holders[Key(kind: Kind(owner: list.owner.entity, property: list.property), owner: owner)] ?? []
    let known = Set(before)
    let after = Set(list.members.map { members.pks[$0] })
    var isChanged = try list.members.contains { row in
      guard !known.contains(members.pks[row]) else { return false }
      // A local edit of the link may have kept the member out.
      guard case .lookCloser = members.decision(row) else { return true }
      return try rows.find(members.model, pk: members.pks[row])?.link(inverse) == owner
    }
    let gone = before.filter { !after.contains($0) }
    guard !gone.isEmpty, !members.model.properties[inverse].isRequired else { return isChanged }
    let steps = batches.steps(of: members)
    for pk in gone {
      guard let link = try rows.find(members.model, pk: pk)?.link(inverse) else { continue }
      guard link == owner else {
        // This list ended before the member came into another one: the list has changed.
        if let moved = steps[pk], moved > step { isChanged = true }
        continue
      }
      // The response has the member, whose own key names this list, though the list lacks it. The order of the two
      // decides.
      if steps[pk] != nil { throw BatchFailure() }
      let before = rows.rowsWritten
      try rows.setLink(members.model, pk, inverse, to: 0, .response(policy, newer: ColumnMask()))
      if rows.rowsWritten != before { isChanged = true }
    }
    return isChanged
  }
}
