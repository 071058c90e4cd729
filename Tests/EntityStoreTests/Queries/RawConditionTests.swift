import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// SQL of an app as a condition: it is checked as SQL that is fetched.
@MainActor
struct RawConditionTests {
  private func filled(_ place: Place) throws -> TestStore {
    let test = try TestStore(place)
    for (uid, age) in [20, 30, 40].enumerated() {
      let person = try test.store.main.insert(Person.self)
      (person.uid, person.name, person.age) = (uid + 1, "P\(uid + 1)", age)
    }
    try test.store.main.saveAtOnce()
    return test
  }

  /// All that takes a query.
  private static let uses: [@Sendable (EntityContext, EntityQuery<Person>) throws -> Void] = [
    { _ = try $0.fetch($1) }, { _ = try $0.count($1) }, { _ = try $0.fetch($1, page: 2) }, { _ = try $0.explain($1) },
    { _ = try $0.fetch($1.select { $0.age }) }, { _ = try $0.exists($1) },
  ]

  /// Such a parameter would take the value of another one.
  @Test(arguments: Place.usual, ["?", "?1", "?2", ":a", "@a", "$a"])
  func `a parameter that the SQL names itself is refused`(_ place: Place, _ parameter: String) async throws {
    let test = try filled(place)
    let main = test.store.main
    let queries: [EntityQuery<Person>] = [
      Person.where { SQL("age < \(raw: parameter)") && $0.uid == 1 },
      Person.where { $0.uid == 1 && SQL("age < \(raw: parameter)") },
      Person.where { _ in SQL("age < \(raw: parameter)") }.limited(to: 1),
    ]
    for query in queries {
      for use in Self.uses {
        #expect(errorKind { try use(main, query) } == .invalidQuery)
        #expect(await asyncErrorKind { try await test.store.read { try use($0, query) } } == .invalidQuery)
      }
      let kinds = try await test.store.background { context in
        [
          errorKind { _ = try context.delete(query) },
          errorKind { _ = try context.update(query) { $0.set(\.age, to: 7) } },
        ]
      }
      #expect(kinds == [.invalidQuery, .invalidQuery])
      let live = LiveQuery(query, in: test.store)
      #expect((live.error as? StoreError)?.kind == .invalidQuery)
    }
    #expect(try main.fetch(Person.all).map(\.age) == [20, 30, 40])
  }

  @Test(
    arguments: Place.usual,
    [
      "nmae = 'x'", "age <", "1) UNION DELETE FROM Person --", "1)); DELETE FROM Person; --",
      "EXISTS (SELECT * FROM pragma_optimize)", "load_extension('x')", "uid IN (SELECT uid FROM Nobody)",
    ])
  func `a mistake in raw SQL is an error of the query`(_ place: Place, _ text: String) async throws {
    let test = try filled(place)
    let query = Person.where { _ in SQL("\(raw: text)") }
    for use in Self.uses {
      #expect(errorKind { try use(test.store.main, query) } == .invalidQuery)
      // The unit goes on.
      let kind = try await test.store.background { context in
        let kind = errorKind { try use(context, query) }
        try context.insert(Note.self).rank = 7
        return kind
      }
      #expect(kind == .invalidQuery)
    }
    #expect(try test.store.main.count(Person.all) == 3)
    #expect(try test.store.main.count(Note.where { $0.rank == 7 }) == Self.uses.count)
  }

  @Test(arguments: Place.usual)
  func `a function that fails tells no value`(_ place: Place) throws {
    let test = try filled(place)
    let main = test.store.main
    for read in [
      { _ = try main.fetch(sql: "SELECT json_extract('{}', \("sec'ret"))", as: String.self) },
      { _ = try main.fetch(Person.where { _ in SQL("json_extract('{}', \("sec'ret")) = 1") }) },
      { _ = try main.fetch(Person.self, sql: "SELECT json_set('{}', \("sec'ret"), 1) AS _pk FROM Person") },
    ] {
      let error = #expect(throws: StoreError.self) { try read() }
      #expect(error?.message.contains("JSON path error near '…'") == true, "\(error?.message ?? "")")
      #expect(error.map { "\($0)".contains("ret") && "\($0)".contains("sec") } == false)
    }
  }

  /// The store knows nothing of what a commit changes there.
  @Test(arguments: Place.usual)
  func `observers of a table of no entity hear of each commit`(_ place: Place) async throws {
    let test = try filled(place)
    var generations = test.store.observe {
      try $0.fetch(sql: "SELECT value FROM _entity_store WHERE key = 'generation'", as: Int.self)
    }.makeAsyncIterator()
    let first = try #require(try await generations.next()?.get().first)
    try await test.store.background { try $0.insert(Note.self).rank = 1 }
    #expect(try await generations.next()?.get() == [first + 1])
    // A list of values and a function of rows are no tables of the file.
    let region = try test.store.main.results.region(
      of: Person.where { SQL("\($0.uid) IN \([1, 2]) OR uid IN (SELECT value FROM json_each('[3]'))") })
    #expect(region.isOf(try test.store.core.schema.model(Person.self).number))
  }

  /// A name that SQL of the app gives to its rows is none of the store's, wherever the query stands.
  @Test(arguments: Place.usual, ["t0", "t1", "T2", "t3"])
  func `row names that the SQL of an app uses are not taken by the store`(_ place: Place, _ name: String) async throws {
    let test = try filled(place)
    let main = test.store.main
    let people = try main.fetch(Person.all.sorted(by: \.uid))
    (people[1].boss, people[2].boss) = (people[0], people[1])
    try main.insert(Note.self).person = people[0]
    for isSaved in [false, true] {
      if isSaved { try main.saveAtOnce() }
      let noted = Person.where { person in
        SQL("EXISTS (SELECT 1 FROM \(Note.self) AS \(raw: name) WHERE \(raw: name).person = \(person)._pk)")
      }
      #expect(try main.fetch(noted).map(\.uid) == [1])
      #expect(try main.fetch(Person.where { $0.boss.isIn(noted) }).map(\.uid) == [2])
      #expect(try main.fetch(noted.limited(to: 3).where { $0.age > 1 }).map(\.uid) == [1])
      #expect(try main.fetch(Person.where { $0.reports.any { $0.boss.isIn(noted) } }).map(\.uid) == [1])
    }
  }

  @Test(arguments: Place.usual)
  func `a condition is one operand`(_ place: Place) async throws {
    let test = try filled(place)
    let main = test.store.main
    let same = Person.where { SQL("\($0.age == 20) = \($0.name == "P1")") }
    #expect(try main.fetch(same).map(\.uid) == [1, 2, 3])
    let both = Person.where { SQL("\($0.age > 20) + \($0.uid > 2) >= \(2)") }
    #expect(try main.fetch(both).map(\.uid) == [3])
  }
}
