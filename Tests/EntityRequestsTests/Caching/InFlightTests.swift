import EntityClient
import EntityRequests
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Equal GETs that are under way together are one.
struct InFlightTests {
  private func client(_ stub: StubAdapter) throws -> Client {
    try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: sampleEntities), baseURL: "https://api.example.com/")
  }

  /// Starts requests, and returns once all of them wait.
  private func start(
    _ count: Int, _ client: Client, _ gate: StubGate, _ options: ResponseOptions<User> = .asked,
    progress: RequestProgressHandler? = nil
  ) async throws -> [Task<EntityResponse<User>, any Error>] {
    let tasks = (0..<count).map { _ in
      Task { try await Client.withClient(client) { try await User.get(options: options, progress: progress) } }
    }
    await gate.arrival()
    while client.waitingRequests < count { await Task.yield() }
    return tasks
  }

  @Test func `ten callers get the answer of one request`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(.get, "/users", .json([["id": 1], ["id": 2]]).waiting(for: gate))
    let progress = Recorder<RequestProgress>()
    let client = try client(stub)
    let tasks = try await start(10, client, gate, progress: { progress.add($0) })
    gate.open()
    for task in tasks {
      let response = try await task.value
      #expect(response.ids.count == 2)
      #expect(response.counts.inserted == 2)
    }
    #expect(stub.requests.count == 1)
    // Each hears that it is done.
    #expect(progress.all.count { $0.fraction == 1 } == 10)
    _ = try await Client.withClient(client) { try await User.get(options: .asked) }
    #expect(stub.requests.count == 2)
  }

  @Test func `all callers hear of an error`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(.get, "/users", .status(500).waiting(for: gate))
    let tasks = try await start(3, try client(stub), gate)
    gate.open()
    for task in tasks { #expect(try await requestError { try await task.value }.status == 500) }
    #expect(stub.requests.count == 1)
  }

  @Test func `a cancelled caller of a shared GET spares the others`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    let tasks = try await start(3, try client(stub), gate)
    tasks[0].cancel()
    // It does not wait for the answer, which is still at the gate.
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    gate.open()
    for task in tasks[1...] { #expect(try await task.value.ids.count == 1) }
    #expect(stub.requests.count == 1)
  }

  @Test func `the last caller that is cancelled cancels the request`() async throws {
    let (stub, gate, cancelled) = (StubAdapter(), StubGate(), StubGate())
    stub.on(
      .get, "/users",
      .respond { request in
        do {
          try await gate.wait()
        } catch {
          cancelled.open()
          throw error
        }
        return HTTPResponse(status: 200, url: request.url, body: Data("[]".utf8))
      })
    let client = try client(stub)
    let tasks = try await start(3, client, gate)
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    try await cancelled.wait()
    // Whoever comes now asks anew.
    gate.open()
    #expect(try await Client.withClient(client) { try await User.get(options: .asked) }.ids.isEmpty)
    #expect(stub.requests.count == 2)
  }

  @Test func `requests that differ are not one`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    try await Client.withClient(client(stub)) {
      async let first = User.get(options: .asked)
      async let language = User.get(options: .asked, modify: { try $0.setHeaders(["Accept-Language": "de"]) })
      async let query = User.get(query: ["page": 1], options: .asked)
      async let overwriting = User.get(options: [.asked, .localEdits(.overwrite)])
      async let deleting = User.get(options: [.asked, .deleteMissing(in: User.all)])
      async let plain = User.get()
      async let plainToo = User.get()
      await gate.arrival(7)
      gate.open()
      for response in try await [first, language, query, overwriting, deleting, plain, plainToo] {
        #expect(response.ids.count == 1)
      }
      #expect(stub.requests.count == 7)
    }
  }

  @Test func `policies that differ are one request`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    let client = try client(stub)
    try await Client.withClient(client) {
      async let first = User.get(options: .asked)
      await gate.arrival()
      async let second = User.get(options: .cache(.cacheOnFailure))
      while client.waitingRequests < 2 { await Task.yield() }
      gate.open()
      let ids = try await first.ids
      #expect(try await second.ids == ids)
      #expect(stub.requests.count == 1)
    }
  }
}
