import TestSchema
import Testing

@testable import EntityStore

/// The statistics of a context name each statement that its queries run.
@MainActor struct StatisticsTests {
  private static let calls:
    [(name: String, values: Int, fetches: Int, run: @MainActor (EntityContext) throws -> Void)] = [
      ("a projection", 1, 0, { _ = try $0.fetch(Person.all.select { ($0.name, $0.age) }) }),
      ("distinct values", 1, 0, { _ = try $0.fetch(Person.all.select { $0.name }.distinct()) }),
      ("groups", 1, 0, { _ = try $0.fetch(Person.all.grouped { $0.name }.select { ($0.key, $0.count) }) }),
      ("an aggregate", 1, 0, { _ = try $0.aggregate(Person.all) { $0.max { $0.age } } }),
      ("aggregates", 1, 0, { _ = try $0.aggregate(Person.all) { ($0.count, $0.max { $0.age }) } }),
      ("a count", 1, 0, { _ = try $0.count(Person.where { $0.age > 3 }) }),
      ("the count of three entities", 3, 0, { _ = try $0.count() }),
      ("the question whether there is one", 1, 0, { _ = try $0.exists(Person.all) }),
      ("ids", 1, 0, { _ = try $0.ids(Person.all) }),
      ("values of SQL", 1, 0, { _ = try $0.fetch(sql: "SELECT count(*) FROM \(Person.self)", as: Int.self) }),
      ("objects", 0, 1, { _ = try $0.fetch(Person.all) }),
      ("one object", 0, 1, { _ = try $0.fetchOne(Person.all) }),
      ("an object by its uid", 0, 1, { _ = try $0.fetch(Person.self, uid: 1) }),
      ("a page", 0, 1, { _ = try $0.fetch(Person.all, page: 2) }),
    ]

  @Test(arguments: Place.usual, [false, true])
  func `each query is counted`(_ place: Place, withUnsavedChanges isEdited: Bool) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1)
    let main = test.store.main
    if isEdited { try #require(try main.fetchOne(Person.all)).age = 4 }
    // The first query over unsaved changes also prepares their tables, which is no query.
    _ = try main.count()
    for (name, values, fetches, run) in Self.calls {
      main.resetStatistics()
      let statements = try StatementTrace().statements(on: main.connection) { try run(main) }
      let counts = main.statistics
      #expect(counts.valueQueries == values, "\(name)")
      #expect(counts.fetches == fetches, "\(name)")
      #expect(counts.statements == values + fetches, "\(name)")
      #expect(statements.count == counts.statements, "\(name): \(statements)")
    }
  }

  /// The rows that an update or a deletion finds in a unit are a query for values, each once.
  @Test(arguments: Place.usual) func `an update and a deletion by query count what they read`(_ place: Place)
    async throws
  {
    let test = try TestStore(place)
    for uid in 1...3 { try await test.store.addPerson(uid) }
    try await test.store.background { context in
      try context.update(Person.all) { $0.set(\.age) { $0.age + 1 } }
      #expect(context.statistics.valueQueries == 1)
      try context.delete(Person.where { $0.uid == 3 })
      #expect(context.statistics.valueQueries == 2)
      #expect(context.statistics.statements == 2)
    }
    // The main context reads the objects and their values.
    let main = test.store.main
    main.resetStatistics()
    try main.update(Person.all) { $0.set(\.age) { $0.age + 1 } }
    #expect(main.statistics.fetches == 1)
    #expect(main.statistics.valueQueries == 1)
    #expect(main.statistics.statements == 2)
  }

  @Test(arguments: Place.usual) func `each run of a live query is a fetch`(_ place: Place) async throws {
    let test = try TestStore(place)
    for uid in 1...3 { try await test.store.addPerson(uid) }
    let main = test.store.main
    let live = LiveQuery(Person.where { $0.age == 0 }, in: test.store)
    #expect(live.objects.count == 3)
    #expect(main.statistics.fetches == 1)
    for number in 1...2 {
      main.resetStatistics()
      try await test.store.background { try $0.fetch(Person.self, uid: number)?.age = 4 }
      #expect(live.objects.count == 3 - number)
      #expect(main.statistics.fetches == 1)
    }
  }
}
