import TestSchema
import TestSupport
import Testing

@testable import EntityStore

/// Prefetched lists after random changes, against the same lists read anew.
@MainActor struct RandomizedPrefetchTests {
  @Test(arguments: Place.usual)
  func `prefetched lists are as they would be read`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 24 : 6, sanitized: 2, place.rawValue) { seed, _ in
      var random = SeededRandom(seed)
      let test = try TestStore(place, Vessel.world)
      try await test.store.addFleet(6)
      let main = test.store.main
      for round in 0..<60 {
        // Other tests need the main actor too.
        await Task.yield()
        let context = round % 3 == 2 ? try main.child() : main
        let (names, vessels) = try Self.prefetched(context)
        try await Self.change(test.store, context, &random)
        let found = Self.lists(vessels)
        context.loaded.prefetched.dropAll()
        guard found == Self.lists(vessels) else {
          throw Difference(description: "round \(round): \(found), not \(Self.lists(vessels)); before \(names)")
        }
        // Others may have changed the same: the edits stay in the child then, which ends.
        if context.family.isChild, random.chance(2) { try? context.saveAtOnce() }
      }
    }
  }

  @Test(arguments: Place.usual)
  func `prefetched lists of a unit are as they would be read`(_ place: Place) async throws {
    await Seeds.each(place == .memory ? 24 : 6, sanitized: 2, place.rawValue) { seed, _ in
      let test = try TestStore(place, Vessel.world)
      try await test.store.addFleet(6)
      try await test.store.background { context in
        var random = SeededRandom(seed)
        for round in 0..<60 {
          let (_, vessels) = try Self.prefetched(context)
          for _ in 0...random.below(2) { try Self.edit(context, &random) }
          if random.chance(9) { try context.saveAtOnce() }
          let found = Self.lists(vessels)
          context.loaded.prefetched.dropAll()
          guard found == Self.lists(vessels) else {
            throw Difference(description: "round \(round): \(found), not \(Self.lists(vessels))")
          }
        }
      }
    }
  }

  nonisolated private static func prefetched(_ context: EntityContext) throws -> ([[Int64]], [Vessel]) {
    let vessels = try context.fetch(Vessel.all.prefetching { ($0.barrels, $0.signals.vessels, $0.stops.vessels) })
    return (lists(vessels), vessels)
  }

  nonisolated private static func lists(_ vessels: [Vessel]) -> [[Int64]] {
    vessels.flatMap { vessel in
      [
        vessel.barrels.map(\.entityID.pk), vessel.signals.map(\.entityID.pk), vessel.stops.map(\.entityID.pk),
        vessel.signals.flatMap(\.vessels).map(\.entityID.pk), vessel.stops.flatMap(\.vessels).map(\.entityID.pk),
      ]
    }
  }

  private static func change(
    _ store: EntityStore, _ context: EntityContext, _ random: inout SeededRandom
  ) async throws {
    switch random.below(8) {
    case 0:
      let seed = UInt64(random.below(1_000_000))
      try await store.background { context in
        var random = SeededRandom(seed)
        try edit(context, &random)
      }
    case 1: try? store.main.saveAtOnce()
    case 2: context.rollback()
    case 3:
      // The parent of a child, or the context itself.
      try edit(store.main, &random)
    default: for _ in 0...random.below(2) { try edit(context, &random) }
    }
  }

  nonisolated private static func edit(_ context: EntityContext, _ random: inout SeededRandom) throws {
    let vessels = try context.fetch(Vessel.all)
    let signals = try context.fetch(Signal.all)
    let harbors = try context.fetch(Harbor.all)
    let barrels = try context.fetch(Barrel.all)
    guard let vessel = random.element(vessels), let signal = random.element(signals),
      let harbor = random.element(harbors)
    else { return }
    switch random.below(15) {
    case 0: random.element(barrels)?.vessel = vessel
    case 1: random.element(barrels)?.vessel = nil
    case 2: random.element(barrels)?.weight = random.below(12)
    case 3:
      let barrel = try context.insert(Barrel.self)
      barrel.uid = 1_000_000 + random.below(1_000_000)
      barrel.vessel = vessel
    case 4: if let barrel = random.element(barrels) { try context.delete(barrel) }
    case 5: vessel.barrels = barrels.filter { _ in random.chance(4) }
    case 6: try vessel.add(signal, to: \.signals)
    case 7: try vessel.remove(signal, from: \.signals)
    case 8: vessel.signals = signals.filter { _ in random.chance(3) }
    case 9: signal.vessels = vessels.filter { _ in random.chance(3) }
    case 10: signal.name = "signal \(random.below(20))"
    case 11: vessel.stops = Array(vessel.stops.reversed())
    case 12: vessel.stops.append(harbor)
    case 13: vessel.harbor = harbor
    default: if vessels.count > 3 { try context.delete(vessel) }
    }
  }

  private struct Difference: Error, CustomStringConvertible {
    let description: String
  }
}
