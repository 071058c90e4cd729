import TestSupport
import Testing

@testable import EntityStore

/// Random changes of one-to-one relationships, by both sides and in all contexts, against two dictionaries.
@MainActor struct RandomizedOneToOneTests {
  /// Who has which permit.
  private struct Expected: Equatable {
    var permits: [Int: Int] = [:]

    mutating func link(_ permit: Int, _ skipper: Int?) {
      permits = permits.filter { $0.value != permit }
      if let skipper { permits[skipper] = permit }
    }
  }

  private static let count = 5

  @Test(arguments: Place.allCases, 0..<12)
  func bothSidesAgreeWithADictionary(_ place: Place, _ seed: UInt64) async throws {
    var random = SeededRandom(state: seed)
    let test = try TestStore(place, OneToOneTests.entities)
    let main = test.store.main
    let skippers = try (0..<Self.count).map { _ in try main.insert(Skipper.self) }
    let permits = try (0..<Self.count).map { _ in try main.insert(Permit.self) }
    try main.saveAtOnce()
    let ids = (skippers: skippers.map(\.entityID), permits: permits.map(\.entityID))
    var (saved, here) = (Expected(), Expected())
    for step in 0..<120 {
      let permit = Int.random(in: 0..<Self.count, using: &random)
      let skipper = Int.random(in: -1..<Self.count, using: &random)
      let byLink = Bool.random(using: &random)
      func change(_ context: EntityContext, _ expected: inout Expected) throws {
        let object = try #require(try context.object(ids.permits[permit]))
        let owner = skipper < 0 ? nil : try context.object(ids.skippers[skipper])
        if byLink {
          object.skipper = owner
          expected.link(permit, skipper < 0 ? nil : skipper)
        } else if let owner {
          owner.permit = object
          expected.link(permit, skipper)
        } else {
          let former = try #require(try context.object(ids.skippers[permit]))
          former.permit = nil
          expected.permits[permit] = nil
        }
      }
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        try await main.save()
        saved = here
      case 1:
        main.rollback()
        here = saved
      case 2 where !main.hasChanges:
        let (owners, objects) = ids
        let target = skipper < 0 ? nil : owners[skipper]
        try await test.store.background { context in
          let object = try #require(try context.object(objects[permit]))
          object.skipper = try target.flatMap { try context.object($0) }
        }
        saved.link(permit, skipper < 0 ? nil : skipper)
        here = saved
      case 3:
        let child = try main.child()
        try change(child, &here)
        try child.saveAtOnce()
      default: try change(main, &here)
      }
      try check(main, ids, here, "step \(step) of seed \(seed)")
    }
    try await main.save()
    let links = try await test.store.read { try $0.fetch(Permit.all).map { $0.skipper?.entityID } }
    #expect(
      links
        == (0..<Self.count).map { permit in
          here.permits.first { $0.value == permit }.map { ids.skippers[$0.key] }
        })
  }

  private func check(
    _ context: EntityContext, _ ids: (skippers: [EntityID<Skipper>], permits: [EntityID<Permit>]), _ expected: Expected,
    _ place: String
  ) throws {
    for (number, id) in ids.skippers.enumerated() {
      let skipper = try #require(try context.object(id))
      #expect(skipper.permit?.entityID == expected.permits[number].map { ids.permits[$0] }, "\(place)")
      #expect(skipper.permit.map { $0.skipper === skipper } != false, "\(place)")
      let count = try context.count(Permit.where { $0.skipper == id })
      #expect(count == (expected.permits[number] == nil ? 0 : 1), "\(place)")
    }
  }
}
