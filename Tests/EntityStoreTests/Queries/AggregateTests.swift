import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Counts, sums, averages, extremes and groups.
@MainActor
struct AggregateTests {
  private func kinds(_ place: Place, _ count: Int, _ fill: (Values, Int) -> Void) async throws -> TestStore {
    let test = try TestStore(place, [Values.self])
    for number in 0..<count {
      let values = try test.store.main.insert(Values.self)
      values.uid = UUID()
      fill(values, number)
    }
    try await test.store.main.save()
    return test
  }

  @Test(arguments: Place.usual)
  func `aggregates of nothing`(_ place: Place) async throws {
    let test = try await kinds(place, 0) { _, _ in }
    let found = try test.store.main.aggregate(Values.all) {
      (
        $0.count, $0.sum { $0.int }, $0.sum { $0.maybeDouble }, $0.average { $0.int8 }, $0.min { $0.string },
        $0.max { $0.maybeInt }
      )
    }
    #expect(found.0 == 0)
    #expect(found.1 == 0)
    #expect(found.2 == 0)
    #expect(found.3 == nil)
    #expect(found.4 == nil)
    #expect(found.5 == nil)
    #expect(try test.store.main.fetch(Values.all.grouped { $0.int }.select { ($0.key, $0.count) }).isEmpty)
  }

  @Test(arguments: Place.usual)
  func `nil takes part in nothing`(_ place: Place) async throws {
    let test = try await kinds(place, 4) { values, number in
      values.maybeInt = number == 0 ? nil : number
      values.maybeDouble = number == 0 ? nil : Double(number) / 2
      values.maybeString = number == 0 ? nil : number < 3 ? "b" : "a"
    }
    let main = test.store.main
    let sums = try main.aggregate(Values.all) {
      (
        $0.count, $0.count { $0.maybeInt }, $0.sum { $0.maybeInt }, $0.average { $0.maybeInt },
        $0.sum { $0.maybeDouble }
      )
    }
    #expect(sums == (4, 3, 6, 2, 3))
    let ends = try main.aggregate(Values.all) {
      (
        $0.min { $0.maybeInt }, $0.max { $0.maybeDouble }, $0.min { $0.maybeString },
        $0.distinctCount { $0.maybeString }
      )
    }
    #expect(ends == (1, 1.5, "a", 2))
    // One value is no tuple, and a limit counts.
    #expect(try main.aggregate(Values.all.limited(to: 3)) { $0.sum { $0.maybeInt } } == 3)
    #expect(try main.aggregate(Values.all) { $0.sum(\.maybeInt) } == 6)
  }

