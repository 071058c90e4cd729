import TestSupport
import Testing

@testable import EntityStore

/// Random files, with rows, links, pairs and local edits, brought through random versions of an app.
struct RandomizedMigrationTests {
  @Test(arguments: Place.usual)
  func `rows, links and edits survive random migrations`(_ place: Place) async throws {
    await Seeds.each(12, sanitized: 2, "\(place)") { seed, steps in
      var life = try FileLife(place, SeededRandom(seed))
      try life.create()
      for _ in 0..<6 {
        try life.change(&steps)
        try life.open()
        try life.compare()
        for entity in life.version.entities { try life.fill(entity) }
        try life.compare()
      }
    }
  }
}
