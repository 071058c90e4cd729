/// Row ids by uid.
///
/// A server chooses the uids, and can choose integers that meet in one place of a table whose hash function it knows. So
/// the first thousand have such a table, which is fast, and all others one whose hash function nobody can foresee.
package final class UIDTable {
  private var integers = RowTable<Int64>()
  private var others: [StoredValue: Int64] = [:]

  private static let mostIntegers = 1_024

  package init() {}

  package var count: Int { storedCount }
  private var storedCount = 0

  package subscript(uid: StoredValue) -> Int64? {
    if case .integer(let integer) = uid, let pk = integers[integer] { return pk }
    return others.isEmpty ? nil : others[uid]
  }

  package func add(_ uid: StoredValue, _ pk: Int64) {
    let isNew: Bool
    if case .integer(let integer) = uid,
      integers[integer] != nil || (integers.count < Self.mostIntegers && (others.isEmpty || others[uid] == nil))
    {
      isNew = integers.add(pk, integer)
    } else {
      isNew = others.updateValue(pk, forKey: uid) == nil
    }
    if isNew { storedCount += 1 }
  }

  /// Removes a uid where it is that of the row.
  package func remove(_ uid: StoredValue, _ pk: Int64) {
    guard self[uid] == pk else { return }
    if case .integer(let integer) = uid, integers[integer] != nil {
      integers[integer] = nil
    } else {
      others[uid] = nil
    }
    storedCount -= 1
  }

  package func removeAll() {
    guard storedCount > 0 else { return }
    integers.removeAll()
    others.removeAll(keepingCapacity: true)
    storedCount = 0
  }
}
