import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Units whose commits are on the disk at once, in a store whose commits are not.
@MainActor struct DurableUnitTests {
  private func settings(_ store: EntityStore, isDurable: Bool = false) async throws -> Connection.Durability {
    try await store.core.unit(isDurable: isDurable) { try $0.connection.durability }
  }

  @Test(arguments: Place.allCases)
  func `a durable unit syncs its commit, and others don't`(_ place: Place) async throws {
    let test = try TestStore(place)
    let usual = try await settings(test.store)
    #expect(usual.synchronous == 1)
    #expect(try await settings(test.store, isDurable: true) == .full)
    #expect(try await settings(test.store) == usual)
    try await test.store.core.unit(isDurable: true) { rows in
      _ = try rows.insert(
        try rows.schema.model(Team.self), pk: try rows.newPrimaryKey(), RowValues(count: 3), .effect)
    }
    #expect(try test.store.main.count(Team.all) == 1)
    #expect(try await settings(test.store) == usual)
  }

  @Test(arguments: Place.allCases)
  func `the setting goes back after an error`(_ place: Place) async throws {
    let test = try TestStore(place)
    let usual = try await settings(test.store)
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await test.store.core.unit(isDurable: true) { rows in
        #expect(try rows.connection.durability == .full)
        throw Failure()
      }
    }
    #expect(try await settings(test.store) == usual)
    // A commit that SQLite refuses.
    await #expect(throws: StoreError.self) {
      try await test.store.core.unit(isDurable: true) { rows in
        try rows.outbox.insert(OutboxEntry(key: RowKey(entity: 0, pk: 1), kind: .create, state: .sending, time: 1))
        try rows.connection.execute("UPDATE main._entity_store SET value = 'x' WHERE key = 'generation'")
      }
    }
    #expect(try await settings(test.store) == usual)
  }

  @Test func `a store with durable commits keeps them`() async throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions()
    options.durability = .full
    let store = try EntityStore(
      .file(folder.file), entities: TestStore.people, busyTimeout: .ample, options: options)
    #expect(try await settings(store) == .full)
    #expect(try await settings(store, isDurable: true) == .full)
    #expect(try await settings(store) == .full)
  }
}
