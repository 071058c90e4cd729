import class Foundation.ProcessInfo
import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Random edits of many-to-many relationships from both sides and of required links, in several contexts, against a set
/// of pairs. Rows turn out to be others, saves fail, objects are rolled back by themselves.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor
struct RandomizedListTests {
  @Test(arguments: Place.usual)
  func `lists agree with pairs`(_ place: Place) async throws {
    try await run(place) { (\Article.tags, \Tag.articles) }
  }

  @Test(arguments: Place.usual)
  func `lists within one entity agree with pairs`(_ place: Place) async throws {
    try await run(place) { (\Writer.following, \Writer.followers) }
  }

  private func run<L: ManagedEntity, R: ManagedEntity>(
    _ place: Place, _ lists: @Sendable () -> (ListsRun<L, R>.Left, ListsRun<L, R>.Right)
  ) async throws {
    await Seeds.each(place == .memory ? 150 : 40, sanitized: 5, place.rawValue) { seed, steps in
      let (left, right) = lists()
      var lists = try ListsRun<L, R>(place, seed, left, right)
      defer { steps = "step \(lists.step): " + lists.log.joined(separator: "; ") }
      try await lists.go()
    }
  }
}
