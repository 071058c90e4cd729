/// Positions of row ids in a list: each row id has one, in the order in which they came.
///
/// A table with open addressing. A response or a fetch looks up and adds an object for each row, and a general hash function
/// would take most of that time. Rows are mostly read in the order of their ids: eight ids in a row have places in a row, in one
/// line of a processor's cache, and one multiplication spreads these groups.
package struct RowIndex {
  package private(set) var pks: [Int64] = []
  /// For each place, a position plus one; 0 for an empty place. The count is a power of two, and the table is never
  /// full.
  private var places: [Int32] = Array(repeating: 0, count: 64)

  package init() {}

  /// The position of a row id; `nil` where it has none.
  package func position(of pk: Int64) -> Int? {
    let position = places[place(of: pk)]
    return position == 0 ? nil : Int(position) - 1
  }

  /// The position of a row id, which is added if need be.
  package mutating func add(_ pk: Int64) -> (position: Int, isNew: Bool) {
    let place = place(of: pk)
    let position = places[place]
    if position != 0 { return (Int(position) - 1, false) }
    pks.append(pk)
    places[place] = Int32(truncatingIfNeeded: pks.count)
    if pks.count > places.count / 2 { replace(with: pks) }
    return (pks.count - 1, true)
  }

  /// Takes other row ids for its own. Each stands once among them.
  package mutating func replace(with new: [Int64]) {
    pks = new
    var size = 64
    while size < new.count * 4 { size *= 2 }
    places = Array(repeating: 0, count: size)
    for (position, pk) in new.enumerated() { places[place(of: pk)] = Int32(truncatingIfNeeded: position + 1) }
  }

  /// Removes the row id at a position, which the last row id takes.
  mutating func remove(at position: Int) {
    let hole = place(of: pks[position])
    let last = pks[pks.count - 1]
    places[place(of: last)] = Int32(truncatingIfNeeded: position + 1)
    pks[position] = last
    pks.removeLast()
    close(hole)
  }

  /// Empties a place. A row id behind it moves up where it stands there only because its own place was taken.
  private mutating func close(_ hole: Int) {
    let mask = places.count - 1
    var hole = hole
    places[hole] = 0
    var next = (hole + 1) & mask
    while places[next] != 0 {
      let home = home(of: pks[Int(places[next]) - 1])
      if (next &- home) & mask >= (next &- hole) & mask {
        places[hole] = places[next]
        places[next] = 0
        hole = next
      }
      next = (next + 1) & mask
    }
  }

  /// Whether the memory has room for many more row ids than there are.
  var isRoomy: Bool { places.count > max(64, pks.count * 16) }

  /// Forgets all row ids. The cost is that of the ids that there were.
  mutating func removeAll() {
    guard places.count <= max(64, pks.count * 8) else { return replace(with: []) }
    pks.removeAll(keepingCapacity: true)
    places.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
  }

  /// The first place that is looked at for a row id.
  @inline(__always) private func home(of pk: Int64) -> Int {
    let group = UInt64(bitPattern: pk >> 3) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (group >> 32) & ~7 | UInt64(bitPattern: pk & 7)) & (places.count - 1)
  }

  /// The place of a row id, or the one where it would be.
  @inline(__always) private func place(of pk: Int64) -> Int {
    let mask = places.count - 1
    var place = home(of: pk)
    while places[place] != 0, pks[Int(places[place]) - 1] != pk { place = (place + 1) & mask }
    return place
  }
}

/// Values by row id, in the order in which the rows came.
struct RowTable<Value> {
  private var index = RowIndex()
  /// By position; `nil` for a value that was removed.
  private var list: [Value?] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  subscript(pk: Int64) -> Value? {
    @inline(__always) get { count == 0 ? nil : index.position(of: pk).flatMap { list[$0] } }
    set {
      if let newValue { _ = add(newValue, pk) } else { remove(pk) }
    }
  }

  /// - Returns: Whether the row had no value.
  mutating func add(_ value: Value, _ pk: Int64) -> Bool {
    let (position, isNew) = index.add(pk)
    guard !isNew else {
      list.append(value)
      count += 1
      return true
    }
    let wasNone = list[position] == nil
    if wasNone { count += 1 }
    list[position] = value
    return wasNone
  }

  private mutating func remove(_ pk: Int64) {
    guard count > 0, let position = index.position(of: pk), list[position] != nil else { return }
    list[position] = nil
    count -= 1
    if count == 0 {
      removeAll()
    } else if list.count > 64, count < list.count / 4 {
      // Constant cost for each removal: the rows that are left are placed anew when three of four are gone.
      let left = list.indices.filter { list[$0] != nil }
      index.replace(with: left.map { index.pks[$0] })
      list = left.map { list[$0] }
    }
  }

  mutating func removeAll() {
    index.removeAll()
    list.removeAll(keepingCapacity: list.count < 4_096)
    count = 0
  }

  /// The row ids in ascending order.
  var sortedRows: [Int64] {
    var rows: [Int64] = []
    rows.reserveCapacity(count)
    var isSorted = true
    for (pk, _) in self {
      if let last = rows.last, last > pk { isSorted = false }
      rows.append(pk)
    }
    // Row ids are handed out in ascending order: mostly they come like that.
    return isSorted ? rows : rows.sorted()
  }

  /// The values, in the order in which their rows came.
  var values: some Sequence<Value> { list.lazy.compactMap(\.self) }
}

extension RowTable: Sequence {
  struct Iterator: IteratorProtocol {
    fileprivate let table: RowTable
    fileprivate var position = 0

    mutating func next() -> (key: Int64, value: Value)? {
      while position < table.list.count {
        defer { position += 1 }
        if let value = table.list[position] { return (table.index.pks[position], value) }
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(table: self) }
}

/// Access to the values one by one, to remove them. ``RowTable/removeAll()`` ends that.
extension RowTable {
  var positions: Range<Int> { list.indices }

  func row(at position: Int) -> Int64 { index.pks[position] }

  /// The value at a position, which is not held here from then on.
  mutating func removeValue(at position: Int) -> Value? { list[position].take() }
}
