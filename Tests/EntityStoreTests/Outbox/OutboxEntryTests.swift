import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// The entries of the outbox in the file.
@MainActor struct OutboxEntryTests {
  private func full(_ key: RowKey) -> OutboxEntry {
    var entry = OutboxEntry(key: key, kind: .command, state: .refused, time: 1_763_800_000.5)
    (entry.name, entry.request, entry.body, entry.sent) = (
      "cancel", #"{"m":"POST"}"#, Data([0, 1, 0xFF]), #"{"name":"x"}"#
    )
    (entry.idempotencyKey, entry.uid, entry.attempts, entry.next) = ("k", "1", 3, 1_763_800_001.25)
    (entry.edited, entry.status, entry.reason, entry.answer) = (17, 422, "name: too long", Data("{}".utf8))
    entry.kept = #"{"name":"kept \" 𝄞"}"#
    return entry
  }

  @Test(arguments: Place.usual)
  func `an entry keeps all its fields`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    let (store, key) = (test.store, try test.key(ada.entityID))
    var entry = full(key)
    let small = OutboxEntry(key: key, kind: .create, state: .sending, time: 2)
    let numbers = try await store.core.unit { [entry] in [try $0.outbox.insert(entry), try $0.outbox.insert(small)] }
    #expect(numbers == [1, 2])
    entry.number = 1
    var second = small
    second.number = 2
    #expect(try await test.entries() == [entry, second])
    #expect(try store.main.pendingEdits.outboxEntries(of: key) == [entry, second])
    #expect(try store.main.pendingEdits.outboxEntries(of: RowKey(entity: key.entity, pk: key.pk + 1)) == [])
    (second.state, second.kind, second.body, second.next) = (.conflict, .update, Data(), nil)
    try await store.core.unit { [second] rows in
      try rows.outbox.update(second)
      #expect(try rows.outbox.entry(number: 2) == second)
      #expect(try rows.outbox.entry(number: 3) == nil)
      #expect(try rows.outbox.entries(of: key).map(\.number) == [1, 2])
      #expect(try rows.outbox.all().count == 2)
    }
    #expect(try await test.entries().last == second)
    try await store.core.unit { try $0.outbox.remove(numbers: [1, 2, 99]) }
    #expect(try await test.entries().isEmpty)
    // A number is never given twice, and an entry that was removed does not come back.
    try await store.core.unit { [second] in try $0.outbox.update(second) }
    #expect(try await test.entries().isEmpty)
    #expect(try await test.addEntry(of: ada.entityID, .deletion, .waiting) == 3)
  }

  @Test(arguments: Place.usual)
  func `the commands of a deleted object are its own and those of objects that went with it`(
    _ place: Place
  ) async throws {
    let test = try TestStore(place, Orchard.world)
    let store = test.store
    let (orchard, tree, other) = try await store.background { context in
      let orchard = try context.upsert(Orchard.self, uid: 1)
      let trees = try (1...2).map { try context.upsert(OrchardTree.self, uid: $0) }
      orchard.trees = [trees[0]]
      return (orchard.entityID, trees[0].entityID, trees[1].entityID)
    }
    try await store.pending.acknowledgeAll()
    let key = try test.key(orchard)
    let own = try await test.addEntry(of: orchard, .command, .waiting)
    try await test.addEntry(of: orchard, .update, .waiting)
    let part = try await test.addEntry(of: tree, .command, .waiting)
    try await test.addEntry(of: other, .command, .waiting)
    #expect(try await store.core.unit { try $0.outbox.commands(deletedWith: key) } == [])
    _ = try await store.background { try $0.delete(Orchard.self, uid: 1) }
    #expect(try await store.core.unit { try $0.outbox.commands(deletedWith: key) }.map(\.number) == [own, part])
  }

  @Test(arguments: Place.usual)
  func `each write of entries is a commit`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    let (store, id) = (test.store, ada.entityID)
    let observation = StoreObservation(
      core: store.core, read: { try $0.pendingEdits.outboxEntries().map(\.state) }, isSame: ==)
    var states = observation.makeAsyncIterator()
    #expect(try await states.next()?.get() == [])
    try await test.addEntry(of: id, .update, .sending)
    #expect(try await states.next()?.get() == [.sending])
    var entry = try #require(try await test.entries().first)
    entry.state = .refused
    try await store.core.unit { [entry] in try $0.outbox.update(entry) }
    #expect(try await states.next()?.get() == [.refused])
    let before = try await store.read { try $0.connection.generation() }
    try await store.core.unit { try $0.outbox.remove(numbers: [99]) }
    #expect(try await store.read { try $0.connection.generation() } == before)
    try await store.core.unit { try $0.outbox.remove(numbers: [1]) }
    #expect(try await states.next()?.get() == [])
    #expect(try await store.read { try $0.connection.generation() } == before + 1)
  }

  @Test(arguments: Place.usual)
  func `entries of a unit that fails are not there`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    let key = try test.key(ada.entityID)
    let entry = full(key)
    struct Failure: Error {}
    try await test.store.core.unit { rows in
      do {
        try rows.atomically {
          try rows.outbox.insert(entry)
          throw Failure()
        }
      } catch is Failure {}
      #expect(try rows.outbox.entries(of: key).isEmpty)
    }
    let before = try await test.store.read { try $0.connection.generation() }
    await #expect(throws: Failure.self) {
      try await test.store.core.unit { rows in
        try rows.outbox.insert(entry)
        throw Failure()
      }
    }
    #expect(try await test.entries().isEmpty)
    #expect(try await test.store.read { try $0.connection.generation() } == before)
  }

  @Test(arguments: Place.usual)
  func `entries that this version can't read stay in the file`(_ place: Place) async throws {
    let (test, ada) = try await TestStore.withAda(place)
    try await test.addEntry(of: ada.entityID, .create, .sending)
    try await test.store.core.unit { rows in
      for values in [
        "'Ghost', 1, 1, 1", "'Person', 1, 9, 1", "'Person', 1, 1, -1", "'Person', 'x', 'y', 'z'",
        "'_removed,Perk', 1, 1, 1",
        "x'00', 1, 1, 1",
      ] {
        try rows.connection.execute(
          "INSERT INTO main._entity_outbox (entity, pk, kind, state, time) VALUES (\(values), 'soon')")
      }
      try rows.connection.execute(
        "INSERT INTO main._entity_outbox (entity, pk, kind, state, time, attempts, status, next, body, name) "
          + "VALUES ('Person', 9.5e99, 2, 3, 'soon', 9e99, 'x', 'y', 'text', x'01')")
      #expect(try rows.outbox.all().map(\.number) == [1, 8])
    }
    #expect(try await test.entries().map(\.kind) == [.create, .update])
    let count = try await test.store.read {
      try $0.connection.rows("SELECT count(*) FROM main._entity_outbox") { $0.int64(0) }
    }
    #expect(count == [8])
  }

  @Test func `entries are there after a restart, and their numbers go on`() async throws {
    let (test, ada) = try await TestStore.withAda(.file)
    try await test.addEntry(of: ada.entityID, .create, .sending)
    try await test.addEntry(of: ada.entityID, .command, .waiting)
    try await test.store.core.unit { try $0.outbox.remove(numbers: [2]) }
    let again = try EntityStore(.file(test.folder.file), entities: TestStore.people, busyTimeout: .ample)
    #expect(try await again.read { try $0.pendingEdits.outboxEntries().map(\.number) } == [1])
    let key = try test.key(ada.entityID)
    #expect(
      try await again.core.unit { try $0.outbox.insert(OutboxEntry(key: key, kind: .update, state: .sending, time: 1)) }
        == 3)
  }
}
