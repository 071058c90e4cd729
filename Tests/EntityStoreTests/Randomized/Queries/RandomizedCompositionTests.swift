import EntityStore
import TestSchema
import TestSupport
import Testing

/// Queries made of queries, by SQL and in Swift over the objects: of saved objects, and with unsaved changes in the
/// main context, in a child and in a unit.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor
struct RandomizedCompositionTests {
  @Test(arguments: Place.usual)
  func `composed queries find the same objects as Swift`(_ place: Place) async throws {
    try await ask(Person.self, place)
  }

  @Test(arguments: Place.usual)
  func `composed queries of derived, lazy and one-to-one properties find the same objects`(_ place: Place) async throws
  {
    try await ask(Pilgrim.self, place)
  }

  private func ask<E: Generated>(_ entity: E.Type, _ place: Place) async throws {
    await Seeds.each(place == .memory ? 20 : 6, sanitized: 1, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let world = try await GeneratedWorld<E>(place, &random)
      try await world.ask(16, &random) { context, _, random in
        try Self.check(GeneratedQuery<E>.random(try context.fetch(E.all), &random, 2), in: context)
      }
    }
  }

  nonisolated private static func check<E: Generated>(_ query: GeneratedQuery<E>, in context: EntityContext) throws {
    let found = query.found.map(\.entityID)
    func check(_ what: String, _ isRight: Bool) throws {
      guard !isRight else { return }
      throw GeneratedDifference(description: "\(what) of \(query.text), not \(found.map(\.pk))")
    }
    try check("fetch", try context.fetch(query.query).map(\.entityID) == found)
    try check("ids", try context.ids(query.query) == found)
    try check("fetchOne", try context.fetchOne(query.query)?.entityID == found.first)
    try check("exists", try context.exists(query.query) == !found.isEmpty)
    try check("count", try context.count(query.query) == found.count)
    let ids = Set(found)
    func isFound(_ object: E?) -> Bool { object.map { ids.contains($0.entityID) } ?? false }
    try check(
      "isIn",
      try context.ids(E.where { E.link(of: $0).isIn(query.query) })
        == query.all.filter { isFound($0.linked) }.map(\.entityID))
    try check(
      "not isIn",
      try context.ids(E.where { !E.link(of: $0).isIn(query.query) })
        == query.all.filter { !isFound($0.linked) }.map(\.entityID))
    try check(
      "any(in:)",
      try context.ids(E.where { E.list(of: $0).any(in: query.query) })
        == query.all.filter { $0.listed.contains(where: isFound) }.map(\.entityID))
  }
}
