import EntityStore
import TestSchema
import TestSupport
import Testing

/// Projections, groups and aggregates, by SQL and in Swift over the objects: of saved objects, and with unsaved changes
/// in the main context, in a child and in a unit.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor
struct RandomizedValueQueryTests {
  @Test(arguments: Place.usual)
  func `values are those of the objects`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 20 : 6, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let people = try await GeneratedWorld<Person>(place, &random)
      try await people.ask(16, &random) { context, _, random in
        let check = ValueCheck(query: .random(try context.fetch(Person.all), &random, 1), context: context)
        try check.selected(&random)
        try check.grouped(&random)
        try check.groupedByTwo(&random)
        try check.aggregated()
      }
    }
  }
}

/// The values of one query in one context.
private struct ValueCheck: GeneratedValues {
  let query: GeneratedQuery<Person>
  let context: EntityContext

  func selected(_ random: inout SeededRandom) throws {
    let found = query.found
    let several = query.query.select { ($0.entityID, $0.name, $0.boss.email, $0.notes.count, $0.team) }
    try check(
      "select", try context.fetch(several).map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      found.map { text($0.entityID, $0.name, $0.boss?.email, $0.notes.count, $0.team?.entityID) })
    let computed = try context.fetch(query.query.select { ($0.name.ignoringCase, $0.age * 2 + 1, $0.score + 1) })
    try check(
      "folded, computed", computed.map { text($0.0, $0.1, $0.2) },
      found.map { text(folded($0.name), $0.age * 2 + 1, $0.score.map { $0 + 1 }) })

    let pairs = found.map { text($0.age, $0.email) }
    let distinct = distinct(pairs)
    let (limit, offset) = (random.below(4), random.below(3))
    let selected = query.query.select { ($0.age, $0.email) }
    try check("distinct", try context.fetch(selected.distinct()).map { text($0.0, $0.1) }, distinct)
    try check(
      "distinct, limited",
      try context.fetch(selected.distinct().limited(to: limit, offset: offset)).map { text($0.0, $0.1) },
      Array(distinct.dropFirst(offset).prefix(limit)))
    try check(
      "limited", try context.fetch(selected.limited(to: limit, offset: offset)).map { text($0.0, $0.1) },
      Array(pairs.dropFirst(offset).prefix(limit)))
  }

  func grouped(_ random: inout SeededRandom) throws {
    let groups = Dictionary(grouping: query.found) { text($0.name) }.values.sorted {
      $0[0].name.utf8.lexicographicallyPrecedes($1[0].name.utf8)
    }
    let least = random.below(3)
    let large = try context.fetch(
      query.query.grouped { $0.name }.having { $0.count > least }.select {
        ($0.key, $0.count, $0.sum { $0.age }, $0.average { $0.score }, $0.min { $0.email })
      })
    try check(
      "groups", large.map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      groups.filter { $0.count > least }.map { group in
        text(
          group[0].name, group.count, group.map(\.age).reduce(0, +), average(group.compactMap(\.score)),
          group.compactMap(\.email).min())
      })
    // Letters in either case are one group.
    let folds = Dictionary(grouping: query.found) { folded($0.name) }
    let counts = try context.fetch(query.query.grouped { $0.name.ignoringCase }.select { ($0.key, $0.count) })
    try check(
      "folded groups", counts.map { text($0.0, $0.1) },
      folds.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { text($0.key, $0.value.count) })
  }

  /// In an order of their own, with a limit: groups by an optional, and by a value of a linked object.
  func groupedByTwo(_ random: inout SeededRandom) throws {
    struct Key: Hashable {
      let email: String?
      let age: Int?
    }
    let isDescending = random.chance(2)
    let (limit, offset) = (1 + random.below(6), random.below(3))
    let most = 4 * random.below(4)
    let groups = Dictionary(grouping: query.found) { Key(email: $0.email, age: $0.boss?.age) }
      .filter { $0.value.map(\.age).reduce(0, +) <= most }
      .sorted { left, right in
        if left.value.count != right.value.count { return (left.value.count < right.value.count) != isDescending }
        if left.key.email != right.key.email {
          return Order.precedes(left.key.email?.bytes, right.key.email?.bytes) { $0.lexicographicallyPrecedes($1) }
            ?? false
        }
        // Those without a value come first.
        return (left.key.age ?? -1) < (right.key.age ?? -1)
      }
    let values = query.query.grouped { ($0.email, $0.boss.age) }.having { $0.sum { $0.age } <= most }
      .sorted(isDescending ? .descending : .ascending) { $0.count }
      .select { ($0.key.0, $0.key.1, $0.count, $0.distinctCount { $0.name }) }
    let limited = try context.fetch(values.limited(to: limit, offset: offset))
    try check(
      "groups of two", limited.map { text($0.0, $0.1, $0.2, $0.3) },
      groups.dropFirst(offset).prefix(limit).map { key, group in
        text(key.email, key.age, group.count, Set(group.map { Array($0.name.utf8) }).count)
      })
  }

  func aggregated() throws {
    let found = query.found
    let total = try context.aggregate(query.query) {
      (
        $0.count, $0.count { $0.score }, $0.distinctCount { $0.age }, $0.sum { $0.age },
        $0.average { $0.score }, $0.max { $0.boss.age }, $0.min { $0.name }
      )
    }
    let oldest = found.compactMap { $0.boss?.age }.max()
    let first = found.map(\.name).min { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    try check(
      "aggregate", [text(total.0, total.1, total.2, total.3, total.4, total.5, total.6)],
      [
        text(
          found.count, found.count { $0.score != nil }, Set(found.map(\.age)).count, found.map(\.age).reduce(0, +),
          average(found.compactMap(\.score)), oldest, first)
      ])
    let sum = try context.aggregate(query.query) { $0.sum { $0.score } }
    try check("sum", [text(sum)], [text(found.compactMap(\.score).reduce(0, +))])
  }

  private func folded(_ text: String) -> String { String(decoding: PlainFold.anyCase.folded(text), as: UTF8.self) }
}
