import EntityClient
import EntityTesting
import HTTPFoundation
import Testing

@testable import EntityOutbox

/// A create by PUT that holds where the server has no such object, and whose answer was lost.
@Suite struct ConditionalCreateTests {
  private static let path = "/v1/buckets/b/collections/memos/records/m1"
  private let stub = StubAdapter()
  private let clock = VirtualClock()
  private let store: EntityStore
  private let outbox: Outbox

  init() throws {
    store = try EntityStore(.inMemory, entities: [Memo.self])
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/v1/buckets/b/")
    outbox = try Outbox(client, time: OutboxTime(clock))
  }

  private func record(_ text: String, _ version: Int) -> JSONValue {
    ["data": ["id": "m1", "text": JSONValue(text), "last_modified": JSONValue(version)]]
  }

  /// A memo, and a first try of its create without an answer.
  private func lose() async throws -> EntityID<Memo> {
    let id = try await store.background { context in
      try context.make(Memo.self) {
        $0.uid = "m1"
        $0.text = "mine"
      }.entityID
    }
    try await outbox.send()
    clock.advance(by: .seconds(31))
    return id
  }

  @Test func `the second try has the condition, and another edit since the first one stays`() async throws {
    stub.on(.put, Self.path, .failure(.timeout, mayHaveBeenProcessed: true), .status(412))
    stub.on(.get, Self.path, .json(record("theirs", 20)))
    let id = try await lose()
    #expect(try await outbox.send() == OutboxPass(sent: 1))
    #expect(stub.requests.map(\.method) == [.put, .put, .get])
    #expect(stub.requests.map { $0.headers["If-None-Match"] } == ["*", "*", nil])
    #expect(try await store.read { try $0.known(id).text } == "theirs")
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `an edit here since the first try is an update of the version that the server has`() async throws {
    stub.on(.put, Self.path, .failure(.timeout, mayHaveBeenProcessed: true), .status(412))
    stub.on(.get, Self.path, .json(record("mine", 20)))
    stub.on(.patch, Self.path, .json(record("mine too", 21)))
    let id = try await lose()
    try await store.background { try $0.known(id).text = "mine too" }
    #expect(try await outbox.send().left == 0)
    #expect(stub.requests.map(\.method) == [.put, .put, .get, .patch])
    #expect(stub.requests.last?.headers["If-Match"] == "\"20\"")
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `an object that was deleted here since the first try is deleted there`() async throws {
    stub.on(.put, Self.path, .failure(.timeout, mayHaveBeenProcessed: true), .status(412))
    stub.on(.get, Self.path, .json(record("mine", 20)))
    stub.on(.delete, Self.path, .status(204))
    let id = try await lose()
    try await store.background { try $0.delete($0.known(id)) }
    #expect(try await outbox.send().left == 0)
    #expect(stub.requests.map(\.method) == [.put, .put, .get, .delete])
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.count(Memo.all) } == 0)
  }

  @Test func `a question whose answer is lost is asked again`() async throws {
    stub.on(.put, Self.path, .failure(.timeout, mayHaveBeenProcessed: true), .status(412), .status(412))
    stub.on(.get, Self.path, .failure(.timeout, mayHaveBeenProcessed: true), .json(record("mine", 20)))
    _ = try await lose()
    try await outbox.send()
    clock.advance(by: .seconds(31))
    #expect(try await outbox.send() == OutboxPass(sent: 1))
    #expect(stub.requests.map(\.method) == [.put, .put, .get, .put, .get])
    #expect(try await store.pending.changes().isEmpty)
  }
}
