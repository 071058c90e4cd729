import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Questions for many values at once, and for the bits of one.
@MainActor struct ValueListTests {
  /// Rows with the ends of each type, and values that SQL or C could stumble over.
  nonisolated private static let texts = ["", "a", "a\0b", "\0", "é", "e\u{301}", "naïve 名前 🙂", "'", "10", "1e3"]
  nonisolated private static let integers = [0, 1, -1, .max, .min, 1 << 53, (1 << 53) + 1]
  nonisolated private static let unsigned: [UInt64] = [0, 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max]
  nonisolated private static let doubles = [
    0, 0.1, -0.1, 1, .infinity, -.infinity, .leastNonzeroMagnitude, .leastNormalMagnitude, 1.7e308, 1 / 3,
  ]
  nonisolated private static let datas = [Data(), Data([0]), Data([1, 0, 2]), Data("a".utf8)]

  /// The store's own table function is in nobody's way.
  @Test func `an entity may have any name but the store's own`() async throws {
    let test = try TestStore(.memory, [ValuesByName.self])
    let main = test.store.main
    try main.insert(ValuesByName.self).number = 7
    try await main.save()
    #expect(try main.count(ValuesByName.where { $0.number.isIn(Array(0..<500)) }) == 1)
    #expect(try main.count(ValuesByName.where { $0.number.isIn(Array(8..<500)) }) == 0)
  }

  private func filled(_ place: Place) async throws -> TestStore {
    let test = try TestStore(place, [Values.self])
    try await test.store.background { context in
      for number in 0..<10 {
        let values = try context.insert(Values.self)
        values.uid = UUID()
        values.string = Self.texts[number]
        values.int = Self.integers[number % Self.integers.count]
        values.uint64 = Self.unsigned[number % Self.unsigned.count]
        values.double = Self.doubles[number]
        values.data = Self.datas[number % Self.datas.count]
        values.maybeString = number < 5 ? nil : "s\(number)"
        values.maybeDate = number < 5 ? Date(timeIntervalSince1970: Double(number) / 3) : nil
      }
    }
    return test
  }

