import TestSupport
import Testing

@testable import EntityStore

/// Random changes of one-to-one relationships, by both sides and in all contexts, against a dictionary.
///
/// `ENTITYCLIENT_SEED=42` runs one seed, as a failure names it; `ENTITYCLIENT_SEEDS=100000` runs so many.
@MainActor struct RandomizedOneToOneTests {
  @Test(arguments: Place.usual)
  func `both sides agree with a dictionary`(_ place: Place) async {
    await Seeds.each(place == .memory ? 35 : 15, sanitized: 2, place.rawValue) { seed, steps in
      let run = try OneToOneRun(place, seed)
      defer { steps = run.log.joined(separator: "\n") }
      for _ in 0..<30 {
        try await run.step()
        try run.check()
      }
      try await run.end()
    }
  }
}
