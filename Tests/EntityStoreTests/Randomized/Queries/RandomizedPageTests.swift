import EntityStore
import TestSchema
import TestSupport
import Testing

/// Orders with objects without a value at either end, and walks through the pages, by SQL and in Swift over the
/// objects: of saved objects, and with unsaved changes in the main context, in a child and in a unit.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=10000` runs so many.
@MainActor
struct RandomizedPageTests {
  @Test(arguments: Place.usual)
  func `walks find the same objects as Swift`(_ place: Place) async throws {
    try await walk(Person.self, place)
  }

  @Test(arguments: Place.usual)
  func `walks by derived and one-to-one properties find the same objects as Swift`(_ place: Place) async throws {
    try await walk(Pilgrim.self, place)
  }

  private func walk<E: Generated>(_ entity: E.Type, _ place: Place) async throws {
    await Seeds.each(place == .memory ? 24 : 6, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let world = try await GeneratedWorld<E>(place, &random)
      try await world.ask(20, &random) { context, _, random in
        var query = GeneratedQuery<E>.random(try context.fetch(E.all), &random, 1)
        for _ in 0..<random.below(4) {
          query.sort(
            E.key(&random), isDescending: random.chance(2), nilsFirst: random.element([nil, true, false]) ?? nil)
        }
        if random.chance(4) { query.reverse() }
        try Self.walk(query, pages: 1 + random.below(5), in: context)
      }
    }
  }

  nonisolated private static func walk<E: Generated>(
    _ query: GeneratedQuery<E>, pages size: Int, in context: EntityContext
  ) throws {
    let found = query.found
    var page = try context.fetch(query.query, page: size)
    var walked = page.objects
    while let next = page.next {
      guard page.objects.count == size, walked.count < found.count else {
        throw GeneratedDifference(description: "\(query.text): a page of \(page.objects.count), not \(size)")
      }
      page = try context.fetch(query.query, page: size, after: next)
      walked += page.objects
    }
    guard try context.fetch(query.query) == found, walked == found else {
      let (rows, expected) = (walked.map(\.entityID.pk), found.map(\.entityID.pk))
      throw GeneratedDifference(description: "\(query.text), pages of \(size): \(rows), not \(expected)")
    }
  }
}
