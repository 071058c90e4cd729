import EntityClient
import TestSupport
import Testing

/// Random situations against the rules of `PlanOracle`, and sent until nothing is left that can be.
@Suite struct RandomizedPlannerTests {
  @Test func `a plan keeps its rules, and what can be sent is sent in the end`() async {
    await Seeds.each(1_000, sanitized: 50, "situations") { seed, steps in
      var random = SeededRandom(seed)
      let situation = OutboxSituation.random(&random)
      steps = Self.shown(situation)
      try PlanOracle(situation).check()
      var drain = PlanDrain(situation)
      var rest = try drain.run()
      try Self.checkRest(rest, drain.situation)
      for _ in 0..<60 where rest.lines.contains(where: \.isPersons) {
        drain.drop(rest)
        rest = try drain.run()
      }
      try Self.checkRest(rest, drain.situation)
      guard rest.lines.allSatisfy({ !$0.isPersons }) else {
        throw PlanOracle.Wrong(description: "something is held: \(rest.lines.map(\.text))")
      }
    }
  }

  @Test func `a plan that is kept up to date is the plan that is made anew`() async {
    await Seeds.each(500, sanitized: 30, "histories") { seed, steps in
      var random = SeededRandom(seed)
      var situation = OutboxSituation.random(&random)
      var keeper = PlanKeeper()
      var changed: Set<RowKey>?
      for step in 0..<20 {
        steps = "step \(step), changed \(changed?.map(\.pk).sorted() ?? [])\n" + Self.shown(situation)
        let kept = keeper.plan(situation, changed: changed)
        guard kept == OutboxPlanner.plan(situation) else {
          throw PlanOracle.Wrong(
            description: "the kept plan is another one:\n\(kept.lines.map(\.text).joined(separator: "\n"))")
        }
        changed = situation.change(&random)
      }
    }
  }

  /// Each line that is left waits for a person, for a cycle, or for an object that the outbox does not send.
  private static func checkRest(_ plan: PlannedOutbox, _ situation: OutboxSituation) throws {
    var waiting: [RowKey: Set<RowKey>] = [:]
    for line in plan.lines {
      switch line.state {
      case .ready, .queued, .sending, .later: throw PlanOracle.Wrong(description: "\(line.text) is left")
      case .after(let keys): waiting[line.key, default: []].formUnion(keys)
      default: break
      }
    }
    for (key, keys) in waiting {
      var (reached, open) = (keys, Array(keys))
      while let key = open.popLast() { open += (waiting[key] ?? []).filter { reached.insert($0).inserted } }
      guard reached.contains(where: { situation.rules[$0.entity] == nil }) else {
        throw PlanOracle.Wrong(description: "\(key) waits for \(keys), and nothing comes")
      }
    }
  }

  private static func shown(_ situation: OutboxSituation) -> String {
    let pending = situation.pending.values.sorted { $0.key.pk < $1.key.pk }.map { facts in
      let links = facts.links.map { "\($0.property)→\($0.target.pk)" } + facts.formerTargets.map { "was→\($0.pk)" }
      return "\(facts.key.entity)/\(facts.key.pk) \(facts.kind) at \(facts.number) uid \(facts.uid ?? "-") "
        + "\(Array(facts.edited.indices)) \(links) cause \(facts.cause ?? 0)"
    }
    let entries = situation.entries.values.sorted { $0.number < $1.number }.map { entry in
      "entry \(entry.number) of \(entry.key.pk) \(entry.kind) \(entry.state) time \(entry.time) next \(entry.next ?? 0) "
        + "edited \(entry.edited) attempts \(entry.attempts) request \(entry.request ?? "-") "
        + "key \(entry.idempotencyKey ?? "-") kept \(entry.kept ?? "-")"
    }
    let rules = situation.rules.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    let rest =
      "under way \(situation.underWay.sorted()) claiming \(situation.claiming.map(\.pk).sorted()) "
      + "width \(situation.width) paused \(situation.pausedUntil ?? 0)"
    return (rules + pending + entries + [rest] + OutboxPlanner.plan(situation).lines.map(\.text)).joined(
      separator: "\n")
  }
}

extension PlannedLine {
  /// Whether the line waits for a person, or for one that settles another line.
  fileprivate var isPersons: Bool {
    switch state {
    case .blocked, .refused, .unknown, .conflict, .gone: true
    default: false
    }
  }
}
