import EntityClient
import EntityTesting
import Observation
import SampleSchema
import Synchronization
import Testing
import HTTPFoundation

/// Reports progress, and then stays until it is cancelled.
private final class StayingAdapter: RequestAdapter {
  private let pair = AsyncStream.makeStream(of: String.self)
  /// "sent" and "cancelled", as they happen.
  var news: AsyncStream<String> { pair.stream }

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    pair.continuation.yield("sent")
    progress?(TransferProgress(bytesReceived: 1, bytesToReceive: 2))
    let gate = StubGate()
    do {
      try await gate.wait()
    } catch {
      pair.continuation.yield("cancelled")
      throw error
    }
    return HTTPResponse(status: 200)
  }
}

extension RequestEvent {
  fileprivate var progress: RequestProgress? { if case .progress(let progress) = self { progress } else { nil } }
  fileprivate var response: Response? { if case .response(let response) = self { response } else { nil } }
}

@Suite(.sample) @MainActor struct RequestEventTests {
  private static let users = JSONValue((1...100).map { ["id": JSONValue($0), "email": "a@x"] })

  private func all<Response>(
    _ events: RequestEvents<Response>
  ) async throws -> (progress: [RequestProgress], response: Response?) {
    var progress: [RequestProgress] = []
    for try await event in events {
      switch event {
      case .progress(let new): progress.append(new)
      case .response(let response): return (progress, response)
      }
    }
    return (progress, nil)
  }

  /// Case 30: at least one event of progress, and the model.
  @Test func `progress comes first and the response last`() async throws {
    try StubAdapter.current.on(.get, "/users", .json(Self.users).chunked(4))
    var events: [RequestEvent<EntityResponse<User>>] = []
    for try await event in User.sending(.get, query: ["page": 1]).events { events.append(event) }
    #expect(events.last?.response?.ids.count == 100)
    #expect(events.count { $0.response != nil } == 1)
    let fractions = events.compactMap(\.progress?.fraction)
    #expect(fractions.last == 1)
    #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 < $1 })
    #expect(try StubAdapter.current.requests.map { $0.url.query() } == ["page=1"])
  }

  @Test func `the main context is up to date with the response`() async throws {
    let user = try #require(try await User.upsert(from: ["id": 1, "email": "old"]).object)
    try StubAdapter.current.on(.get, "/users", .json(["id": 1, "email": "new"]))
    let changes = Recorder<String>()
    withObservationTracking {
      _ = user.email
    } onChange: {
      changes.add("email")
    }
    var heard: [Bool] = []
    for try await event in User.sending(.get).events where event.response != nil {
      heard.append(changes.all == ["email"])
    }
    #expect(heard == [true])
    #expect(user.email == "new")
  }

