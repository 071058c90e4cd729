extension RowPairs {
  /// The values of a many-to-many list in which pairs stay.
  ///
  /// - Parameters:
  ///   - before: The pairs of the list before the answer.
  ///   - members: The members in the answer.
  package func skippedList(
    _ list: PropertyModel, _ membership: PropertyModel.Membership, of pk: Int64, before: [RowPairs.Pair],
    _ members: [Int64]
  ) throws -> SkippedChange.Value {
    let target = schema.entities[membership.target]
    func ids(_ pks: [Int64]) -> PendingValue { .list(pks.map { target.id($0) }) }
    let removed = try removals(membership, of: pk)
    var base: PendingValue?
    // A removal without an end stands for all pairs that are not in the list.
    if !removed.contains(where: { $0.member == nil }) {
      let there = before.filter { !$0.isAddedHere || $0.isBack }.map(\.member)
      base = ids(Set(there + removed.filter { !$0.marks.isBack }.compactMap(\.member)).sorted())
    }
    return SkippedChange.Value(
      property: list.name, base: base, mine: ids(try read(membership, of: pk).map(\.member)),
      theirs: ids(list.isOrdered ? members : members.sorted()))
  }
}
