import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// SQL that an app writes.
@MainActor
final class RawSQLTests {
  /// Held for as long as the test runs: contexts do not hold their store.
  private var stores: [TestStore] = []

  /// Ada (36, with two notes), Bob (20, boss Ada) and Cid (20, boss Bob); Ada has an email.
  private func filled(_ place: Place, isSaved: Bool = true) throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place)
    stores.append(test)
    let main = test.store.main
    var people: [Person] = []
    for (uid, (name, email, age)) in [("Ada", "a@x", 36), ("Bob", nil, 20), ("Cid", nil, 20)].enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.name, person.email, person.age) = (uid + 1, name, email, age)
      people.append(person)
    }
    (people[1].boss, people[2].boss) = (people[0], people[1])
    for rank in 1...2 {
      let note = try main.insert(Note.self)
      (note.rank, note.person) = (rank, people[0])
    }
    if isSaved { try main.saveAtOnce() }
    return (test, main)
  }

  // MARK: Objects

  @Test(arguments: Place.usual, [false, true])
  func `objects come in the order of the SQL`(_ place: Place, isSaved: Bool) throws {
    let (_, main) = try filled(place, isSaved: isSaved)
    let found = try main.fetch(
      Person.self,
      sql: """
        SELECT p.name, p._pk FROM \(Person.self) AS p LEFT JOIN \(Note.self) AS n ON n.person = p._pk
        WHERE p.\(Person.columns.age) >= \(20) GROUP BY p._pk ORDER BY count(n._pk), p.name DESC
        """)
    #expect(found.map(\.name) == ["Cid", "Bob", "Ada"])
    #expect(try found == main.fetch(Person.all).reversed())
    // As often as the SQL has them.
    let owners = try main.fetch(Person.self, sql: "SELECT person AS _pk FROM \(Note.self) UNION ALL SELECT NULL")
    #expect(owners.map(\.name) == ["Ada", "Ada"])
  }

  @Test(arguments: Place.usual)
  func `objects of other entities and of none are left out`(_ place: Place) throws {
    let (_, main) = try filled(place)
    #expect(try main.fetch(Person.self, sql: "SELECT _pk FROM \(Note.self)").isEmpty)
    #expect(try main.fetch(Person.self, sql: "SELECT 123456 AS _pk").isEmpty)
    #expect(try main.fetch(Person.self, sql: "SELECT _pk FROM \(Person.self) WHERE 0").isEmpty)
  }

  /// A name of a table is the table in the file; the entity is as the context sees it.
  @Test(arguments: Place.usual)
  func `unsaved changes are seen through the entity`(_ place: Place) throws {
    let (_, main) = try filled(place)
    let ada = try #require(try main.fetch(Person.self, uid: 1))
    let bob = try #require(try main.fetch(Person.self, uid: 2))
    ada.name = "Eve"
    try main.delete(bob)
    let names = "SELECT name FROM \(Person.self) ORDER BY uid" as SQL
    #expect(try main.fetch(sql: names, as: String.self) == ["Eve", "Cid"])
    #expect(try main.fetch(sql: "SELECT name FROM Person ORDER BY uid", as: String.self) == ["Ada", "Bob", "Cid"])
    // The object of a row is as the context has it, also where the SQL saw the file.
    let found = try main.fetch(Person.self, sql: "SELECT * FROM Person ORDER BY uid")
    #expect(found.map(\.name) == ["Eve", "Cid"])
    #expect(found.first === ada)
    let child = try main.child()
    let own = try #require(try child.object(ada.entityID))
    own.name = "Zoe"
    #expect(try child.fetch(sql: names, as: String.self) == ["Zoe", "Cid"])
    #expect(try child.fetch(Person.self, sql: "SELECT _pk FROM \(Person.self) WHERE name = \("Zoe")").first === own)
    #expect(try main.fetch(sql: names, as: String.self) == ["Eve", "Cid"])
  }

  @Test(arguments: Place.usual)
  func `units see their own changes`(_ place: Place) async throws {
    let (test, _) = try filled(place)
    let names = try await test.store.background { context in
      try context.fetch(Person.self, uid: 1)?.name = "Eve"
      let found = try context.fetch(
        Person.self, sql: "SELECT _pk FROM \(Person.self) WHERE name <> \("Bob") ORDER BY uid")
      return try found.map(\.name) + context.fetch(sql: "SELECT name FROM \(Person.self) ORDER BY 1", as: String.self)
    }
    #expect(names == ["Eve", "Cid", "Bob", "Cid", "Eve"])
    #expect(try await test.store.read { try $0.fetch(sql: "SELECT 1 + \(2)", as: Int.self) } == [3])
  }

  @Test(arguments: Place.usual)
  func `placeholders are rows for SQL that asks for them`(_ place: Place) async throws {
    let (test, main) = try filled(place)
    try await test.store.core.unit { rows in
      _ = try rows.row(rows.schema.model(Person.self), uid: .integer(7))
    }
    #expect(try main.fetch(sql: "SELECT count(*) FROM \(Person.self)", as: Int.self) == [3])
    #expect(try main.fetch(sql: "SELECT count(*) FROM \(Person.self, including: .placeholders)", as: Int.self) == [4])
    #expect(try main.fetch(Person.self, sql: "SELECT * FROM \(Person.self)").count == 3)
  }

  // MARK: Values

  @Test(arguments: Place.usual)
  func `values are of the types that are asked for`(_ place: Place) throws {
    let (_, main) = try filled(place)
    let rows = try main.fetch(
      sql: "SELECT age, count(*), max(email), avg(score) FROM \(Person.self) GROUP BY age ORDER BY age",
      as: (Int, Int, String?, Double?).self)
    #expect(rows.map(\.0) == [20, 36])
    #expect(rows.map(\.1) == [2, 1])
    #expect(rows.map(\.2) == [nil, "a@x"])
    #expect(rows.map(\.3) == [nil, nil])
    let date = Date(timeIntervalSince1970: 1_000.5)
    let uuid = UUID()
    let echoed = try main.fetch(
      sql: "SELECT \(date), \(uuid), \(true), \(Data([0, 1])), \(nil as Int?), \(Decimal(12.5)), \(UInt64.max)",
      as: (Date, UUID, Bool, Data, Int?, Decimal, UInt64).self)
    let first = try #require(echoed.first)
    #expect(first.0 == date && first.1 == uuid && first.2 && first.3 == Data([0, 1]))
    #expect(first.4 == nil && first.5 == Decimal(12.5) && first.6 == .max)
    #expect(try main.fetch(sql: "VALUES (1), (2)", as: Int.self) == [1, 2])
    #expect(try main.fetch(sql: "SELECT value FROM json_each(\("[3, 4]"))", as: Int.self) == [3, 4])
  }

  @Test(arguments: Place.usual)
  func `a value of another type is an error that names the column`(_ place: Place) throws {
    let (_, main) = try filled(place)
    for sql in ["SELECT email FROM \(Person.self)", "SELECT age AS email FROM \(Person.self)"] as [SQL] {
      let error = #expect(throws: StoreError.self) { try main.fetch(sql: sql, as: String.self) }
      #expect(error?.kind == .invalidValue)
      #expect(error?.message.contains("'email'") == true)
    }
    let error = #expect(throws: StoreError.self) { try main.fetch(sql: "SELECT 1, 2", as: Int.self) }
    #expect(error?.kind == .invalidQuery)
    #expect(error?.message.contains("2 columns") == true)
  }

  /// Whatever a value holds, it is no part of the SQL.
  @Test(arguments: Place.usual)
  func `a value stays a value`(_ place: Place) throws {
    let (_, main) = try filled(place)
    for text in ["' OR 1 --", "\"", "x'); DELETE FROM Person; --", "?1", ":a", "", "\0"] {
      #expect(try main.fetch(sql: "SELECT \(text)", as: String.self) == [text])
      #expect(try main.fetch(Person.self, sql: "SELECT _pk FROM \(Person.self) WHERE name = \(text)").isEmpty)
      #expect(try main.fetch(Person.where { SQL("\($0.name) = \(text)") }).isEmpty)
    }
    #expect(try main.count(Person.all) == 3)
    let error = #expect(throws: StoreError.self) { try main.fetch(sql: "SELECT * FORM \("secret")", as: Int.self) }
    #expect(error.map { "\($0)".contains("secret") } == false)
    #expect(error?.sql?.contains("FORM ?") == true)
  }

  @Test(arguments: Place.usual)
  func `lists, objects, queries and texts are parts`(_ place: Place) throws {
    let (_, main) = try filled(place)
    let ada = try #require(try main.fetch(Person.self, uid: 1))
    func names(_ condition: SQL) throws -> [String] {
      try main.fetch(sql: "SELECT name FROM \(Person.self) WHERE \(condition) ORDER BY uid", as: String.self)
    }
    #expect(try names("uid IN \([1, 3, 99])") == ["Ada", "Cid"])
    #expect(try names("uid IN \(Array(0...40_000))") == ["Ada", "Bob", "Cid"])
    #expect(try names("uid IN \([Int]())") == [])
    #expect(try names("email IN \([nil, "a@x"])") == ["Ada"])
    #expect(try names("boss = \(ada)") == ["Bob"])
    #expect(try names("boss = \(ada.entityID)") == ["Bob"])
    #expect(try names("boss IN (\(Person.where { $0.age == 20 }.sorted(by: \.name).limited(to: 1)))") == ["Cid"])
    #expect(try names("\(raw: "age") = 20") == ["Bob", "Cid"])
    #expect(try names("email IS \(nil as String?)") == ["Bob", "Cid"])
  }

  @Test(arguments: Place.usual)
  func `a value without a stored form is an error of the query`(_ place: Place) throws {
    let (_, main) = try filled(place)
    // JSON has no infinity.
    let sql = "SELECT \(["secret": Double.infinity])" as SQL
    for read in [{ _ = try main.fetch(sql: sql, as: String.self) }, { _ = try main.count(Person.where { _ in sql }) }] {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(error?.kind == .invalidValue)
      #expect(error.map { "\($0)".contains("secret") } == false)
    }
  }

  // MARK: Conditions

  @Test(arguments: Place.usual, [false, true])
  func `SQL is a condition among others`(_ place: Place, isSaved: Bool) throws {
    let (_, main) = try filled(place, isSaved: isSaved)
    func names(_ query: EntityQuery<Person>) throws -> [String] { try main.fetch(query).map(\.name) }
    #expect(try names(Person.where { SQL("\($0.name) GLOB \("[AB]*")") }) == ["Ada", "Bob"])
    // Neither binds more tightly than the SQL.
    #expect(try names(Person.where { SQL("\($0.uid) = 1 OR \($0.uid) = 3") && $0.age == 20 }) == ["Cid"])
    #expect(try names(Person.where { !SQL("\($0.email) LIKE \("%@%")") }) == ["Bob", "Cid"])
    #expect(try names(Person.where { SQL("\($0.boss.name) = \("Ada") AND \($0.reports.count) = 1") }) == ["Bob"])
    let noted = Person.where { person in
      SQL("EXISTS (SELECT 1 FROM \(Note.self) AS n WHERE n.person = \(person)._pk AND n.rank > \(1))")
    }
    #expect(try names(noted) == ["Ada"])
    #expect(try names(noted.inverted().sorted(by: \.name, .descending).limited(to: 1)) == ["Cid"])
    #expect(try names(Person.where { $0.boss.isIn(noted) }) == ["Bob"])
    #expect(try main.count(noted) == 1)
    let ages: [Int] = try main.fetch(noted.select { $0.age })
    #expect(ages == [36])
  }

  // MARK: Reads alone

  /// SQLite itself says of some of these that they only read.
  nonisolated static let refused = [
    "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a", "ATTACH ':memory:' AS b", "DETACH main",
    "REINDEX",
    "ANALYZE", "VACUUM", "VACUUM main", "DELETE FROM Person", "UPDATE Person SET age = 1 RETURNING _pk",
    "INSERT INTO Note (_pk) VALUES (1)", "DROP TABLE Note", "CREATE TABLE x (a)", "CREATE TEMP TABLE x (a)",
    "CREATE TEMP VIEW x AS SELECT 1", "ALTER TABLE Note ADD COLUMN x", "PRAGMA foreign_keys = OFF",
    "PRAGMA user_version",
    "PRAGMA main.journal_mode = DELETE", "SELECT load_extension('x')", "SELECT 1; SELECT 2",
    "SELECT 1; DELETE FROM Person",
    "WITH a AS (SELECT 1) DELETE FROM Person", "EXPLAIN COMMIT", "SELECT ?", "SELECT :a", "", ";", "-- nothing",
    "SELECT * FROM pragma_optimize", "SELECT count(*) FROM PRAGMA_optimize", "SELECT ?1", "SELECT * FROM Nobody",
    "SELECT nothing FROM Person", "SELECT",
  ]

  @Test(arguments: refused)
  func `SQL that is no read is refused and changes nothing`(_ text: String) async throws {
    let sql = "\(raw: text)" as SQL
    let (test, main) = try filled(.file)
    let edited = try #require(try main.fetch(Person.self, uid: 3))
    edited.name = "edited"
    #expect(errorKind { _ = try main.fetch(sql: sql, as: Int.self) } == .invalidQuery)
    #expect(errorKind { _ = try main.fetch(Person.self, sql: sql) } == .invalidQuery)
    #expect(errorKind { _ = try main.explain(sql: sql) } == .invalidQuery)
    #expect(
      await asyncErrorKind { _ = try await test.store.read { try $0.fetch(sql: sql, as: Int.self) } } == .invalidQuery)
    // The unit goes on, in its transaction.
    let kind = try await test.store.background { context in
      try context.insert(Note.self).rank = 7
      let kind = errorKind { _ = try context.fetch(sql: sql, as: Int.self) }
      try context.insert(Note.self).rank = 8
      return kind
    }
    #expect(kind == .invalidQuery)
    #expect(try main.count(Note.where { $0.rank > 6 }) == 2)
    #expect(try main.count(Person.where { $0.name == "edited" }) == 1)
    try await main.save()
    let error = await #expect(throws: StoreError.self) {
      try await test.store.background { context in
        try context.insert(Note.self).rank = 9
        _ = try context.fetch(sql: sql, as: Int.self)
      }
    }
    #expect(error?.kind == .invalidQuery)
    #expect(try main.count(Note.where { $0.rank == 9 }) == 0)
    #expect(try await test.store.check(.full).isEmpty)
  }

  /// The store has prepared these texts itself, and SQLite was asked for them by nobody else.
  @Test(arguments: Place.usual)
  func `SQL that the store itself prepared is refused`(_ place: Place) async throws {
    let (test, main) = try filled(place)
    #expect(errorKind { _ = try main.fetch(sql: "BEGIN DEFERRED", as: Int.self) } == .invalidQuery)
    #expect(errorKind { _ = try main.fetch(sql: "COMMIT", as: Int.self) } == .invalidQuery)
    let kind = try await test.store.background { context in
      errorKind { _ = try context.fetch(sql: "BEGIN IMMEDIATE", as: Int.self) }
    }
    #expect(kind == .invalidQuery)
    // A checked text lacks a value.
    #expect(try main.fetch(sql: "SELECT \(1)", as: Int.self) == [1])
    #expect(errorKind { _ = try main.fetch(sql: "SELECT ?", as: Int.self) } == .invalidQuery)
  }

  @Test(arguments: Place.usual)
  func `objects need one column of row ids`(_ place: Place) throws {
    let (_, main) = try filled(place)
    for sql in ["SELECT name FROM \(Person.self)", "SELECT * FROM \(Person.self) JOIN \(Note.self)"] as [SQL] {
      let error = #expect(throws: StoreError.self) { try main.fetch(Person.self, sql: sql) }
      #expect(error?.kind == .invalidQuery)
      #expect(error?.message.contains("'_pk'") == true)
    }
  }

  // MARK: Live

  @Test(arguments: Place.usual)
  func `observers hear of what the SQL read`(_ place: Place) async throws {
    let (test, _) = try filled(place)
    var ages = test.store.observe { try $0.fetch(sql: "SELECT sum(age) FROM \(Person.self)", as: Int.self) }
      .makeAsyncIterator()
    var ranks = test.store.observe { try $0.fetch(sql: "SELECT max(rank) FROM Note", as: Int.self) }
      .makeAsyncIterator()
    #expect(try await ages.next()?.get() == [76])
    #expect(try await ranks.next()?.get() == [2])
    try await test.store.background { context in
      try context.fetch(Person.self, uid: 1)?.age = 40
      try context.insert(Note.self).rank = 5
    }
    #expect(try await ages.next()?.get() == [80])
    #expect(try await ranks.next()?.get() == [5])
    // The second time it is prepared already.
    try await test.store.background { try $0.fetch(Person.self, uid: 1)?.age = 41 }
    #expect(try await ages.next()?.get() == [81])
  }

  @Test(arguments: Place.usual)
  func `live queries follow a condition in SQL`(_ place: Place) async throws {
    let (test, main) = try filled(place)
    let live = LiveQuery(
      Person.where { person in
        SQL("EXISTS (SELECT 1 FROM \(Note.self) AS n WHERE n.person = \(person)._pk AND n.rank > 5)")
      }, in: test.store)
    #expect(live.objects.isEmpty)
    try await test.store.background { context in
      let note = try context.insert(Note.self)
      note.rank = 6
      note.person = try context.fetch(Person.self, uid: 2)
    }
    #expect(live.objects.map(\.name) == ["Bob"])
    let note = try main.insert(Note.self)
    note.person = try main.fetch(Person.self, uid: 3)
    #expect(live.objects.map(\.name) == ["Bob"])
    note.rank = 6
    #expect(live.objects.map(\.name) == ["Bob", "Cid"])
    main.rollback()
    #expect(live.objects.map(\.name) == ["Bob"])
  }
}
