import EntityClient
import EntityTesting
import Testing

/// Derived properties where responses and requests pass.
@Suite struct DerivedResponseTests {
  private func store() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Pallet.self, HandPallet.self], busyTimeout: .seconds(600))
  }

  /// The weights as the columns have them.
  private func weights(_ store: EntityStore) async throws -> [Int] {
    try await store.read { try $0.fetch(Pallet.all.select { $0.weight }) }
  }

  @Test func `a response gives a derived property the value of its sources`() async throws {
    let store = try store()
    _ = try await store.receive(Pallet.self, [["id": 1, "boxes": 2, "each": 3], ["id": 2, "boxes": 1, "each": 7]])
    #expect(try await weights(store) == [6, 7])
    _ = try await store.receive(Pallet.self, ["id": 1, "boxes": 4])
    #expect(try await weights(store) == [12, 7])
    #expect(try await store.receive(Pallet.self, ["id": 1, "boxes": 4]).counts.rowsWritten == 0)
    // A replacement leaves what it does not name at its default.
    _ = try await Pallet.upsert(from: ["id": 2, "boxes": 9], in: store, options: .upserting(.replace))
    #expect(try await weights(store) == [12, 0])
  }

  @Test func `a response cannot set a derived property`() async throws {
    let store = try store()
    _ = try await store.receive(Pallet.self, ["id": 1, "boxes": 2, "each": 3, "weight": 1_000])
    #expect(try await weights(store) == [6])
    #expect(try await store.receive(Pallet.self, ["id": 1, "weight": 1_000]).counts.rowsWritten == 0)
    _ = try await Pallet.upsert(from: ["id": 1, "weight": nil], in: store, options: .upserting(.replace))
    #expect(try await weights(store) == [0])
  }

  @Test func `many rows of a response have their derived value`() async throws {
    let store = try store()
    let pallets = (1...2_000).map { ["id": .init($0), "boxes": .init($0 % 7), "each": 2] as JSONValue }
    _ = try await store.receive(Pallet.self, JSONValue(pallets))
    #expect(try await weights(store) == (1...2_000).map { $0 % 7 * 2 })
  }

  @Test func `an update by hand writes its sources`() async throws {
    let store = try store()
    _ = try await store.receive(HandPallet.self, [["id": 1, "b": 2], ["id": 2, "b": 5]])
    #expect(try await store.read { try $0.fetch(HandPallet.all.select { $0.double }) } == [4, 10])
    _ = try await store.receive(HandPallet.self, ["id": 1, "b": 3])
    #expect(try await store.read { try $0.fetch(HandPallet.where { $0.double == 6 }).map(\.uid) } == [1])
  }

  @Test func `a filled placeholder has its derived value`() async throws {
    let store = try store()
    _ = try await store.receive(Pallet.self, ["id": 1, "below": 9, "boxes": 1, "each": 1])
    _ = try await store.receive(Pallet.self, ["id": 9, "boxes": 2, "each": 8])
    #expect(try await store.read { try $0.fetch(Pallet.where { $0.weight == 16 }).map(\.uid) } == [9])
  }

  @Test @MainActor func `no request sends a derived value`() async throws {
    let store = try store()
    _ = try await store.receive(Pallet.self, ["id": 1, "boxes": 2, "each": 3])
    let pallet = try #require(try store.main.fetch(Pallet.self, uid: 1))
    #expect(try pallet.jsonObject(depth: 0) == ["id": 1, "boxes": 2, "each": 3, "below": nil])
    let error = #expect(throws: RequestError.self) { try pallet.jsonObject(for: \.boxes, \.weight) }
    #expect(error.map { "\($0)".contains("'Pallet.weight' is derived") } == true)
    pallet.boxes = 4
    try await store.main.save()
    #expect(try await store.pending.changes().flatMap { $0.edits.map(\.property) } == ["boxes"])
    // The server's answer to it ends the edit.
    _ = try await store.receive(Pallet.self, ["id": 1, "boxes": 5]) { $0.localEdits = .overwrite }
    #expect(pallet.weight == 15)
    #expect(try await store.pending.changes().isEmpty)
  }
}

@Entity final class Pallet: RemoteEntity {
  @UID @Key("id") var uid: Int
  var boxes: Int
  var each: Int
  var below: Pallet?
  @Derived @Indexed var weight: Int { boxes * each }
  static var basePath: String { "pallets/" }
}

@Entity final class HandPallet: RemoteEntity {
  @UID @Key("id") var uid: Int
  var boxes: Int
  @Derived var double: Int { boxes * 2 }
  static var basePath: String { "hand-pallets/" }

  func update(with response: ResponseObject) throws { try response.assign("b", to: &boxes) }
}
