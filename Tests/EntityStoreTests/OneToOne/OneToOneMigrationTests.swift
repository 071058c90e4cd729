import EntityMacros
import Testing

@testable import EntityStore

/// Two links that know nothing of each other.
enum ShipBefore {
  @Entity final class Ship {
    @UID @Key("id") var number: Int
    var flag: Flag?
  }

  @Entity final class Flag {
    @UID @Key("id") var number: Int
    var ship: Ship?
  }

  static var all: [any ManagedEntity.Type] { [Ship.self, Flag.self] }
}

enum ShipAfter {
  @Entity final class Ship {
    @UID @Key("id") var number: Int
    @Relationship(inverse: \ShipAfter.Flag.ship) var flag: Flag?
  }

  @Entity final class Flag {
    @UID @Key("id") var number: Int
    var ship: Ship?
  }

  static var all: [any ManagedEntity.Type] { [Ship.self, Flag.self] }
}

/// The link is not one-to-one any more: a ship has several flags.
enum ShipShared {
  @Entity final class Ship {
    @UID @Key("id") var number: Int
    @Relationship(inverse: \ShipShared.Flag.ship) var flags: [Flag]
  }

  @Entity final class Flag {
    @UID @Key("id") var number: Int
    var ship: Ship?
  }

  static var all: [any ManagedEntity.Type] { [Ship.self, Flag.self] }
}

/// Files in which a one-to-one relationship was two links.
struct OneToOneMigrationTests {
  /// A file with ships and flags 1 to 3.
  ///
  /// - Parameters:
  ///   - flags: The flag of each ship, 0 for none.
  ///   - ships: The ship of each flag.
  private func file(flags: [Int], ships: [Int], as origin: ChangeAuthor = .server) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let store = try EntityStore(.file(folder.file), entities: ShipBefore.all)
    try await store.background(as: .server) { context in
      for number in 1...3 {
        try context.insert(ShipBefore.Ship.self).number = number
        try context.insert(ShipBefore.Flag.self).number = number
      }
    }
    try await store.background(as: origin) { context in
      for (index, flag) in flags.enumerated() where flag != 0 {
        let ship = try #require(try context.fetch(ShipBefore.Ship.self, uid: index + 1))
        ship.flag = try context.fetch(ShipBefore.Flag.self, uid: flag)
      }
      for (index, ship) in ships.enumerated() where ship != 0 {
        let flag = try #require(try context.fetch(ShipBefore.Flag.self, uid: index + 1))
        flag.ship = try context.fetch(ShipBefore.Ship.self, uid: ship)
      }
    }
    return folder
  }

  private func flags(_ folder: TemporaryFolder) async throws -> [Int?] {
    let store = try EntityStore(.file(folder.file), entities: ShipAfter.all)
    return try await store.read { try $0.fetch(ShipAfter.Ship.all).map { $0.flag?.number } }
  }

  @Test func `the links of both columns are one`() async throws {
    // Ship 1 and flag 1 have each other, flag 2 has ship 2, ship 3 has flag 3.
    let folder = try await file(flags: [1, 0, 3], ships: [1, 2, 0])
    let plan = try EntityStore.migrationPlan(for: .file(folder.file), entities: ShipAfter.all)
    #expect(
      plan.changes.map(\.description) == [
        "'Flag.ship' is one-to-one", "'Ship.flag' is the other side of 'Flag.ship' (2 rows)",
      ], "\(plan)")
    #expect(try await flags(folder) == [1, 2, 3])
    #expect(try EntityStore.migrationPlan(for: .file(folder.file), entities: ShipAfter.all).isEmpty)
    // It keeps its word, and the former version finds its column again.
    let store = try EntityStore(.file(folder.file), entities: ShipAfter.all)
    try await store.background { context in
      let ship = try #require(try context.fetch(ShipAfter.Ship.self, uid: 1))
      ship.flag = try context.fetch(ShipAfter.Flag.self, uid: 3)
    }
    #expect(try await flags(folder) == [3, 2, nil])
  }

  @Test func `an edit that only one of two columns had is still to be sent`() async throws {
    let folder = try await file(flags: [1, 0, 0], ships: [0, 0, 0], as: .app)
    let store = try EntityStore(.file(folder.file), entities: ShipAfter.all)
    let edited = try await store.read { context in
      let flag = try #require(try context.fetch(ShipAfter.Flag.self, uid: 1))
      let ship = try #require(try context.fetch(ShipAfter.Ship.self, uid: 1))
      return [flag.hasLocalEdits, ship.hasLocalEdits]
    }
    #expect(edited == [true, false])
    let changed = try await store.pending.changes().map(\.id.entityName)
    #expect(changed == ["Flag"])
  }

  @Test(arguments: [
    (flags: [0, 0, 0], ships: [1, 1, 0], text: "1 object is held by more than one"),
    (flags: [1, 1, 0], ships: [0, 0, 0], text: "contradict each other in 1 place"),
    (flags: [1, 0, 0], ships: [2, 0, 0], text: "contradict each other in 1 place"),
    (flags: [1, 0, 0], ships: [0, 1, 0], text: "contradict each other in 1 place"),
  ])
  func `rows that break a new one-to-one relationship are counted`(_ rows: (flags: [Int], ships: [Int], text: String))
    async throws
  {
    let folder = try await file(flags: rows.flags, ships: rows.ships)
    let error = #expect(throws: StoreError.self) {
      try EntityStore(.file(folder.file), entities: ShipAfter.all)
    }
    #expect(error?.kind == .schemaMismatch)
    #expect(error?.message.contains(rows.text) == true, "\(error?.message ?? "")")
    // The file is as it was.
    let store = try EntityStore(.file(folder.file), entities: ShipBefore.all)
    let found = try await store.read { try $0.fetch(ShipBefore.Ship.all).map { $0.flag?.number ?? 0 } }
    #expect(found == rows.flags)
  }

  /// A link that was removed, and comes back as one-to-one.
  @Test func `a removed link that comes back as one-to-one is counted too`() async throws {
    let folder = try await file(flags: [], ships: [1, 1, 0])
    _ = try EntityStore(.file(folder.file), entities: ShipWithout.all)
    let error = #expect(throws: StoreError.self) {
      try EntityStore(.file(folder.file), entities: ShipAfter.all)
    }
    #expect(error?.kind == .schemaMismatch)
    #expect(error?.message.contains("one-to-one in the entity, and in the file 1 object is held by") == true)
  }

  /// The other side gets another name in the same version.
  @Test func `a link may get another name as it becomes the other side`() async throws {
    let folder = try await file(flags: [1, 0, 3], ships: [1, 2, 0])
    let store = try EntityStore(.file(folder.file), entities: ShipRenamed.all)
    #expect(try await store.read { try $0.fetch(ShipRenamed.Ship.all).map { $0.banner?.number } } == [1, 2, 3])
  }
}

private enum ShipWithout {
  @Entity(removed: "flag") final class Ship {
    @UID @Key("id") var number: Int
  }

  @Entity(removed: "ship") final class Flag {
    @UID @Key("id") var number: Int
  }

  static var all: [any ManagedEntity.Type] { [Ship.self, Flag.self] }
}

private enum ShipRenamed {
  @Entity final class Ship {
    @UID @Key("id") var number: Int
    @Renamed(from: "flag") @Relationship(inverse: \ShipRenamed.Flag.ship) var banner: Flag?
  }

  @Entity final class Flag {
    @UID @Key("id") var number: Int
    var ship: Ship?
  }

  static var all: [any ManagedEntity.Type] { [Ship.self, Flag.self] }
}
