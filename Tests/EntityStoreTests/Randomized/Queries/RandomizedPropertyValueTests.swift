import EntityStore
import Foundation
import TestSchema
import TestSupport
import Testing

/// Projections, groups and aggregates of derived and lazy properties, and of values beyond one-to-one relationships, by
/// SQL and in Swift over the objects: of saved objects, and with unsaved changes in the main context, in a child and in
/// a unit.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor
struct RandomizedPropertyValueTests {
  @Test(arguments: Place.usual)
  func `values are those of the objects`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 20 : 6, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let world = try await GeneratedWorld<Pilgrim>(place, &random)
      try await world.ask(16, &random) { context, _, random in
        let check = PilgrimCheck(query: .random(try context.fetch(Pilgrim.all), &random, 1), context: context)
        try check.selected(&random)
        try check.grouped(&random)
        try check.aggregated()
      }
    }
  }
}

/// The values of one query in one context.
private struct PilgrimCheck: GeneratedValues {
  let query: GeneratedQuery<Pilgrim>
  let context: EntityContext

  func selected(_ random: inout SeededRandom) throws {
    let found = query.found
    let derived = query.query.select { ($0.level, $0.initial, $0.isLong, $0.mean, $0.entityID) }
    try check(
      "derived", try context.fetch(derived).map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      found.map { text($0.level, $0.initial, $0.isLong, $0.mean, $0.entityID) })
    let lazy = query.query.select { ($0.photo, $0.remarks, $0.badge.scan, $0.host.remarks, $0.guided.photo) }
    try check(
      "lazy", try context.fetch(lazy).map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      found.map { text($0.photo, $0.remarks, $0.badge?.scan, $0.host?.remarks, $0.guided?.photo) })
    let partners = query.query.select { ($0.badge, $0.badge.code, $0.guided, $0.guided.level, $0.guide.badge.number) }
    try check(
      "partners", try context.fetch(partners).map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      found.map {
        text($0.badge?.entityID, $0.badge?.code, $0.guided?.entityID, $0.guided?.level, $0.guide?.badge?.number)
      })

    let pairs = found.map { text($0.initial, $0.badge?.number, $0.photo) }
    let distinct = distinct(pairs)
    let (limit, offset) = (random.below(4), random.below(3))
    let values = query.query.select { ($0.initial, $0.badge.number, $0.photo) }.distinct()
    try check(
      "distinct", try context.fetch(values.limited(to: limit, offset: offset)).map { text($0.0, $0.1, $0.2) },
      Array(distinct.dropFirst(offset).prefix(limit)))
  }

  func grouped(_ random: inout SeededRandom) throws {
    let groups = Dictionary(grouping: query.found) { $0.level }.values.sorted { $0[0].level < $1[0].level }
    let least = random.below(3)
    let large = query.query.grouped { $0.level }.having { $0.count > least }.select {
      ($0.key, $0.count, $0.average { $0.mean }, $0.max { $0.badge.number }, $0.distinctCount { $0.remarks })
    }
    try check(
      "groups", try context.fetch(large).map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      groups.filter { $0.count > least }.map { group in
        text(
          group[0].level, group.count, average(group.compactMap(\.mean)),
          group.compactMap { $0.badge?.number }.max(),
          Set(group.map { $0.remarks.bytes }).count)
      })

    struct Key: Hashable {
      let number: Int?
      let isLong: Bool
    }
    let keyed = Dictionary(grouping: query.found) { Key(number: $0.badge?.number, isLong: $0.isLong) }.sorted {
      ($0.key.number ?? -1, $0.key.isLong ? 1 : 0) < ($1.key.number ?? -1, $1.key.isLong ? 1 : 0)
    }
    let values = query.query.grouped { ($0.badge.number, $0.isLong) }.select {
      ($0.key.0, $0.key.1, $0.count { $0.photo }, $0.count { $0.guided }, $0.sum { $0.level })
    }
    try check(
      "groups of two", try context.fetch(values).map { text($0.0, $0.1, $0.2, $0.3, $0.4) },
      keyed.map { key, group in
        text(
          key.number, key.isLong, group.count { $0.photo != nil }, group.count { $0.guided != nil },
          group.map(\.level).reduce(0, +))
      })
  }

  func aggregated() throws {
    let found = query.found
    let total = try context.aggregate(query.query) {
      (
        $0.count, $0.count { $0.badge }, $0.count { $0.badge.scan }, $0.distinctCount { $0.photo }, $0.min { $0.level },
        $0.max { $0.guided.level }, $0.sum { $0.level }
      )
    }
    try check(
      "aggregate", [text(total.0, total.1, total.2, total.3, total.4, total.5, total.6)],
      [
        text(
          found.count, found.count { $0.badge != nil }, found.count { $0.badge?.scan != nil },
          Set(found.compactMap(\.photo)).count, found.map(\.level).min(), found.compactMap { $0.guided?.level }.max(),
          found.map(\.level).reduce(0, +))
      ])
  }
}
