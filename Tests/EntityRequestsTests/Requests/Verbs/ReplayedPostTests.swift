import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

@Entity private final class PostedOrder: RemoteEntity {
  @UID @Key("id") var uid: Int
  var note: String?
  @Key("at") var time: Date?
  var count: Int
  var buyer: PostedBuyer?
  var tags: [PostedBuyer]

  static var basePath: String { "orders" }
}

@Entity private final class PostedBuyer: RemoteEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "buyers" }
}

/// POSTs whose answer was lost, and that are sent again: the server may answer from what it had the first time.
@Suite(.client(entities: [PostedOrder.self, PostedBuyer.self])) @MainActor struct ReplayedPostTests {
  private let stub: StubAdapter
  private let store: EntityStore
  private let order: PostedOrder

  init() async throws {
    stub = try StubAdapter.current
    store = try Client.current.store
    _ = try await PostedBuyer.upsert(from: [["id": 1], ["id": 2]])
    order = try store.main.insert(PostedOrder.self)
    order.note = "first"
    order.count = 1
  }

  private func post(key: String? = "5f0c") async throws {
    try await order.post(\.note, \.count, \.time, \.buyer, \.tags) {
      if let key { $0.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
    }
  }

  private func lose(_ answer: StubAnswer) async throws {
    stub.on(.post, "/orders", answer, .json(["id": 9, "note": "first", "count": 1], status: 201))
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
    order.note = "edited after"
    if isSaved { try await store.main.save() }
    try await post()
    #expect(order.uid == 9)
    #expect(order.note == "edited after")
    #expect(order.pendingColumns.names == ["note"])
    try await store.main.save()
    let changes = try await store.pending.changes()
    #expect(changes.map(\.kind) == [.edit])
    #expect(changes.first?.edits.map(\.property) == ["note"])
    stub.on(.patch, "/orders/9", .json(["id": 9, "note": "edited after"]))
    try await order.patchPending()
    #expect(stub.requests.last?.json == ["note": "edited after"])
    #expect(try await store.pending.count() == 0)
  }

  /// Such an answer does not say which of the two the server has.
  @Test func `an answer that does not show the value leaves the edit`() async throws {
    stub.on(.post, "/orders", Self.lost[0], .json(["id": 9], status: 201))
    await #expect(throws: RequestError.self) { try await post(key: nil) }
    order.note = "edited after"
    order.tags = [try #require(try store.main.fetch(PostedBuyer.self, uid: 1))]
    try await post(key: nil)
    #expect(order.uid == 9)
    #expect(order.pendingColumns.names == ["note", "tags"])
  }

  @Test func `an answer that shows the new values acknowledges the edits`() async throws {
    stub.on(
      .post, "/orders", Self.lost[0],
      .json(
        [
          "id": 9, "note": "edited after", "at": "1970-01-01T01:00:00+01:00", "count": "1", "buyer": ["id": 2],
          "tags": [["id": 2], 1],
        ], status: 201))
    await #expect(throws: RequestError.self) { try await post() }
    order.note = "edited after"
    order.time = Date(timeIntervalSince1970: 0)
    order.buyer = try store.main.fetch(PostedBuyer.self, uid: 2)
    order.tags = try store.main.fetch(PostedBuyer.all)
    try await post()
    #expect(order.pendingColumns.isEmpty)
    #expect(!store.main.hasChanges)
    #expect(try await store.pending.count() == 0)
  }

  @Test func `a value that both posts carried may be normalized`() async throws {
    order.note = " raw "
    stub.on(.post, "/orders", Self.lost[0], .json(["id": 9, "note": "raw", "count": 1], status: 201))
    await #expect(throws: RequestError.self) { try await post() }
    try await post()
    #expect(order.note == "raw")
    #expect(order.pendingColumns.isEmpty)
  }

  /// As after a restart of the app, which does not know of the first one.
  @Test func `an idempotency key alone leaves values that the answer has in another form`() async throws {
    order.note = "edited after"
    stub.on(.post, "/orders", .json(["id": 9, "note": "first"], status: 201))
    try await post()
    #expect(order.note == "edited after")
    #expect(order.pendingColumns.names == ["note"])
    // Without a key the answer is about this very request.
    let other = try store.main.insert(PostedOrder.self)
    other.note = " raw "
    stub.on(.post, "/orders", .json(["id": 10, "note": "raw"], status: 201))
    try await other.post(\.note)
    #expect(other.note == "raw")
    #expect(other.pendingColumns.isEmpty)
  }

  @Test func `a POST that surely did not arrive or was refused is forgotten`() async throws {
    stub.on(
      .post, "/orders", .failure(.connection), .status(422),
      .json(["id": 9, "note": "Second"], status: 201))
    for _ in 0..<2 { await #expect(throws: RequestError.self) { try await post(key: nil) } }
    order.note = "second"
    try await post(key: nil)
    #expect(order.note == "Second")
    #expect(order.pendingColumns.isEmpty)
  }
}
