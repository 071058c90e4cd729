import EntityStore
import TestSupport
import Testing

/// Projections, groups and aggregates, by SQL and in Swift over the objects, with unsaved changes in the main context and in
/// a child.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
@MainActor
struct RandomizedValueQueryTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  /// Text that tells bytes apart.
  private func text(_ values: Any?...) -> String {
    values.map { value in (value as? String).map { "\(Array($0.utf8))" } ?? "\(value as Any)" }.joined(separator: " ")
  }

  @Test(arguments: Place.allCases)
  func valuesAreThoseOfTheObjects(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 50 : 12, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let people = try await QueryPeople(place, &random)
      for context in people.contexts {
        let all = try context.fetch(Person.all)
        for _ in 0..<30 {
          // Other tests need the main actor too.
          await Task.yield()
          let query = PersonQuery.random(all, &random, 1)
          try check(query, in: context, context === people.main ? "main" : "child", &random)
        }
      }
    }
  }

  private func check(
    _ query: PersonQuery, in context: EntityContext, _ side: String, _ random: inout SeededRandom
  ) throws {
    let found = query.found
    func check(_ what: String, _ values: [String], _ expected: [String]) throws {
      guard values != expected else { return }
      throw Difference(description: "\(what) in \(side) of \(query.text): \(values), not \(expected)")
    }
    let several = query.query.select { ($0.entityID, $0.name, $0.boss.email, $0.notes.count, $0.team) }
    let values = try context.fetch(several).map { text($0.0, $0.1, $0.2, $0.3, $0.4) }
    let properties = found.map { text($0.entityID, $0.name, $0.boss?.email, $0.notes.count, $0.team?.entityID) }
    try check("select", values, properties)

    let pairs = found.map { text($0.age, $0.email) }
    var seen: Set<String> = []
    let distinct = pairs.filter { seen.insert($0).inserted }
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

    let groups = Dictionary(grouping: found) { text($0.name) }.values.sorted {
      $0[0].name.utf8.lexicographicallyPrecedes($1[0].name.utf8)
    }
    let grouped = query.query.grouped { $0.name }
    let least = random.below(3)
    let large = grouped.having { $0.count > least }.select {
      ($0.key, $0.count, $0.sum { $0.age }, $0.average { $0.score }, $0.min { $0.email })
    }
    let counted = try context.fetch(large).map { text($0.0, $0.1, $0.2, $0.3, $0.4) }
    let folded = groups.filter { $0.count > least }.map { group in
      text(group[0].name, group.count, Self.sum(group), Self.average(group), Self.min(group))
    }
    try check("groups", counted, folded)

    let total = try context.aggregate(query.query) {
      (
        $0.count, $0.count { $0.score }, $0.distinctCount { $0.age }, $0.sum { $0.age },
        $0.average { $0.score }, $0.max { $0.boss.age }
      )
    }
    let scored = found.count { $0.score != nil }
    let ages = Set(found.map(\.age)).count
    let oldest = found.compactMap { $0.boss?.age }.max()
    try check(
      "aggregate", [text(total.0, total.1, total.2, total.3, total.4, total.5)],
      [text(found.count, scored, ages, Self.sum(found), Self.average(found), oldest)])
  }

  private static func sum(_ people: [Person]) -> Int { people.map(\.age).reduce(0, +) }

  private static func average(_ people: [Person]) -> Double? {
    let scores = people.compactMap(\.score)
    return scores.isEmpty ? nil : scores.reduce(0, +) / Double(scores.count)
  }

  private static func min(_ people: [Person]) -> String? { people.compactMap(\.email).min() }
}
