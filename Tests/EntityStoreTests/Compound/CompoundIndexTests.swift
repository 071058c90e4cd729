import EntityMacros
import Foundation
import Testing

@testable import EntityStore

/// Indexes over several columns, and over a part of the rows, serve the queries that they are declared for.
@MainActor
struct CompoundIndexTests {
  /// SQLite's plan of a query, with unsaved changes where there are any.
  private func plan<E>(_ main: EntityContext, _ query: EntityQuery<E>) throws -> String {
    let query = try query.sql("_pk").rendered(main.core.schema, main.overlay.source)
    return try main.connection.rows("EXPLAIN QUERY PLAN \(query.sql)", query.values) { $0.text(3) ?? "" }.joined(
      separator: "\n")
  }

  @Test(arguments: Place.usual)
  func `the file has the compound indexes`(_ place: Place) throws {
    let test = try TestStore(place, Hamper.all)
    let sql = try test.store.main.connection.rows(
      "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND instr(name, ',,') ORDER BY name"
    ) { $0.text(0) ?? "" }
    #expect(sql.contains(#"CREATE INDEX "Hamper,,depot,slot" ON "Hamper" ("depot", "slot")"#), "\(sql)")
    #expect(sql.contains { $0.hasSuffix(#"ON "Hamper" ("label") WHERE "isOpen" IS 1"#) }, "\(sql)")
    #expect(
      sql.contains { $0.hasSuffix(#"WHERE ("state" IS 'it''s sent' AND "slot" IS NOT NULL)"#) }, "\(sql)")
    #expect(sql.contains { $0.hasSuffix(#"ON "Hamper" ("label") WHERE "depot" IS NULL"#) }, "\(sql)")
    #expect(sql.count == 7)
  }

  @Test(arguments: Place.usual, [false, true])
  func `queries are served`(_ place: Place, _ hasUnsaved: Bool) async throws {
    let test = try TestStore(place, Hamper.all)
    let main = test.store.main
    try await test.store.background { context in
      let depots = try (1...3).map { try context.hamperDepot($0) }
      for uid in 0..<60 {
        let hamper = try context.hamper(uid, depots[uid % 3], uid)
        hamper.isOpen = uid.isMultiple(of: 5)
        hamper.state = uid.isMultiple(of: 4) ? .sent : .new
        hamper.packed = Date(timeIntervalSince1970: Double(uid % 7))
      }
    }
    let depot = try #require(try main.fetch(HamperDepot.self, uid: 2))
    if hasUnsaved {
      let hamper = try #require(try main.fetch(Hamper.self, uid: 4))
      (hamper.isOpen, hamper.label) = (true, "c999")
      // A query of those of a depot asks whether the depot is deleted.
      _ = try main.hamperDepot(9)
    }
    let parts = hasUnsaved ? 2 : 1
    func isServed(_ query: EntityQuery<Hamper>, _ index: String) throws {
      let plan = try plan(main, query)
      #expect(plan.matches(of: /USING (COVERING )?INDEX \S+/).count >= parts, "\(plan)")
      #expect(plan.contains("INDEX Hamper\(index)"), "\(plan)")
      #expect(!hasUnsaved || plan.contains("INDEX _pending_Hamper\(index)"), "\(plan)")
    }
    try isServed(Hamper.where { $0.depot == depot && $0.slot == 4 }, ",,depot,slot")
    try isServed(
      Hamper.where { $0.slot == 4 && $0.packed < Date(timeIntervalSince1970: 9) }, ",,slot,packed,label")
    let open = IndexModel.suffix(["label"], #""isOpen" IS 1"#)
    try isServed(Hamper.where { $0.isOpen }.sorted(by: \.label), open)
    let labels = try main.fetch(Hamper.where { $0.isOpen }.sorted(by: \.label)).map(\.label)
    #expect(try main.fetch(Hamper.self).filter(\.isOpen).map(\.label).sorted() == labels)
    let sent = IndexModel.suffix(["packed", "label"], #"("state" IS 'it''s sent' AND "slot" IS NOT NULL)"#)
    let query = Hamper.where { $0.state == .sent && $0.slot != nil && $0.packed == Date(timeIntervalSince1970: 1) }
    // A bound value serves too: SQLite looks at it when it plans.
    try isServed(query, sent)
    #expect(try main.fetch(query).map(\.uid) == [8, 36])
  }

  /// The condition asks whether there is a link. The index of the link alone serves this too, and SQLite takes it for a
  /// query that is sorted or has several values of the column.
  @Test(arguments: Place.usual, [false, true])
  func `an index of the objects without a link serves a query by its column`(_ place: Place, _ hasUnsaved: Bool)
    async throws
  {
    let test = try TestStore(place, Hamper.all)
    let main = test.store.main
    try await test.store.background { context in
      let depot = try context.hamperDepot(1)
      for uid in 0..<60 {
        let hamper = try context.hamper(uid, uid.isMultiple(of: 5) ? nil : depot, uid)
        hamper.label = "c\(uid % 10)"
      }
    }
    if hasUnsaved {
      let hamper = try #require(try main.fetch(Hamper.self, uid: 6))
      (hamper.depot, hamper.label) = (nil, "c5")
    }
    let query = Hamper.where { $0.depot == nil && $0.label == "c5" }
    let (plan, index) = (try plan(main, query), IndexModel.suffix(["label"], #""depot" IS NULL"#))
    #expect(plan.contains("INDEX Hamper\(index)"), "\(plan)")
    #expect(!hasUnsaved || plan.contains("INDEX _pending_Hamper\(index)"), "\(plan)")
    let uids = [5, 15, 25, 35, 45, 55] + (hasUnsaved ? [6] : [])
    #expect(try main.fetch(query.sorted(by: \.uid)).map(\.uid) == uids.sorted())
  }

  @Test func `a declaration that cannot be an index is refused by name`() throws {
    let cases: [(any ManagedEntity.Type, String)] = [
      (
        HamperWithList.self,
        "The index of 'HamperWithList.name', 'HamperWithList.others' can't be: 'others' has no column"
      ),
      (HamperTwice.self, "The index of 'HamperTwice.name', 'HamperTwice.name' has a column twice"),
      (HamperDouble.self, "The index of 'HamperDouble.name', 'HamperDouble.age' is declared twice"),
      (HamperThrough.self, "The index of 'HamperThrough.name' has a condition that no index can have"),
      (HamperListed.self, "The index of 'HamperListed.name' has a condition that no index can have"),
      (HamperQueried.self, "The index of 'HamperQueried.name' has a condition that no index can have"),
      (
        HamperForeign.self,
        "The index of 'HamperForeign.row', 'HamperForeign.hole' is one of another entity, 'HamperPeg'"
      ),
    ]
    for (type, message) in cases {
      let error = storeError { _ = try EntityStore(.inMemory, entities: [type]) }
      #expect(error?.kind == .invalidSchema)
      #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "-")")
    }
  }

  /// Names and values that need quotes.
  @Test(arguments: Place.usual)
  func `names and texts are quoted`(_ place: Place) throws {
    let version = ShapeVersion(entities: [
      ShapeEntity(
        slot: 0, name: "a'b",
        properties: [
          ShapeProperty(name: "ü\"x", kind: .attribute(.string)),
          ShapeProperty(name: "select", kind: .attribute(.string)),
        ],
        indexes: [ShapeIndex(columns: ["ü\"x", "select"], partial: "select", text: "it's \"ü")])
    ])
    try version.run {
      let test = try TestStore(place, version.types)
      #expect(
        try test.store.main.connection.rows("SELECT sql FROM main.sqlite_schema WHERE name LIKE '%,,%'") {
          $0.text(0)?.hasSuffix("WHERE \"select\" IS NOT 'it''s \"ü'")
        } == [true])
    }
  }
}

@Entity final class HamperWithList {
  var name: String
  @Relationship(inverse: nil) var others: [HamperWithList]

  static var indexes: [EntityIndex<HamperWithList>] { [.index(\.name, \.others)] }
}

@Entity final class HamperTwice {
  var name: String

  static var indexes: [EntityIndex<HamperTwice>] { [.unique(\.name, \.name)] }
}

@Entity final class HamperDouble {
  var name: String
  var age: Int

  static var indexes: [EntityIndex<HamperDouble>] { [.unique(\.name, \.age), .index(\.name, \.age)] }
}

@Entity final class HamperThrough {
  var name: String
  var boss: HamperThrough?

  static var indexes: [EntityIndex<HamperThrough>] { [.index(\.name, where: { $0.boss.name == "a" })] }
}

@Entity final class HamperListed {
  var name: String
  @Relationship(inverse: nil) var others: [HamperListed]

  static var indexes: [EntityIndex<HamperListed>] { [.index(\.name, where: { $0.others.count > 1 })] }
}

@Entity final class HamperQueried {
  var name: String
  var age: Int

  static var indexes: [EntityIndex<HamperQueried>] {
    [.index(\.name, where: { $0.age.isIn([1, 2, 3, 4, 5, 6, 7, 8, 9]) })]
  }
}

@Entity final class HamperForeign {
  var row: Int
  var hole: String

  static var indexes: [EntityIndex<HamperPeg>] {
    [.index(\.row, \.hole)].map { (index: EntityIndex<HamperPeg>) in index }
  }
}
