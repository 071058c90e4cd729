import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Values of objects that leave their context.
struct SnapshotTests {
  private func kinds(_ context: EntityContext) throws -> Kinds {
    let kinds = try context.insert(Kinds.self)
    kinds.uid = 7
    kinds.float = 1.5
    kinds.decimal = Decimal(string: "12345678901234567.25") ?? 0
    kinds.maybeURL = URL(string: "https://example.com/a")
    kinds.rank = .chief
    kinds.maybeTier = .high
    kinds.grants = [.read, .write]
    kinds.maybeSetup = Setup(isDark: true, limits: [.init(name: "a", most: 2)])
    kinds.figure = .circle(radius: 3)
    kinds.tags = ["x", "y"]
    kinds.counts = ["n": 5]
    return kinds
  }

  @Test(arguments: Place.usual)
  func `a snapshot has the value of each kind of attribute`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    try await test.store.background { _ = try kinds($0) }
    let snapshot = try #require(try await test.store.read { try $0.snapshots(Kinds.all) }.first)
    #expect(snapshot.uid == 7)
    #expect(snapshot.float == 1.5)
    #expect(snapshot.maybeFloat == nil)
    #expect(snapshot.decimal == Decimal(string: "12345678901234567.25"))
    #expect(snapshot.maybeURL == URL(string: "https://example.com/a"))
    #expect(snapshot.rank == .chief)
    #expect(snapshot.maybeRank == nil)
    #expect(snapshot.tier == .low)
    #expect(snapshot.maybeTier == .high)
    #expect(snapshot.grants == [.read, .write])
    #expect(snapshot.setup == Setup(isDark: true))
    #expect(snapshot.maybeSetup == Setup(isDark: true, limits: [.init(name: "a", most: 2)]))
    #expect(snapshot.figure == .circle(radius: 3))
    #expect(snapshot.tags == ["x", "y"])
    #expect(snapshot.maybeTags == ["new"])
    #expect(snapshot.counts == ["n": 5])
    #expect(!snapshot.isPlaceholder)
    #expect("\(snapshot)".hasPrefix("Kinds(uid: 7, float: 1.5, maybeFloat: nil, decimal: 12345678901234567.25, "))
  }

  @Test(arguments: Place.usual)
  func `a value that is none of its type reads as the object reads it`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    try await test.store.background { _ = try kinds($0) }
    try await test.store.core.unit { rows in
      try rows.connection.execute(
        "UPDATE Kinds SET rank = 'king', maybeRank = 'king', figure = '{}', maybeFigure = '{}'")
    }
    let (snapshot, isSame) = try await test.store.read { context in
      let kinds = try context.fetch(Kinds.all)[0]
      let snapshot = kinds.snapshot
      let isSame = [
        kinds.rank == snapshot.rank, kinds.maybeRank == snapshot.maybeRank, kinds.figure == snapshot.figure,
        kinds.maybeFigure == snapshot.maybeFigure,
      ]
      return (snapshot, isSame)
    }
    #expect(isSame == [true, true, true, true])
    #expect(snapshot.rank == .member)
    #expect(snapshot.maybeRank == nil)
    #expect(snapshot.figure == .square)
  }

  @Test(arguments: Place.usual)
  @MainActor func `a snapshot stays as it is whatever becomes of the object`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let boss = try main.insert(Person.self)
    boss.uid = 1
    let ada = try main.insert(Person.self)
    ada.uid = 2
    ada.name = "Ada"
    ada.boss = boss
    let unsaved = ada.snapshot
    #expect(unsaved.name == "Ada")
    #expect(unsaved.boss == boss.entityID)
    #expect(unsaved.team == nil)
    try await main.save()
    #expect(ada.snapshot == unsaved)
    ada.name = "Lovelace"
    #expect(ada.snapshot != unsaved)
    #expect(ada.snapshot.name == "Lovelace")
    #expect(try main.snapshots(Person.where { $0.uid == 2 }).map(\.name) == ["Lovelace"])
    // The rows have no unsaved edit.
    #expect(try await test.store.read { try $0.snapshots(Person.where { $0.uid == 2 }) } == [unsaved])
    main.rollback()
    #expect(ada.snapshot == unsaved)
    try main.delete(ada)
    try await main.save()
    let name = await Task.detached { unsaved.name }.value
    #expect(name == "Ada")
    #expect(ada.snapshot.name == "Ada")
    #expect(try main.snapshots([unsaved.entityID, boss.entityID]).map(\.uid) == [1])
  }

  @Test(arguments: Place.usual)
  func `snapshots of ids have their order`(_ place: Place) async throws {
    let test = try TestStore(place)
    let ids = try await test.store.background { context in
      try (0..<1200).map { number in
        let person = try context.insert(Person.self)
        person.uid = number
        return person.entityID
      }
    }
    let wanted = Array(ids.reversed())
    let snapshots = try await test.store.read { try $0.snapshots(wanted) }
    #expect(snapshots.map(\.entityID) == wanted)
    #expect(snapshots.map(\.uid) == (0..<1200).reversed())
    #expect(Set(snapshots).count == 1200)
  }
}
