import EntityClient
import EntityTesting
import TestSchema
import Testing
import HTTPFoundation

/// POSTs whose answer was lost, and that are sent again: the server may answer from what it had the first time.
@Suite(.client(entities: Orchard.world)) @MainActor struct ReplayedPostTests {
  private let stub: StubAdapter
  private let store: EntityStore
  private let orchard: Orchard

  init() async throws {
    stub = try StubAdapter.current
    store = try Client.current.store
    _ = try await Gardener.upsert(from: ["id": 2])
    _ = try await OrchardTag.upsert(from: [["id": 1], ["id": 2]])
    orchard = try store.main.insert(Orchard.self)
    orchard.note = "first"
    orchard.size = 1
  }

  private func post(key: String? = "5f0c") async throws {
    try await orchard.post(\.note, \.size, \.plantedAt, \.gardener, \.tags) {
      if let key { $0.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
    }
  }

  private func lose(_ answer: StubAnswer) async throws {
    stub.on(.post, "/orchards", answer, .json(["id": 9, "note": "first", "size": 1], status: 201))
    await #expect(throws: RequestError.self) { try await post() }
  }

  private static let lost: [StubAnswer] = [
    .failure(.timeout, mayHaveBeenProcessed: true), .status(502),
  ]

  @Test(arguments: [0, 1], [false, true])
  func `an edit after the lost POST stays where the answer has the earlier value`(_ kind: Int, _ isSaved: Bool)
    async throws
  {
    if isSaved { try await store.main.save() }
    try await lose(Self.lost[kind])
    orchard.note = "edited after"
    if isSaved { try await store.main.save() }
    try await post()
    #expect(orchard.uid == 9)
    #expect(orchard.note == "edited after")
    #expect(orchard.pendingColumns.names == ["note"])
    try await store.main.save()
    let changes = try await store.pending.changes()
    #expect(changes.map(\.kind) == [.edit])
    #expect(changes.first?.edits.map(\.property) == ["note"])
    stub.on(.patch, "/orchards/9", .json(["id": 9, "note": "edited after"]))
    try await orchard.patchPending()
    #expect(stub.requests.last?.json == ["note": "edited after"])
    #expect(try await store.pending.count() == 0)
  }

  /// Such an answer does not say which of the two the server has.
  @Test func `an answer that does not show the value leaves the edit`() async throws {
    stub.on(.post, "/orchards", Self.lost[0], .json(["id": 9], status: 201))
    await #expect(throws: RequestError.self) { try await post(key: nil) }
    orchard.note = "edited after"
    orchard.tags = [try #require(try store.main.fetch(OrchardTag.self, uid: 1))]
    try await post(key: nil)
    #expect(orchard.uid == 9)
    #expect(orchard.pendingColumns.names == ["note", "tags"])
  }

  @Test func `an answer that shows the new values acknowledges the edits`() async throws {
    stub.on(
      .post, "/orchards", Self.lost[0],
      .json(
        [
          "id": 9, "note": "edited after", "at": "1970-01-01T01:00:00+01:00", "size": "1", "gardener": ["id": 2],
          "tags": [["id": 2], 1],
        ], status: 201))
    await #expect(throws: RequestError.self) { try await post() }
    orchard.note = "edited after"
    orchard.plantedAt = Date(timeIntervalSince1970: 0)
    orchard.gardener = try store.main.fetch(Gardener.self, uid: 2)
    orchard.tags = try store.main.fetch(OrchardTag.all)
    try await post()
    #expect(orchard.pendingColumns.isEmpty)
    #expect(!store.main.hasChanges)
    #expect(try await store.pending.count() == 0)
  }

  @Test func `a value that both posts carried may be normalized`() async throws {
    orchard.note = " raw "
    stub.on(.post, "/orchards", Self.lost[0], .json(["id": 9, "note": "raw", "size": 1], status: 201))
    await #expect(throws: RequestError.self) { try await post() }
    try await post()
    #expect(orchard.note == "raw")
    #expect(orchard.pendingColumns.isEmpty)
  }

  /// As after a restart of the app, which does not know of the first one.
  @Test func `an idempotency key alone leaves values that the answer has in another form`() async throws {
    orchard.note = "edited after"
    stub.on(.post, "/orchards", .json(["id": 9, "note": "first"], status: 201))
    try await post()
    #expect(orchard.note == "edited after")
    #expect(orchard.pendingColumns.names == ["note"])
    // Without a key the answer is about this very request.
    let other = try store.main.insert(Orchard.self)
    other.note = " raw "
    stub.on(.post, "/orchards", .json(["id": 10, "note": "raw"], status: 201))
    try await other.post(\.note)
    #expect(other.note == "raw")
    #expect(other.pendingColumns.isEmpty)
  }

  @Test func `a POST that surely did not arrive or was refused is forgotten`() async throws {
    stub.on(
      .post, "/orchards", .failure(.connection), .status(422),
      .json(["id": 9, "note": "Second"], status: 201))
    for _ in 0..<2 { await #expect(throws: RequestError.self) { try await post(key: nil) } }
    orchard.note = "second"
    try await post(key: nil)
    #expect(orchard.note == "Second")
    #expect(orchard.pendingColumns.isEmpty)
  }
}
