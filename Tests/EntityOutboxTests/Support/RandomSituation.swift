import EntityClient
import TestSupport

extension OutboxSituation {
  /// A situation that a program can meet, and some that it can't. Row ids are those of one object each, as in a file; the
  /// entities 0 to 2 have rules, and 3 has none. Properties with an even index are required.
  static func random(_ random: inout SeededRandom) -> OutboxSituation {
    var situation = OutboxSituation()
    situation.now = 1_000
    situation.width = random.below(6)
    for entity in 0..<3 {
      var rules = PlanningRules()
      rules.repeatsCreates = random.chance(2)
      rules.looksUpCreates = random.chance(2)
      rules.repeatsCommands = random.chance(2)
      rules.isLast = random.chance(3)
      rules.sendsPartsFirst = random.chance(2)
      situation.rules[entity] = rules
    }
    let count = 1 + random.below(random.chance(4) ? 40 : 10)
    let keys = (1...count).map { RowKey(entity: random.chance(9) ? 3 : random.below(3), pk: Int64($0)) }
    let density = 1 + random.below(4)
    for key in keys where !random.chance(6) { situation.pending[key] = facts(key, keys, density, &random) }
    var number: Int64 = 0
    let isCalm = random.chance(3)
    for key in keys where !isCalm && random.chance(3) {
      for _ in 0...random.below(3) {
        number += 1
        situation.entries[number] = entry(number, key, situation.pending[key], &random)
      }
    }
    // One request of an object is under way at most, and no other one precedes it.
    var begun: Set<RowKey> = []
    for entry in situation.entries.values.sorted(by: { $0.number < $1.number })
    where begun.insert(entry.key).inserted && entry.state == .sending && random.chance(2) {
      situation.underWay.insert(entry.number)
    }
    let busy = Set(situation.underWay.compactMap { situation.entries[$0]?.key })
    for key in keys where random.chance(15) && !busy.contains(key) { situation.claiming.insert(key) }
    situation.pausedUntil = random.element([nil, nil, nil, 900, 1_050, .infinity]) ?? nil
    return situation
  }

  /// Changes the facts of some objects, and some entries, as commits and requests do.
  ///
  /// - Returns: The objects whose facts changed.
  mutating func change(_ random: inout SeededRandom) -> Set<RowKey> {
    let keys = Array(Set(pending.keys).union(entries.values.map(\.key))).sorted { $0.pk < $1.pk }
    var changed: Set<RowKey> = []
    for _ in 0..<random.below(3) {
      let pk = Int64(1 + random.below(45))
      // A row id is that of one object.
      let key = keys.first { $0.pk == pk } ?? RowKey(entity: random.below(4), pk: pk)
      pending[key] = random.chance(3) ? nil : Self.facts(key, keys + [key], 1 + random.below(4), &random)
      changed.insert(key)
    }
    if random.chance(3), let entry = entries.keys.sorted().first(where: { _ in random.chance(3) }) {
      underWay.remove(entry)
      entries[entry] = nil
    }
    if random.chance(3), let key = random.element(keys) {
      let number = (entries.keys.max() ?? 0) + 1
      entries[number] = Self.entry(number, key, pending[key], &random)
    }
    if random.chance(4) { claiming = Set(claiming.filter { _ in random.chance(2) }) }
    if random.chance(4), let key = random.element(keys) { claiming.insert(key) }
    if random.chance(4) { now += Double(random.below(60)) }
    if random.chance(6) { pausedUntil = random.element([nil, 900, 1_050, .infinity]) ?? nil }
    return changed
  }

  private static func facts(
    _ key: RowKey, _ keys: [RowKey], _ density: Int, _ random: inout SeededRandom
  ) -> PendingFacts {
    let kind = random.element([PendingFacts.Kind.insert, .insert, .insert, .edit, .edit, .deletion]) ?? .edit
    var facts = PendingFacts(
      key: key, kind: kind, uid: kind == .insert && random.chance(2) ? nil : "u", number: Int64(1 + random.below(20)),
      edited: ColumnMask())
    if kind == .deletion, random.chance(2) { facts.cause = random.element(keys)?.pk }
    if kind == .deletion || random.chance(3) {
      facts.formerTargets = (0..<random.below(3)).compactMap { _ in random.element(keys) }
    }
    guard kind != .deletion else { return facts }
    for _ in 0..<random.below(density) {
      let property = random.chance(3) ? random.below(3) * 2 : random.below(3) * 2 + 1
      guard let target = random.element(keys) else { continue }
      facts.links.append(.init(property: property, target: target, isRequired: property % 2 == 0))
      facts.edited.insert(property)
    }
    if random.chance(2) || facts.edited.isEmpty { facts.edited.insert(6) }
    return facts
  }

  private static func entry(
    _ number: Int64, _ key: RowKey, _ facts: PendingFacts?, _ random: inout SeededRandom
  ) -> OutboxEntry {
    let kinds: [OutboxEntry.Kind] =
      switch facts?.kind {
      case .insert: [.create, .create, .command]
      case .edit: [.update, .update, .command]
      case .deletion: [.deletion, .update, .create]
      case nil: OutboxEntry.Kind.allCases
      }
    let kind = random.chance(6) ? random.element(OutboxEntry.Kind.allCases) : random.element(kinds)
    var entry = OutboxEntry(
      key: key, kind: kind ?? .update, state: random.element(OutboxEntry.State.allCases) ?? .sending,
      time: Double(900 + random.below(110)))
    entry.number = number
    entry.edited = random.chance(2) ? facts?.number ?? 5 : Int64(random.below(20))
    entry.attempts = random.below(3)
    if random.chance(3) { entry.next = Double(950 + random.below(100)) }
    // The server fails at it again and again.
    if random.chance(8) { entry.next = entry.time + 3_601 }
    if !random.chance(4) { entry.request = "{}" }
    if random.chance(6) { entry.idempotencyKey = "k" }
    if entry.state == .gone || random.chance(20) { entry.kept = "{}" }
    return entry
  }
}
