import Foundation
import Observation
import TestSchema
import Testing

@testable import EntityStore

/// Attributes whose types are stored as something else: decimals, URLs, enums, any Codable.
@MainActor struct KindsTests {
  nonisolated private static let setup = Setup(
    limits: [.init(name: "a\"b/é", most: 0.1), .init(name: "", most: -1e300)],
    since: Date(timeIntervalSince1970: 1_700_000_000.25), blob: Data([0, 255]))

  nonisolated private static func fill(_ kinds: Kinds) {
    kinds.uid = 7
    kinds.float = 0.1
    kinds.maybeFloat = -.infinity
    kinds.decimal = Decimal(string: "-12.50") ?? 0
    kinds.maybeDecimal = Decimal(string: "12345678901234567890.12345678901234567")
    kinds.url = URL(string: "https://example.com/a%20b?c=d#e") ?? .neutralValue
    kinds.maybeURL = URL(string: "a/b")
    kinds.rank = .chief
    kinds.maybeRank = .member
    kinds.tier = .high
    kinds.maybeTier = .low
    kinds.grants = [.read, .write]
    kinds.maybeGrants = []
    kinds.setup = Self.setup
    kinds.maybeSetup = Setup()
    kinds.figure = .circle(radius: 1.5)
    kinds.maybeFigure = .square
    kinds.tags = ["b", "a"]
    kinds.maybeTags = []
    kinds.counts = ["b": 2, "a": 1]
  }

  nonisolated private static func expectFilled(_ kinds: Kinds) {
    #expect(kinds.uid == 7)
    #expect(kinds.float == 0.1)
    #expect(kinds.maybeFloat == -.infinity)
    #expect(kinds.decimal == Decimal(string: "-12.5"))
    #expect(kinds.maybeDecimal == Decimal(string: "12345678901234567890.12345678901234567"))
    #expect(kinds.url == URL(string: "https://example.com/a%20b?c=d#e"))
    #expect(kinds.maybeURL == URL(string: "a/b"))
    #expect(kinds.rank == .chief)
    #expect(kinds.maybeRank == .member)
    #expect(kinds.tier == .high)
    #expect(kinds.maybeTier == .low)
    #expect(kinds.grants == [.read, .write])
    #expect(kinds.maybeGrants == [])
    #expect(kinds.setup == Self.setup)
    #expect(kinds.maybeSetup == Setup())
    #expect(kinds.figure == .circle(radius: 1.5))
    #expect(kinds.maybeFigure == .square)
    #expect(kinds.tags == ["b", "a"])
    #expect(kinds.maybeTags == [])
    #expect(kinds.counts == ["a": 1, "b": 2])
  }

