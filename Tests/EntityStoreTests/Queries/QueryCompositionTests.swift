import TestSchema
import Testing

@testable import EntityStore

/// Queries made of queries, and the short ways to ask one.
@MainActor
struct QueryCompositionTests {
  /// Ada (36), Bob (20, boss Ada), Cid (20, boss Bob) and Dan (50, boss Ada); Ada and Cid have an email.
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

  private func names(_ context: EntityContext, _ query: EntityQuery<Person>) throws -> String {
    let objects = try context.fetch(query)
    #expect(try context.ids(query) == objects.map(\.entityID))
    #expect(try context.exists(query) == !objects.isEmpty)
    #expect(try context.fetchOne(query) === objects.first)
    return objects.map(\.name).joined(separator: " ")
  }

  private func sql(_ query: EntityQuery<Person>, _ context: EntityContext) throws -> String {
    try query.sql("*").rendered(context.core.schema) { $0.name.quoted }.sql
  }

  @Test(arguments: Place.usual, [false, true])
  func `conditions add up`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let young = Person.where { $0.age < 40 }
    let silent = Person.where { $0.email == nil }
    #expect(try names(main, young.where { $0.email == nil }) == "Bob")
    #expect(try names(main, young.and(silent)) == "Bob")
    #expect(try names(main, young.or(silent)) == "Ada Bob Cid Dan")
    #expect(try names(main, Person.where { $0.age > 40 }.or(Person.where { $0.name == "Ada" })) == "Ada Dan")
    #expect(try names(main, young.inverted()) == "Dan")
    #expect(try names(main, Person.all.inverted()) == "")
    #expect(try names(main, Person.all.and(young)) == "Ada Bob Cid")
    #expect(try names(main, Person.all.or(young)) == "Ada Bob Cid Dan")
    // The order is that of the first one.
    #expect(try names(main, young.sorted(by: \.age).or(silent.sorted(by: \.name, .descending))) == "Bob Cid Ada Dan")
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `a condition on a limited query comes after its limit`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let youngest = Person.all.sorted(by: \.age).limited(to: 2)
    #expect(try names(main, youngest) == "Bob Cid")
    #expect(try names(main, youngest.where { $0.email != nil }) == "Cid")
    #expect(try names(main, youngest.and(Person.where { $0.email == nil })) == "Bob")
    #expect(try names(main, youngest.or(Person.where { $0.age > 40 }.limited(to: 1))) == "Bob Cid Dan")
    #expect(try names(main, youngest.inverted()) == "Ada Dan")
    #expect(try names(main, youngest.reversed()) == "Cid Bob")
    #expect(try names(main, youngest.unsorted().limited(to: 1)) == "Bob")
    #expect(try names(main, Person.all.limited(to: 2, offset: 1).reversed()) == "Cid Bob")
    #expect(try names(main, Person.all.limited(to: 0).or(youngest.where { $0.name == "Bob" })) == "Bob")
    #expect(try main.count(youngest) == 2)
    #expect(try main.count(youngest.where { $0.email != nil }) == 1)
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `a reversed query has the same objects the other way round`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    #expect(try names(main, Person.all.reversed()) == "Dan Cid Bob Ada")
    #expect(try names(main, Person.all.sorted(by: \.age).reversed()) == "Dan Ada Cid Bob")
    #expect(try names(main, Person.all.sorted(by: \.email, .descending).reversed()) == "Dan Bob Ada Cid")
    #expect(try names(main, Person.all.sorted(by: \.age).reversed().reversed()) == "Bob Cid Ada Dan")
    #expect(try names(main, Person.all.reversed().unsorted()) == "Ada Bob Cid Dan")
    #expect(try names(main, Person.all.reversed().sorted(by: \.age)) == "Cid Bob Ada Dan")
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual, [false, true])
  func `a subquery names its own rows`(_ place: Place, isSaved: Bool) async throws {
    let (test, main) = try await filled(place, isSaved: isSaved)
    let silent = Person.where { $0.email == nil }
    #expect(try names(main, Person.where { $0.boss.isIn(silent) }) == "Cid")
    #expect(try names(main, Person.where { !$0.boss.isIn(silent) }) == "Ada Bob Dan")
    #expect(try names(main, Person.where { $0.boss.boss.isIn(Person.all) }) == "Cid")
    #expect(try names(main, Person.where { $0.reports.any(in: silent) }) == "Ada")
    #expect(try names(main, Person.where { $0.reports.any(in: Person.all.sorted(by: \.age).limited(to: 1)) }) == "Ada")
    #expect(try names(main, silent.where { $0.boss.isIn(silent.inverted()) }) == "Bob Dan")
    // The same query within itself, and a closure that names the rows of those around it.
    #expect(try names(main, silent.where { $0.reports.any(in: silent.inverted()) || $0.boss.isIn(silent) }) == "Bob")
    #expect(
      try names(main, Person.where { person in person.reports.any(in: Person.where { $0.age >= person.age }) })
        == "Ada Bob")
    #expect(
      try names(main, silent.where { person in person.boss.isIn(silent.inverted().where { $0.age > person.age }) })
        == "Bob")
    #expect(
      try names(main, Person.all.where { person in person.boss.isIn(Person.all.where { $0.age > person.age }) })
        == "Bob")
    withExtendedLifetime(test) {}
  }

  @Test(arguments: Place.usual)
  func `children, drafts and units ask the same query`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    let young = Person.where { $0.age < 40 }
    let query = young.sorted(by: \.age).limited(to: 3).where { $0.boss.isIn(young) }
    let child = try main.child()
    try #require(try child.fetch(Person.self, uid: 1)).age = 45
    let dan = try #require(try main.fetch(Person.self, uid: 4))
    let draft = try main.edit(dan)
    draft.object.age = 10
    #expect(try names(main, query) == "Bob Cid")
    #expect(try names(child, query) == "Cid")
    #expect(try names(draft.context, query) == "Dan Bob Cid")
    let found = try await test.store.read { try $0.fetch(query).map(\.name) }
    #expect(found == ["Bob", "Cid"])
    let inUnit = try await test.store.background { context in
      try #require(try context.fetch(Person.self, uid: 1)).age = 45
      return try context.ids(query).compactMap { try context.object($0)?.name }
    }
    #expect(inUnit == ["Cid"])
  }

  @Test(arguments: Place.usual)
  func `placeholders are seen by the side of a query that asks for them`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    try await test.store.core.unit { rows in
      let model = try rows.schema.model(Person.self)
      for uid in [7, 8] { _ = try rows.row(model, uid: .integer(Int64(uid))) }
    }
    func uids(_ query: EntityQuery<Person>) throws -> [Int] { try main.fetch(query).map(\.uid) }
    #expect(try uids(Person.placeholders.or(Person.where { $0.age > 40 })) == [4, 7, 8])
    #expect(try uids(Person.all.including(.placeholders).and(Person.all)) == [1, 2, 3, 4])
    #expect(try uids(Person.placeholders.and(Person.all)) == [])
    #expect(try uids(Person.placeholders.where { $0.uid == 7 }.inverted()) == [8])
    #expect(try uids(Person.all.including(.placeholders).limited(to: 5).where { $0.uid > 3 }) == [4, 7])
  }

  @Test func `the SQL of composed queries`() throws {
    let test = try TestStore(.memory)
    let main = test.store.main
    let old = Person.where { $0.age > 21 }
    let order = #" ORDER BY t0._pk"#
    #expect(
      try sql(old.where { $0.email == nil }, main)
        == #"SELECT * FROM "Person" AS t0 WHERE ((t0."age" > ? AND t0."email" IS NULL) AND t0._placeholder = 0)"#
        + order)
    #expect(
      try sql(old.or(Person.where { $0.email == nil }), main)
        == #"SELECT * FROM "Person" AS t0 WHERE ((t0."age" > ? OR t0."email" IS NULL) AND t0._placeholder = 0)"# + order
    )
    #expect(
      try sql(old.inverted(), main)
        == #"SELECT * FROM "Person" AS t0 WHERE ((t0."age" > ?) IS NOT TRUE AND t0._placeholder = 0)"# + order)
    #expect(
      try sql(Person.all.sorted(by: \.age, .descending).limited(to: 20).reversed(), main)
        == #"SELECT * FROM "Person" AS t0 WHERE (t0._pk IN (SELECT t1._pk FROM "Person" AS t1 WHERE t1._placeholder = 0 "#
        + #"ORDER BY t1."age" DESC, t1._pk LIMIT ? OFFSET ?) AND t0._placeholder = 0) ORDER BY t0."age", t0._pk DESC"#)
    #expect(
      try sql(Person.where { $0.boss.isIn(old) }, main)
        == #"SELECT * FROM "Person" AS t0 WHERE (t0."boss" IN (SELECT t1._pk FROM "Person" AS t1 "#
        + #"WHERE (t1."age" > ? AND t1._placeholder = 0)) AND t0._placeholder = 0)"# + order)
    #expect(
      try sql(Person.where { $0.reports.any(in: old) }, main)
        == #"SELECT * FROM "Person" AS t0 WHERE (EXISTS (SELECT 1 FROM "Person" AS t1 WHERE t1."boss" = t0._pk "#
        + #"AND (t1."age" > ? AND t1._placeholder = 0)) AND t0._placeholder = 0)"# + order)
  }

  /// A live query of one value notes the rows of its result: commits of other rows do not run it.
  @Test func `a condition that is added keeps a live query narrow`() throws {
    let query = Note.where { $0.rank == 3 }
    #expect(query.need != nil)
    #expect(query.where { $0.text != "" }.need != nil)
    #expect(query.and(Note.all).need != nil)
    #expect(query.or(Note.where { $0.rank == 4 }).need == nil)
    #expect(query.inverted().need == nil)
    #expect(query.limited(to: 3).where { $0.text != "" }.need == nil)
  }

  @Test(arguments: Place.usual)
  func `a live query follows its subqueries`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    let query = Person.where { $0.boss.isIn(Person.where { $0.email == nil }) }
    let live = LiveQuery(query, in: test.store)
    #expect(live.objects.map(\.name) == ["Cid"])
    try #require(try main.fetch(Person.self, uid: 1)).email = nil
    #expect(live.objects.map(\.name) == ["Bob", "Cid", "Dan"])
    main.rollback()
    #expect(live.objects.map(\.name) == ["Cid"])
    try await test.store.background { context in try #require(try context.fetch(Person.self, uid: 2)).email = "b" }
    #expect(try main.fetch(Person.self, uid: 2)?.email == "b")
    #expect(live.objects.map(\.name) == [])
  }

  /// SQLite reads a hundred parentheses within each other at most.
  @Test(arguments: Place.usual)
  func `many conditions are one query`(_ place: Place) async throws {
    let (test, main) = try await filled(place, isSaved: true)
    let all = (1...400).reduce(Person.all) { query, number in query.where { $0.age < 50 + number } }
    #expect(try names(main, all) == "Ada Bob Cid Dan")
    let any = (1...400).reduce(Person.where { $0.age == 50 }) { query, number in
      query.or(Person.where { $0.uid == number + 3 })
    }
    #expect(try names(main, any) == "Dan")
    let right = (1...400).reduce(Person.where { $0.age == 50 }) { query, number in
      Person.where { $0.uid == number + 3 }.or(query)
    }
    #expect(try names(main, right) == "Dan")
    // Conditions that another word joins keep their parentheses.
    let mixed = Person.where { ($0.age == 20 || $0.age == 50) && ($0.name == "Bob" || $0.name == "Ada") }
    #expect(try names(main, mixed) == "Bob")
    #expect(try names(main, Person.where { !($0.age == 20 && $0.name == "Bob") && $0.age < 50 }) == "Ada Cid")
    withExtendedLifetime(test) {}
  }
}
