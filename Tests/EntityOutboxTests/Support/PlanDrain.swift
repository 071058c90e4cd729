import EntityClient

/// Sends what a plan has ready, over and over, with a server that takes everything.
struct PlanDrain {
  private(set) var situation: OutboxSituation
  private(set) var requests = 0
  /// The most requests that may be needed.
  private let most: Int

  init(_ situation: OutboxSituation) {
    self.situation = situation
    self.situation.pausedUntil = nil
    self.situation.width += situation.underWay.count + situation.claiming.count + 1
    most = 3 * (situation.pending.count + situation.entries.count) + 3
  }

  /// Runs until nothing is ready, and gives the last plan.
  mutating func run() throws -> PlannedOutbox {
    while true {
      try PlanOracle(situation).check()
      let plan = OutboxPlanner.plan(situation)
      for number in plan.over { situation.entries[number] = nil }
      let lines = plan.lines.filter { $0.state == .ready || $0.state == .sending }
      guard !lines.isEmpty || plan.next != nil || !plan.over.isEmpty else { return plan }
      if lines.isEmpty, let next = plan.next { situation.now = next }
      for line in lines { succeed(line) }
      situation.claiming = []
      guard requests <= most else { throw PlanOracle.Wrong(description: "\(requests) requests and no end") }
    }
  }

  /// A person drops all that is held, and what holds others.
  mutating func drop(_ plan: PlannedOutbox) {
    for line in plan.lines {
      switch line.state {
      case .refused, .unknown, .conflict, .gone: drop(line.entry ?? 0)
      case .blocked(let entries): for number in entries { drop(number) }
      default: break
      }
    }
  }

  private mutating func drop(_ number: Int64) {
    guard let entry = situation.entries.removeValue(forKey: number) else { return }
    situation.pending[entry.key] = nil
  }

  private mutating func succeed(_ line: PlannedLine) {
    requests += 1
    let (key, facts) = (line.key, situation.pending[line.key])
    let entry = line.entry.flatMap { situation.entries[$0] }
    if let entry {
      situation.entries[entry.number] = nil
      situation.underWay.remove(entry.number)
    }
    switch line.action {
    case .command, .read: break
    case .deletion: deleted(key)
    case .create, .lookUp, .update:
      // A request that was made before the last edit leaves the edit.
      let isOld = line.isFrozen || line.action == .lookUp || line.state == .sending || entry?.state == .sending
      if let entry, let facts, isOld, facts.number > entry.edited {
        if facts.kind == .insert { situation.pending[key]?.kind = .edit }
        if facts.kind == .insert { situation.pending[key]?.uid = "u" }
      } else if let facts, facts.kind != .deletion {
        sent(line, facts)
      } else if line.action != .update, facts == nil, entry?.kept == nil {
        // The object was deleted while its create was under way.
        situation.pending[key] = PendingFacts(
          key: key, kind: .deletion, uid: "u", number: 99, edited: ColumnMask())
      }
    }
  }

  private mutating func deleted(_ key: RowKey) {
    situation.pending[key] = nil
    for (other, facts) in situation.pending
    where facts.cause == key.pk && situation.rules[other.entity]?.sendsPartsFirst != true {
      situation.pending[other] = nil
    }
  }

  /// The marks of the links that a request left out stay.
  private mutating func sent(_ line: PlannedLine, _ facts: PendingFacts) {
    guard !line.leftOut.isEmpty else { return situation.pending[line.key] = nil }
    var rest = facts
    rest.kind = .edit
    rest.uid = "u"
    rest.edited = line.leftOut
    rest.links = facts.links.filter { line.leftOut.contains($0.property) }
    situation.pending[line.key] = rest
  }
}
