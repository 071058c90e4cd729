import EntityClient
import Testing

/// An object without uid that has a list, or the other side of a one-to-one relationship, is an owner: it does not live in the
/// objects that link to it.
@Suite struct OwnerWithoutUIDTests {
  private func shop() async throws -> EntityStore {
    let store = try EntityStore(
      .inMemory, entities: [Trolley.self, TrolleyItem.self, HandTrolleyItem.self, TrolleyKey.self],
      busyTimeout: .seconds(600))
    _ = try await store.receive(TrolleyItem.self, ["id": 1])
    _ = try await store.receive(HandTrolleyItem.self, ["id": 1])
    _ = try await store.receive(TrolleyKey.self, ["id": 1])
    try await store.background(as: .server) { context in
      let trolley = try context.insert(Trolley.self)
      trolley.label = "mine"
      trolley.items = try context.fetch(TrolleyItem.all)
      trolley.handItems = try context.fetch(HandTrolleyItem.all)
      trolley.key = try context.fetch(TrolleyKey.all).first
    }
    return store
  }

  private func check(_ store: EntityStore, _ links: [Int]) async throws {
    let found = try await store.read { context in
      try context.fetch(Trolley.all).map { [$0.items.count, $0.handItems.count, $0.key == nil ? 0 : 1] }
    }
    #expect(found == [links])
    #expect(try await store.read { try $0.fetch(Trolley.all).map(\.label) } == ["mine"])
  }

  @Test func `a null link leaves the owner`() async throws {
    let store = try await shop()
    _ = try await store.receive(TrolleyItem.self, ["id": 1, "trolley": nil])
    try await check(store, [0, 1, 1])
    _ = try await store.receive(HandTrolleyItem.self, ["id": 1, "trolley": nil])
    try await check(store, [0, 0, 1])
    _ = try await store.receive(TrolleyKey.self, ["id": 1, "trolley": nil])
    try await check(store, [0, 0, 0])
  }

  @Test func `a replacement leaves the owner`() async throws {
    let store = try await shop()
    try await TrolleyItem.upsert(from: ["id": 1, "name": "x"], in: store, options: .upserting(.replace))
    try await check(store, [0, 1, 1])
  }

  @Test func `a nested owner is the owner that is there already`() async throws {
    let store = try await shop()
    _ = try await store.receive(TrolleyItem.self, ["id": 1, "trolley": ["size": 3]])
    try await check(store, [1, 1, 1])
    #expect(try await store.read { try $0.fetch(Trolley.all).map(\.size) } == [3])
  }
}

@Entity final class Trolley {
  var label: String?
  var size: Int
  @Relationship(inverse: \TrolleyItem.trolley) var items: [TrolleyItem]
  @Relationship(inverse: \HandTrolleyItem.trolley) var handItems: [HandTrolleyItem]
  @Relationship(inverse: \TrolleyKey.trolley) var key: TrolleyKey?
}

@Entity final class TrolleyItem: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?
  var trolley: Trolley?
  static var basePath: String { "trolley-items/" }
}

@Entity final class HandTrolleyItem: RemoteEntity {
  @UID @Key("id") var uid: Int
  var trolley: Trolley?
  static var basePath: String { "hand-trolley-items/" }

  func update(with response: ResponseObject) throws {
    try response.assign("trolley", to: &trolley)
  }
}

@Entity final class TrolleyKey: RemoteEntity {
  @UID @Key("id") var uid: Int
  var trolley: Trolley?
  static var basePath: String { "trolley-keys/" }
}
