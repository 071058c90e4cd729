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

/// The lines of all objects, whatever the time is.
struct SettledLines {
  /// The lines that are sent, each after those that it waits for.
  private(set) var sent: [SettledLine] = []
  /// The lines that wait for a person, or for a cycle.
  private(set) var held: [SettledLine] = []
  /// The objects of all lines.
  private(set) var objects: Set<RowKey> = []
  /// The entries whose changes are no more.
  private(set) var over: Set<Int64> = []

  init(_ situation: OutboxSituation) { settle(PlanLines(situation), after: []) }

  /// Settles the lines of some objects anew, among those of all others.
  ///
  /// - Parameters:
  ///   - others: The objects whose lines those may wait for. No line of another object waits for one of `keys`.
  mutating func settle(_ situation: OutboxSituation, _ keys: Set<RowKey>, beside others: Set<RowKey>) {
    let before = Self.take(keys, beside: others, from: &sent)
    let beside = before + Self.take(keys, beside: others, from: &held)
    let known = Dictionary(beside.map { ($0.line.line.key, $0.line) }) { $1 }
    let lines = PlanLines(situation, of: keys, beside: known)
    // A snapshot for screens has the same set, which is copied only where an object comes or goes.
    let present = Set(lines.lines.lazy.map(\.key))
    for key in keys where !present.contains(key) { objects.remove(key) }
    settle(lines, after: before)
  }

  /// A line among the sent ones.
  private struct Place {
    let index: Int
    let line: SettledLine
  }

  /// Takes the lines of some objects out.
  ///
  /// - Returns: The lines of `others`, with their places.
  private static func take(
    _ keys: Set<RowKey>, beside others: Set<RowKey>, from lines: inout [SettledLine]
  ) -> [Place] {
    // A row id alone is hashed in less time, and most lines are of other rows.
    let pks = Set(keys.lazy.map(\.pk)).union(others.lazy.map(\.pk))
    var places: [Place] = []
    var end = 0
    for index in lines.indices {
      if pks.contains(lines[index].line.key.pk) {
        let line = lines[index]
        if keys.contains(line.line.key) { continue }
        if others.contains(line.line.key) { places.append(Place(index: end, line: line)) }
      }
      if end < index { lines.swapAt(end, index) }
      end += 1
    }
    lines.removeLast(lines.count - end)
    return places
  }

  /// Settles lines, and puts them among those that are there.
  ///
  /// The next line is the one with the lowest rank that waits for nothing that is still to come.
  ///
  /// - Parameter before: The lines that are there and that the new ones may wait for, in their order.
  private mutating func settle(_ lines: PlanLines, after before: [Place]) {
    let fates = LineFates(lines)
    over = lines.over
    objects.formUnion(lines.lines.lazy.map(\.key))
    var waits = [Int](repeating: 0, count: lines.lines.count)
    var edges: [PlanGraph.Edge] = []
    var ready = LineHeap()
    for (line, fate) in fates.fates.enumerated() where lines.settled[line] == nil {
      guard case .free(let after, _) = fate else { continue }
      waits[line] = after.count
      if after.isEmpty { ready.insert(line) }
      for other in after { edges.append(PlanGraph.Edge(before: other, after: line, kind: .last)) }
    }
    let behind = PlanGraph.Reversed(lines.lines.count, edges)
    var numbers: [RowKey: Int] = [:]
    for (line, settled) in lines.settled.enumerated() where settled != nil { numbers[lines.lines[line].key] = line }
    func release(_ line: Int) {
      for edge in behind.after(line) {
        waits[edge.after] -= 1
        if waits[edge.after] == 0 { ready.insert(edge.after) }
      }
    }
    var isLeft = lines.settled.map { $0 == nil }
    var new: [Place] = []
    var (index, passed) = (0, 0)
    while true {
      // The next line that is there goes first where its rank is lower, and where nothing else is ready.
      let next = ready.first
      if let next, index == sent.count || lines.ranks[next] < sent[index].rank {
        _ = ready.popFirst()
        new.append(Place(index: index, line: Self.settled(next, lines, fates)))
        isLeft[next] = false
        release(next)
        continue
      }
      if next == nil {
        guard passed < before.count else { break }
        index = before[passed].index
      }
      if passed < before.count, before[passed].index == index {
        if let line = numbers[before[passed].line.line.key] { release(line) }
        passed += 1
      }
      index += 1
    }
    insert(new)
    let left = isLeft.indices.filter { isLeft[$0] }
    guard !left.isEmpty else { return }
    held += left.map { Self.settled($0, lines, fates) }
    held.sort { $0.rank < $1.rank }
  }

  /// Puts lines before those at their places. Mostly these are few, and behind most of the others.
  private mutating func insert(_ new: [Place]) {
    guard let start = new.first?.index else { return }
    var tail: [SettledLine] = []
    tail.reserveCapacity(sent.count - start + new.count)
    var index = start
    for place in new {
      tail += sent[index..<place.index]
      tail.append(place.line)
      index = place.index
    }
    tail += sent[index...]
    sent.replaceSubrange(start..., with: tail)
  }

  private static func settled(_ index: Int, _ lines: PlanLines, _ fates: LineFates) -> SettledLine {
    let draft = lines.lines[index]
    let leftOut = fates.leftOut[index].union(draft.later)
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
}