  @Test func `nothing is sent before the first event is asked for`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1]]))
    let events = User.sending(.get).events
    var iterator = events.makeAsyncIterator()
    _ = events.stream
    #expect(stub.requests.isEmpty)
    while let event = try await iterator.next(), event.response == nil {}
    #expect(stub.requests.count == 1)
    #expect(try await iterator.next() == nil)
    #expect(try await all(events).response?.ids.count == 1)
    #expect(stub.requests.count == 2)
  }

  @Test func `each iteration changes its own request`() async throws {
    try StubAdapter.current.on(.post, "/users", .json(["id": 1], status: 201))
    let count = Atomic(0)
    let events = User.sending(.post).modifying {
      try $0.setJSON(["n": JSONValue(count.add(1, ordering: .relaxed).newValue)] as JSONValue)
    }.events
    for _ in 0..<2 { #expect(try await all(events).response?.counts.rowsWritten ?? 9 < 2) }
    #expect(
      try StubAdapter.current.requests.map { String(decoding: $0.body, as: UTF8.self) }
        == [#"{"n":1}"#, #"{"n":2}"#])
  }

  /// Case 30, with 401: the events fail with the error of the verb, which has the error model.
  @Test func `a sequence of events fails with the error of the verb`() async throws {
    let stub = StubAdapter().on(.get, "/users", .json(Problem.body, status: 401).chunked(2))
    let client = try Client(
      adapter: stub, store: Client.current.store, baseURL: "https://api.example.com/",
      errorModel: ErrorModel(Problem.self, at: "error"))
    try await Client.withClient(client) {
      var iterator = User.sending(.get).events.makeAsyncIterator()
      var progress = 0
      let error = try await requestError { while try await iterator.next()?.progress != nil { progress += 1 } }
      #expect(error.kind == .status)
      #expect(error.model(as: Problem.self) == Problem.expected)
      #expect(progress > 0)
      #expect(try await iterator.next() == nil)
    }
  }

  @Test func `the error of the closure is that of the events`() async throws {
    let events = User.sending(.post).modifying { _ in throw NoError() }.events
    await #expect(throws: NoError.self) { try await all(events) }
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  private func staying() throws -> (adapter: StayingAdapter, client: Client) {
    let adapter = StayingAdapter()
    return (adapter, try Client(adapter: adapter, store: Client.current.store, baseURL: "https://api.example.com/"))
  }

  @Test func `leaving cancels the request`() async throws {
    let (adapter, client) = try staying()
    let events = Client.withClient(client) { User.sending(.get).events }
    for try await event in events {
      #expect(event.progress != nil)
      break
    }
    var news = adapter.news.makeAsyncIterator()
    #expect(await news.next() == "sent")
    #expect(await news.next() == "cancelled")
    for try await _ in events.stream { break }
    #expect(await news.next() == "sent")
    #expect(await news.next() == "cancelled")
  }

  @Test func `cancelling the task cancels the request`() async throws {
    let (adapter, client) = try staying()
    let events = Client.withClient(client) { User.sending(.get).events }
    let task = Task { for try await _ in events {} }
    var news = adapter.news.makeAsyncIterator()
    #expect(await news.next() == "sent")
    task.cancel()
    #expect(await news.next() == "cancelled")
    await #expect(throws: CancellationError.self) { try await task.value }
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      for try await _ in events {}
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `cancelling the task of a stream cancels the request`() async throws {
    let (adapter, client) = try staying()
    let stream = Client.withClient(client) { User.sending(.get).events.stream }
    let task = Task {
      var hasResponse = false
      do { for try await event in stream { hasResponse = event.response != nil } } catch is CancellationError {}
      return hasResponse
    }
    var news = adapter.news.makeAsyncIterator()
    #expect(await news.next() == "sent")
    task.cancel()
    #expect(await news.next() == "cancelled")
    #expect(try await !task.value)
  }

  @Test func `the client is that of the task that made the events`() async throws {
    let stub = StubAdapter().on(.get, "/users", .json([["id": 9]]))
    let client = try Client(adapter: stub, store: Client.current.store, baseURL: "https://other.example.com/")
    let events = Client.withClient(client) { User.sending(.get).events }
    #expect(try await all(events).response?.url?.host() == "other.example.com")
    // Without a store nothing is sent.
    let storeless = try Client(adapter: stub, baseURL: "https://other.example.com/")
    let failing = Client.withClient(storeless) { User.sending(.get).events }
    #expect(try await requestError { try await all(failing) }.kind == .noStore)
    #expect(stub.requests.count == 1)
  }

  @Test func `readers that are late get the newest progress`() async throws {
    let gate = StubGate()
    let answer = StubAnswer.json(Self.users).chunked(50, gates: [1: gate])
    try StubAdapter.current.on(.get, "/users", answer)
    var commits = try Client.current.store.commits.makeAsyncIterator()
    let events = User.sending(.get).events
    var iterator = events.makeAsyncIterator()
    #expect(try await iterator.next()?.progress != nil)
    gate.open()
    _ = await commits.next()
    var rest: [RequestEvent<EntityResponse<User>>] = []
    while let event = try await iterator.next() { rest.append(event) }
    #expect(rest.count < 10)
    #expect(rest.dropLast().last?.progress?.fraction == 1)
    #expect(rest.last?.response?.ids.count == 100)
  }

  @Test func `the stream is for one iteration`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([["id": 1]]))
    let stream: AsyncThrowingStream<RequestEvent<EntityResponse<User>>, any Error> = User.sending(.get).events.stream
    var responses = 0
    for _ in 0..<2 {
      for try await event in stream where event.response != nil { responses += 1 }
    }
    #expect(responses == 1)
    #expect(try StubAdapter.current.requests.count == 1)
  }

  @Test func `each verb has events`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1], ["id": 2]])).on(.head, "/users", .status(200))
    stub.on(.put, "/users/1", .json(["id": 1, "email": "b@x"])).on(.patch, "/users/1", .json(["id": 1]))
    stub.on(.delete, "/users/2", .status(204))
    #expect(try await all(User.sending(.get).events).response?.counts.inserted == 2)
    #expect(try await all(User.sending(.head).events).response?.counts == EntityCounts())
    #expect(try await all(User.sending(.put, "1").events).response?.counts.updated == 1)
    #expect(try await all(User.sending(.patch, "1").events).response?.counts.unchanged == 1)
    #expect(try await all(User.sending(.delete, "2").events).response?.counts.deleted == 1)
    #expect(try Client.current.store.main.count(User.all) == 1)
  }

  @Test func `values have events too`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/people/1", .json(["name": "Ada", "age": 36]).chunked(2)).on(.put, "/people/1", .status(422))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com/")
    let (progress, response) = try await all(client.sending(.get, "people/1", as: Person.self).events)
    #expect(response?.value == Person(name: "Ada", age: 36))
    #expect(progress.last?.fraction == 1)
    #expect(try await all(client.sending(.get, "people/1").events).response?.json?["age"]?.int == 36)
    let refused = client.sending(.put, "people/1", as: Person.self).events
    #expect(try await requestError { try await all(refused) }.status == 422)
  }
}
