import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// A type with a raw value that is Codable too. Its conformance knows of Codable alone, so that rows have it as JSON.
struct Marked<Mark, RawValue>: RawRepresentable {
  var rawValue: RawValue
  init(rawValue: RawValue) { self.rawValue = rawValue }
}
extension Marked: Equatable where RawValue: Equatable {}
extension Marked: Codable where RawValue: Codable {}
extension Marked: Sendable where RawValue: Sendable {}
extension Marked: AttributeValue where RawValue: Codable {}

enum CrateMark {}

enum Urgency: Int, Codable, AttributeValue { case low = 1, middle = 5, high = 10 }

@Entity final class Crate {
  var name: String
  var code: Marked<CrateMark, String>?
  var weight: Double?
  var sentAt: Date?
  var price: Decimal?
  var urgency: Urgency = .low
  var maybe: Urgency?
  var isOpen: Bool?
  var notes: [String]
}

/// Conditions compare the form in which rows have a value.
@MainActor
struct StoredFormQueryTests {
  private func filled(_ place: Place, isSaved: Bool = true) async throws -> TestStore {
    let test = try TestStore(place, [Crate.self])
    let main = test.store.main
    for (name, code, weight, urgency) in [
      ("a", "x", 1.5, Urgency.low), ("b", "y", 2, .middle), ("c", nil, nil, .high),
    ] as [(String, String?, Double?, Urgency)] {
      let crate = try main.insert(Crate.self)
      crate.name = name
      crate.code = code.map { .init(rawValue: $0) }
      crate.weight = weight
      crate.sentAt = weight.map { Date(timeIntervalSince1970: $0) }
      crate.price = weight.map { Decimal($0) }
      crate.urgency = urgency
      crate.maybe = code == nil ? nil : urgency
      crate.isOpen = code.map { $0 == "x" }
    }
    if isSaved { try await main.save() }
    return test
  }

  private func names<C: QueryCondition>(_ test: TestStore, _ condition: (QueryRow<Crate>) -> C) throws -> [String] {
    try test.store.main.fetch(Crate.where(condition)).map(\.name)
  }

  @Test(arguments: Place.usual, [false, true])
  func aTypeWithBothFormsIsFoundInTheOneThatRowsHave(_ place: Place, isSaved: Bool) async throws {
    let test = try await filled(place, isSaved: isSaved)
    let (x, y) = (Marked<CrateMark, String>(rawValue: "x"), Marked<CrateMark, String>(rawValue: "y"))
    #expect(try names(test) { $0.code == x } == ["a"])
    #expect(try names(test) { $0.code != x } == ["b", "c"])
    #expect(try names(test) { $0.code == nil } == ["c"])
    #expect(try names(test) { $0.code.isIn([x, y]) } == ["a", "b"])
    #expect(try names(test) { $0.code.isIn([nil, y]) } == ["b", "c"])
    #expect(try names(test) { !$0.code.isIn([x]) } == ["b", "c"])
  }

  @Test(arguments: Place.usual)
  func aDeletionAndAnUpdateByQueryFindTheSameRows(_ place: Place) async throws {
    let test = try await filled(place)
    let (x, z) = (Marked<CrateMark, String>(rawValue: "x"), Marked<CrateMark, String>(rawValue: "z"))
    try await test.store.background { context in
      _ = try context.update(Crate.where { $0.code == x }) { $0.set(\.code, to: z) }
      _ = try context.delete(Crate.where { $0.code != z })
    }
    #expect(try test.store.main.fetch(Crate.all).map(\.code) == [z])
  }

  /// SQL has no order and no bits of JSON, and no raw value.
  @Test(arguments: Place.usual)
  func aRawValueThatNoRowHasIsAMistakeOfTheQuery(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    #expect(errorKind { _ = try main.fetch(Crate.all.sorted(by: \.code)) } == .invalidQuery)
    #expect(errorKind { _ = try main.fetch(Crate.where { $0.code.rawValue == "x" }) } == .invalidQuery)
  }

  // MARK: NaN

  @Test(arguments: Place.usual, [false, true])
  func nothingIsEqualToNaN(_ place: Place, isSaved: Bool) async throws {
    let test = try await filled(place, isSaved: isSaved)
    let (nan, date) = (Double.nan, Date(timeIntervalSince1970: .nan))
    let all = ["a", "b", "c"]
    #expect(try names(test) { $0.weight == nan } == [])
    #expect(try names(test) { $0.weight != nan } == all)
    #expect(try names(test) { $0.weight.isIn([nan]) } == [])
    #expect(try names(test) { $0.weight.isIn([nan, 2]) } == ["b"])
    #expect(try names(test) { $0.weight.isIn([nan, nil]) } == ["c"])
    #expect(try names(test) { $0.weight < nan || $0.weight >= nan } == [])
    #expect(try names(test) { !($0.weight < nan) } == all)
    #expect(try names(test) { $0.sentAt == date } == [])
    #expect(try names(test) { $0.sentAt != date } == all)
    #expect(try names(test) { $0.price == Decimal.nan } == [])
    #expect(try names(test) { $0.price != Decimal.nan } == all)
    #expect(try names(test) { $0.weight == nil } == ["c"])
  }

