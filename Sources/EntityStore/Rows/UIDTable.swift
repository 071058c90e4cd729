/// Row ids by uid.
package final class UIDTable {
  private var integers = RowTable<Int64>()
  private var others: [StoredValue: Int64] = [:]

  package init() {}

  package var count: Int { integers.count + others.count }

  package subscript(uid: StoredValue) -> Int64? {
    if case .integer(let integer) = uid { return integers[integer] }
    return others.isEmpty ? nil : others[uid]
  }

  package func add(_ uid: StoredValue, _ pk: Int64) {
    if case .integer(let integer) = uid { integers[integer] = pk } else { others[uid] = pk }
  }

  /// Removes a uid where it is that of the row.
  package func remove(_ uid: StoredValue, _ pk: Int64) {
    guard self[uid] == pk else { return }
    if case .integer(let integer) = uid { integers[integer] = nil } else { others[uid] = nil }
  }

  package func removeAll() {
    if !integers.isEmpty { integers.removeAll() }
    if !others.isEmpty { others.removeAll(keepingCapacity: true) }
  }
}
