import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// After a save, an object has the values of its row.
@MainActor
struct RoundTripTests {

  /// Each property of both, read from an object and from the row.
  private func expectSame<V: Equatable>(
    _ ours: V, _ theirs: V, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(ours == theirs, "\(name)", sourceLocation: sourceLocation)
  }

  @Test(arguments: Place.usual)
  func `a value without a stored form reads as the row does`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self, Values.self, Measure.self])
    let main = test.store.main
    let kinds = try main.insert(Kinds.self)
    kinds.uid = 1
    kinds.maybeFloat = .nan
    kinds.float = -0.0
    kinds.maybeDecimal = .nan
    kinds.decimal = try #require(Decimal(string: "1.50"))
    kinds.url = try #require(URL(string: "b", relativeTo: URL(string: "https://a.example/")))
    kinds.maybeURL = URL(string: "c", relativeTo: URL(string: "https://a.example/"))
    kinds.maybeSetup = Setup(since: Date(timeIntervalSinceReferenceDate: 0.123_456_789_123))
    let values = try main.insert(Values.self)
    values.maybeDouble = .nan
    values.double = -0.0
    values.date = Date(timeIntervalSinceReferenceDate: 700_000_000.000_000_12)
    values.maybeDate = Date(timeIntervalSinceReferenceDate: .nan)
    let measure = try main.insert(Measure.self)
    measure.maybe = Loudness(rawValue: .nan)
    try await main.save()

    #expect(kinds.maybeFloat == nil)
    #expect(kinds.maybeDecimal == nil)
    #expect(values.maybeDouble == nil)
    #expect(values.maybeDate == nil)
    #expect(measure.maybe == nil)
    #expect(kinds.float.sign == .plus)
    #expect(values.double.sign == .plus)
    let (kindsID, valuesID) = (kinds.entityID, values.entityID)
    let read = try await test.store.read { context in
      let kinds = try #require(try context.object(kindsID))
      let values = try #require(try context.object(valuesID))
      return (kinds.decimal, kinds.url, kinds.maybeURL, kinds.maybeSetup, values.date, kinds.maybeDecimal)
    }
    expectSame(kinds.decimal, read.0, "decimal")
    expectSame(kinds.url, read.1, "url")
    expectSame(kinds.maybeURL, read.2, "maybeURL")
    expectSame(kinds.maybeSetup, read.3, "maybeSetup")
    expectSame(values.date, read.4, "date")
  }

  @Test(arguments: Place.usual)
  func `a NaN where there must be a number is refused`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self, Values.self, Measure.self])
    let main = test.store.main
    let values = try main.insert(Values.self)
    values.double = .nan
    #expect(await asyncErrorKind { try await main.save() } == .invalidValue)
    values.double = 1
    values.date = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(await asyncErrorKind { try await main.save() } == .invalidValue)
    main.rollback()
    let kinds = try main.insert(Kinds.self)
    kinds.float = .nan
    #expect(await asyncErrorKind { try await main.save() } == .invalidValue)
    kinds.float = 0
    kinds.decimal = .nan
    #expect(await asyncErrorKind { try await main.save() } == .invalidValue)
    main.rollback()
    let measure = try main.insert(Measure.self)
    measure.level = Loudness(rawValue: .nan)
    #expect(await asyncErrorKind { try await main.save() } == .invalidValue)
  }
}

struct Loudness: RawRepresentable, AttributeValue {
  let rawValue: Double
}

@Entity final class Measure {
  var level: Loudness = Loudness(rawValue: 1)
  var maybe: Loudness?
}
