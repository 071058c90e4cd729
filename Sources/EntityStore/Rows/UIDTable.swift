/// Row ids by uid, for a few hundred of them at a time. A server chooses the uids, and can choose integers that meet in one
/// place of the table: it costs the square of their number then, and not more than that of one batch.
package final class UIDTable {
  private var integers = RowTable<Int64>()
  private var others: [StoredValue: Int64] = [:]

  package init() {}

  package var count: Int { storedCount }
  private var storedCount = 0

  package subscript(uid: StoredValue) -> Int64? {
    if case .integer(let integer) = uid { return integers[integer] }
    return others.isEmpty ? nil : others[uid]
  }

  package func add(_ uid: StoredValue, _ pk: Int64) {
    let isNew: Bool
    if case .integer(let integer) = uid {
      isNew = integers.add(pk, integer)
    } else {
      isNew = others.updateValue(pk, forKey: uid) == nil
    }
    if isNew { storedCount += 1 }
  }

  /// Removes a uid where it is that of the row.
  package func remove(_ uid: StoredValue, _ pk: Int64) {
    guard self[uid] == pk else { return }
    if case .integer(let integer) = uid { integers[integer] = nil } else { others[uid] = nil }
    storedCount -= 1
  }

  package func removeAll() {
    guard storedCount > 0 else { return }
    integers.removeAll()
    others.removeAll(keepingCapacity: true)
    storedCount = 0
  }
}
