import EntityStore
import Foundation
import TestSchema
import Testing

@testable import EntityStore

/// Observers and live queries of changes that the server has not acknowledged.
@MainActor struct PendingObserverTests {
  @Test(arguments: Place.usual)
  func `observers of pending columns hear of edits and their end`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let ada = try test.person(1)
    let seen = Watcher { _ = ada.pendingColumns }
    ada.name = "one"
    #expect(seen.fired)
    try await test.store.main.save()
    try await test.store.pending.acknowledge(ada.entityID)
    try test.store.mergeMain()
    #expect(seen.fired)
    #expect(ada.pendingColumns.isEmpty)
    let id = ada.entityID
    try await test.store.background { try #require(try $0.object(id)).age = 7 }
    try test.store.mergeMain()
    #expect(seen.fired)
    #expect(ada.pendingColumns.names == ["age"])
    #expect(!seen.fired)
  }

  @Test(arguments: Place.usual)
  func `observers hear when edits are sent and when that ends`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let ada = try test.person(1)
    ada.name = "one"
    let seen = Watcher { _ = ada.isSending }
    let sent = SentEdits(of: ada, ada._$state.model.all)
    #expect(seen.fired)
    #expect(ada.isSending)
    sent.settle(ada)
    #expect(seen.fired)
    #expect(!ada.isSending)
    ada.name = "two"
    let failing = SentEdits(of: ada, ada._$state.model.all)
    #expect(seen.fired)
    failing.end(ada)
    #expect(seen.fired)
    #expect(!ada.isSending)
    #expect(ada.pendingColumns.names == ["name"])
  }

  @Test(arguments: Place.usual)
  func `a live query for pending changes follows the context's own saves`(_ place: Place) async throws {
    let test = try await TestStore.ofServer(place)
    let live = LiveQuery(Person.where { $0.hasPendingChanges }, in: test.store)
    let unnamed = LiveQuery(Person.where { !$0.hasUID }, in: test.store)
    #expect(live.objects.isEmpty)
    let ada = try test.person(1)
    ada.name = "one"
    #expect(live.objects.isEmpty)
    try await test.store.main.save()
    #expect(live.objects == [ada])
    try await test.store.pending.acknowledgeAll()
    #expect(live.objects.isEmpty)
    let new = try test.store.main.insert(Person.self)
    #expect(live.objects.isEmpty)
    #expect(unnamed.objects == [new])
    try await test.store.main.save()
    #expect(live.objects == [new])
    // The end of an insert changes no value.
    try await test.store.pending.acknowledge(new.entityID)
    #expect(live.objects.isEmpty)
    #expect(unnamed.objects == [new])
  }
}
