/// The places of members that stand one after the other in a stored collection.
enum MemberPlaces {
  /// The distance of two members that came one after the other: so many fit between them.
  static let step: Int64 = 1 << 20
  /// Places beyond these are numbered anew, so that no sum overflows.
  private static let bound: Int64 = 1 << 60

  /// The places for members, ascending. As many members as possible keep their places.
  ///
  /// - Parameters:
  ///   - known: The place that each member has by now; `nil` for a new member.
  ///   - lower: The place that all of them come after.
  ///   - upper: The place that all of them come before.
  /// - Returns: `nil` where too few numbers are left between two places.
  static func places(_ known: [Int64?], after lower: Int64? = nil, before upper: Int64? = nil) -> [Int64]? {
    var places: [Int64] = []
    places.reserveCapacity(known.count)
    var before = lower
    for end in longestAscending(known, after: lower, before: upper) + [known.count] {
      let after = end < known.count ? known[end] : upper
      guard let between = spread(end - places.count, after: before, before: after) else { return nil }
      places += between
      guard end < known.count, let after else { break }
      places.append(after)
      before = after
    }
    return places
  }

  /// So many places between two others, evenly.
  private static func spread(_ count: Int, after lower: Int64?, before upper: Int64?) -> [Int64]? {
    guard count > 0 else { return [] }
    guard let count = Int32(exactly: count).map(Int64.init),
      [lower, upper].allSatisfy({ $0.map { abs($0) < bound } ?? true })
    else { return nil }
    switch (lower, upper) {
    case (let lower?, let upper?):
      let distance = (upper - lower) / (count + 1)
      return distance < 1 ? nil : (1...count).map { lower + $0 * distance }
    case (nil, let upper?): return (0..<count).map { upper - (count - $0) * step }
    case (let lower, nil): return (1...count).map { (lower ?? 0) + $0 * step }
    }
  }

  /// The indices of the members that can keep their places: the longest ascending selection within the bounds.
  private static func longestAscending(_ known: [Int64?], after lower: Int64?, before upper: Int64?) -> [Int] {
    // The last member of the best selection of each length, and the member before each member in its selection.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: known.count)
    for (index, place) in known.enumerated() {
      guard let place, lower.map({ place > $0 }) ?? true, upper.map({ place < $0 }) ?? true else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if known[ends[middle], default: .max] < place { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var kept: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      kept.append(index)
      index = previous[index]
    }
    return kept.reversed()
  }
}

extension [Int64?] {
  fileprivate subscript(index: Int, default value: Int64) -> Int64 { self[index] ?? value }
}
