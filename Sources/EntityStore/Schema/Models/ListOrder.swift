/// A member of an ordered relationship in its place.
package struct ListPlace: Sendable {
  /// The row with the position: the member's row, or the membership's.
  let row: Int64
  package let member: Int64
  /// The position, or the place that follows from the row id.
  let key: Int64
  /// Whether the membership was moved here, and the server has not acknowledged that.
  var isMoved: Bool
}

/// The positions of an ordered relationship.
///
/// A row without a position has the place of its row id. So a list that nobody ordered needs no positions: new members
/// come last, and the members of a list that was not ordered before keep their order. Between any two row ids there is
/// room for other positions.
package enum ListOrder {
  /// A row id is shifted by so many bits to become a place.
  static let rowShift: Int64 = 24
  /// All row ids are smaller: the place of a larger one would not fit SQLite's integers.
  static let rows: Int64 = 1 << (63 - rowShift)
  private static let step: Int64 = 1 << rowShift
  /// There is less room behind the last place: later rows have their own places, and must come behind a member that was
  /// put there.
  static let endStep: Int64 = 1 << 12

  /// The new positions of rows, so that they are read in the order of `places`. As few rows as possible move. Where no
  /// room is left, all rows move.
  static func moves(_ places: [ListPlace]) -> [(row: Int64, position: Int64)] {
    let stays = staying(places)
    guard stays.contains(false) else { return [] }
    var moves: [(row: Int64, position: Int64)] = []
    var last: Int64?
    var begin = 0
    while begin < places.count {
      guard !stays[begin] else {
        last = places[begin].key
        begin += 1
        continue
      }
      let end = stays[begin...].firstIndex(of: true) ?? places.count
      let next = end < places.count ? places[end].key : nil
      let count = Int64(end - begin)
      let step: Int64
      var first: Int64
      if let last, let next {
        let room = next &- last
        guard room > count else { return renumbered(places) }
        step = room / (count + 1)
        first = last &+ step
      } else if let last {
        step = endStep
        first = last &+ endStep
      } else {
        step = Self.step
        first = (next ?? 0) &- count &* step
      }
      for place in places[begin..<end] {
        moves.append((place.row, first))
        first = first &+ step
      }
      begin = end
    }
    return moves
  }

  /// Gives all rows new positions with equal room between them. The last place stays, so that the places of later rows
  /// come behind it.
  private static func renumbered(_ places: [ListPlace]) -> [(row: Int64, position: Int64)] {
    var last = places.map(\.key).max() ?? 0
    // The store gave no such place.
    if last.magnitude > 1 << 61 { last = 0 }
    return places.enumerated().compactMap { index, place in
      let position = last &- step &* Int64(places.count - 1 - index)
      return position == place.key ? nil : (place.row, position)
    }
  }

  /// For each row, whether it keeps its place. The rows of a longest part that is already in order do. Patience sorting
  /// (https://en.wikipedia.org/wiki/Longest_increasing_subsequence), n log n; n where all rows are in order.
  private static func staying(_ places: [ListPlace]) -> [Bool] {
    func isBefore(_ one: Int, _ other: Int) -> Bool {
      (places[one].key, places[one].row) < (places[other].key, places[other].row)
    }
    if places.indices.dropFirst().allSatisfy({ isBefore($0 - 1, $0) }) {
      return Array(repeating: true, count: places.count)
    }
    // For each length, the last row of the part of that length that ends first.
    var ends: [Int] = []
    var previous: [Int] = []
    for index in places.indices {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if isBefore(ends[middle], index) { low = middle + 1 } else { high = middle }
      }
      previous.append(low > 0 ? ends[low - 1] : -1)
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var stays = Array(repeating: false, count: places.count)
    var index = ends.last ?? -1
    while index >= 0 {
      stays[index] = true
      index = previous[index]
    }
    return stays
  }

  /// The members of `main`, and the members of `others` that `main` lacks. Each of the latter comes behind the member
  /// before it in `others`, or at the front.
  static func merged(_ main: [Int64], _ others: [Int64]) -> [Int64] {
    var known = Set<Int64>(minimumCapacity: main.count)
    let main = main.filter { known.insert($0).inserted }
    var front: [Int64] = []
    var behind: [Int64: [Int64]] = [:]
    var anchor: Int64?
    let own = known
    for member in others {
      if own.contains(member) {
        anchor = member
      } else if known.insert(member).inserted {
        if let anchor { behind[anchor, default: []].append(member) } else { front.append(member) }
      }
    }
    guard known.count > main.count else { return main }
    return front + main.flatMap { [$0] + (behind[$0] ?? []) }
  }

  /// The rows of members in an order. Members without a row are left out.
  static func places(_ order: [Int64], of places: [ListPlace]) -> [ListPlace] {
    let known = Dictionary(places.map { ($0.member, $0) }) { first, _ in first }
    return order.compactMap { known[$0] }
  }

  /// The members of `order` that are in a set, each once.
  package static func unique(_ order: [Int64]) -> [Int64] { unique(order, in: Set(order)) }

  package static func unique(_ order: [Int64], in members: Set<Int64>) -> [Int64] {
    var left = members
    return order.filter { left.remove($0) != nil }
  }

  /// Whether the members of `order` that have rows stand in that order, whatever stands between them.
  static func isSame(_ places: [ListPlace], as order: [Int64]) -> Bool {
    let wanted = Set(order)
    let members = places.lazy.map(\.member).filter(wanted.contains)
    return members.elementsEqual(Self.places(merged(order, []), of: places).lazy.map(\.member))
  }

  /// True when `new` does more than remove members of `old` or append members.
  static func isReordered(_ new: [Int64], from old: [Int64]) -> Bool {
    let wanted = Set(new)
    let kept = old.filter(wanted.contains)
    return !kept.elementsEqual(merged(new, []).prefix(kept.count))
  }
}

extension ListPlace {
  /// - Parameters:
  ///   - row: The row of a query by ``SchemaModel/selectPlaces(_:isLast:source:)``.
  ///   - position: The property with the positions.
  init(_ row: Statement, _ model: EntityModel, _ position: Int) {
    self.init(
      row: row.int64(0), member: row.int64(2), key: row.int64(3),
      isMoved: model.isLinks && model.edited(row).known.contains(position))
  }

  /// The key of a place. The position may be NULL.
  static func key(_ position: StoredValue, _ row: Int64) -> Int64 {
    if case .integer(let position) = position { position } else { row << ListOrder.rowShift }
  }
}
