import EntityClient
import EntityTesting
import Testing

/// Signals and completion handlers: Overcoat's (case 30, O8, O9), and the samples of its README.
@Suite(.client(entities: entities, errorModel: ErrorModel(Problem.self))) @MainActor
struct EventCases {
  private var client: Client { get throws { try Client.current } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  /// The elements of a sequence: how many there are of progress, and the response.
  private func elements<Response>(
    of events: RequestEvents<Response>
  ) async throws -> (progress: [Double], response: Response?) {
    var progress: [Double] = []
    for try await event in events {
      switch event {
      case .progress(let report): progress.append(report.fraction)
      case .response(let response): return (progress, response)
      }
    }
    return (progress, nil)
  }

  @Test
  func `Case 30: a sequence has progress and then the value; a refusal ends it with the error that has the model`()
    async throws
  {
    let refusal: JSONValue = ["code": 7, "message": "Log in"]
    try stub.on(
      .get, "/model", .json(["name": "Ada"]).chunked(4), .json(refusal, status: 401).chunked(4))
    let events = try client.sending(.get, "model", as: Person.self).events
    let (progress, response) = try await elements(of: events)
    #expect(progress.last == 1)
    #expect(response?.value == Person(name: "Ada"))
    let error = try await requestError { _ = try await elements(of: events) }
    #expect(error.model(as: Problem.self) == Problem(code: 7, message: "Log in"))
    #expect(error.status == 401)
  }

  @Test
  func `ReactiveCocoa: a signal is cold: nothing is sent before somebody asks, and each time anew`() async throws {
    try stub.on(.get, "/users/lookup.json", .json([["name": "Ada"]]))
    let users = try client.sending(.get, "users/lookup.json", as: [Person].self).events
    #expect(try stub.requests.isEmpty)
    for _ in 1...2 {
      #expect(try await elements(of: users).response?.value == [Person(name: "Ada")])
    }
    #expect(try stub.requests.count == 2)
  }

  @Test func `O9: who stops asking cancels the request`() async throws {
    let gate = StubGate()
    try stub.on(.get, "/contacts", .json(contacts([1])).waiting(for: gate))
    let task = Task { for try await _ in Contact.sending(.get).events {} }
    await gate.arrival()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await client.store.objectCount() == 0)
  }

  @Test
  func `O8: a completion handler gets the result on the main actor, once, and its objects are there`() async throws {
    try stub.on(.get, "/contacts", .json(contacts([1, 2])), .status(500))
    let success = await withCheckedContinuation { continuation in
      Contact.sending(.get).send { continuation.resume(returning: $0) }
    }
    #expect(try success.get().objects.map(\.uid) == [1, 2])
    let failure = await withCheckedContinuation { continuation in
      Contact.sending(.get).send { continuation.resume(returning: $0) }
    }
    #expect(throws: RequestError.self) { try failure.get() }
  }

  @Test
  func `O8: the task of a request with a completion handler can be cancelled; the handler hears of it`() async throws {
    let gate = StubGate()
    try stub.on(.get, "/contacts", .json(contacts([1])).waiting(for: gate))
    let result = await withCheckedContinuation { continuation in
      let task = Contact.sending(.get).send { continuation.resume(returning: $0) }
      Task {
        await gate.arrival()
        task.cancel()
      }
    }
    #expect(throws: CancellationError.self) { try result.get() }
  }
}
