import Testing

@testable import EntityStore

/// The local edits of files, and of archives, in which both sides of a one-to-one relationship were columns.
struct OneToOneMarkTests {
  private typealias Links = (flags: [Int], ships: [Int])

  /// Opens what a version left behind in which `Ship.flag` and `Flag.ship` were links of their own.
  enum Way: CaseIterable { case file, archive }

  /// A store with ships and flags 1 to 3: the flag of each ship and the ship of each flag, 0 for none. The server set
  /// `before`, and local edits made `after` of it, by way of `between`.
  private func open(
    _ way: Way, before: Links, between: Links? = nil, after: Links
  ) async throws -> (store: EntityStore, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let store = try EntityStore(.file(folder.file), entities: ShipBefore.all)
    try await store.background(as: .server) { context in
      for number in 1...3 {
        try context.insert(ShipBefore.Ship.self).number = number
        try context.insert(ShipBefore.Flag.self).number = number
      }
    }
    try await store.background(as: .server) { try Self.set(before, $0) }
    for links in [between, after].compactMap(\.self) {
      try await store.background(as: .app) { try Self.set(links, $0) }
    }
    guard way == .archive else {
      return (try EntityStore(.file(folder.file), entities: ShipAfter.all), folder)
    }
    let other = try EntityStore(.inMemory, entities: ShipAfter.all)
    try await other.restore(from: store.archive())
    return (other, folder)
  }

  private static func set(_ links: Links, _ context: EntityContext) throws {
    for (index, flag) in links.flags.enumerated() {
      let ship = try #require(try context.fetch(ShipBefore.Ship.self, uid: index + 1))
      ship.flag = flag == 0 ? nil : try context.fetch(ShipBefore.Flag.self, uid: flag)
    }
    for (index, ship) in links.ships.enumerated() {
      let flag = try #require(try context.fetch(ShipBefore.Flag.self, uid: index + 1))
      flag.ship = ship == 0 ? nil : try context.fetch(ShipBefore.Ship.self, uid: ship)
    }
  }

  /// The ship of each flag, and the pending changes: `Flag 1: ship 2 -> 3`, with `?` for a value that is not known.
  private func found(_ store: EntityStore) async throws -> (ships: [Int], pending: [String]) {
    #expect(try await store.check(.full) == [])
    let changes = try await store.pending.changes()
    return try await store.read { context in
      var numbers: [AnyEntityID: Int] = [:]
      for ship in try context.fetch(ShipAfter.Ship.all) { numbers[ship.entityID.untyped] = ship.number }
      func text(_ value: PendingValue?) -> String {
        guard case .object(let id)? = value else { return "?" }
        return id.map { "\(numbers[$0] ?? -1)" } ?? "0"
      }
      let flags = try context.fetch(ShipAfter.Flag.all)
      let pending = changes.flatMap { change in
        change.edits.map {
          "\(change.id.entityName) \(change.uid ?? "-"): \($0.property) \(text($0.base)) -> \(text($0.value))"
        }
      }
      return (flags.map { $0.ship?.number ?? 0 }, pending.sorted())
    }
  }

  private struct Case: CustomTestStringConvertible {
    let name: String
    let before: Links
    let after: Links
    let ships: [Int]
    let pending: [String]

    var testDescription: String { name }
  }

