import EntityStore
import TestSupport
import Testing

/// Orders with objects without a value at either end, and walks through the pages, by SQL and in Swift over the objects, with
/// unsaved changes in the main context and in a child.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
@MainActor
struct RandomizedPageTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  @Test(arguments: Place.allCases)
  func walksFindTheSameObjectsAsSwift(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let people = try await QueryPeople(place, &random)
      for context in people.contexts {
        let all = try context.fetch(Person.all)
        for _ in 0..<40 {
          // Other tests need the main actor too.
          await Task.yield()
          var query = PersonQuery.random(all, &random, 1)
          for _ in 0..<random.below(3) {
            query.sort(
              .random(&random), isDescending: random.chance(2), nilsFirst: random.element([nil, true, false]) ?? nil)
          }
          let found = query.found
          let size = 1 + random.below(5)
          var page = try context.fetch(query.query, page: size)
          var walked = page.objects
          while let next = page.next {
            guard page.objects.count == size, walked.count < found.count else {
              throw Difference(description: "\(query.text): a page of \(page.objects.count), not \(size)")
            }
            page = try context.fetch(query.query, page: size, after: next)
            walked += page.objects
          }
          guard try context.fetch(query.query) == found, walked == found else {
            let side = context === people.main ? "main" : "child"
            let (rows, expected) = (walked.map(\.entityID.pk), found.map(\.entityID.pk))
            throw Difference(description: "\(query.text) in \(side), pages of \(size): \(rows), not \(expected)")
          }
        }
      }
    }
  }
}
