import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// Answers with a body that is no JSON, and cancels the task of the request before.
private struct CancellingAdapter: RequestAdapter {
  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    withUnsafeCurrentTask { $0?.cancel() }
    return HTTPResponse(status: 200, body: Data("{".utf8))
  }
}

/// Cancels the task that reads a body, and fails.
private struct CancellingFormat: ResponseFormat {
  var name: String { "nothing" }
  func reads(_ contentType: ContentType) -> Bool { contentType.mediaType == "text/nothing" }
  func value(of body: Data, contentType: ContentType, limits: JSONLimits) throws -> JSONValue {
    withUnsafeCurrentTask { $0?.cancel() }
    throw NoError()
  }
}

@Suite(.sample) @MainActor struct RequestValueTests {
  private func user() async throws -> User {
    try StubAdapter.current.on(.patch, "/users/7", .status(204))
    return try #require(try await User.upsert(from: [["id": 7, "email": "a@x"]]).object)
  }

  private func bodies() throws -> [String] {
    try StubAdapter.current.requests.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `a request has any method`() async throws {
    let report = try #require(HTTPMethod(rawValue: "REPORT"))
    try StubAdapter.current.on(report, "/users/active", .json([["id": 1]])).on(report, "/usage", .json(["name": "Ada"]))
    let client = try Client.current
    #expect(try await User.sending(report, "active").send().counts.inserted == 1)
    #expect(try await client.sending(report, "usage", as: Person.self).send().value.name == "Ada")
    #expect(try await client.sending(report, "usage").send().json?["name"]?.string == "Ada")
  }

  @Test func `nothing is sent before send, and each sending is a new request`() async throws {
    let user = try await user()
    let request = user.sending(.patch, \.email)
    #expect(try StubAdapter.current.requests.isEmpty)
    for email in ["b@x", "c@x"] {
      user.email = email
      try await request.send()
    }
    #expect(try bodies() == [#"{"email":"b@x"}"#, #"{"email":"c@x"}"#])
    #expect(user.pendingColumns.isEmpty)
  }

  @Test func `the request of an object is sent from anywhere`() async throws {
    let user = try await user()
    user.email = "b@x"
    let request = user.sending(.patch, \.email)
    let status = try await Task.detached { try await request.send().status }.value
    #expect(status == 204)
    #expect(user.pendingColumns.isEmpty)
    #expect(try bodies() == [#"{"email":"b@x"}"#])
  }

  @Test func `an object has events and completion handlers`() async throws {
    let user = try await user()
    user.email = "b@x"
    var last: Double?
    for try await event in user.sending(.patch, \.email).events {
      if case .progress(let progress) = event { last = progress.fraction }
    }
    #expect(last == 1)
    #expect(user.pendingColumns.isEmpty)
    user.email = "c@x"
    let result = await withCheckedContinuation { continuation in
      user.sending(.patch, [\.email]).send { continuation.resume(returning: $0) }
    }
    #expect(try result.get().status == 204)
    #expect(user.pendingColumns.isEmpty)
    #expect(try bodies() == [#"{"email":"b@x"}"#, #"{"email":"c@x"}"#])
  }

  @Test func `the writes of one object take turns`() async throws {
    let user = try await user()
    let gate = StubGate()
    try StubAdapter.current.on(.put, "/users/7", .status(204).waiting(for: gate))
    user.email = "b@x"
    let first = user.sending(.put, \.email).send(completion: { _ in })
    await gate.arrival()
    let second = user.sending(.patch, \.email).send(completion: { _ in })
    user.email = "c@x"
    gate.open()
    await first.value
    await second.value
    #expect(try bodies() == [#"{"email":"b@x"}"#, #"{"email":"c@x"}"#])
  }

  @Test func `an object of no main context is refused`() async throws {
    let store = try Client.current.store
    let requests = try await store.background { context in
      let user = try context.insert(User.self)
      user.uid = 9
      return [user.sending(.get), User.sending(.get, "9")]
    }
    await #expect { try await requests[0].send() } throws: { ($0 as? StoreError)?.kind == .wrongContext }
    await #expect { for try await _ in requests[0].events {} } throws: {
      ($0 as? StoreError)?.kind == .wrongContext
    }
    #expect(try StubAdapter.current.requests.isEmpty)
    try StubAdapter.current.on(.get, "/users/9", .json(["id": 9]))
    #expect(try await requests[1].send().ids.count == 1)
  }

  @Test func `changes are made in their order`() async throws {
    try StubAdapter.current.on(.put, "/users/5", .json(["id": 5]))
    let request = User.sending(.put, uid: 5)
      .modifying { $0.setValue("1", forHTTPHeaderField: "X-Step") }
      .modifying { $0.setValue(($0.value(forHTTPHeaderField: "X-Step") ?? "") + "2", forHTTPHeaderField: "X-Step") }
    try await request.send()
    #expect(try StubAdapter.current.requests.first?.headers["X-Step"] == "12")
    await #expect(throws: NoError.self) { try await request.modifying { _ in throw NoError() }.send() }
    #expect(try StubAdapter.current.requests.count == 1)
  }

  @Test func `requests of relationships and streams are values, too`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.get, "/users/7/posts", .json([["id": 1]])).on(
      .get, "/users", .json([["id": 1], ["id": 2]]))
    try await user.sending(get: \.posts).send()
    #expect(user.posts.map(\.uid) == [1])
    #expect(try await User.sending(.get, streaming: .groups(of: 1)).send().committed.elements == 2)
  }

  @Test func `a DELETE that finds nothing deletes the row where asked`() async throws {
    let user = try await user()
    try StubAdapter.current.on(.delete, "/users/7", .status(404))
    #expect(try await requestError { try await user.sending(.delete).send() }.status == 404)
    #expect(try await user.sending(.delete, options: .deletesOn404).send().counts.deleted == 1)
    #expect(user.isDeleted)
  }

  @Test func `a cancelled caller hears of the cancellation, and not of a malformed body`() async throws {
    let store = try Client.current.store
    let stub = StubAdapter().on(.get, "/a", .text("a", headers: ["Content-Type": "text/nothing"]))
    for adapter in [CancellingAdapter() as any RequestAdapter, stub] {
      let client = try Client(
        adapter: adapter, store: store, baseURL: "https://api.example.com/", formats: [CancellingFormat()])
      let typed = Task { try await client.sending(.get, "a", as: Person.self).send() }
      await #expect(throws: CancellationError.self) { try await typed.value }
      let routed = Task { try await client.sending(.get, "a").send() }
      await #expect(throws: CancellationError.self) { try await routed.value }
      let request = Client.withClient(client) { User.sending(.get, "/a", options: .allowing(.aboveBasePath)) }
      let entity = Task { try await request.send() }
      await #expect(throws: CancellationError.self) { try await entity.value }
    }
  }
}
