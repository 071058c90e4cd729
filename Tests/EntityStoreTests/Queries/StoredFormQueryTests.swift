import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// A type with a raw value that is Codable too. Its conformance knows of Codable alone, so that rows have it as JSON.
struct MarkedRaw<Mark, RawValue>: RawRepresentable {
  var rawValue: RawValue
  init(rawValue: RawValue) { self.rawValue = rawValue }
}
extension MarkedRaw: Equatable where RawValue: Equatable {}
extension MarkedRaw: Codable where RawValue: Codable {}
extension MarkedRaw: Sendable where RawValue: Sendable {}
extension MarkedRaw: AttributeValue where RawValue: Codable {}

enum ConsignmentMark {}

enum ConsignmentUrgency: Int, Codable, AttributeValue { case low = 1, middle = 5, high = 10 }

@Entity final class Consignment {
  var name: String
  var code: MarkedRaw<ConsignmentMark, String>?
  var weight: Double?
  var sentAt: Date?
  var price: Decimal?
  var urgency: ConsignmentUrgency = .low
  var maybe: ConsignmentUrgency?
  var isOpen: Bool?
  var notes: [String]
}

/// Conditions compare the form in which rows have a value.
@MainActor
struct StoredFormQueryTests {
  private func filled(_ place: Place, isSaved: Bool = true) async throws -> TestStore {
    let test = try TestStore(place, [Consignment.self])
    let main = test.store.main
    for (name, code, weight, urgency) in [
      ("a", "x", 1.5, ConsignmentUrgency.low), ("b", "y", 2, .middle), ("c", nil, nil, .high),
    ] as [(String, String?, Double?, ConsignmentUrgency)] {
      let consignment = try main.insert(Consignment.self)
      consignment.name = name
      consignment.code = code.map { .init(rawValue: $0) }
      consignment.weight = weight
      consignment.sentAt = weight.map { Date(timeIntervalSince1970: $0) }
      consignment.price = weight.map { Decimal($0) }
      consignment.urgency = urgency
      consignment.maybe = code == nil ? nil : urgency
      consignment.isOpen = code.map { $0 == "x" }
    }
    if isSaved { try await main.save() }
    return test
  }

  private func names<C: QueryCondition>(_ test: TestStore, _ condition: (QueryRow<Consignment>) -> C) throws -> [String]
  {
    try test.store.main.fetch(Consignment.where(condition)).map(\.name)
  }

  @Test(arguments: Place.usual, [false, true])
  func `a type with both forms is found in the form that rows have`(_ place: Place, isSaved: Bool) async throws {
    let test = try await filled(place, isSaved: isSaved)
    let (x, y) = (MarkedRaw<ConsignmentMark, String>(rawValue: "x"), MarkedRaw<ConsignmentMark, String>(rawValue: "y"))
    #expect(try names(test) { $0.code == x } == ["a"])
    #expect(try names(test) { $0.code != x } == ["b", "c"])
    #expect(try names(test) { $0.code == nil } == ["c"])
    #expect(try names(test) { $0.code.isIn([x, y]) } == ["a", "b"])
    #expect(try names(test) { $0.code.isIn([nil, y]) } == ["b", "c"])
    #expect(try names(test) { !$0.code.isIn([x]) } == ["b", "c"])
  }

  @Test(arguments: Place.usual, [false, true])
  func `columns of raw values and of JSON are compared with one another`(_ place: Place, isSaved: Bool) async throws {
    let test = try await filled(place, isSaved: isSaved)
    #expect(try names(test) { $0.urgency == $0.maybe } == ["a", "b"])
    #expect(try names(test) { $0.maybe != $0.urgency } == ["c"])
    #expect(try names(test) { $0.notes == $0.notes && $0.code == $0.code } == ["a", "b", "c"])
    #expect(try names(test) { $0.maybe < .high && $0.maybe >= .middle } == ["b"])
  }

