import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Projections: values instead of objects.
@MainActor
struct ValueQueryTests {
  /// Ada (36, no score), Bob (20, boss Ada), Cid (20, boss Bob) and Dan (50, boss Ada); Ada and Cid have an email.
  private func filled(_ place: Place, isSaved: Bool) async throws -> (test: TestStore, main: EntityContext) {
    let test = try TestStore(place)
    let main = test.store.main
    var people: [Person] = []
    for (uid, (name, email, age)) in [
      ("Ada", "a@x", 36), ("Bob", nil, 20), ("Cid", "c@x", 20), ("Dan", nil, 50),
    ].enumerated() {
      let person = try main.insert(Person.self)
      (person.uid, person.name, person.email, person.age) = (uid + 1, name, email, age)
      people.append(person)
    }
    (people[1].boss, people[2].boss, people[3].boss) = (people[0], people[1], people[0])
    if isSaved { try await main.save() }
    return (test, main)
  }

  @Test(arguments: Place.usual, [false, true])
  func `values come in the order of the query`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let rows: [(String, Int, String?)] = try main.fetch(
      Person.all.sorted(by: \.age, .descending).select { ($0.name, $0.age, $0.email) })
    #expect(rows.map(\.0) == ["Dan", "Ada", "Bob", "Cid"])
    #expect(rows.map(\.1) == [50, 36, 20, 20])
    #expect(rows.map(\.2) == [nil, "a@x", nil, "c@x"])
    // One value is no tuple.
    let names: [String] = try main.fetch(Person.where { $0.age > 20 }.select { $0.name })
    #expect(names == ["Ada", "Dan"])
    let linked = try main.fetch(Person.all.select { ($0.boss.name, $0.boss.boss.age, $0.reports.count) })
    #expect(linked.map(\.0) == [nil, "Ada", "Bob", "Ada"])
    #expect(linked.map(\.1) == [nil, nil, 36, nil])
    #expect(linked.map(\.2) == [2, 1, 0, 0])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `ids and links are values`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let people = try main.fetch(Person.all)
    let rows = try main.fetch(Person.all.select { ($0.entityID, $0.boss) })
    #expect(rows.map(\.0) == people.map(\.entityID))
    #expect(rows.map(\.1) == people.map { $0.boss?.entityID })
    // A link to an object whose deletion is not saved is none.
    try main.delete(people[0])
    #expect(try main.fetch(Person.all.select { $0.boss }) == [nil, people[1].entityID, nil])
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `distinct values come where they come first`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let ages = Person.all.select { $0.age }
    #expect(try main.fetch(ages) == [36, 20, 20, 50])
    #expect(try main.fetch(ages.distinct()) == [36, 20, 50])
    #expect(try main.fetch(Person.all.reversed().select { $0.age }.distinct()) == [50, 20, 36])
    let sorted = try main.fetch(Person.all.sorted(by: \.age).select { $0.age }.distinct())
    #expect(sorted == [20, 36, 50])
    let byName = try main.fetch(Person.all.sorted(by: \.name, .descending).select { $0.age }.distinct())
    #expect(byName == [50, 20, 36])
    #expect(try main.fetch(Person.all.select { $0.boss.name }.distinct()) == [nil, "Ada", "Bob"])
    #expect(try main.fetch(ages.distinct().limited(to: 1, offset: 1)) == [20])
    // The limit of the query comes first.
    #expect(try main.fetch(Person.all.limited(to: 3, offset: 1).select { $0.age }.distinct()) == [20, 50])
    #expect(try main.fetch(Person.all.limited(to: 3).select { $0.age }.limited(to: 5, offset: 2)) == [20])
    #expect(try main.fetch(Person.all.limited(to: 3, offset: 1).select { $0.name }.limited(to: 2)) == ["Bob", "Cid"])
    #expect(
      try main.fetch(Person.all.limited(to: .max, offset: .max).select { $0.name }.limited(to: 2, offset: .max)).isEmpty
    )
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `every context has its own values`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    let query = Person.where { $0.age > 30 }.sorted(by: \.age).select { ($0.name, $0.age) }
    func text(_ context: EntityContext) throws -> String {
      try context.fetch(query).map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }
    try #require(try main.fetch(Person.self, uid: 2)).age = 70
    let child = try main.child()
    try #require(try child.fetch(Person.self, uid: 1)).age = 80
    let draft = try main.draft(Person.self)
    (draft.object.name, draft.object.age) = ("Eve", 90)
    #expect(try text(main) == "Ada 36, Dan 50, Bob 70")
    #expect(try text(child) == "Dan 50, Bob 70, Ada 80")
    #expect(try text(draft.context) == "Ada 36, Dan 50, Bob 70, Eve 90")
    let read = try await test.store.read { try $0.fetch(query).map(\.0) }
    #expect(read == ["Ada", "Dan"])
    let written = try await test.store.background { context in
      try #require(try context.fetch(Person.self, uid: 4)).age = 1
      return try context.fetch(query).map(\.0)
    }
    #expect(written == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `values read as properties do`(_ place: Place) async throws {
    let test = try TestStore(place, [Kinds.self])
    let main = test.store.main
    for uid in 1...2 {
      let kinds = try main.insert(Kinds.self)
      (kinds.uid, kinds.rank, kinds.maybeRank) = (uid, .chief, .chief)
      (kinds.decimal, kinds.setup, kinds.tags) = (Decimal(uid) / 4, Setup(isDark: false), ["t\(uid)"])
      kinds.url = try #require(URL(string: "https://example.com/\(uid)"))
    }
    try await main.save()
    // Another program writes raw values and JSON that the types do not have.
    try await test.store.core.unit { rows in
      try rows.connection.execute(
        #"UPDATE main."Kinds" SET "rank" = 'king', "maybeRank" = 'king', "setup" = '{', "maybeTags" = '1' WHERE "uid" = 2"#
      )
    }
    let objects = try await test.store.read { context in
      try context.fetch(Kinds.all).map { ($0.rank, $0.maybeRank, $0.setup, $0.maybeTags, $0.decimal, $0.url) }
    }
    let values = try await test.store.read { context in
      try context.fetch(
        Kinds.all.select { ($0.rank, $0.maybeRank, $0.setup, $0.maybeTags, $0.decimal, $0.url) })
    }
    #expect(values.map(\.0) == [.chief, .member])
    #expect(values.map(\.0) == objects.map(\.0))
    #expect(values.map(\.1) == objects.map(\.1))
    #expect(values.map(\.2) == objects.map(\.2))
    #expect(values.map(\.3) == objects.map(\.3))
    #expect(values.map(\.4) == objects.map(\.4))
    #expect(values.map(\.5) == objects.map(\.5))
  }

  @Test(arguments: Place.usual)
  func `an observation of values runs again`(_ place: Place) async throws {
    let (test, _) = try await filled(place, isSaved: true)
    let query = Person.all.sorted(by: \.name).select { $0.name }.distinct()
    var seen = test.store.observe { try $0.fetch(query) }.makeAsyncIterator()
    #expect(try await seen.next()?.get() == ["Ada", "Bob", "Cid", "Dan"])
    try await test.store.addPerson(9, "Eve")
    #expect(try await seen.next()?.get() == ["Ada", "Bob", "Cid", "Dan", "Eve"])
  }

  /// The compiler takes a closure that gives no value for one of an empty pack.
  @Test func `a query that selects nothing is refused`() throws {
    let test = try TestStore(.memory)
    let main = test.store.main
    #expect(errorKind { _ = try main.fetch(Person.all.select { _ in }) } == .invalidQuery)
    #expect(errorKind { try main.aggregate(Person.all) { _ in } } == .invalidQuery)
    #expect(errorKind { _ = try main.fetch(Person.all.grouped { _ in }.select { $0.count }) } == .invalidQuery)
    #expect(errorKind { _ = try main.fetch(Person.all.grouped { $0.name }.select { _ in }) } == .invalidQuery)
  }

  /// The type of one value is known within the expression that fetches it.
  @Test(arguments: Place.usual)
  func `the type of a fetched value is known where the value is used`(_ place: Place) async throws {
    let (test, _) = try await filled(place, isSaved: false)
    let main = test.store.main
    let names = try main.fetch(Person.all).map(\.name)
    #expect(try Set(main.fetch(Person.all.select { $0.name })) == Set(names))
    #expect(try main.fetch(Person.all.select { $0.name }.distinct()).contains(names[0]))
    #expect(try main.fetch(Person.all.select { $0.name }).map { $0.count } == names.map(\.count))
    #expect(
      try main.aggregate(Person.all) { $0.count } + main.aggregate(Person.all) { $0.sum { $0.age * 0 } } == names.count)
  }

  @Test func `the SQL of values`() throws {
    let test = try TestStore(.memory)
    let schema = test.store.core.schema
    func sql<E, Values>(_ query: ValueQuery<E, Values>) throws -> String {
      try query.sql().rendered(schema) { $0.name.quoted }.sql
    }
    #expect(
      try sql(Person.all.sorted(by: \.age).select { ($0.name, $0.boss.age) })
        == #"SELECT t0."name", (SELECT p."age" FROM "Person" AS p WHERE p._pk = t0."boss") "#
        + #"FROM "Person" AS t0 WHERE t0._placeholder = 0 ORDER BY t0."age", t0._pk"#)
    #expect(
      try sql(Person.all.select { $0.age }.distinct().limited(to: 3))
        == #"SELECT v0 FROM (SELECT t0."age" AS v0, t0._pk AS n FROM "Person" AS t0 WHERE t0._placeholder = 0) "#
        + #"GROUP BY v0 ORDER BY min(n) LIMIT ? OFFSET ?"#)
    #expect(
      try sql(Person.all.sorted(by: \.age).select { $0.name }.distinct())
        == #"SELECT v0 FROM (SELECT t0."name" AS v0, row_number() OVER (ORDER BY t0."age", t0._pk) AS n "#
        + #"FROM "Person" AS t0 WHERE t0._placeholder = 0) GROUP BY v0 ORDER BY min(n)"#)
    // A row that only a value names gets its number after the row that is fetched.
    #expect(
      try sql(Person.all.select { $0.reports.count })
        == #"SELECT (SELECT count(*) FROM (SELECT 1 FROM "Person" AS t1 WHERE t1."boss" = t0._pk LIMIT -1)) "#
        + #"FROM "Person" AS t0 WHERE t0._placeholder = 0 ORDER BY t0._pk"#)
    #expect(
      try sql(
        Person.all.grouped { ($0.age, $0.email) }.having { $0.count > 1 }.sorted(.descending) { $0.count }
          .select { ($0.key.0, $0.average { $0.score }) })
        == #"SELECT t0."age", avg(t0."score") FROM "Person" AS t0 WHERE t0._placeholder = 0 "#
        + #"GROUP BY t0."age", t0."email" HAVING count(*) > ? ORDER BY count(*) DESC, t0."age", t0."email""#)
  }
}
