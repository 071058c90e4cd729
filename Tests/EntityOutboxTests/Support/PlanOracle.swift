import EntityClient

/// The rules of a plan, each checked by itself on objects, without lines and edges.
struct PlanOracle {
  struct Wrong: Error, CustomStringConvertible { let description: String }

  let situation: OutboxSituation
  let plan: PlannedOutbox

  private var lines: [RowKey: [PlannedLine]] = [:]

  init(_ situation: OutboxSituation) {
    self.situation = situation
    plan = OutboxPlanner.plan(situation)
    for line in plan.lines { lines[line.key, default: []].append(line) }
  }

  func check() throws {
    try checkRepeated()
    try checkLines()
    for line in plan.lines {
      switch line.state {
      case .ready: try checkReady(line)
      case .blocked(let entries): try checkBlocked(line, entries)
      case .after(let keys): try checkAfter(line, keys)
      case .later(let time): try require(time > situation.now, line, "is late")
      default: break
      }
      try checkLeftOut(line)
    }
    try checkTimes()
  }

  private func require(_ condition: Bool, _ line: PlannedLine, _ text: String) throws {
    guard condition else { throw Wrong(description: "\(line.text) \(text)") }
  }

  // MARK: Lines

  /// The order of dictionaries and sets is of no account.
  private func checkRepeated() throws {
    var other = situation
    other.pending = [:]
    other.pending.reserveCapacity(1_000)
    for (key, facts) in situation.pending { other.pending[key] = facts }
    other.entries = [:]
    other.entries.reserveCapacity(500)
    for (number, entry) in situation.entries { other.entries[number] = entry }
    guard OutboxPlanner.plan(other) == plan else {
      throw Wrong(description: "the plan depends on the order of a table")
    }
  }

  private func checkLines() throws {
    let planned = plan.lines.compactMap(\.entry)
    guard Set(planned).count == planned.count else { throw Wrong(description: "an entry has two lines") }
    for (number, entry) in situation.entries {
      let isMine = situation.rules[entry.key.entity] != nil
      let count = (planned.contains(number) ? 1 : 0) + (plan.over.contains(number) ? 1 : 0)
      guard count == (isMine && !waitsForDeletion(entry) ? 1 : 0) else {
        throw Wrong(description: "entry \(number) has \(count) lines and ends")
      }
      if entry.kept != nil, entry.state == .gone, plan.over.contains(number) {
        throw Wrong(description: "entry \(number) is over, and its row lost")
      }
    }
    for (key, facts) in situation.pending {
      let own = lines[key] ?? []
      let rules = situation.rules[key.entity]
      let goes = facts.kind == .deletion && facts.cause != nil && rules?.sendsPartsFirst != true
      guard own.count(where: { $0.entry == nil }) <= (rules == nil || goes ? 0 : 1) else {
        throw Wrong(description: "the marks of \(key) have two lines")
      }
      guard rules == nil || goes || !own.isEmpty else { throw Wrong(description: "\(key) has no line") }
    }
  }

  /// Whether an entry has no line until the deletion of its object ends, because the deletion may be undone: one of a file, and an
  /// edit without a request that a later command counts on.
  private func waitsForDeletion(_ entry: OutboxEntry) -> Bool {
    guard let facts = situation.pending[entry.key], facts.kind == .deletion,
      !situation.underWay.contains(entry.number)
    else { return false }
    if situation.isUpload(entry) { return true }
    let goes = facts.cause != nil && situation.rules[entry.key.entity]?.sendsPartsFirst != true
    guard !goes, entry.kind == .update, entry.state == .waiting || entry.state == .sending, entry.request == nil,
      entry.body == nil
    else { return false }
    return situation.entries.values.contains {
      $0.key == entry.key && $0.number > entry.number && $0.kind == .command && !situation.isUpload($0)
    }
  }

  private func checkTimes() throws {
    let moments = plan.lines.compactMap { line in
      if case .later(let time) = line.state, time < .infinity { time } else { nil }
    }
    guard plan.next == moments.min() else { throw Wrong(description: "the next moment is another one") }
    let ready = plan.lines.count { $0.state == .ready }
    let busy = situation.underWay.count + situation.claiming.count
    guard ready <= max(0, situation.width - busy) else { throw Wrong(description: "too many are ready") }
    let queued = plan.lines.firstIndex { $0.state == .queued } ?? plan.lines.endIndex
    guard plan.lines[queued...].allSatisfy({ $0.state != .ready }) else {
      throw Wrong(description: "a queued line is before a ready one")
    }
    if let pause = situation.pausedUntil, pause > situation.now, ready > 0 {
      throw Wrong(description: "the outbox pauses, and something is ready")
    }
  }

