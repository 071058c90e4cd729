/// Row ids by uid.
///
/// A server chooses the uids. It can choose integers that collide in a table whose hash function it knows. So the first
/// thousand are in such a table, which is fast. All others are in a table whose hash function nobody can foresee.
package final class UIDTable {
  // No access lasts longer than a call of the table, which calls nothing else: none needs a check.
  @exclusivity(unchecked) private var table = Table()

  package init() {}

  package var count: Int { storedCount }
  private var storedCount = 0

  package subscript(uid: StoredValue) -> Int64? { table.row(uid) }

  package func add(_ uid: StoredValue, _ pk: Int64) {
    if table.add(uid, pk) { storedCount += 1 }
  }

  /// Removes a uid, if it belongs to the row.
  package func remove(_ uid: StoredValue, _ pk: Int64) {
    if table.remove(uid, pk) { storedCount -= 1 }
  }

  package func removeAll() {
    guard storedCount > 0 else { return }
    table.removeAll()
    storedCount = 0
  }

  private struct Table {
    private var integers = RowTable<Int64>()
    private var others: [StoredValue: Int64] = [:]

    private static let mostIntegers = 1_024

    // Mutating, so that the table is lent and not copied.
    mutating func row(_ uid: StoredValue) -> Int64? {
      if case .integer(let integer) = uid, let pk = integers[integer] { return pk }
      return others.isEmpty ? nil : others[uid]
    }

    /// - Returns: Whether the uid had no row.
    mutating func add(_ uid: StoredValue, _ pk: Int64) -> Bool {
      if case .integer(let integer) = uid,
        integers[integer] != nil || (integers.count < Self.mostIntegers && (others.isEmpty || others[uid] == nil))
      {
        return integers.add(pk, integer)
      }
      return others.updateValue(pk, forKey: uid) == nil
    }

    /// - Returns: Whether the uid was that of the row.
    mutating func remove(_ uid: StoredValue, _ pk: Int64) -> Bool {
      guard row(uid) == pk else { return false }
      if case .integer(let integer) = uid, integers[integer] != nil {
        integers[integer] = nil
      } else {
        others[uid] = nil
      }
      return true
    }

    mutating func removeAll() {
      integers.removeAll()
      others.removeAll(keepingCapacity: true)
    }
  }
}
