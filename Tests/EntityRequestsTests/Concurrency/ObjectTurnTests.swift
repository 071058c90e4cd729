import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Writes of one object take turns; each is made when its turn has come.
@Suite(.tickets) @MainActor struct ObjectTurnTests {
  private let stub: StubAdapter
  private let main: EntityContext

  init() throws {
    stub = try StubAdapter.current
    main = try Client.current.store.main
  }

  private func ticket(_ uid: Int) async throws -> Ticket {
    try #require(try await Ticket.upsert(from: ["id": JSONValue(uid), "title": "a", "note": "n"]).object)
  }

  /// A ticket whose edit is on its way until the gate opens.
  private func sending(_ gate: StubGate) async throws -> (ticket: Ticket, put: Task<Void, any Error>) {
    let ticket = try await ticket(1)
    ticket.title = "b"
    let put = Task { _ = try await ticket.put(\.title) }
    await gate.arrival()
    return (ticket, put)
  }

  private func new() throws -> Ticket {
    let ticket = try main.insert(Ticket.self)
    ticket.title = "mine"
    return ticket
  }

  private var bodies: [JSONValue?] { stub.requests.map(\.json) }

  /// Lets tasks of the main actor run up to their suspension.
  private func letOthersRun() async { for _ in 0..<20 { await Task.yield() } }

  @Test func `the second write waits and carries the newest values`() async throws {
    let gate = StubGate()
    stub.on(.put, "/tickets/1", .status(204).waiting(for: gate), .status(204))
    let (ticket, first) = try await sending(gate)
    ticket.title = "c"
    let second = Task { try await ticket.put { try $0.setJSON(ticket.jsonObject(for: \.title)) } }
    await letOthersRun()
    #expect(bodies == [["title": "b"]])
    ticket.title = "d"
    gate.open()
    _ = try await (first.value, second.value)
    #expect(bodies == [["title": "b"], ["title": "d"]])
    #expect(ticket.pendingColumns.isEmpty)
    #expect(!main.hasChanges)
  }

  @Test func `writes of one object are sent in the order of the calls`() async throws {
    let gate = StubGate()
    stub.on(.put, "/tickets/1", .status(204).waiting(for: gate))
    stub.on(.patch, "/tickets/1", .status(204))
    stub.on(.delete, "/tickets/1", .status(204))
    let ticket = try await ticket(1)
    let put = Task { try await ticket.put(\.title) }
    await gate.arrival()
    let patch = Task { try await ticket.patch(\.note) }
    await letOthersRun()
    let delete = Task { try await ticket.delete() }
    await letOthersRun()
    gate.open()
    _ = try await (put.value, patch.value, delete.value)
    #expect(stub.requests.map(\.method) == [.put, .patch, .delete])
    #expect(ticket.isDeleted)
  }

  @Test func `a refused write ends its turn`() async throws {
    let gate = StubGate()
    stub.on(.put, "/tickets/1", .status(422).waiting(for: gate), .status(204))
    let (ticket, first) = try await sending(gate)
    let second = Task { try await ticket.put(\.title) }
    await letOthersRun()
    gate.open()
    await #expect(throws: RequestError.self) { _ = try await first.value }
    _ = try await second.value
    #expect(ticket.pendingColumns.isEmpty)
  }

  @Test func `other objects and reads do not wait`() async throws {
    let gate = StubGate()
    stub.on(.put, "/tickets/1", .status(204).waiting(for: gate))
    stub.on(.put, "/tickets/2", .status(204))
    stub.on(.get, "/tickets/1", .json(["id": 1, "version": 4]))
    let (one, two) = (try await ticket(1), try await ticket(2))
    let first = Task { try await one.put(\.title) }
    await gate.arrival()
    try await two.put(\.title)
    try await one.get()
    #expect(one.version == 4)
    gate.open()
    _ = try await first.value
  }

