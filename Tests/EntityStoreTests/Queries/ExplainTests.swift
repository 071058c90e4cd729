import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The way that SQLite takes for one query.
@MainActor
struct ExplainTests {
  @Test(arguments: Place.usual)
  func `a plan tells a scan from a search`(_ place: Place) throws {
    let test = try TestStore(place)
    let main = test.store.main
    let scan = try main.explain(Person.where { $0.name == "secret" }.sorted(by: \.age))
    #expect(scan.scans == ["SCAN t0"])
    #expect(scan.sorts)
    #expect(scan.description == "SCAN t0\nUSE TEMP B-TREE FOR ORDER BY")
    #expect(scan.sql.hasPrefix("SELECT _pk, ") && scan.sql.contains("t0.\"name\" IS ?"))
    #expect(!"\(scan)".contains("secret"))
    let search = try main.explain(Person.where { $0.uid == 3 })
    #expect(search.scans == [])
    #expect(search.description.hasPrefix("SEARCH t0 USING INDEX Person,uid (uid=?)"))
    let all = try main.explain(Person.all)
    #expect(all.scans == ["SCAN t0"])
    #expect(!all.sorts)
    #expect(try !main.explain(Note.where { $0.rank == 3 }).sorts)
  }

  @Test(arguments: Place.usual)
  func `the parts of a step stand beneath it`(_ place: Place) throws {
    let test = try TestStore(place)
    let plan = try test.store.main.explain(Person.where { $0.notes.any { $0.rank > 2 } })
    let lines = plan.description.split(separator: "\n")
    #expect(lines.first == "SCAN t0")
    #expect(lines.contains { $0.contains("SUBQUERY") && !$0.hasPrefix(" ") })
    #expect(lines.contains { $0.hasPrefix("  SEARCH t1 ") })
  }

  @Test(arguments: Place.usual)
  func `queries for values and SQL have plans too`(_ place: Place) async throws {
    let test = try TestStore(place)
    let main = test.store.main
    #expect(try main.explain(Note.all.select { $0.rank }.distinct()).sorts)
    let plan = try main.explain(sql: "SELECT 1 FROM \(Note.self) WHERE rank = \(7)")
    #expect(plan.description.hasSuffix("Note USING COVERING INDEX Note,rank (rank=?)"))
    #expect(plan.scans == [])
    #expect(plan.sql.hasSuffix("WHERE rank = ?"))
    #expect(try main.explain(sql: "SELECT 1").scans == [])
    #expect(errorKind { _ = try main.explain(sql: "EXPLAIN SELECT 1") } == .invalidQuery)
    #expect(errorKind { _ = try main.explain(sql: "explain query plan SELECT 1") } == .invalidQuery)
    #expect(try await test.store.read { try $0.explain(Note.all).scans } == ["SCAN t0"])
    #expect(try await test.store.background { try $0.explain(Note.all).scans } == ["SCAN t0"])
  }

  /// They lie over the table: it is another way.
  @Test(arguments: Place.usual)
  func `unsaved changes are in the plan`(_ place: Place) throws {
    let test = try TestStore(place)
    let main = test.store.main
    let before = try main.explain(Note.where { $0.rank == 3 })
    _ = try main.insert(Note.self)
    let after = try main.explain(Note.where { $0.rank == 3 })
    #expect(before.steps.count < after.steps.count)
    #expect(after.sql.contains("UNION ALL"))
    #expect(after.steps.contains { $0.parent != 0 })
  }

  @Test(arguments: Place.usual)
  func `a list of values is no scan`(_ place: Place) throws {
    let test = try TestStore(place)
    for count in [1, 8, 9, 500] {
      #expect(try test.store.main.explain(Person.where { $0.uid.isIn(Array(1...count)) }).scans == [])
    }
  }
}