  @Test(arguments: Place.usual)
  func `a deletion and an update by query find the same rows`(_ place: Place) async throws {
    let test = try await filled(place)
    let (x, z) = (MarkedRaw<ConsignmentMark, String>(rawValue: "x"), MarkedRaw<ConsignmentMark, String>(rawValue: "z"))
    try await test.store.background { context in
      _ = try context.update(Consignment.where { $0.code == x }) { $0.set(\.code, to: z) }
      _ = try context.delete(Consignment.where { $0.code != z })
    }
    #expect(try test.store.main.fetch(Consignment.all).map(\.code) == [z])
  }

  /// SQL has no order and no bits of JSON, and no raw value.
  @Test(arguments: Place.usual)
  func `a raw value that no row has is a mistake of the query`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    #expect(errorKind { _ = try main.fetch(Consignment.all.sorted(by: \.code)) } == .invalidQuery)
    #expect(errorKind { _ = try main.fetch(Consignment.where { $0.code.rawValue == "x" }) } == .invalidQuery)
  }

  // MARK: NaN

  @Test(arguments: Place.usual, [false, true])
  func `nothing is equal to NaN`(_ place: Place, isSaved: Bool) async throws {
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
  func `a deletion by NaN deletes nothing`(_ place: Place) async throws {
    let test = try await filled(place)
    let count = try await test.store.background { context in
      _ = try context.delete(Consignment.where { $0.weight == .nan })
      return try context.count(Consignment.all)
    }
    #expect(count == 3)
  }

  // MARK: Raw values

  @Test(arguments: Place.usual, [false, true])
  func `integers of cases have an order`(_ place: Place, isSaved: Bool) async throws {
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
      try test.store.main.fetch(Consignment.all.select { ($0.urgency.rawValue, $0.maybe.rawValue) }).map(\.0) == [
        1, 5, 10,
      ])
  }

  @Test(arguments: Place.usual)
  func `an empty text and an optional Bool are conditions`(_ place: Place) async throws {
    let test = try await filled(place)
    try test.store.main.fetch(Consignment.all)[2].name = ""
    #expect(try names(test) { $0.name.isEmpty } == [""])
    #expect(try names(test) { !$0.name.isEmpty } == ["a", "b"])
    #expect(try names(test) { $0.isOpen } == ["a"])
    #expect(try names(test) { !$0.isOpen } == ["b", ""])
    #expect(try names(test) { $0.isOpen == false } == ["b"])
  }

  // MARK: Many conditions

  @Test(arguments: Place.usual)
  func `thousands of conditions are one query`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    let query = Consignment.where { row in
      (0..<20_000).map { row.name == "n\($0)" }.reduce(row.name == "b") { $0 || $1 }
    }
    #expect(try main.fetch(query).map(\.name) == ["b"])
    let other = Consignment.where { row in
      (0..<20_000).map { row.name != "n\($0)" }.reduce(row.name != "b") { $0 && $1 }
    }
    #expect(try main.fetch(other).map(\.name) == ["a", "c"])
    var queries = Consignment.where { $0.name == "c" }
    for number in 0..<1_500 { queries = queries.or(Consignment.where { $0.name == "n\(number)" }) }
    #expect(try main.fetch(queries).map(\.name) == ["c"])
  }

  @Test(arguments: Place.usual)
  func `more than SQLite takes is a mistake of the query`(_ place: Place) async throws {
    let test = try await filled(place)
    let main = test.store.main
    // How many values a statement takes depends on how SQLite was built: 32,766, or 250,000.
    let deep = Consignment.where { row in (0..<2_000).reduce(row.name == "b") { condition, _ in !condition } }
    #expect(errorKind { _ = try main.fetch(deep) } == .invalidQuery)
    let keys = (0..<3_000).reduce(Consignment.all) { query, _ in query.sorted(by: \.name) }
    #expect(errorKind { _ = try main.fetch(keys) } == .invalidQuery)
    #expect(try main.fetch(Consignment.all).count == 3)
  }
}
