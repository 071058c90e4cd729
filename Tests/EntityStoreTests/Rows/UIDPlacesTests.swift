import Testing

@testable import EntityStore

struct UIDPlacesTests {
  /// A batch looks its uids up in a table of twice as many places: a uid whose place is taken goes to the next free one.
  @Test(arguments: [1, 2, 10, 1000, 1 << 22, 1 << 32, 1 << 48])
  func `uids in a row spread over the table whatever the process`(step: UInt64) {
    var random = SystemRandomNumberGenerator()
    let factors: [UInt64] = [1, 3, 1 << 63 | 1, 1 << 56 | 1, .max] + (0..<500).map { _ in random.next() | 1 }
    var searched = factors.map { steps(toAdd: (0..<256).map { $0 &* step }, $0) }
    searched.sort()
    // At random it is 0.5 for each.
    #expect(searched[searched.count / 2] < 256)
    #expect(searched[searched.count * 99 / 100] < 3 * 256)
  }

  /// The steps to free places of a table with 512.
  private func steps(toAdd uids: [UInt64], _ factor: UInt64) -> Int {
    var isTaken = Array(repeating: false, count: 512)
    return uids.reduce(0) { count, uid in
      var (place, count) = (Int(UIDPlaces.hash(uid, factor) >> 55), count)
      while isTaken[place] { (place, count) = ((place + 1) % 512, count + 1) }
      isTaken[place] = true
      return count
    }
  }
}
