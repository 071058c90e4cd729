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

  @Test(arguments: Place.allCases, [false, true])
  func eachQueryIsCounted(_ place: Place, withUnsavedChanges isEdited: Bool) async throws {
    let test = try TestStore(place)
    try await test.store.addPerson(1)
    let main = test.store.main
    if isEdited { try #require(try main.fetchOne(Person.all)).age = 4 }
    // What the first query over unsaved changes prepares is no query.
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
}
