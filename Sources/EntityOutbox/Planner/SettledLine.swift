import EntityStore

/// The place of a line among all lines: those under way, then those of the object with the earliest edit.
struct LineRank: Comparable {
  private let isSending: Bool
  private let number: Int64
  private let key: RowKey
  /// The place of the line among those of its object.
  private var place = 0

  init(isSending: Bool, number: Int64, key: RowKey) {
    (self.isSending, self.number, self.key) = (isSending, number, key)
  }

  func line(_ place: Int) -> LineRank {
    var rank = self
    rank.place = place
    return rank
  }

  static func < (one: LineRank, other: LineRank) -> Bool {
    if one.isSending != other.isSending { return one.isSending }
    if one.number != other.number { return one.number < other.number }
    if one.key.pk != other.key.pk { return one.key.pk < other.key.pk }
    return one.key.entity != other.key.entity ? one.key.entity < other.key.entity : one.place < other.place
  }
}

/// A line with all of its fate but the time. It is no value, so that ten thousand lines change their places in little time.
final class SettledLine: Sendable {
  let rank: LineRank
  /// The line. One that waits for nothing is queued: ``LineSchedule`` says when it is sent.
  let line: PlannedLine
  /// The earliest moment of sending, in seconds since 1970.
  let earliest: Double

  init(rank: LineRank, line: PlannedLine, earliest: Double) {
    (self.rank, self.line, self.earliest) = (rank, line, earliest)
  }
}

/// The lines of some objects, whatever the time is.
struct SettledLines {
  /// The lines that are sent, each after those that it waits for.
  private(set) var sent: [SettledLine] = []
  /// The lines that wait for a person, or for a cycle.
  private(set) var held: [SettledLine] = []
  /// The entries whose changes are no more.
  let over: Set<Int64>

  init(_ situation: OutboxSituation, of keys: Set<RowKey>?) {
    let lines = PlanLines(situation, of: keys)
    let fates = LineFates(lines)
    over = lines.over
    let order = Self.order(fates)
    sent.reserveCapacity(order.sent.count)
    for line in order.sent { sent.append(Self.settled(line, lines, fates)) }
    for line in order.held { held.append(Self.settled(line, lines, fates)) }
  }

  private static func settled(_ index: Int, _ lines: PlanLines, _ fates: LineFates) -> SettledLine {
    let (draft, leftOut) = (lines.lines[index], fates.leftOut[index])
    var line = PlannedLine(
      key: draft.key, action: draft.action, state: state(draft, fates.fates[index], lines), entry: draft.entry,
      properties: draft.properties.subtracting(leftOut), leftOut: leftOut)
    line.isFrozen = draft.isFrozen
    return SettledLine(rank: lines.ranks[index], line: line, earliest: draft.earliest)
  }

  private static func state(_ draft: DraftLine, _ fate: LineFates.Fate?, _ lines: PlanLines) -> PlannedLine.State {
    if draft.isSending { return .sending }
    switch fate {
    case .blocked(let entries): return .blocked(entries)
    case .cycle(let keys): return .cycle(keys)
    case .free(let after, let strangers) where !after.isEmpty || !strangers.isEmpty:
      return .after(keys(after, strangers, lines))
    case .free: return .queued
    case .held, nil: return draft.hold ?? .unknown
    }
  }

  /// The objects of lines, in their order, each once.
  private static func keys(_ after: [Int], _ strangers: [RowKey], _ lines: PlanLines) -> [RowKey] {
    var keys: [RowKey] = []
    for line in after.sorted() where lines.lines[line].key != keys.last { keys.append(lines.lines[line].key) }
    for key in strangers where !keys.contains(key) { keys.append(key) }
    return keys
  }

  /// The lines that are sent, each after those that it waits for, and those that are held.
  private static func order(_ fates: LineFates) -> (sent: [Int], held: [Int]) {
    let count = fates.fates.count
    var waits = [Int](repeating: 0, count: count)
    var edges: [PlanGraph.Edge] = []
    for (line, fate) in fates.fates.enumerated() {
      guard case .free(let after, _) = fate else { continue }
      waits[line] = after.count
      for other in after { edges.append(PlanGraph.Edge(before: other, after: line, kind: .last)) }
    }
    let behind = PlanGraph.Reversed(count, edges)
    var sent: [Int] = []
    sent.reserveCapacity(count)
    var isSent = [Bool](repeating: false, count: count)
    var heap = LineHeap()
    for (line, fate) in fates.fates.enumerated() where waits[line] == 0 {
      if case .free = fate { heap.insert(line) }
    }
    while let line = heap.popFirst() {
      sent.append(line)
      isSent[line] = true
      for edge in behind.after(line) {
        waits[edge.after] -= 1
        if waits[edge.after] == 0 { heap.insert(edge.after) }
      }
    }
    return (sent, isSent.indices.filter { !isSent[$0] })
  }

  // MARK: Putting together

  /// Takes the lines of some objects out, and puts others in. Lines of the two wait for none of the other.
  mutating func replace(_ keys: Set<RowKey>, by other: SettledLines) {
    Self.replace(keys, by: other.sent, in: &sent)
    Self.replace(keys, by: other.held, in: &held)
  }

  /// Two orders as one: of the next lines of both, the lower one is first. Each order keeps its own. Mostly there are many
  /// lines and few others, so that the lines stay in their place up to the first of the others.
  private static func replace(_ keys: Set<RowKey>, by other: [SettledLine], in lines: inout [SettledLine]) {
    // A row id alone is hashed in less time, and most lines are of other rows.
    let pks = Set(keys.lazy.map(\.pk))
    lines.removeAll { pks.contains($0.line.key.pk) && keys.contains($0.line.key) }
    guard let first = other.first?.rank else { return }
    let start = lines.firstIndex { first < $0.rank } ?? lines.endIndex
    var merged: [SettledLine] = []
    merged.reserveCapacity(lines.count - start + other.count)
    var rest = other[...]
    for line in lines[start...] {
      while let next = rest.first, next.rank < line.rank { merged.append(rest.removeFirst()) }
      merged.append(line)
    }
    lines.replaceSubrange(start..., with: merged + rest)
  }
}
