import EntityClient
import EntityStore
import Observation
import Synchronization
import TestSchema
import Testing

/// Responses that the main context takes in itself.
@Suite @MainActor struct MainUpsertTests {
  private let store: EntityStore
  /// The object that a response referred to, and of which nothing but the uid is known.
  private let placeholder: Gardener

  init() throws {
    store = try EntityStore(.inMemory, entities: [Gardener.self])
    let gardener = try store.main.upsert(Gardener.self, from: ["id": 1, "next": 2])
    placeholder = try #require(gardener.next)
  }

  @Test func `a setter of a placeholder tells its observers`() {
    let changes = Atomic(0)
    withObservationTracking {
      _ = placeholder.name
    } onChange: {
      changes.add(1, ordering: .relaxed)
    }
    placeholder.name = "Central"
    #expect(changes.load(ordering: .relaxed) == 1)
  }

  @Test func `a commit of others tells the observers of a placeholder`() async throws {
    try await store.main.save()
    let changes = Atomic(0)
    withObservationTracking {
      _ = placeholder.name
    } onChange: {
      changes.add(1, ordering: .relaxed)
    }
    try await store.background { try $0.upsert(Gardener.self, uid: 2).name = "Central" }
    try store.mergeMain()
    #expect(changes.load(ordering: .relaxed) == 1)
    #expect(placeholder.name == "Central")
  }

  @Test func `an edit of a placeholder is not lost after others changed all of its entity`() async throws {
    placeholder.name = "West"
    try await store.main.save()
    try await store.background { context in
      for uid in 10..<10_500 { try context.upsert(Gardener.self, uid: uid).name = "Crowd" }
      try context.upsert(Gardener.self, uid: 2).name = "Central"
    }
    #expect(try store.main.count(Gardener.all) == 10_492)
    #expect(placeholder.name == "Central")
    placeholder.name = "West"
    #expect(store.main.hasChanges)
  }
}
