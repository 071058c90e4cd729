import TestSchema
import Testing

@testable import EntityStore

/// Related objects that another context changed after they were read here.
@MainActor struct StalePrefetchTests {
  @Test(arguments: Place.usual)
  func `related objects that others changed are read together`(_ place: Place) async throws {
    let test = try TestStore(place, Vessel.world)
    try await test.store.addFleet(50)
    let main = test.store.main
    let harbors = try main.fetch(Harbor.all)
    try await test.store.background { context in
      for harbor in try context.fetch(Harbor.all) { harbor.name = "new \(harbor.uid)" }
    }
    let vessels = try main.fetch(Vessel.all.prefetching { $0.harbor })
    let statements = StatementCounter(main.connection)
    for vessel in vessels { #expect(vessel.harbor?.name == "new \(vessel.uid)") }
    #expect(statements.count == 0)
    withExtendedLifetime(harbors) {}
  }
}
