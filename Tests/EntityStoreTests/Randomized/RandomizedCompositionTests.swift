import EntityStore
import TestSupport
import Testing

/// Queries made of queries, by SQL and in Swift over the objects, with unsaved changes in the main context and in a child.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it.
@MainActor
struct RandomizedCompositionTests {
  private struct Difference: Error, CustomStringConvertible { let description: String }

  @Test(arguments: Place.allCases)
  func composedQueriesFindTheSameObjectsAsSwift(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 60 : 15, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let people = try await QueryPeople(place, &random)
      for context in people.contexts {
        let all = try context.fetch(Person.all)
        for _ in 0..<40 {
          // Other tests need the main actor too.
          await Task.yield()
          let query = PersonQuery.random(all, &random, 2)
          let found = query.found.map(\.entityID)
          let side = context === people.main ? "main" : "child"
          func check(_ what: String, _ isRight: Bool) throws {
            if !isRight { throw Difference(description: "\(what) in \(side): \(query.text), not \(found.map(\.pk))") }
          }
          try check("fetch", try context.fetch(query.query).map(\.entityID) == found)
          try check("ids", try context.ids(query.query) == found)
          try check("fetchOne", try context.fetchOne(query.query)?.entityID == found.first)
          try check("exists", try context.exists(query.query) == !found.isEmpty)
          try check("count", try context.count(query.query) == query.set.count)
          let ids = Set(found)
          try check(
            "isIn",
            try context.ids(Person.where { $0.boss.isIn(query.query) })
              == all.filter { $0.boss.map { ids.contains($0.entityID) } ?? false }.map(\.entityID))
          try check(
            "not isIn",
            try context.ids(Person.where { !$0.boss.isIn(query.query) })
              == all.filter { !($0.boss.map { ids.contains($0.entityID) } ?? false) }.map(\.entityID))
          try check(
            "any(in:)",
            try context.ids(Person.where { $0.reports.any(in: query.query) })
              == all.filter { $0.reports.contains { ids.contains($0.entityID) } }.map(\.entityID))
        }
      }
    }
  }
}
