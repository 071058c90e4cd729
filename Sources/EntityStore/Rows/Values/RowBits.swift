/// A set of row ids, for millions of them. The row ids of a response lie close together: each of them takes a bit.
package struct RowBits: Sendable {
  /// The place of each page of 512 row ids among the words.
  private var pages: [Int64: Int] = [:]
  private var words: [UInt64] = []
  private var recent: (page: Int64, start: Int) = (-1, 0)

  package init() {}

  package func contains(_ pk: Int64) -> Bool {
    guard let start = pk >> 9 == recent.page ? recent.start : pages[pk >> 9] else { return false }
    return words[start + Int(pk >> 6 & 7)] & bit(pk) != 0
  }

  /// - Returns: Whether the set did not have the row id.
  @discardableResult
  package mutating func insert(_ pk: Int64) -> Bool {
    use(pk >> 9)
    let place = recent.start + Int(pk >> 6 & 7)
    guard words[place] & bit(pk) == 0 else { return false }
    words[place] |= bit(pk)
    return true
  }

  /// - Returns: Whether the set had the row id.
  @discardableResult
  package mutating func remove(_ pk: Int64) -> Bool {
    guard contains(pk) else { return false }
    use(pk >> 9)
    words[recent.start + Int(pk >> 6 & 7)] &= ~bit(pk)
    return true
  }

  package mutating func formUnion(_ other: RowBits) {
    for (page, start) in other.pages {
      use(page)
      for offset in 0..<8 { words[recent.start + offset] |= other.words[start + offset] }
    }
  }

  /// Makes a page the recent one, and adds it where it is new.
  private mutating func use(_ page: Int64) {
    guard page != recent.page else { return }
    let start = pages[page] ?? words.count
    if start == words.count {
      pages[page] = start
      words.append(contentsOf: repeatElement(0, count: 8))
    }
    recent = (page, start)
  }

  private func bit(_ pk: Int64) -> UInt64 { 1 << UInt64(pk & 63) }
}

extension RowBits: Sequence {
  /// The row ids in ascending order.
  package struct Iterator: IteratorProtocol {
    fileprivate let rows: RowBits
    fileprivate var pages: ArraySlice<Int64>
    /// The next place in the first page.
    fileprivate var place: Int64 = 0

    package mutating func next() -> Int64? {
      while let page = pages.first {
        while place < 512 {
          let pk = page << 9 + place
          place += 1
          if rows.contains(pk) { return pk }
        }
        pages.removeFirst()
        place = 0
      }
      return nil
    }
  }

  package func makeIterator() -> Iterator { Iterator(rows: self, pages: pages.keys.sorted()[...]) }
}
