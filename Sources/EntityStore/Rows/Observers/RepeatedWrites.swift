/// The rows and lists that the unit of one response changes more than once.
///
/// A response may contradict itself: it has an object several times, with different values, and the last ones stay. A
/// row that is in the end as it was before the unit did not change, whatever its values in between; see
/// ``RepeatedWrites/settle(_:)``. A response without repetitions costs a bit for each row that it updates, and two bits
/// for each row that it makes.
package final class RepeatedWrites: ChangeObserver {
  struct List: Hashable {
    let entity: Int
    let pk: Int64
    let property: Int
  }

  struct Base: Hashable {
    let key: RowKey
    let property: Int
  }

  private struct Pair: Hashable {
    let links: Int
    let ends: [Int64]

    init(_ links: EntityModel, _ row: RowValues) {
      self.links = links.number
      ends = links.ends.map { row.link($0.index) }
    }
  }

  // Each row that is written comes here. The checks of exclusive access can be left out: a unit runs on one thread, and no
  // access to a variable lasts while anything is called that uses this object.
  /// The written rows that were there, and the rows that the unit made. No two rows have the same row id.
  @exclusivity(unchecked) private var written = RowBits()
  @exclusivity(unchecked) private var made = RowBits()
  /// The row ids that the unit has given out. A new row with another row id is an object that a context had already
  /// made: the object was not saved.
  @exclusivity(unchecked) private var own = RowBits()
  @exclusivity(unchecked) private var writesOfMade: [RowKey: Int] = [:]
  /// The rows that were there and were written more than once, with the writes after the first.
  @exclusivity(unchecked) private(set) var rows: [RowKey: Int] = [:]
  /// The rows that the unit made and deleted.
  @exclusivity(unchecked) private(set) var vanished: Set<RowKey> = []
  /// The lists that rows with several writes were in at some time.
  @exclusivity(unchecked) private(set) var lists: Set<List> = []
  /// The lists whose order the response says.
  @exclusivity(unchecked) private(set) var ordered: Set<List> = []
  /// The lists whose members moved, and the lists whose members moved more than once.
  @exclusivity(unchecked) private var arranged: Set<List> = []
  @exclusivity(unchecked) private var rearranged: Set<List> = []
  /// The lists whose order may be as before: members moved more than once, or came and went.
  var disordered: Set<List> { rearranged.union(arranged.intersection(lists)) }
  /// The bases of edits that changed, with the number of changes.
  @exclusivity(unchecked) private(set) var bases: [Base: Int] = [:]
  @exclusivity(unchecked) private var removedPairs: [Pair: Int64] = [:]
  /// The pairs that were taken out and made again: the new row id, and the one before the unit.
  @exclusivity(unchecked) private(set) var pairs: [RowKey: Int64] = [:]

  /// Whether rows were merged, changes undone or all rows deleted: then the state before the unit is not known.
  @exclusivity(unchecked) var isVoid = false

  var isEmpty: Bool {
    isVoid
      || rows.isEmpty && vanished.isEmpty && rearranged.isEmpty && pairs.isEmpty && !bases.values.contains { $0 > 1 }
  }

  func noteNew(_ pk: Int64) { _ = own.insert(pk) }

  func didChange(_ change: ObservedChange) {
    guard change.isWrite, !isVoid else { return }
    if change.isMade { noteMade(change.key) } else { noteWritten(change.key, isDeleted: change.kind == .deleted) }
  }

  func willDelete(_ model: EntityModel, _ pk: Int64, ends: RowValues?, in rows: RowWriter) throws {
    guard model.isLinks, let ends = try ends ?? rows.find(model, pk: pk)?.read(model, model.links).values else {
      return
    }
    noteRemoved(model, pk, ends)
  }

  func didForward(_ model: EntityModel, from: Int64, to: Int64) { isVoid = true }
  func didUndo() { isVoid = true }

  /// A row was inserted. It may be one that the unit has deleted.
  private func noteMade(_ key: RowKey) {
    if written.contains(key.pk) {
      rows[key, default: 0] += 1
    } else if vanished.remove(key) != nil {
      writesOfMade[key, default: 0] += 1
    } else {
      _ = own.contains(key.pk) ? made.insert(key.pk) : written.insert(key.pk)
    }
  }

  /// A row was updated or deleted.
  private func noteWritten(_ key: RowKey, isDeleted: Bool) {
    if made.contains(key.pk) {
      writesOfMade[key, default: 0] += 1
      if isDeleted { vanished.insert(key) }
    } else if !written.insert(key.pk) {
      rows[key, default: 0] += 1
    }
  }

  /// A row that was written before left and entered lists.
  func noteLink(_ key: RowKey, left: List?, entered: List?) {
    guard rows[key] != nil || left != nil && made.contains(key.pk) else { return }
    if let left { lists.insert(left) }
    if let entered { lists.insert(entered) }
  }

  /// A response says the order of a list.
  ///
  /// - Parameter isChanged: Whether members got other places.
  package func noteOrder(_ model: EntityModel, _ pk: Int64, _ list: Int, isChanged: Bool) {
    let list = List(entity: model.number, pk: pk, property: list)
    ordered.insert(list)
    if isChanged, !arranged.insert(list).inserted { rearranged.insert(list) }
  }

  func noteBase(_ key: RowKey, _ property: Int) {
    bases[Base(key: key, property: property), default: 0] += 1
  }

  private func noteRemoved(_ links: EntityModel, _ pk: Int64, _ ends: RowValues) {
    let key = RowKey(entity: links.number, pk: pk)
    // The row id from before the unit counts.
    let first = pairs.removeValue(forKey: key) ?? pk
    if !made.contains(first) { removedPairs[Pair(links, ends)] = first }
  }

  func noteAdded(_ links: EntityModel, _ pk: Int64, _ ends: RowValues) {
    guard !removedPairs.isEmpty, let first = removedPairs.removeValue(forKey: Pair(links, ends)), first != pk else {
      return
    }
    pairs[RowKey(entity: links.number, pk: pk)] = first
  }

  /// Whether a row was written that was there before the unit.
  func hasWritten(_ pk: Int64) -> Bool { written.contains(pk) }

  /// The number of writes that don't count: all writes of the unchanged rows, and for other rows that were there all
  /// writes but one.
  func writes(without unchanged: Set<RowKey>) -> Int {
    let all = unchanged.reduce(0) { $0 + 1 + ((made.contains($1.pk) ? writesOfMade : rows)[$1] ?? 0) }
    return rows.reduce(all) { unchanged.contains($1.key) ? $0 : $0 + $1.value }
  }
}
