package import EntityStore

/// Keeps the plan of what has not changed, so that one more edit among many costs little.
///
/// A changed object is planned anew with all objects whose lines may wait for its own, directly or by others. Lines that these
/// in turn may wait for stay as they are.
package struct PlanKeeper: Sendable {
  private var settled: SettledLines?
  private var mentions = Mentions()
  /// The objects of the last plan whose lines depend on the time, or on requests under way.
  private var volatile: Set<RowKey> = []

  package init() {}

  /// The plan of a situation.
  ///
  /// - Parameter changed: The objects whose facts may be others than in the last situation; `nil` for all.
  package mutating func plan(_ situation: OutboxSituation, changed: Set<RowKey>?) -> PlannedOutbox {
    let present = Set(situation.entries.values.lazy.map(\.key)).union(situation.claiming)
    if let changed, settled != nil {
      let group = mentions.update(changed.union(volatile).union(present), situation)
      let others = mentions.named(by: group, situation)
      // In its place: the lines have one owner.
      if !group.isEmpty { settled?.settle(situation, group, beside: others) }
    } else {
      mentions = Mentions(situation)
      settled = SettledLines(situation)
    }
    volatile = present
    let lines = settled ?? SettledLines(situation)
    var schedule = LineSchedule(situation, count: lines.sent.count + lines.held.count)
    for line in lines.sent { schedule.add(line) }
    for line in lines.held { schedule.add(line) }
    var plan = schedule.finished()
    (plan.objects, plan.over) = (lines.objects, lines.over)
    return plan
  }
}

/// The objects that each object with pending changes names, and those that name it.
private struct Mentions {
  /// The entity of a key that stands for a row id, of whatever entity: a deletion names its cause by the row id alone.
  private static let anyEntity = -1

  private var named: [RowKey: [RowKey]] = [:]
  private var naming: [RowKey: Set<RowKey>] = [:]
  /// The objects that were made here.
  private var made: Set<RowKey> = []
  /// The deleted objects, by row id.
  private var deleted: [Int64: RowKey] = [:]

  init() {}

  init(_ situation: OutboxSituation) {
    for (key, facts) in situation.pending { set(key, facts) }
  }

  private mutating func set(_ key: RowKey, _ facts: PendingFacts?) {
    for other in named.removeValue(forKey: key) ?? [] {
      naming[other]?.remove(key)
      if naming[other]?.isEmpty == true { naming[other] = nil }
    }
    if facts?.kind == .insert { made.insert(key) } else { made.remove(key) }
    if facts?.kind == .deletion { deleted[key.pk] = key } else { deleted[key.pk] = nil }
    guard let facts else { return }
    var keys = facts.links.map(\.target) + facts.formerTargets
    if let cause = facts.cause { keys.append(RowKey(entity: Self.anyEntity, pk: cause)) }
    guard !keys.isEmpty else { return }
    named[key] = keys
    for other in keys { naming[other, default: []].insert(key) }
  }

  /// Takes changed facts in.
  ///
  /// - Returns: The changed objects, and all whose lines may wait for theirs, before or after the change.
  mutating func update(_ changed: Set<RowKey>, _ situation: OutboxSituation) -> Set<RowKey> {
    var group = changed
    var open: [RowKey] = []
    for key in changed {
      for other in waiting(for: key, situation) where group.insert(other).inserted { open.append(other) }
      set(key, situation.pending[key])
    }
    open += changed
    while let key = open.popLast() {
      for other in waiting(for: key, situation) where group.insert(other).inserted { open.append(other) }
    }
    return group
  }

  /// The objects whose lines may wait for a line of an object: its creation makes the uid that others name, and what is
  /// deleted, or sent last, waits for those that name it.
  private func waiting(for key: RowKey, _ situation: OutboxSituation) -> [RowKey] {
    var found = made.contains(key) ? Array(naming[key] ?? []) : []
    for other in named[key] ?? [] {
      guard let other = other.entity == Self.anyEntity ? deleted[other.pk] : other else { continue }
      if waitsForOthers(other, situation) { found.append(other) }
    }
    return found
  }

  private func waitsForOthers(_ key: RowKey, _ situation: OutboxSituation) -> Bool {
    guard let facts = situation.pending[key] else { return false }
    return facts.kind == .deletion || situation.rules[key.entity]?.isLast == true
  }

  /// The objects outside a group for whose lines those of the group may wait.
  func named(by group: Set<RowKey>, _ situation: OutboxSituation) -> Set<RowKey> {
    var found: Set<RowKey> = []
    for key in group {
      for other in named[key] ?? [] where made.contains(other) { found.insert(other) }
      guard waitsForOthers(key, situation) else { continue }
      found.formUnion(naming[key] ?? [])
      found.formUnion(naming[RowKey(entity: Self.anyEntity, pk: key.pk)] ?? [])
    }
    return found.subtracting(group)
  }
}
