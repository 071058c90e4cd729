import EntityClient
import EntityTesting

/// Tests of a store with owners, plates and the links between them.
protocol GarageSuite {}

extension GarageSuite {
  /// Owners and plates 1 and 2; plate 1 has owner 1.
  func garage() async throws -> EntityStore {
    let store = try EntityStore(
      .inMemory, entities: [Owner.self, HandOwner.self, Plate.self, Insignia.self, Emblem.self],
      busyTimeout: .seconds(600))
    _ = try await store.receive(Owner.self, [["id": 1], ["id": 2]])
    _ = try await store.receive(Plate.self, [["id": 1, "owner": 1], ["id": 2]])
    return store
  }

  /// The plate of each owner, and the owner of each plate.
  func links(_ store: EntityStore) async throws -> [Int] {
    try await store.read { context in
      try context.fetch(Owner.all).map { $0.plate?.uid ?? 0 } + context.fetch(Plate.all).map { $0.owner?.uid ?? 0 }
    }
  }
}
