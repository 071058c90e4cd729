import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The facts that a tool learns of the live queries of a store.
@MainActor
struct LiveQueryFactsTests {
  @Test func `each live query has its SQL, its rows, its runs and its last run`() async throws {
    let test = try TestStore(.file)
    let store = test.store
    #expect(store.liveQueryFacts.isEmpty)
    #expect(store.mainContext == nil, "asking makes no main context")
    try await store.addPerson(1, "Ann", age: 30)
    var adults: LiveQuery<Person>? = LiveQuery(Person.where { $0.age > 18 }, in: store)
    let all = LiveQuery(Person.all, in: store)
    #expect(store.liveQueryFacts.map(\.runs) == [0, 0])
    #expect(store.liveQueryFacts.allSatisfy { $0.last == nil })
    let start = Date()
    #expect(adults?.objects.count == 1)
    let facts = try #require(store.liveQueryFacts.first)
    #expect(facts.entity == "Person" && facts.rows == 1 && facts.runs == 1 && facts.failure == nil)
    #expect(facts.sql.contains("\"age\" > ?") && facts.values == [.integer(18)])
    #expect(try #require(facts.last).time >= start)
    try await store.addPerson(2, "Bo", age: 40)
    #expect(adults?.objects.count == 2 && all.objects.count == 2)
    #expect(store.liveQueryFacts.map(\.runs) == [2, 1])
    adults = nil
    #expect(store.liveQueryFacts.map(\.rows) == [2])
  }
}
