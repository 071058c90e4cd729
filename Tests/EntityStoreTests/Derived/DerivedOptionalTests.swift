import EntityMacros
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The defaults of the attributes make another discount than a member's.
@Entity final class Patron {
  @UID var uid: Int?
  var isMember: Bool = false
  var paid: Double = 1
  var visits: Double = 1

  @Derived var discount: Int? { isMember ? nil : 5 }
  @Derived var mean: Double? { paid / visits }
  @Derived var share: Double { paid / visits }
}

/// Derived properties that may have no value.
@MainActor struct DerivedOptionalTests {
  /// The values of the row.
  private func row(_ context: EntityContext) throws -> [String] {
    try context.connection.rows(
      "SELECT ifnull(discount, 'none'), ifnull(mean, 'none'), share FROM main.Patron ORDER BY _pk"
    ) { row in (0..<3).map { "\(row.text($0) ?? "")" }.joined(separator: " ") }
  }

  @Test(arguments: Place.usual)
  func `no value stays none on each way to a row`(_ place: Place) async throws {
    let rows = try UIDRows(place, [Patron.self])
    let (uid, isMember) = (Patron.columns.uid.index, Patron.columns.isMember.index)
    _ = try await rows.respond(Patron.self, [uid: .integer(1), isMember: .integer(1)])
    _ = try await rows.respond(Patron.self, [uid: .integer(2)])
    #expect(try row(rows.main) == ["none 1.0 1.0", "5 1.0 1.0"])
    _ = try await rows.respond(Patron.self, [uid: .integer(2), isMember: .integer(1)])
    #expect(try row(rows.main) == ["none 1.0 1.0", "none 1.0 1.0"])
    let patron = try #require(try rows.main.fetch(Patron.self, uid: 1))
    (patron.isMember, patron.paid, patron.visits) = (false, 0, 0)
    // Before the save and after it.
    #expect(try rows.main.count(Patron.where { $0.discount == nil }) == 1)
    #expect(try rows.main.count(Patron.where { $0.mean == nil }) == 1)
    try await rows.main.save()
    #expect(try row(rows.main) == ["5 none 0.0", "none 1.0 1.0"])
    #expect(try rows.main.count(Patron.where { $0.mean == nil }) == 1)
    let made = try rows.main.insert(Patron.self)
    made.isMember = true
    try await rows.main.save()
    #expect(try rows.main.count(Patron.where { $0.discount == nil }) == 2)
    #expect(try rows.main.fetch(Patron.all.select { $0.discount }).compactMap(\.self) == [5])
  }

  @Test func `opening a file runs no body`() throws {
    // The body of `quotient` divides by zero where the attributes have their defaults.
    let store = try EntityStore(.inMemory, entities: [Quotient.self])
    #expect(try store.main.count(Quotient.all) == 0)
    let made = try store.main.insert(Quotient.self)
    (made.total, made.count) = (6, 3)
    try store.main.saveAtOnce()
    #expect(try store.main.fetch(Quotient.all.select { $0.quotient }) == [2])
  }
}

@Entity final class Quotient {
  var total: Int
  var count: Int
  @Derived var quotient: Int { total / count }
}