  @Test(arguments: Place.usual)
  func `every type has its extremes`(_ place: Place) async throws {
    let large = UInt64(Int64.max) + 5
    let test = try await kinds(place, 3) { values, number in
      values.uint64 = [7, large, large + 1][number]
      values.int8 = [-128, 0, 127][number]
      values.uint32 = [0, 5, .max][number]
      values.double = [-.infinity, 0.5, 3][number]
      values.date = Date(timeIntervalSince1970: Double(number) * 1_000.5)
      values.uuid = UUID(uuid: (UInt8(number) * 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
      values.string = ["é", "z", "Z"][number]
    }
    let main = test.store.main
    #expect(try main.aggregate(Values.all) { $0.min { $0.uint64 } } == 7)
    #expect(try main.aggregate(Values.all) { $0.max { $0.uint64 } } == large + 1)
    #expect(try main.aggregate(Values.all) { $0.min { $0.int8 } } == -128)
    #expect(try main.aggregate(Values.all) { $0.max { $0.int8 } } == 127)
    #expect(try main.aggregate(Values.all) { $0.min { $0.double } } == -.infinity)
    #expect(try main.aggregate(Values.all) { $0.max { $0.double } } == 3)
    #expect(try main.aggregate(Values.all) { $0.min { $0.date } } == Date(timeIntervalSince1970: 0))
    #expect(try main.aggregate(Values.all) { $0.max { $0.date } } == Date(timeIntervalSince1970: 2_001))
    #expect(try main.aggregate(Values.all) { $0.max { $0.uuid } }?.uuid.0 == 200)
    // Byte by byte: Z, z, é.
    #expect(try main.aggregate(Values.all) { $0.min { $0.string } } == "Z")
    #expect(try main.aggregate(Values.all) { $0.max { $0.string } } == "é")
    #expect(try main.aggregate(Values.all) { $0.sum { $0.int8 } } == -1)
    #expect(try main.aggregate(Values.all) { $0.sum { $0.uint32 } } == 5 + Int(UInt32.max))
  }

  @Test(arguments: Place.usual)
  func `decimals have extremes`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    for (uid, text) in ["-10.5", "9.25", "100", "-2"].enumerated() {
      let kinds = try main.insert(Kinds.self)
      (kinds.uid, kinds.decimal) = (uid, try #require(Decimal(string: text)))
    }
    #expect(try main.aggregate(Kinds.all) { $0.min { $0.decimal } } == Decimal(string: "-10.5"))
    #expect(try main.aggregate(Kinds.all) { $0.max { $0.decimal } } == 100)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `a sum that is no Int throws`(_ place: Place) async throws {
    let test = try await kinds(place, 2) { values, _ in values.int = .max }
    let main = test.store.main
    #expect(errorKind { _ = try main.aggregate(Values.all) { $0.sum { $0.int } } } == .invalidValue)
    #expect(
      errorKind { _ = try main.fetch(Values.all.grouped { $0.bool }.select { $0.sum { $0.int } }) } == .invalidValue)
    // The context is as it was.
    #expect(try main.aggregate(Values.all) { $0.max { $0.int } } == .max)
    #expect(try main.aggregate(Values.all.limited(to: 1)) { $0.sum { $0.int } } == .max)
  }

  @Test(arguments: Place.usual)
  func `a computed value that its type does not have throws`(_ place: Place) async throws {
    let test = try await kinds(place, 1) { values, _ in
      (values.int, values.int8, values.int16, values.int32, values.int64) = (.max, 100, .max, .max, .max)
      (values.uint8, values.uint16, values.uint32, values.maybeInt) = (0, 0, 0, .min)
    }
    let main = test.store.main
    func kind<V>(_ query: ValueQuery<Values, V>) -> StoreError.Kind? { errorKind { _ = try main.fetch(query) } }
    #expect(kind(Values.all.select { $0.int + 1 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.int8 + 28 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.int16 + 1 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.int32 * 2 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.int64 + 1 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.uint8 - 1 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.uint16 - 1 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.uint32 - 1 }) == .invalidValue)
    #expect(kind(Values.all.select { $0.maybeInt - 1 }) == .invalidValue)
    #expect(kind(Values.all.grouped { $0.bool }.select { $0.max { $0.int8 + 100 } }) == .invalidValue)
    #expect(kind(Values.all.grouped { $0.bool }.select { $0.sum { $0.int * 2 } }) == .invalidValue)
    // The types have these.
    #expect(try main.fetch(Values.all.select { $0.int8 + 27 }) == [127])
    #expect(try main.fetch(Values.all.select { $0.int - 1 }) == [.max - 1])
    #expect(try main.aggregate(Values.all) { $0.max { $0.int8 + 27 } } == 127)
    #expect(try main.aggregate(Values.all) { $0.sum { $0.int8 * 2 } } == 200)
  }

  /// SQLite has NULL for it.
  @Test(arguments: Place.usual)
  func `a computed value that is no number reads as NaN`(_ place: Place) async throws {
    let test = try TestStore(place, [Values.self, Kinds.self])
    let main = test.store.main
    (try main.insert(Values.self).double, try main.insert(Kinds.self).float) = (.infinity, .infinity)
    #expect(try main.fetch(Values.all.select { $0.double - .infinity }).first?.isNaN == true)
    #expect(try main.fetch(Kinds.all.select { $0.float - .infinity }).first?.isNaN == true)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `the sum of opposite infinities is no number`(_ place: Place) async throws {
    let test = try await kinds(place, 2) { values, number in values.double = number == 0 ? .infinity : -.infinity }
    let sum = try test.store.main.aggregate(Values.all) { $0.sum { $0.double } }
    #expect(sum.isNaN)
    #expect(try test.store.main.aggregate(Values.all.limited(to: 1)) { $0.sum { $0.double } } == .infinity)
  }

  @Test(arguments: Place.usual, [false, true])
  func `groups have keys and aggregates`(_ place: Place, isSaved: Bool) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    let teams = try ["red", "blue"].map { uid in
      let team = try main.insert(Team.self)
      (team.uid, team.title) = (uid, uid)
      return team
    }
    for (uid, (age, team)) in [(20, 0), (30, 0), (40, 1), (50, nil), (60, nil)].enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.age, person.team) = (uid + 1, age, team.map { teams[$0] })
    }
    if isSaved { try await main.save() }
    let byTeam = Person.all.grouped { $0.team.title }
    let rows = try main.fetch(byTeam.select { ($0.key, $0.count, $0.average { $0.age }) })
    #expect(rows.map(\.0) == [nil, "blue", "red"])
    #expect(rows.map(\.1) == [2, 1, 2])
    #expect(rows.map(\.2) == [55, 40, 25])
    #expect(try main.fetch(byTeam.having { $0.count > 1 }.select { $0.key }) == [nil, "red"])
    let young = try main.fetch(byTeam.having { $0.max { $0.age } < 60 && $0.key != nil }.select { $0.key })
    #expect(young == ["blue", "red"])
    #expect(try main.fetch(byTeam.sorted(.descending) { $0.sum { $0.age } }.select { $0.key }) == [nil, "red", "blue"])
    #expect(try main.fetch(byTeam.sorted { $0.count }.select { $0.key }.limited(to: 2)) == ["blue", nil])
    #expect(try main.fetch(byTeam.sorted(nils: .last) { $0.key }.select { $0.key }).last == .some(nil))
    #expect(try main.fetch(byTeam.sorted(.descending, nils: .first) { $0.key }.select { $0.key }).first == .some(nil))
    #expect(try main.fetch(byTeam.sorted(.descending) { $0.count }.select { $0.count }.distinct()) == [2, 1])
    // By ids of linked objects, and by several values.
    let byID = try main.fetch(Person.where { $0.team != nil }.grouped { $0.team }.select { ($0.key, $0.count) })
    #expect(byID.map(\.0) == teams.map(\.entityID))
    let byTwo = try main.fetch(Person.all.grouped { ($0.team.title, $0.age) }.select { ($0.key.1, $0.key.0) })
    #expect(byTwo.map(\.0) == [50, 60, 40, 20, 30])
    // The groups of the objects within a limit.
    let counts = try main.fetch(
      Person.all.sorted(by: \.age).limited(to: 3).grouped { $0.team.title }.select { $0.count })
    #expect(counts == [1, 2])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `text that differs in bytes is in two groups`(_ place: Place) async throws {
    let test = try TestStore(place)
    for (uid, name) in ["é", "e\u{301}", "é"].enumerated() {
      let person = try test.store.main.insert(Person.self)
      (person.uid, person.name) = (uid + 1, name)
    }
    #expect(try test.store.main.fetch(Person.all.grouped { $0.name }.select { $0.count }) == [1, 2])
    #expect(try test.store.main.fetch(Person.all.select { $0.name }.distinct()).count == 2)
  }
}