  private static let cases: [Case] = [
    Case(
      name: "only the column that goes has the link", before: ([0, 0, 0], [0, 0, 0]), after: ([1, 0, 0], [0, 0, 0]),
      ships: [1, 0, 0], pending: ["Flag 1: ship 0 -> 1"]),
    Case(
      name: "the edit agrees with a link of the server", before: ([0, 0, 0], [1, 0, 0]),
      after: ([1, 0, 0], [1, 0, 0]),
      ships: [1, 0, 0], pending: ["Flag 1: ship 0 -> 1"]),
    Case(
      name: "both columns were edited", before: ([2, 0, 0], [0, 0, 3]), after: ([1, 0, 0], [1, 0, 3]),
      ships: [1, 0, 3],
      pending: ["Flag 1: ship 0 -> 1", "Flag 2: ship 1 -> 0"]),
    Case(
      name: "only the column that stays was edited", before: ([1, 0, 0], [2, 0, 0]), after: ([1, 0, 0], [1, 0, 0]),
      ships: [1, 0, 0], pending: ["Flag 1: ship 2 -> 1"]),
    Case(
      name: "a swap", before: ([1, 2, 0], [0, 0, 0]), after: ([2, 1, 0], [0, 0, 0]), ships: [2, 1, 0],
      pending: ["Flag 1: ship 1 -> 2", "Flag 2: ship 2 -> 1"]),
    Case(
      name: "a link was taken away", before: ([1, 0, 3], [0, 0, 0]), after: ([0, 0, 3], [0, 0, 0]), ships: [0, 0, 3],
      pending: ["Flag 1: ship 1 -> 0"]),
    Case(
      name: "a link was taken away in both columns", before: ([1, 0, 0], [1, 0, 0]), after: ([0, 0, 0], [0, 0, 0]),
      ships: [0, 0, 0], pending: ["Flag 1: ship 1 -> 0"]),
    Case(
      name: "the flag has another ship by the column that stays", before: ([1, 0, 0], [0, 0, 0]),
      after: ([0, 0, 0], [2, 0, 0]), ships: [2, 0, 0], pending: ["Flag 1: ship 0 -> 2"]),
    Case(
      name: "no edit", before: ([1, 0, 0], [0, 2, 0]), after: ([1, 0, 0], [0, 2, 0]), ships: [1, 2, 0], pending: []),
  ]

  @Test(arguments: Way.allCases, cases)
  private func `edits of the column that goes are edits of the other`(_ way: Way, _ example: Case) async throws {
    let (store, folder) = try await open(way, before: example.before, after: example.after)
    let found = try await found(store)
    #expect(found.ships == example.ships)
    #expect(found.pending == example.pending)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: Way.allCases)
  func `objects that were made here are new with their links`(_ way: Way) async throws {
    let folder = try TemporaryFolder()
    let before = try EntityStore(.file(folder.file), entities: ShipBefore.all)
    try await before.background { context in
      let (ship, flag) = (try context.insert(ShipBefore.Ship.self), try context.insert(ShipBefore.Flag.self))
      (ship.number, flag.number) = (1, 1)
      flag.ship = ship
      flag.ship = nil
      ship.flag = flag
    }
    var store = before
    if way == .file {
      store = try EntityStore(.file(folder.file), entities: ShipAfter.all)
    } else {
      store = try EntityStore(.inMemory, entities: ShipAfter.all)
      try await store.restore(from: before.archive())
    }
    #expect(try await found(store).ships == [1])
    let changes = try await store.pending.changes()
    #expect(changes.map(\.kind) == [.insert, .insert])
    #expect(changes.flatMap(\.edits).map(\.property).contains("ship"))
    #expect(!changes.flatMap(\.edits).map(\.property).contains("flag"))
  }

  /// The edit is none of the server's links, which are in the other column.
  @Test(
    arguments: Way.allCases,
    [([0, 0, 0], [1, 0, 0], []), ([1, 0, 0], [0, 0, 0], ["Flag 1: ship 0 -> 1"])]
      as [(flags: [Int], ships: [Int], pending: [String])])
  func `an edit that was set and cleared contradicts nothing`(
    _ way: Way, _ links: (flags: [Int], ships: [Int], pending: [String])
  ) async throws {
    let before = (flags: links.flags, ships: links.ships)
    let between = links.flags[0] == 0 ? (flags: [2, 0, 0], ships: [1, 0, 0]) : (flags: [1, 0, 0], ships: [2, 0, 0])
    let (store, folder) = try await open(way, before: before, between: between, after: before)
    let found = try await found(store)
    #expect(found.ships == [1, 0, 0])
    #expect(found.pending == links.pending)
    withExtendedLifetime(folder) {}
  }

  /// One column was cleared here, and the other one still has the value.
  @Test(arguments: Way.allCases, [([0, 0, 0], [1, 0, 0]), ([1, 0, 0], [0, 0, 0])])
  func `an edit that clears one of two columns contradicts the other column`(
    _ way: Way, _ after: (flags: [Int], ships: [Int])
  ) async throws {
    do {
      _ = try await open(way, before: ([1, 0, 0], [1, 0, 0]), after: after)
      Issue.record("It opened.")
    } catch let error as StoreError {
      #expect(error.kind == .schemaMismatch)
      #expect(error.message.contains("contradict each other in 1 place"), "\(error.message)")
    }
  }
}