  /// Asks for each value alone, each among others, and all of them.
  private func check<V: ScalarValue & Hashable>(
    _ test: TestStore, _ values: [V], others: (Int) -> V, _ property: (Values) -> V,
    _ isIn: (QueryRow<Values>, [V]) -> EntityPredicate, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let main = test.store.main
    let all = try main.fetch(Values.self)
    let many = (0..<40).map(others)
    for value in values {
      let found = try main.fetch(Values.where { isIn($0, [value] + many) })
      let expected = all.filter {
        property($0).storedValue.isIdentical(to: value.storedValue) || many.contains(property($0))
      }
      #expect(Set(found.map(\.uid)) == Set(expected.map(\.uid)), "\(value)", sourceLocation: sourceLocation)
      let few = try main.fetch(Values.where { isIn($0, [value]) })
      #expect(
        !few.isEmpty, "\(value)",
        sourceLocation: sourceLocation)
      #expect(
        few.allSatisfy { row in found.contains { $0 === row } }, "\(value)",
        sourceLocation: sourceLocation)
    }
    #expect(try main.count(Values.where { isIn($0, many + values) }) == all.count, sourceLocation: sourceLocation)
    #expect(try main.count(Values.where { !isIn($0, many + values) }) == 0, sourceLocation: sourceLocation)
  }

  @Test(arguments: Place.usual)
  func `values of each type are found in lists`(_ place: Place) async throws {
    let test = try await filled(place)
    // Once as they are in the file, once with unsaved changes over them.
    for _ in 0..<2 {
      try check(test, Self.texts, others: { "other \($0)" }, \.string) { $0.string.isIn($1) }
      try check(test, Self.integers, others: { $0 + 1_000 }, \.int) { $0.int.isIn($1) }
      try check(test, Self.unsigned, others: { UInt64($0) + 1_000 }, \.uint64) { $0.uint64.isIn($1) }
      try check(test, Self.doubles, others: { Double($0) + 1_000.5 }, \.double) { $0.double.isIn($1) }
      try check(test, Self.datas, others: { Data("other \($0)".utf8) }, \.data) { $0.data.isIn($1) }
      for values in try test.store.main.fetch(Values.self) where values.int == 0 { values.bool.toggle() }
    }
    let main = test.store.main
    let dates: [Date?] = (0..<9).map { Date(timeIntervalSince1970: Double($0) / 3) }
    #expect(try main.count(Values.where { $0.maybeDate.isIn(dates) }) == 5)
    #expect(try main.count(Values.where { $0.maybeDate.isIn(dates + [nil]) }) == 10)
    let texts: [String?] = (0..<40).map { "s\($0)" }
    #expect(try main.count(Values.where { $0.maybeString.isIn(texts) }) == 5)
    #expect(try main.count(Values.where { $0.maybeString.isIn([nil] + texts) }) == 10)
    let all = try main.fetch(Values.self).map(\.uid)
    #expect(try main.count(Values.where { $0.uid.isIn(all) && !$0.uid.isIn(Array(all.dropFirst())) }) == 1)
  }

  /// SQLite's own limit is 32,766, and Debian's 250,000.
  @Test(arguments: Place.usual)
  func `more values than SQLite has parameters find their rows`(_ place: Place) async throws {
    let main = try await filled(place).store.main
    let integers = Array(0..<260_000)
    #expect(try main.count(Values.where { $0.int.isIn(integers) }) == main.count(Values.where { $0.int.isIn(0...1) }))
    let texts: [String?] = integers.map { "s\($0)" } + [nil]
    #expect(try main.count(Values.where { $0.maybeString.isIn(texts) }) == 10)
  }

  /// Each length would be a statement of its own otherwise, and they would push all others out of the cache.
  @Test func `lists of each length are one statement that reads an index`() throws {
    let main = try TestStore(.memory).store.main
    func sql(_ query: EntityQuery<Note>) throws -> RenderedSQL {
      try query.sql("_pk").rendered(main.core.schema, main.overlay.source)
    }
    let statements = try Set((9..<600).map { count in try sql(Note.where { $0.rank.isIn(Array(0..<count)) }).sql })
    #expect(statements.count == 1)
    for count in [3, 600] {
      let query = try sql(Note.where { $0.rank.isIn(Array(0..<count)) })
      let plan = try main.connection.rows("EXPLAIN QUERY PLAN \(query.sql)", query.values) { $0.text(3) ?? "" }
      #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING") && $0.contains("INDEX Note,rank") }, "\(plan)")
    }
  }

  @Test func `a value that is no list is an error`() throws {
    let connection = try TestStore(.memory).store.main.connection
    func count(_ list: StoredValue) throws -> [Int64] {
      try connection.rows("SELECT count(*) FROM _entity_values(?)", [list]) { $0.int64(0) }
    }
    #expect(try count(.list([])) == [0])
    #expect(try count(.list([.null, .integer(1), .text(""), .blob(Data())])) == [3])
    #expect(try count(.text("abc")) == [0])
    for bytes: [UInt8] in [
      [1], [9, 0, 0, 0, 0, 0, 0, 0, 0], [3, 1, 0, 0, 0, 0, 0, 0, 0], [4] + Array(repeating: 255, count: 8),
    ] {
      #expect(errorKind { _ = try count(.blob(Data(bytes))) } == .sqlite)
    }
    #expect(errorKind { _ = try connection.rows("SELECT * FROM _entity_values") { _ in } } == .sqlite)
    #expect(errorKind { try connection.execute("CREATE VIEW v AS SELECT * FROM _entity_values(x'')") } == nil)
    #expect(errorKind { _ = try connection.rows("SELECT * FROM v") { _ in } } == .sqlite)
  }

  @Test(arguments: Place.usual)
  func `options of each width are asked for their bits`(_ place: Place) async throws {
    let test = try TestStore(place, [Bits.self])
    try await test.store.background { context in
      for number in 0..<3 {
        let bits = try context.insert(Bits.self)
        bits.number = number
        bits.narrow = number == 0 ? [] : number == 1 ? .last : [.first, .last]
        bits.signed = number == 0 ? [] : number == 1 ? .last : [.first, .last]
        bits.maybe = number == 0 ? nil : number == 1 ? [] : [.first, .last]
      }
    }
    let main = test.store.main
    func numbers(_ query: EntityQuery<Bits>) throws -> [Int] { try main.fetch(query).map(\.number) }
    #expect(try numbers(Bits.where { $0.narrow.contains(.last) }) == [1, 2])
    #expect(try numbers(Bits.where { $0.narrow.contains([.first, .last]) }) == [2])
    #expect(try numbers(Bits.where { $0.signed.contains(.last) }) == [1, 2])
    #expect(try numbers(Bits.where { $0.signed.contains([.first, .last]) }) == [2])
    #expect(try numbers(Bits.where { $0.maybe.contains(.last) }) == [2])
    #expect(try numbers(Bits.where { $0.maybe.contains([]) }) == [1, 2])
    #expect(try numbers(Bits.where { !$0.maybe.contains(.last) }) == [0, 1])
  }
}

struct Narrow: OptionSet, AttributeValue {
  let rawValue: UInt8
  static let first = Narrow(rawValue: 1)
  static let last = Narrow(rawValue: 128)
}

struct Signed: OptionSet, AttributeValue {
  let rawValue: Int8
  static let first = Signed(rawValue: 1)
  static let last = Signed(rawValue: -128)
}

struct Broad: OptionSet, AttributeValue {
  let rawValue: UInt32
  static let first = Broad(rawValue: 1)
  static let last = Broad(rawValue: 1 << 31)
}

@Entity final class Bits {
  var number: Int
  var narrow: Narrow
  var signed: Signed
  var maybe: Broad?
}

@Entity final class ValuesByName {
  var number: Int
  static var entityName: String { "entity_values" }
}
