import EntityClient
import Testing

/// Replacing responses and one-to-one relationships: either side is a relationship to one.
@Suite struct OneToOneReplaceTests {
  private func garage() async throws -> EntityStore {
    let store = try EntityStore(
      .inMemory, entities: [Owner.self, HandOwner.self, Plate.self, Insignia.self, Emblem.self],
      busyTimeout: .seconds(600))
    _ = try await store.receive(
      Owner.self,
      [
        ["id": 1, "name": "Ann", "plate": ["id": 1, "text": "one"], "emblem": ["color": "red"]],
        ["id": 2, "plate": ["id": 2, "text": "two"]],
      ])
    return store
  }

  private func plates(_ store: EntityStore) async throws -> [Int] {
    try await store.read { try $0.fetch(Owner.all).map { $0.plate?.uid ?? 0 } }
  }

  @Test func `a counterpart that is null is cleared`() async throws {
    let store = try await garage()
    #expect(try await plates(store) == [1, 2])
    try await Owner.upsert(
      from: ["id": 1, "name": "Ann", "plate": nil, "emblem": nil], in: store, options: .upserting(.replace))
    #expect(try await plates(store) == [0, 2])
    // The plate stays, and the emblem goes: it has no uid.
    #expect(try await store.read { try $0.count(Plate.all) } == 2)
    #expect(try await store.read { try $0.count(Emblem.all) } == 0)
    try await Owner.upsert(from: ["id": 2, "plate": nil], in: store, options: .upserting(.replace))
    #expect(try await plates(store) == [0, 0])
    let again = try await Owner.upsert(from: ["id": 2], in: store, options: .upserting(.replace))
    #expect(again.counts.rowsWritten == 0)
    // By the side with the column.
    try await Plate.upsert(from: ["id": 2, "owner": 2], in: store, options: .upserting(.replace))
    #expect(try await plates(store) == [0, 2])
    try await Plate.upsert(from: ["id": 2], in: store, options: .upserting(.replace))
    #expect(try await plates(store) == [0, 0])
  }

  /// The other side of a link is the link's, as a list is.
  @Test func `an absent counterpart stays`() async throws {
    let store = try await garage()
    try await Owner.upsert(from: [["id": 1], ["id": 2]], in: store, options: .upserting(.replace))
    #expect(try await plates(store) == [1, 2])
    #expect(try await store.read { try $0.fetch(Owner.all).map(\.name) } == [nil, nil])
    #expect(try await store.read { try $0.count(Emblem.all) } == 1)
  }

  @Test func `a replacing response leaves the links that it set itself`() async throws {
    let store = try EntityStore(
      .inMemory, entities: [Tangle.self, Owner.self, Plate.self, Emblem.self], busyTimeout: .seconds(600))
    try await Tangle.upsert(from: [["id": 1, "next": 2], ["id": 2]], in: store, options: .upserting(.replace))
    #expect(try await store.read { try $0.fetch(Tangle.self, uid: 2)?.previous?.uid } == 1)
    let parts: [ResponsePart] = [.list(Plate.self, at: "plates"), .list(Owner.self, at: "owners")]
    for _ in 0..<2 {
      try await EntityDocument.upsert(
        from: ["plates": [["id": 1, "owner": 1]], "owners": [["id": 1, "name": "Ann"]]], in: store,
        options: [.parts(parts), .upserting(.replace)])
      #expect(try await plates(store) == [1])
    }
  }

  @Test func `a replacement leaves local edits`() async throws {
    let store = try await garage()
    try await store.background { context in
      try #require(try context.fetch(Owner.self, uid: 1)).plate = try context.fetch(Plate.self, uid: 2)
    }
    #expect(try await plates(store) == [2, 0])
    try await Owner.upsert(from: ["id": 1, "name": "Ann"], in: store, options: .upserting(.replace))
    #expect(try await plates(store) == [2, 0])
    // Other modes leave what is absent.
    try await Owner.upsert(from: ["id": 1, "name": "Eve"], in: store)
    #expect(try await plates(store) == [2, 0])
  }
}
