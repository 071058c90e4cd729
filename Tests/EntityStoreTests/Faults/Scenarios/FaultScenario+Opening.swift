import Foundation

@testable import EntityStore

/// Openings of files of an earlier version, whose rows change with the schema.
extension FaultScenario {
  static let openings = [newDerived, editedDerived, becomingOneToOne, becomingOneToMany]

  private static let crates = 40

  /// All rows get the values of a new derived property, which has an index.
  private static let newDerived = FaultScenario(
    name: "new derived",
    old: { file in
      let store = try EntityStore(.file(file), entities: [CrateBefore.Crate.self], busyTimeout: .ample)
      try await store.background(as: .server) { context in
        for number in 1...crates {
          let crate = try context.insert(CrateBefore.Crate.self)
          (crate.uid, crate.width, crate.depth, crate.label) = (number, number, 10, "label \(number)")
        }
      }
      try await store.close()
    }, entities: [CrateDerived.Crate.self], steps: [],
    read: { context in
      let areas = try context.fetch(CrateDerived.Crate.where { $0.area > 0 }.select { $0.area })
      try expect(areas.sorted(), (1...crates).map { $0 * 10 })
    })

  /// The values follow an edited body; the history has the rows that got others.
  private static let editedDerived = FaultScenario(
    name: "edited derived",
    old: { file in
      let store = try EntityStore(
        .file(file), entities: [VatPlain.Vat.self], busyTimeout: .ample, options: .history(.keepingAll))
      try await store.background(as: .server) { context in
        for number in 1...crates {
          let vat = try context.insert(VatPlain.Vat.self)
          (vat.uid, vat.width) = (number, number)
        }
      }
      try await store.close()
    }, entities: [VatEdited.Vat.self], options: .history(.keepingAll), steps: [],
    read: { context in
      let areas = try context.fetch(VatEdited.Vat.where { $0.area > 0 }.select { $0.area })
      try expect(areas.sorted(), [10] + (2...crates).map { $0 * 20 })
    },
    hold: { store in
      let updates = try await store.history.commits().flatMap { $0.changes(of: VatEdited.Vat.self).updated }
      try expect(updates.count, crates - 1)
    })

  // MARK: One-to-one

  /// Two links become one relationship. A step resolves the places where they contradict each other.
  private static let becomingOneToOne = FaultScenario(
    name: "one-to-one", old: fillFleet, entities: ShipAfter.all,
    migrations: [
      Migration("one flag a ship") { step in
        try step.execute("UPDATE Flag SET ship = NULL WHERE number = 7")
        try step.execute("UPDATE Ship SET flag = NULL WHERE number = 4")
      }
    ], steps: [],
    read: { context in
      let ships = try context.fetch(ShipAfter.Ship.all.sorted(by: \.number))
      try expect(ships.map { $0.flag?.number ?? 0 }, [1, 2, 3, 4, 0, 6, 0])
      let flags = try context.fetch(ShipAfter.Flag.all.sorted(by: \.number))
      try expect(flags.map { $0.ship?.number ?? 0 }, [1, 2, 3, 4, 0, 6, 0])
      try expect(flags.filter(\.hasLocalEdits).map(\.number), [2, 3])
    })

  /// A one-to-one link becomes one that several objects share.
  private static let becomingOneToMany = FaultScenario(
    name: "one-to-many",
    old: { file in
      let store = try EntityStore(.file(file), entities: ShipAfter.all, busyTimeout: .ample)
      try await store.background { context in
        for number in 1...7 {
          let (ship, flag) = (try context.insert(ShipAfter.Ship.self), try context.insert(ShipAfter.Flag.self))
          (ship.number, flag.number) = (number, number)
          if number < 6 { ship.flag = flag }
        }
      }
      try await store.close()
    }, entities: ShipShared.all, steps: [],
    read: { context in
      let ships = try context.fetch(ShipShared.Ship.all.sorted(by: \.number))
      try expect(ships.map { $0.flags.map(\.number) }, [[1], [2], [3], [4], [5], [], []])
    })

  /// Ships and flags 1 to 7. Ship 1 and flag 1 have each other; of 2 the flag has the ship, and of 3 the ship the flag, as local
  /// edits. Ship 4 has flag 5, and flag 4 has ship 4; flags 6 and 7 have ship 6.
  @Sendable private static func fillFleet(_ file: URL) async throws {
    let store = try EntityStore(.file(file), entities: ShipBefore.all, busyTimeout: .ample)
    @Sendable func link(_ context: EntityContext, flags: [(Int, of: Int)], ships: [(Int, of: Int)]) throws {
      for (flag, ship) in flags {
        try context.fetch(ShipBefore.Ship.self, uid: ship)?.flag = try context.fetch(ShipBefore.Flag.self, uid: flag)
      }
      for (ship, flag) in ships {
        try context.fetch(ShipBefore.Flag.self, uid: flag)?.ship = try context.fetch(ShipBefore.Ship.self, uid: ship)
      }
    }
    try await store.background(as: .server) { context in
      for number in 1...7 {
        try context.insert(ShipBefore.Ship.self).number = number
        try context.insert(ShipBefore.Flag.self).number = number
      }
    }
    try await store.background(as: .server) { context in
      try link(context, flags: [(1, of: 1), (5, of: 4)], ships: [(1, of: 1), (4, of: 4), (6, of: 6), (6, of: 7)])
    }
    try await store.background { try link($0, flags: [(3, of: 3)], ships: [(2, of: 2)]) }
    try await store.close()
  }

  private static func expect<T: Equatable>(_ found: T, _ expected: T) throws {
    guard found == expected else { throw FaultRun.Mistake(description: "the file has \(found), and not \(expected)") }
  }
}
