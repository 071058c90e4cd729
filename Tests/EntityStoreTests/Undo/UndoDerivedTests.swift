import TestSchema
import Testing

@testable import EntityStore

/// Derived columns follow from the others of their row after an undo too.
@MainActor struct UndoDerivedTests {
  private static let entities: [any ManagedEntity.Type] = Bale.world

  /// A bale of the server.
  private static func filled(_ place: Place, _ price: Int, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place, entities)
    try await test.store.background(as: .server) { context in
      let bale = try context.insert(Bale.self)
      (bale.uid, bale.price, bale.count) = (1, price, count)
    }
    test.store.main.undoManager.limit = .saves(9)
    return test
  }

  @Test(arguments: Place.usual)
  func `a derived column that the save left follows from the value that comes back`(_ place: Place) async throws {
    let test = try await Self.filled(place, 1, 1)
    let main = test.store.main
    let bale = try #require(try main.fetch(Bale.all).first)
    let id = bale.entityID
    bale.price = 2
    try await main.save()
    try await test.store.background { try $0.object(id)?.count = 600 }
    #expect(bale.isLarge)
    try await main.undoManager.undo()
    #expect(try await Self.stored(test) == ["1 600 600 false"])
    #expect(!bale.isLarge && bale.total == 600)
    try await main.undoManager.redo()
    #expect(try await Self.stored(test) == ["2 600 1200 true"])
    #expect(bale.isLarge && bale.total == 1200)
  }

  @Test(arguments: Place.usual)
  func `a derived column that others changed by its other source is no conflict`(_ place: Place) async throws {
    let test = try await Self.filled(place, 1, 1)
    let main = test.store.main
    let bale = try #require(try main.fetch(Bale.all).first)
    let id = bale.entityID
    let guild = try main.insert(Guild.self)
    let small = try main.insert(Bale.self)
    (small.uid, small.price) = (2, 40)
    (bale.guild, small.guild) = (guild, guild)
    try await main.save()
    bale.price = 5
    try await main.save()
    try await test.store.background { try $0.object(id)?.count = 10 }
    #expect(guild.bales == [small, bale])
    try await main.undoManager.undo()
    #expect(try await Self.stored(test) == ["1 10 10 false", "40 1 40 false"])
    // The order of a list that is sorted by it, too.
    #expect(guild.bales == [bale, small])
    try await main.undoManager.redo()
    #expect(try await Self.stored(test) == ["5 10 50 false", "40 1 40 false"])
    #expect(guild.bales == [small, bale])
  }

  @Test(arguments: Place.usual)
  func `an answer may fill in a source of a new object`(_ place: Place) async throws {
    let test = try await Self.filled(place, 1, 1)
    let main = test.store.main
    let bale = try main.insert(Bale.self)
    bale.price = 3
    try await main.save()
    let id = bale.entityID
    try await test.store.pending.acknowledgeAll()
    try await test.store.background(as: .server) { context in
      let bale = try #require(try context.object(id))
      (bale.uid, bale.code) = (9, "old port")
    }
    #expect(bale.codeLength == 8)
    try await main.undoManager.undo()
    #expect(bale.isDeleted)
    try await main.undoManager.redo()
    #expect(!bale.isDeleted && bale.codeLength == 8 && bale.total == 3)
  }

  private static func stored(_ test: TestStore) async throws -> [String] {
    try await test.store.read { context in
      try context.connection.rows("SELECT price, count, total, isLarge FROM main.Bale ORDER BY uid") {
        "\($0.int64(0)) \($0.int64(1)) \($0.int64(2)) \($0.int64(3) == 1)"
      }
    }
  }
}
