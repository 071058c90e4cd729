import EntityMacros
import Testing

@testable import EntityStore

@Entity final class Hogshead {
  @UID var uid: Int?
  var price: Int = 0
  var count: Int = 1
  var label: String?
  var cellar: Cooperage?
  @Derived var isLarge: Bool { price * count > 1000 }
  @Derived var total: Int { price * count }
  @Derived var labelLength: Int { label?.count ?? 0 }
}

@Entity final class Cooperage {
  @UID var uid: Int?
  @Relationship(inverse: \Hogshead.cellar, sortedBy: \Hogshead.total) var barrels: [Hogshead]
}

/// Derived columns follow from the others of their row after an undo too.
@MainActor struct UndoDerivedTests {
  private static let entities: [any ManagedEntity.Type] = [Hogshead.self, Cooperage.self]

  /// A barrel of the server.
  private static func filled(_ place: Place, _ price: Int, _ count: Int) async throws -> TestStore {
    let test = try TestStore(place, entities)
    try await test.store.background(as: .server) { context in
      let barrel = try context.insert(Hogshead.self)
      (barrel.uid, barrel.price, barrel.count) = (1, price, count)
    }
    test.store.main.undoManager.limit = .saves(9)
    return test
  }

  @Test(arguments: Place.usual)
  func `a derived column that the save left follows from the value that comes back`(_ place: Place) async throws {
    let test = try await Self.filled(place, 1, 1)
    let main = test.store.main
    let barrel = try #require(try main.fetch(Hogshead.all).first)
    let id = barrel.entityID
    barrel.price = 2
    try await main.save()
    try await test.store.background { try $0.object(id)?.count = 600 }
    #expect(barrel.isLarge)
    try await main.undoManager.undo()
    #expect(try await Self.stored(test) == ["1 600 600 false"])
    #expect(!barrel.isLarge && barrel.total == 600)
    try await main.undoManager.redo()
    #expect(try await Self.stored(test) == ["2 600 1200 true"])
    #expect(barrel.isLarge && barrel.total == 1200)
  }

  @Test(arguments: Place.usual)
  func `a derived column that others changed by its other source is no conflict`(_ place: Place) async throws {
    let test = try await Self.filled(place, 1, 1)
    let main = test.store.main
    let barrel = try #require(try main.fetch(Hogshead.all).first)
    let id = barrel.entityID
    let cellar = try main.insert(Cooperage.self)
    let small = try main.insert(Hogshead.self)
    (small.uid, small.price) = (2, 40)
    (barrel.cellar, small.cellar) = (cellar, cellar)
    try await main.save()
    barrel.price = 5
    try await main.save()
    try await test.store.background { try $0.object(id)?.count = 10 }
    #expect(cellar.barrels == [small, barrel])
    try await main.undoManager.undo()
    #expect(try await Self.stored(test) == ["1 10 10 false", "40 1 40 false"])
    // The order of a list that is sorted by it, too.
    #expect(cellar.barrels == [barrel, small])
    try await main.undoManager.redo()
    #expect(try await Self.stored(test) == ["5 10 50 false", "40 1 40 false"])
    #expect(cellar.barrels == [small, barrel])
  }

  @Test(arguments: Place.usual)
  func `an answer may fill in a source of a new object`(_ place: Place) async throws {
    let test = try await Self.filled(place, 1, 1)
    let main = test.store.main
    let barrel = try main.insert(Hogshead.self)
    barrel.price = 3
    try await main.save()
    let id = barrel.entityID
    try await test.store.pending.acknowledgeAll()
    try await test.store.background(as: .server) { context in
      let barrel = try #require(try context.object(id))
      (barrel.uid, barrel.label) = (9, "old port")
    }
    #expect(barrel.labelLength == 8)
    try await main.undoManager.undo()
    #expect(barrel.isDeleted)
    try await main.undoManager.redo()
    #expect(!barrel.isDeleted && barrel.labelLength == 8 && barrel.total == 3)
  }

  private static func stored(_ test: TestStore) async throws -> [String] {
    try await test.store.read { context in
      try context.connection.rows("SELECT price, count, total, isLarge FROM main.Hogshead ORDER BY uid") {
        "\($0.int64(0)) \($0.int64(1)) \($0.int64(2)) \($0.int64(3) == 1)"
      }
    }
  }
}