  // MARK: One line

  private func checkReady(_ line: PlannedLine) throws {
    for other in lines[line.key] ?? [] where other != line {
      // The object has to be there before a command, whichever entry is older.
      let makesObject = line.action == .create || line.action == .lookUp
      try require(
        makesObject || (line.entry ?? .max) < (other.entry ?? .max), line, "is ready before \(other.text)")
    }
    guard let facts = situation.pending[line.key] else { return }
    if [.create, .update].contains(line.action), !line.isFrozen {
      for link in facts.links where !line.leftOut.contains(link.property) && link.target != line.key {
        try require(
          situation.pending[link.target]?.kind != .insert, line, "names \(link.target), which the server does not know")
      }
    }
    if line.action == .deletion {
      for (key, other) in situation.pending where key != line.key && other.kind != .deletion && !isLast(key) {
        guard other.formerTargets.contains(line.key) || other.links.contains(where: { $0.target == line.key }) else {
          continue
        }
        for other in lines[key] ?? [] where canBeSent(other) && !isBehindHeld(other) {
          try require(false, line, "is ready before \(other.text)")
        }
      }
    }
  }

  private func isLast(_ key: RowKey) -> Bool { situation.rules[key.entity]?.isLast ?? false }

  private func canBeSent(_ line: PlannedLine) -> Bool {
    switch line.state {
    case .ready, .queued, .sending, .later, .after: true
    default: false
    }
  }

  /// A refused request that is tried again is held for all others.
  private func isBehindHeld(_ line: PlannedLine) -> Bool {
    guard let entry = line.entry.flatMap({ situation.entries[$0] }) else { return false }
    if entry.isRefusedClaim, !situation.underWay.contains(entry.number), !situation.claiming.contains(line.key) {
      return true
    }
    return entry.state == .refused
      && (entry.kind == .command || situation.pending[line.key].map { $0.number <= entry.edited } ?? true)
  }

  private func checkBlocked(_ line: PlannedLine, _ entries: [Int64]) throws {
    try require(!entries.isEmpty && entries == entries.sorted(), line, "has no blockers, or in disorder")
    let reached = reachable(from: line.key)
    for number in entries {
      let blocker = plan.lines.first { $0.entry == number }
      guard let blocker else { throw Wrong(description: "\(line.text): no line has the entry") }
      try require(reached.contains(blocker.key), line, "does not depend on \(blocker.text)")
      try require(!canBeSent(blocker) || isBehindHeld(blocker), line, "waits for a person, though \(blocker.text)")
    }
  }

  /// The objects that a change can depend on: those that it names and the server does not know, and for an object that is
  /// sent last those that are linked to it.
  private func reachable(from key: RowKey) -> Set<RowKey> {
    var reached: Set = [key]
    var open = [key]
    while let key = open.popLast() {
      var next = (situation.pending[key]?.links ?? []).map(\.target).filter { situation.pending[$0]?.kind == .insert }
      if isLast(key) {
        next += situation.pending.filter { $0.value.links.contains { $0.target == key } }.map(\.key)
      }
      open += next.filter { reached.insert($0).inserted }
    }
    return reached
  }

  private func checkAfter(_ line: PlannedLine, _ keys: [RowKey]) throws {
    try require(!keys.isEmpty && Set(keys).count == keys.count, line, "waits for nothing, or twice for one object")
    for key in keys {
      let isStranger = situation.rules[key.entity] == nil && situation.pending[key] != nil
      try require(isStranger || (lines[key] ?? []).contains(where: canBeSent), line, "waits for \(key), which is held")
    }
  }

  /// A link is left out for a reason: its target is made here, and can't be created before.
  private func checkLeftOut(_ line: PlannedLine) throws {
    for property in line.leftOut.indices {
      let links = situation.pending[line.key]?.links.filter { $0.property == property } ?? []
      try require(!links.isEmpty && links.allSatisfy { !$0.isRequired }, line, "leaves out a property it requires")
      try require(!line.properties.contains(property), line, "carries what it leaves out")
      try require(
        links.contains { situation.pending[$0.target]?.kind == .insert }, line, "leaves out a link that can be sent")
    }
    if line.action == .update, !line.leftOut.isEmpty { try require(!line.properties.isEmpty, line, "is empty") }
  }
}
