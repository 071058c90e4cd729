import EntityStore

/// Decides what an outbox sends, in which order, and what each change waits for.
///
/// A plan is a function of the situation: it reads no clock, no file and no random number. It takes time in proportion to
/// the changes and their links, but for their sorting.
///
/// - Changes of one object follow one another.
/// - A change that names an object that was made here follows the object's create.
/// - A deletion follows the changes of objects that are or were linked to the deleted one.
///
/// Nothing else waits. Among the changes that can be sent, the object whose last edit is the oldest is first.
package enum OutboxPlanner {
  /// The wait after a lost request of the object, in seconds: the lost one may still reach the server.
  package static let lostPause = 30.0
  /// The longest time that anything waits for, in seconds: a day, as ``Backoff/longestRetryAfter``.
  package static let longestWait = Backoff.longestRetryAfter

  package static func plan(_ situation: OutboxSituation) -> PlannedOutbox {
    let lines = PlanLines(situation)
    let fates = LineFates(lines)
    var schedule = Schedule(situation, lines, fates)
    for line in order(fates) { schedule.add(line) }
    return schedule.finished()
  }

  /// The lines that are sent, each after those that it waits for, and then those that are held.
  private static func order(_ fates: LineFates) -> [Int] {
    let count = fates.fates.count
    var waits = [Int](repeating: 0, count: count)
    var edges: [PlanGraph.Edge] = []
    for (line, fate) in fates.fates.enumerated() {
      guard case .free(let after, _) = fate else { continue }
      waits[line] = after.count
      for other in after { edges.append(PlanGraph.Edge(before: other, after: line, kind: .last)) }
    }
    let behind = PlanGraph.Reversed(count, edges)
    var order: [Int] = []
    order.reserveCapacity(count)
    var isOrdered = [Bool](repeating: false, count: count)
    var heap = LineHeap()
    for (line, fate) in fates.fates.enumerated() where waits[line] == 0 {
      if case .free = fate { heap.insert(line) }
    }
    while let line = heap.popFirst() {
      order.append(line)
      isOrdered[line] = true
      for edge in behind.after(line) {
        waits[edge.after] -= 1
        if waits[edge.after] == 0 { heap.insert(edge.after) }
      }
    }
    for line in 0..<count where !isOrdered[line] { order.append(line) }
    return order
  }
}

/// Gives lines their states, by time and by the number of requests that may be under way.
private struct Schedule {
  private var plan = PlannedOutbox()
  /// The places of the lines that wait for nothing.
  private var sendable: [Int] = []

  private let situation: OutboxSituation
  private let lines: PlanLines
  private let fates: LineFates
  /// The time at which the outbox sends again; -infinity where it does not pause.
  private let resumes: Double
  /// The number of requests that may begin.
  private let room: Int

  init(_ situation: OutboxSituation, _ lines: PlanLines, _ fates: LineFates) {
    (self.situation, self.lines, self.fates) = (situation, lines, fates)
    resumes = situation.pausedUntil ?? -.infinity
    // An object in both has one request.
    let claiming = situation.claiming.subtracting(situation.underWay.compactMap { situation.entries[$0]?.key })
    room = max(0, situation.width - situation.underWay.count - claiming.count + situation.shared)
    plan.over = lines.over
    plan.lines.reserveCapacity(lines.lines.count)
  }

  mutating func add(_ index: Int) {
    let draft = lines.lines[index]
    let leftOut = fates.leftOut[index]
    var line = PlannedLine(
      key: draft.key, action: draft.action, state: state(index, draft), entry: draft.entry,
      properties: draft.properties.subtracting(leftOut), leftOut: leftOut)
    line.isFrozen = draft.isFrozen
    if case .queued = line.state, !situation.unready.contains(draft.key) { sendable.append(plan.lines.count) }
    plan.lines.append(line)
  }

  /// The plan with the requests that its lines have.
  consuming func finished() -> PlannedOutbox {
    // The places in `requests` of the batches that are not full, by their numbers.
    var open: [Int: Int] = [:]
    for place in sendable {
      guard let batch = batch(of: plan.lines[place]) else {
        plan.requests.append([place])
        continue
      }
      if let request = open[batch.number], plan.requests[request].count < batch.limit {
        plan.requests[request].append(place)
      } else {
        open[batch.number] = plan.requests.count
        plan.requests.append([place])
      }
    }
    for request in plan.requests.prefix(room) { for place in request { plan.lines[place].state = .ready } }
    return plan
  }

  /// The batches that a line goes with. A change that failed before goes alone: it may be the one that the server can't
  /// take, and would hold up the others of each batch.
  private func batch(of line: PlannedLine) -> PlanningRules.Batch? {
    guard line.action != .lookUp, line.action != .read,
      line.entry.flatMap({ situation.entries[$0] })?.attempts ?? 0 == 0
    else { return nil }
    return situation.rules[line.key.entity]?.batch
  }

  private mutating func state(_ index: Int, _ draft: DraftLine) -> PlannedLine.State {
    if draft.isSending { return .sending }
    switch fates.fates[index] {
    case .blocked(let entries): return .blocked(entries)
    case .cycle(let keys): return .cycle(keys)
    case .free(let after, let strangers) where !after.isEmpty || !strangers.isEmpty:
      return .after(keys(after, strangers))
    case .free: return timed(draft)
    case .held, nil: return draft.hold ?? .unknown
    }
  }

  private mutating func timed(_ draft: DraftLine) -> PlannedLine.State {
    let moment = max(draft.earliest, resumes)
    if moment > situation.now {
      if moment < .infinity { plan.next = min(plan.next ?? .infinity, moment) }
      return .later(moment)
    }
    return .queued
  }

  /// The objects of lines, in their order, each once.
  private func keys(_ after: [Int], _ strangers: [RowKey]) -> [RowKey] {
    var keys: [RowKey] = []
    for line in after.sorted() where lines.lines[line].key != keys.last { keys.append(lines.lines[line].key) }
    for key in strangers where !keys.contains(key) { keys.append(key) }
    return keys
  }
}