  @Test(arguments: Place.usual)
  func aDeletionByNaNDeletesNothing(_ place: Place) async throws {
    let test = try await filled(place)
    let count = try await test.store.background { context in
      _ = try context.delete(Crate.where { $0.weight == .nan })
      return try context.count(Crate.all)
    }
    #expect(count == 3)
  }

  // MARK: Raw values

  @Test(arguments: Place.usual, [false, true])
  func integersOfCasesHaveAnOrder(_ place: Place, isSaved: Bool) async throws {
    let test = try await filled(place, isSaved: isSaved)
    #expect(try names(test) { $0.urgency > .low } == ["b", "c"])
    #expect(try names(test) { $0.urgency >= .middle } == ["b", "c"])
    #expect(try names(test) { $0.urgency < .middle } == ["a"])
    #expect(try names(test) { $0.urgency <= .middle } == ["a", "b"])
    #expect(try names(test) { $0.maybe >= .middle } == ["b"])
    #expect(try names(test) { !($0.maybe >= .middle) } == ["a", "c"])
    #expect(try names(test) { $0.urgency.rawValue > 4 && $0.maybe.rawValue < 6 } == ["b"])
    #expect(try names(test) { $0.maybe.rawValue == nil } == ["c"])
    #expect(
      try test.store.main.fetch(Crate.all.select { ($0.urgency.rawValue, $0.maybe.rawValue) }).map(\.0) == [1, 5, 10])
  }

  @Test(arguments: Place.usual)
  func valuesOfSwiftStandBesideConditions(_ place: Place) async throws {
    let test = try await filled(place)
    for (text, found) in [("", ["a", "b", "c"]), ("b", ["b"])] {
      #expect(try names(test) { text.isEmpty || $0.name == text } == found)
      #expect(try names(test) { $0.name == text || text.isEmpty } == found)
      #expect(try names(test) { !text.isEmpty && $0.name == text } == (text.isEmpty ? [] : found))
      #expect(try names(test) { $0.name == text && !text.isEmpty } == (text.isEmpty ? [] : found))
    }
  }

  @Test(arguments: Place.usual)
  func anEmptyTextAndAnOptionalBoolAreConditions(_ place: Place) async throws {
    let test = try await filled(place)
    try test.store.main.fetch(Crate.all)[2].name = ""
    #expect(try names(test) { $0.name.isEmpty } == [""])
    #expect(try names(test) { !$0.name.isEmpty } == ["a", "b"])
    #expect(try names(test) { $0.isOpen } == ["a"])
    #expect(try names(test) { !$0.isOpen } == ["b", ""])
    #expect(try names(test) { $0.isOpen == false } == ["b"])
  }

  // MARK: Many conditions

  @Test(arguments: Place.usual)
  func thousandsOfConditionsAreOne(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    let query = Crate.where { row in (0..<20_000).map { row.name == "n\($0)" }.reduce(row.name == "b") { $0 || $1 } }
    #expect(try main.fetch(query).map(\.name) == ["b"])
    let other = Crate.where { row in (0..<20_000).map { row.name != "n\($0)" }.reduce(row.name != "b") { $0 && $1 } }
    #expect(try main.fetch(other).map(\.name) == ["a", "c"])
    var queries = Crate.where { $0.name == "c" }
    for number in 0..<1_500 { queries = queries.or(Crate.where { $0.name == "n\(number)" }) }
    #expect(try main.fetch(queries).map(\.name) == ["c"])
  }

  @Test(arguments: Place.usual)
  func moreThanSQLiteTakesIsAMistakeOfTheQuery(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    let many = Crate.where { row in (0..<40_000).map { row.name == "n\($0)" }.reduce(row.name == "b") { $0 || $1 } }
    #expect(errorKind { _ = try main.fetch(many) } == .invalidQuery)
    let deep = Crate.where { row in (0..<2_000).reduce(row.name == "b") { condition, _ in !condition } }
    #expect(errorKind { _ = try main.fetch(deep) } == .invalidQuery)
    let keys = (0..<3_000).reduce(Crate.all) { query, _ in query.sorted(by: \.name) }
    #expect(errorKind { _ = try main.fetch(keys) } == .invalidQuery)
    #expect(try main.fetch(Crate.all).count == 3)
  }
}
