package import EntityStore

/// Keeps the plan of what has not changed, so that one more edit among many costs little.
///
/// Objects that name each other, directly or by others that are pending, are planned together. An object has an edge to no
/// object of another group, so the plan of a group depends on its own facts and entries alone.
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
    // Taken out, so that its lines have one owner and change in their place.
    if let changed, var kept = settled.take() {
      let group = mentions.update(changed.union(volatile).union(present), situation)
      if !group.isEmpty {
        let new = SettledLines(situation, of: group)
        kept.replace(group, by: new)
        over = new.over
      }
      settled = kept
    } else {
      mentions = Mentions(situation)
      let new = SettledLines(situation, of: nil)
      (settled, over) = (new, new.over)
    }
    volatile = present
    var schedule = LineSchedule(situation, count: (settled?.sent.count ?? 0) + (settled?.held.count ?? 0))
    for line in settled?.sent ?? [] { schedule.add(line) }
    for line in settled?.held ?? [] { schedule.add(line) }
    return schedule.finished(over)
  }

  /// The entries whose changes are no more.
  private var over: Set<Int64> = []
}

/// The objects that each object with pending changes names, and those that name it.
private struct Mentions {
  /// The entity of a key that stands for a row id, of whatever entity: a deletion names its cause by the row id alone.
  private static let anyEntity = -1

  private var named: [RowKey: [RowKey]] = [:]
  private var naming: [RowKey: Set<RowKey>] = [:]

  init() {}

  init(_ situation: OutboxSituation) { for facts in situation.pending.values { set(facts.key, Self.named(facts)) } }

  /// The keys that the facts of an object name.
  private static func named(_ facts: PendingFacts?) -> [RowKey] {
    guard let facts else { return [] }
    var keys = facts.links.map(\.target) + facts.formerTargets
    if let cause = facts.cause { keys.append(RowKey(entity: anyEntity, pk: cause)) }
    if facts.kind == .deletion { keys.append(RowKey(entity: anyEntity, pk: facts.key.pk)) }
    return keys
  }

  private mutating func set(_ key: RowKey, _ keys: [RowKey]) {
    for other in named.removeValue(forKey: key) ?? [] {
      naming[other]?.remove(key)
      if naming[other]?.isEmpty == true { naming[other] = nil }
    }
    guard !keys.isEmpty else { return }
    named[key] = keys
    for other in keys { naming[other, default: []].insert(key) }
  }

  /// Takes changed facts in.
  ///
  /// - Returns: The changed objects, and all that are in a group with one of them, before or after the change.
  mutating func update(_ changed: Set<RowKey>, _ situation: OutboxSituation) -> Set<RowKey> {
    var group = changed
    var open = Array(changed)
    for key in changed {
      for other in named[key] ?? [] where group.insert(other).inserted { open.append(other) }
      set(key, Self.named(situation.pending[key]))
    }
    while let key = open.popLast() {
      // An object without pending changes has no lines that others could wait for.
      guard changed.contains(key) || key.entity == Self.anyEntity || situation.pending[key] != nil else { continue }
      for other in named[key] ?? [] where group.insert(other).inserted { open.append(other) }
      for other in naming[key] ?? [] where group.insert(other).inserted { open.append(other) }
    }
    return group
  }
}
