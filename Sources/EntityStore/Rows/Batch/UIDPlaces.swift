import EntityJSON

/// The rows of a batch by their uids: a table with open addressing.
struct UIDPlaces {
  /// For each place, a row plus one; 0 for an empty place. The count is a power of two.
  private var places: [Int32] = Array(repeating: 0, count: 64)
  private var count = 0

  /// - Returns: The row that already has the uid; `nil` where the uid is new: then this row has it from now on.
  mutating func add(_ row: Int, _ uid: Int, _ batch: RowBatch, _ source: [UInt8]) -> Int? {
    if count >= places.count / 2 { grow(uid, batch, source) }
    let cell = batch.table[row, uid]
    let place = place(of: cell, uid, batch, source)
    guard places[place] == 0 else { return Int(places[place]) - 1 }
    places[place] = Int32(truncatingIfNeeded: row + 1)
    count += 1
    return nil
  }

  private func place(of cell: JSONCell, _ uid: Int, _ batch: RowBatch, _ source: [UInt8]) -> Int {
    let mask = places.count - 1
    // The highest bits of a product depend on all bits of its factors.
    var place = Int(truncatingIfNeeded: hash(cell, batch.table, source) >> UInt64(places.count.leadingZeroBitCount + 1))
    while places[place] != 0, !batch.table.areEqual(batch.table[Int(places[place]) - 1, uid], cell, source: source) {
      place = (place + 1) & mask
    }
    return place
  }

  private func hash(_ cell: JSONCell, _ table: CellTable, _ source: [UInt8]) -> UInt64 {
    guard let content = table.content(of: cell, source) else {
      return Self.hash(UInt64(bitPattern: cell.bits), Self.factor)
    }
    var hasher = Hasher()
    content.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize())) &* Self.factor
  }

  /// Spreads numbers, also consecutive ones, and ones that differ in high bits alone.
  ///
  /// The product with `factor` alone would not: where the multiples of the factor nearly meet, consecutive numbers fall
  /// next to one another. So a fixed factor spreads them first: the golden ratio.
  static func hash(_ number: UInt64, _ factor: UInt64) -> UInt64 {
    let spread = (number ^ number >> 32) &* 0x9E37_79B9_7F4A_7C15
    return (spread ^ spread >> 32) &* factor
  }

  /// Odd, and known to this process alone. A server chooses the uids, and must not be able to choose uids that collide.
  ///
  /// It is the hash of no value, which Swift seeds for each process.
  private static let factor = UInt64(bitPattern: Int64(Hasher().finalize())) | 1

  private mutating func grow(_ uid: Int, _ batch: RowBatch, _ source: [UInt8]) {
    let old = places
    places = Array(repeating: 0, count: old.count * 2)
    for entry in old where entry != 0 {
      places[place(of: batch.table[Int(entry) - 1, uid], uid, batch, source)] = entry
    }
  }

  /// Forgets the rows from a number on, which are no longer in the table.
  mutating func forget(from row: Int, _ uid: Int, _ batch: RowBatch, _ source: [UInt8]) {
    let old = places
    removeAll()
    places = Array(repeating: 0, count: old.count)
    for entry in old where entry != 0 && Int(entry) <= row {
      places[place(of: batch.table[Int(entry) - 1, uid], uid, batch, source)] = entry
      count += 1
    }
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    places.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
    count = 0
  }
}
