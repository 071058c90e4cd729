import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

@Suite(.sample) struct TypeVerbTests {
  @Test func `every verb sends its method`() async throws {
    let stub = try StubAdapter.current
    for method in [HTTPMethod.get, .head, .post, .put, .patch, .delete] { stub.on(method, "/users/*", .status(204)) }
    try await User.get("1")
    try await User.head("1")
    try await User.post("1")
    try await User.put("1")
    try await User.patch("1")
    let last = try await User.delete("1")
    #expect(stub.requests.map(\.method) == [.get, .head, .post, .put, .patch, .delete])
    #expect(last.status == 204)
    #expect(last.ids.isEmpty)
    #expect(last.value == nil)
  }

  @Test func `ids are in the order of the response each once`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 2], ["id": 1, "email": "x"], ["id": 2]], headers: ["X-Total": "3"]))
    let response = try await User.get()
    let ids = response.ids
    let uids = try await Client.current.store.read { try $0.objects(ids).map(\.uid) }
    #expect(uids == [2, 1])
    #expect(response.counts.inserted == 2)
    #expect(response.headers["x-total"] == "3")
    #expect(response.status == 200)
    #expect(response.url?.path == "/users")
    #expect(response.value?.array?.count == 3)
    let again = try await User.get()
    #expect(again.counts.unchanged == 2)
    #expect(again.counts.rowsWritten == 0)
  }

  @Test func `the answer to a POST on the type is upserted`() async throws {
    try StubAdapter.current.on(.post, "/users", .json(["id": 9, "email": "new"], status: 201))
    let response = try await User.post { try $0.setJSON(["email": "new"]) }
    #expect(response.counts.inserted == 1)
    #expect(response.status == 201)
    #expect(try StubAdapter.current.requests.first?.json == ["email": "new"])
  }

  @Test func `the modify closure runs last, and its error sends nothing`() async throws {
    struct Refusal: Error {}
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([]))
    try await User.get {
      #expect($0.value(forHTTPHeaderField: "Accept") == "application/json")
      try $0.setHeaders(["Accept": "text/json"])
    }
    #expect(stub.requests.first?.headers["Accept"] == "text/json")
    await #expect(throws: Refusal.self) { try await User.get { _ in throw Refusal() } }
    #expect(stub.requests.count == 1)
  }

  @Test(.sample(headers: ["Authorization": "Bearer x", "X-App": "a"])) func `headers stay at home`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([])).on(.get, "/other", .json([]))
    try await User.get()
    try await User.get("https://evil.example/other", options: .allowing(.otherOrigins))
    try await User.get { $0.url = URL(string: "https://evil.example/other") }
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer x", nil, nil])
    #expect(stub.requests.map { $0.headers["X-App"] } == ["a", nil, nil])
  }

  @Test func `a verb can name another store`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([["id": 1]]))
    let other = try EntityStore(.inMemory, entities: sampleEntities)
    try await User.get(in: other)
    #expect(try await other.read { try $0.count(User.all) } == 1)
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 0)
  }

  @Test func `missing objects are deleted only on request`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1, "age": 5], ["id": 2, "age": 50], ["id": 3, "age": 6]]))
    try await User.get()
    stub.on(.get, "/users", .json([["id": 1]]))
    try await User.get()
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 3)
    let response = try await User.get(options: .deleteMissing(in: User.where { $0.age < 10 }))
    #expect(response.counts.deleted == 1)
    let left = try await Client.current.store.read { try $0.fetch(User.all).map(\.uid) }
    #expect(left == [1, 2])
  }

  @Test(arguments: [204, 304]) func `without a body no object is missing`(_ status: Int) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1]]), .status(status))
    try await User.get()
    let response = try await User.get(options: .deleteMissing(in: User.all))
    #expect(response.ids.isEmpty)
    #expect(response.counts == EntityCounts())
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 1)
  }

  @Test(arguments: [
    (#"{"id": 1}"#, 200, "The response is one object, no list."), (#"[{"id": 1}]"#, 206, "is a part of one"),
  ]) func `a response that is no list deletes nothing and is an error`(
    _ json: String, _ status: Int, _ reason: String
  ) async throws {
    let stub = try StubAdapter.current
    let body = Data(json.utf8)
    stub.on(
      .get, "/users", .json([["id": 1], ["id": 2]]), .json(try JSONValue(parsing: body), status: status))
    try await User.get()
    let error = try await requestError { try await User.get(options: .deleteMissing(in: User.all)) }
    #expect(error.kind == .upsert)
    #expect(error.status == status)
    #expect(error.message.contains(reason))
    #expect(error.message.hasSuffix("So the missing objects are not known, and nothing was written."))
    let response = HTTPResponse(status: status, body: body)
    let delivered = try await requestError {
      try await User.upsert(from: response, options: .deleteMissing(in: User.all))
    }
    #expect(delivered.message == error.message)
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 2)
  }

  @Test func `the type's own adapter comes first`() async throws {
    let response = try await Wired.get(in: EntityStore(.inMemory, entities: [Wired.self]))
    #expect(response.status == 204)
    #expect(Wired.stub.requests.map(\.path) == ["/wired"])
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `the client is resolved in the task of the caller`() async throws {
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    async let response = User.get()
    await gate.arrival()
    gate.open()
    #expect(try await response.counts.inserted == 1)
  }

  @Test func `an older answer does not overwrite a newer answer`() async throws {
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.get, "/users/1", .json(["id": 1, "email": "old"]).waiting(for: gate), .json(["id": 1, "email": "new"]))
    async let older = User.get("1")
    await gate.arrival()
    try await User.get("1")
    gate.open()
    _ = try await older
    #expect(try await Client.current.store.read { try $0.fetch(User.self, uid: 1)?.email } == "new")
  }

  @Test func `a cancelled request throws cancellation and writes nothing`() async throws {
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    let task = Task { try await User.get() }
    await gate.arrival()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 0)
  }

  @Test func `a verb is cancelled before it is sent too`() async throws {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      _ = try await User.get()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test @MainActor func `no verb waits for the main thread`() async throws {
    let stub = try StubAdapter.current
    let store = try Client.current.store
    _ = store.main
    stub.on(.get, "/users", .json([["id": 1]]))
    let client = try Client.current
    let isDone = DispatchSemaphore(value: 0)
    Task.detached(priority: .high) {
      _ = try await Client.withClient(client) { try await User.get() }
      isDone.signal()
    }
    // The main thread is held up here, and the request ends all the same.
    #expect(block(isDone) == .success)
  }

  private func block(_ semaphore: DispatchSemaphore) -> DispatchTimeoutResult {
    // Long, for other tests may keep all threads busy.
    semaphore.wait(timeout: .now() + 300)
  }
}

@Entity final class Wired: RemoteEntity {
  static let stub = StubAdapter().on(.get, "/wired", .status(204))
  static var basePath: String { "wired" }
  static var adapter: (any RequestAdapter)? { stub }
}
