import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Queries of objects by their entries of the outbox.
@MainActor struct OutboxQueryTests {
  private let refused = Person.where { $0.hasOutboxEntry(in: .refused, .gone) }.sorted(by: \.uid)

  @Test(arguments: Place.usual)
  func `a query finds the objects with entries of a state`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place, ["Ada", "Bob", "Cid"])
    let main = test.store.main
    #expect(try main.fetch(refused) == [])
    try await test.addEntry(of: try test.person(1).entityID, .update, .refused)
    try await test.addEntry(of: try test.person(1).entityID, .command, .refused)
    try await test.addEntry(of: try test.person(2).entityID, .update, .sending)
    try await test.addEntry(of: try test.person(3).entityID, .update, .gone)
    // Another entity may have an object with the row id.
    try await test.store.core.unit { rows in
      let team = try rows.schema.model(Team.self).number
      let pk = try #require(try rows.outbox.all().first { $0.state == .sending }).key.pk
      try rows.outbox.insert(OutboxEntry(key: RowKey(entity: team, pk: pk), kind: .update, state: .refused, time: 1))
    }
    #expect(try main.fetch(refused).map(\.uid) == [1, 3])
    #expect(try main.fetch(Person.where { !$0.hasOutboxEntry(in: .refused, .gone) }).map(\.uid) == [2])
    #expect(try main.count(Person.where { $0.hasOutboxEntry(in: .sending) && $0.name == "Bob" }) == 1)
    #expect(try main.fetch(Person.where { $0.hasOutboxEntry(in: []) }) == [])
    #expect(try main.count(Person.where { $0.hasOutboxEntry(in: OutboxEntry.State.allCases) }) == 3)
    // Unsaved changes lie over the table.
    try test.person(1).name = "unsaved"
    _ = try main.insert(Person.self)
    #expect(try main.fetch(refused).map(\.uid) == [1, 3])
  }

  @Test(arguments: Place.usual)
  func `a live query runs again when entries change`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let live = LiveQuery(refused, in: test.store)
    let one = LiveQuery(Person.where { $0.uid == 1 && $0.hasOutboxEntry(in: .refused) }, in: test.store)
    #expect(live.objects.isEmpty && one.objects.isEmpty)
    let number = try await test.addEntry(of: try test.person(1).entityID, .update, .refused)
    #expect(live.objects.map(\.uid) == [1])
    #expect(one.objects.map(\.uid) == [1])
    var entry = try #require(try await test.entries().first)
    entry.state = .waiting
    try await test.store.core.unit { [entry] in try $0.outbox.update(entry) }
    #expect(live.objects.isEmpty && one.objects.isEmpty)
    entry.state = .gone
    try await test.store.core.unit { [entry] in try $0.outbox.update(entry) }
    #expect(live.objects.map(\.uid) == [1])
    try await test.store.core.unit { try $0.outbox.remove(numbers: [number]) }
    #expect(live.objects.isEmpty)
  }

  @Test func `the condition is one search in the index of the entries`() async throws {
    let test = try await TestStore.ofServer(.memory)
    let plan = try test.store.main.explain(Person.where { $0.hasOutboxEntry(in: .refused) })
    #expect(plan.steps.contains { $0.text.contains("_entity_outbox,pk") }, "\(plan)")
    #expect(
      plan.sql.contains(
        "EXISTS (SELECT 1 FROM main._entity_outbox AS e WHERE e.entity = ? AND e.pk = t0._pk AND e.state IN (?))"),
      "\(plan.sql)")
  }
}