  @Test(arguments: Place.usual)
  func `each kind of attribute keeps its value`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let id = try await test.store.background { context in
      let kinds = try context.insert(Kinds.self)
      Self.fill(kinds)
      Self.expectFilled(kinds)
      return kinds.entityID
    }
    let kinds = try #require(try test.store.main.object(id))
    Self.expectFilled(kinds)
    // Equal values are no change, however they are written.
    Self.fill(kinds)
    #expect(!test.store.main.hasChanges)
    kinds.maybeRank = nil
    kinds.maybeSetup = nil
    kinds.maybeDecimal = nil
    kinds.counts["c"] = 3
    try await test.store.main.save()
    try await test.store.read { context in
      let kinds = try #require(try context.object(id))
      #expect(kinds.maybeRank == nil)
      #expect(kinds.maybeSetup == nil)
      #expect(kinds.maybeDecimal == nil)
      #expect(kinds.counts["c"] == 3)
    }
  }

  @Test(arguments: Place.usual)
  func `defaults show before and after the save`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    let kinds = try main.insert(Kinds.self)
    func expectDefaults() {
      #expect(kinds.float == 0)
      #expect(kinds.decimal == 0)
      #expect(kinds.url.absoluteString.isEmpty)
      #expect(kinds.rank == .member)
      #expect(kinds.tier == .low)
      #expect(kinds.grants == [])
      #expect(kinds.setup == Setup(isDark: true))
      #expect(kinds.figure == .square)
      #expect(kinds.tags == [])
      #expect(kinds.maybeTags == ["new"])
      #expect(kinds.counts == [:])
      #expect(kinds.maybeRank == nil)
      #expect(kinds.maybeSetup == nil)
      #expect(kinds.maybeURL == nil)
      #expect(kinds.maybeGrants == nil)
      #expect(kinds.maybeDecimal == nil)
    }
    expectDefaults()
    try await main.save()
    expectDefaults()
    let id = kinds.entityID
    try await test.store.background { context in
      let kinds = try #require(try context.object(id))
      #expect(kinds.setup == Setup(isDark: true))
      #expect(kinds.maybeTags == ["new"])
      #expect(kinds.rank == .member)
    }
  }

  /// Checks the description of the file in ARCHITECTURE.md.
  @Test func `the file has the documented form`() async throws {
    let test = try TestStore(.file, [Kinds.self])
    try await test.store.background { Self.fill(try $0.insert(Kinds.self)) }
    let raw = try RawConnection(test.folder.file.path, vfs: nil)
    let columns = [
      "float", "decimal", "maybeDecimal", "url", "maybeURL", "rank", "tier", "grants", "setup", "figure", "tags",
      "counts",
    ]
    #expect(
      try raw.rows("SELECT \(columns.joined(separator: ", ")) FROM Kinds") == [
        [
          "0.100000001490116", "-997 87.4=-12.5", "020=12345678901234567890.12345678901234567",
          "https://example.com/a%20b?c=d#e", "a/b", "chief", "10", "3",
          #"{"blob":"AP8=","isDark":false,"limits":[{"most":0.1,"name":"a\"b/é"},{"most":-1e+300,"name":""}],"since":"2023-11-14T22:13:20.25Z"}"#,
          #"{"circle":{"radius":1.5}}"#, #"["b","a"]"#, #"{"a":1,"b":2}"#,
        ]
      ])
    #expect(
      try raw.rows("SELECT substr(decimal, instr(decimal, '=') + 1) + 0 FROM Kinds") == [["-12.5"]])
    #expect(
      try raw.rows(
        "SELECT name, type FROM pragma_table_info('Kinds') WHERE name IN ('float', 'decimal', 'rank', 'tags')")
        == [["float", "REAL"], ["decimal", "TEXT"], ["rank", "TEXT"], ["tags", "TEXT"]])
  }

  @Test(arguments: Place.usual)
  func `queries find values of each kind`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    try await test.store.background { context in
      Self.fill(try context.insert(Kinds.self))
      let other = try context.insert(Kinds.self)
      other.uid = 8
      other.decimal = Decimal(string: "-3e20") ?? 0
      other.maybeSetup = nil
    }
    let main = test.store.main
    // Once as it is in the file, once with unsaved changes over it.
    for _ in 0..<2 {
      func uids(_ query: EntityQuery<Kinds>) throws -> [Int] { try main.fetch(query).map(\.uid) }
      #expect(try uids(Kinds.where { $0.rank == .chief }) == [7])
      #expect(try uids(Kinds.where { $0.rank != .chief && $0.decimal < 0 }) == [8])
      #expect(try uids(Kinds.where { $0.maybeRank == .member }) == [7])
      #expect(try uids(Kinds.where { $0.maybeRank == nil && $0.decimal < 0 }) == [8])
      #expect(try uids(Kinds.where { $0.maybeRank != .chief && $0.decimal < 0 }) == [7, 8])
      #expect(
        try uids(Kinds.where { $0.rank.isIn([.chief]) || $0.maybeTier.isIn([.high, nil]) && $0.uid == 8 }) == [7, 8])
      #expect(try uids(Kinds.where { $0.tier == .high && $0.grants.contains(.write) }) == [7])
      #expect(try uids(Kinds.where { $0.grants.contains([]) && $0.decimal < 0 }) == [7, 8])
      #expect(try uids(Kinds.where { $0.decimal < Decimal(-12) && $0.decimal > Decimal(-13) }) == [7])
      #expect(try uids(Kinds.where { $0.decimal <= Decimal(string: "-12.5") ?? 0 }) == [7, 8])
      #expect(try uids(Kinds.where { $0.maybeDecimal >= 1 }) == [7])
      #expect(try uids(Kinds.where { $0.float == 0.1 && $0.maybeFloat < 0 }) == [7])
      #expect(try uids(Kinds.where { $0.maybeURL == URL(string: "a/b") }) == [7])
      #expect(try uids(Kinds.where { $0.tags == ["b", "a"] }) == [7])
      #expect(try uids(Kinds.where { $0.tags != ["b", "a"] && $0.decimal < 0 }) == [8])
      #expect(try uids(Kinds.where { $0.setup == Self.setup && $0.figure == .circle(radius: 1.5) }) == [7])
      #expect(try uids(Kinds.where { $0.maybeSetup == nil && $0.decimal < 0 }) == [8])
      #expect(try uids(Kinds.where { $0.maybeSetup != nil }) == [7])
      #expect(try uids(Kinds.where { $0.counts == ["a": 1, "b": 2] }) == [7])
      #expect(try uids(Kinds.where { $0.decimal < 0 }.sorted(by: \.decimal)) == [8, 7])
      #expect(try uids(Kinds.where { $0.decimal < 0 }.sorted(by: \.rank)) == [7, 8])
      #expect(try uids(Kinds.where { $0.decimal < 0 }.sorted(by: \.maybeTier, .descending)) == [7, 8])
      try main.insert(Kinds.self).uid = 9
      try #require(try main.fetch(Kinds.self, uid: 8)).float = 1
    }
  }

  @Test(arguments: Place.usual)
  func `unique values are unique in their one form`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    let first = try main.insert(Kinds.self)
    let second = try main.insert(Kinds.self)
    first.maybeDecimal = Decimal(string: "1.50")
    second.maybeDecimal = Decimal(string: "1.5")
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.kind == .uniqueViolation)
    #expect(
      error?.message.hasPrefix("'Kinds.maybeDecimal' is unique, and another object has that value already.") == true)
    #expect(error?.sql == nil)
    second.maybeDecimal = 2
    first.maybeTier = .high
    second.maybeTier = .high
    #expect(errorKind { try main.save() } == .uniqueViolation)
    second.maybeTier = .low
    try await main.save()
  }

  @Test(arguments: Place.usual)
  func `observers hear of values only when they differ`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let id = try await test.store.background { context in
      let kinds = try context.insert(Kinds.self)
      Self.fill(kinds)
      return kinds.entityID
    }
    let kinds = try #require(try test.store.main.object(id))
    let setup = Watcher { _ = kinds.setup }
    let rank = Watcher { _ = kinds.rank }
    try await test.store.background { context in Self.fill(try #require(try context.object(id))) }
    try test.store.mergeMain()
    #expect(!setup.fired)
    #expect(!rank.fired)
    try await test.store.background { try #require(try $0.object(id)).setup.isDark = true }
    try test.store.mergeMain()
    #expect(setup.fired)
    #expect(!rank.fired)
    #expect(kinds.setup.isDark)
    kinds.rank = .member
    #expect(rank.fired)
    test.store.main.rollback()
    #expect(kinds.rank == .chief)
  }

  // MARK: Values that are none of a type's

  /// A store whose only row has raw values that no case has, and JSON of another shape.
  private func strange(_ place: Place) async throws -> (TestStore, Kinds) {
    let test = try TestStore(place, [Kinds.self])
    let id = try await test.store.background { try $0.insert(Kinds.self).entityID }
    try test.store.core.blockingUnit { rows in
      let model = try rows.schema.model(Kinds.self)
      var row = RowValues(count: model.properties.count)
      row[Kinds.columns.rank.index] = .text("owner")
      row[Kinds.columns.maybeRank.index] = .text("guest")
      row[Kinds.columns.maybeTier.index] = .integer(99)
      row[Kinds.columns.setup.index] = .text(#"{"isDark":"maybe"}"#)
      _ = try rows.write(model, pk: id.pk, row, .effect)
    }
    return (test, try #require(try test.store.main.object(id)))
  }

  @Test(arguments: Place.usual)
  func `an unknown raw value reads as the default and stays`(_ place: Place) async throws {
    let (test, kinds) = try await strange(place)
    let main = test.store.main
    #expect(kinds.rank == .member)
    #expect(kinds.maybeRank == nil)
    #expect(kinds.maybeTier == nil)
    #expect(kinds.setup == Setup(isDark: true))
    #expect(kinds.unrecognizedValue(of: \.rank) == "owner")
    #expect(kinds.unrecognizedValue(of: \.maybeRank) == "guest")
    #expect(kinds.unrecognizedValue(of: \.maybeTier) == 99)
    #expect(kinds.unrecognizedValue(of: \.tier) == nil)
    let id = kinds.entityID
    let stored: @Sendable (EntityContext) throws -> [String] = { context in
      let kinds = try #require(try context.object(id))
      let setup = kinds.loadedValues(ColumnMask(Kinds.columns.setup.index))[Kinds.columns.setup.index]
      return [
        kinds.unrecognizedValue(of: \.rank) ?? "-", kinds.unrecognizedValue(of: \.maybeRank) ?? "-", "\(setup)",
      ]
    }
    let before = try await test.store.read(stored)
    #expect(before[0] == "owner")
    #expect(before[2].contains("maybe"))
    kinds.tags = ["x"]
    try await main.save()
    #expect(try await test.store.read(stored) == before)
    #expect(try main.fetch(Kinds.where { $0.rank == .member }) == [])
    // Setting it to the value that it reads as is a change.
    let rank = Watcher { _ = kinds.unrecognizedValue(of: \.rank) }
    kinds.rank = .member
    kinds.maybeRank = nil
    kinds.setup = Setup(isDark: true)
    #expect(rank.fired)
    #expect(kinds.unrecognizedValue(of: \.rank) == nil)
    #expect(kinds.hasChanges)
    try await main.save()
    #expect(try await test.store.read(stored).prefix(2) == ["-", "-"])
    #expect(try main.fetch(Kinds.where { $0.rank == .member && $0.maybeRank == nil }) == [kinds])
  }

  @Test(arguments: Place.usual)
  func `a rolled-back edit brings the unknown value back`(_ place: Place) async throws {
    let (test, kinds) = try await strange(place)
    kinds.rank = .chief
    kinds.setup = Setup()
    test.store.main.rollback()
    #expect(kinds.rank == .member)
    #expect(kinds.unrecognizedValue(of: \.rank) == "owner")
    #expect(kinds.setup.isDark)
    try await test.store.background { context in
      try #require(try context.fetch(Kinds.self).first).rank = .chief
    }
    try test.store.mergeMain()
    #expect(kinds.rank == .chief)
    #expect(kinds.unrecognizedValue(of: \.rank) == nil)
  }

  @Test(arguments: Place.usual)
  func `a value that JSON cannot hold fails the save`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    let kinds = try main.insert(Kinds.self)
    kinds.figure = .circle(radius: 2)
    kinds.figure = .circle(radius: .nan)
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.kind == .invalidValue)
    #expect(error?.message.contains("'Kinds.figure'") == true)
    #expect(error?.message.contains("radius") == true)
    // It stayed as it was.
    #expect(kinds.figure == .circle(radius: 2))
    try await main.save()
    #expect(try main.fetch(Kinds.where { $0.figure == .circle(radius: 2) }) == [kinds])
    #expect(try main.fetch(Kinds.where { $0.figure == .circle(radius: .nan) }) == [])
    // Nor does a decimal that is none.
    kinds.decimal = .nan
    #expect(errorKind { try main.save() } == .invalidValue)
  }

  @Test(arguments: Place.usual)
  func `no decimal in JSON is no number`(_ place: Place) async throws {
    let test = try TestStore(place, [Offer.self])
    let main = test.store.main
    let offer = try main.insert(Offer.self)
    offer.uid = .max
    offer.prices = ["NaN \\\"N": 1.5]
    try await main.save()
    offer.prices["N"] = .nan
    let error = #expect(throws: StoreError.self) { try main.save() }
    #expect(error?.kind == .invalidValue)
    #expect(error?.message.contains("'Offer.prices'") == true)
    main.rollback()
    #expect(offer.prices == ["NaN \\\"N": 1.5])
    let kept = try await test.store.read { try $0.fetch(Offer.self, uid: UInt64.max)?.prices }
    #expect(kept == ["NaN \\\"N": 1.5])
  }

  @Test func `the file knows the types`() async throws {
    let folder = try TemporaryFolder()
    _ = try EntityStore(.file(folder.file), entities: [Kinds.self])
    _ = try EntityStore(.file(folder.file), entities: [Kinds.self])
    let raw = try RawConnection(folder.file.path, vfs: nil)
    let schema = try raw.rows("SELECT value FROM _entity_store WHERE key = 'schema'")[0][0]
    for (name, type) in [
      ("decimal", "Decimal"), ("url", "URL"), ("float", "Float"), ("rank", "String"), ("tier", "Int64"),
      ("setup", "JSON"), ("tags", "JSON"),
    ] {
      #expect(schema.contains(#""name":"\#(name)","type":"\#(type)""#), Comment(rawValue: name))
    }
  }
}