  @Test func `a write that is to go at once does not wait`() async throws {
    let gate = StubGate()
    stub.on(.put, "/tickets/1", .status(204).waiting(for: gate))
    stub.on(.patch, "/tickets/1", .status(204))
    let ticket = try await ticket(1)
    let first = Task { try await ticket.put(\.note) }
    await gate.arrival()
    ticket.title = "b"
    try await ticket.patch(\.title, options: .atOnce)
    #expect(ticket.pendingColumns.isEmpty)
    gate.open()
    _ = try await first.value
  }

  @Test func `a cancelled write leaves the line, and nothing is sent`() async throws {
    let gate = StubGate()
    stub.on(.put, "/tickets/1", .status(204).waiting(for: gate), .status(204))
    let (ticket, first) = try await sending(gate)
    let second = Task { try await ticket.patch(\.title) }
    await letOthersRun()
    let third = Task { try await ticket.put(\.note) }
    await letOthersRun()
    second.cancel()
    await #expect(throws: CancellationError.self) { _ = try await second.value }
    #expect(stub.requests.count == 1)
    gate.open()
    _ = try await (first.value, third.value)
    #expect(stub.requests.map(\.method) == [.put, .put])
  }

  @Test func `pending properties are sent once`() async throws {
    let gate = StubGate()
    stub.on(.patch, "/tickets/1", .status(204).waiting(for: gate))
    let ticket = try await ticket(1)
    ticket.title = "b"
    let first = Task { try await ticket.patchPending() }
    await gate.arrival()
    let second = Task { try await ticket.patchPending() }
    await letOthersRun()
    gate.open()
    #expect(try await first.value != nil)
    #expect(try await second.value == nil)
    #expect(bodies == [["title": "b"]])
  }

  @Test func `a second post makes no second object`() async throws {
    let gate = StubGate()
    stub.on(.post, "/tickets", .json(["id": 7], status: 201).waiting(for: gate))
    stub.on(.patch, "/tickets/7", .status(204))
    let ticket = try new()
    let first = Task { try await ticket.post(\.title) }
    await gate.arrival()
    let second = Task { try await ticket.postPending() }
    await letOthersRun()
    ticket.note = "later"
    let third = Task { try await ticket.patchPending() }
    await letOthersRun()
    gate.open()
    _ = try await first.value
    let error = await #expect(throws: RequestError.self) { _ = try await second.value }
    #expect(error?.kind == .invalidRequest)
    _ = try await third.value
    #expect(bodies == [["title": "mine"], ["note": "later"]])
    #expect(ticket.uid == 7)
    #expect(ticket.pendingColumns.isEmpty)
    #expect(try main.count(Ticket.all) == 1)
  }

  @Test func `a POST that failed lets the next POST make the object`() async throws {
    let gate = StubGate()
    stub.on(.post, "/tickets", .status(503).waiting(for: gate), .json(["id": 7], status: 201))
    let ticket = try new()
    let first = Task { try await ticket.post(\.title) }
    await gate.arrival()
    let second = Task { try await ticket.post(\.title) }
    await letOthersRun()
    gate.open()
    await #expect(throws: RequestError.self) { _ = try await first.value }
    _ = try await second.value
    #expect(ticket.uid == 7)
  }

  /// An adapter sends its own request about the object, for the request that it serves.
  private struct Renewing: RequestAdapter {
    let ticket: @Sendable () async throws -> Void
    let next: any RequestAdapter

    func send(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> HTTPResponse {
      if request.httpMethod == "PUT" { try await ticket() }
      return try await next.send(request, body: body, progress: progress)
    }
  }

  @Test func `a request that an adapter makes waits for no turn`() async throws {
    stub.on(.put, "/tickets/1", .status(204))
    stub.on(.patch, "/tickets/1", .status(204))
    let ticket = try await ticket(1)
    let own = try Client.current
    let renewing = Renewing(
      ticket: { @MainActor in
        _ = try await Client.withClient(own) { try await ticket.patch(\.note) }
      }, next: stub)
    let client = try Client(adapter: renewing, store: own.store, baseURL: own.baseURL)
    try await Client.withClient(client) { _ = try await ticket.put(\.title) }
    #expect(stub.requests.map(\.method) == [.patch, .put])
  }
}
