import EntityClient
import EntityTesting
import SampleSchema
import Synchronization
import Testing
import HTTPFoundation

/// The ways in which a stub's answers arrive.
@Suite(.sample) struct StubDeliveryTests {
  private func request(_ path: String = "users") throws -> URLRequest { try Client.current.request(.get, path) }

  private func pieces(_ response: StreamedHTTPResponse) async throws -> [String] {
    var pieces: [String] = []
    while let piece = try await response.next() { pieces.append(String(decoding: piece, as: UTF8.self)) }
    return pieces
  }

  @Test func `a stream has the body in pieces`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .text("abcdefghij", status: 201, headers: ["X-A": "1"]).chunked(3))
    let reports = Recorder<TransferProgress>()
    let response = try await stub.stream(request(), body: .none) { reports.add($0) }
    #expect(response.status == 201)
    #expect(response.headers["X-A"] == "1")
    #expect(response.url?.path() == "/users")
    #expect(reports.all.isEmpty)
    #expect(try await pieces(response) == ["abc", "def", "ghij"])
    #expect(try await response.next() == nil)
    #expect(reports.all.map(\.bytesReceived) == [3, 6, 10])
    #expect(try await pieces(stub.stream(request(), body: .none, progress: nil)).count == 3)
  }

  @Test func `a short body in many pieces has no empty piece`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .text("ab").chunked(7)).on(.get, "/none", .status(204))
    #expect(try await pieces(stub.stream(request(), body: .none, progress: nil)) == ["a", "b"])
    #expect(try await pieces(stub.stream(request("none"), body: .none, progress: nil)).isEmpty)
  }

  @Test func `the pieces of a stream wait at their gates`() async throws {
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.get, "/users", .text("ab").chunked(2, gates: [1: gate]))
    let response = try await stub.stream(request(), body: .none, progress: nil)
    #expect(try await response.next() == Data("a".utf8))
    let rest = Task { try await response.next() }
    await gate.arrival()
    gate.open()
    #expect(try await rest.value == Data("b".utf8))
  }

  @Test func `a cancelled reader of a stream gets no more`() async throws {
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.get, "/users", .text("ab").chunked(2, gates: [1: gate]))
    let response = try await stub.stream(request(), body: .none, progress: nil)
    let reading = Task {
      _ = try await response.next()
      return try await response.next()
    }
    await gate.arrival()
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  @Test(arguments: [0, 3, 10, 99]) func `a body breaks off`(_ bytes: Int) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .text("abcdefghij").chunked(5).breaking(after: bytes, .timeout))
    let response = try await stub.stream(request(), body: .none, progress: nil)
    var text = ""
    let error = await #expect(throws: TransportError.self) {
      while let piece = try await response.next() { text += String(decoding: piece, as: UTF8.self) }
    }
    #expect(text == String("abcdefghij".prefix(bytes)))
    #expect(error?.kind == .timeout && error?.mayHaveBeenProcessed == true)
    await #expect(throws: TransportError.self) { try await response.next() }
    let failed = try await requestError { try await User.get() }
    #expect(failed.kind == .transport && (failed.underlying as? TransportError)?.kind == .timeout)
  }

  @Test func `an answer comes later by a clock`() async throws {
    let clock = SkippingClock()
    try StubAdapter.current.on(.get, "/users", .json([]).delayed(by: .seconds(3600), on: clock))
    try await User.get()
    #expect(clock.now.offset == .seconds(3600))
    try await User.get()
    #expect(clock.now.offset == .seconds(7200))
  }

  @Test func `answers are given as often as they say`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .status(204).times(2), .status(304), .json([]).always)
    var statuses: [Int] = []
    for _ in 0..<6 { statuses.append(try await User.get().status) }
    #expect(statuses == [204, 204, 304, 200, 200, 200])
    stub.on(.get, "/users", .status(206).times(1))
    #expect(try await User.get().status == 206)
    // Used up, it gives way to the one before.
    #expect(try await User.get().status == 200)
  }

  @Test func `a query may stand in the path`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .status(204)).on(.get, "/users?page=2&q=a%20b", query: ["x": 1], .json([]))
    #expect(try await User.get(query: ["page": 2, "q": "a b", "x": 1, "more": true]).status == 200)
    #expect(try await User.get(query: ["page": 2, "q": "a b"]).status == 204)
    #expect(try await User.get(query: ["page": 1, "q": "a b", "x": 1]).status == 204)
    #expect(stub.requests(.get, "/users?page=2").count == 2)
    #expect(stub.requests(.get, "/users?page").isEmpty)
  }

  @Test func `an origin may stand before the path`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .status(204)).on(.get, "https://cdn.example:8443/users?a=1", .json([]))
    let options: ResponseOptions<User> = .allowing(.otherOrigins)
    #expect(try await User.get("https://cdn.example:8443/users?a=1", options: options).status == 200)
    #expect(try await User.get("https://cdn.example/users?a=1", options: options).status == 204)
  }

  @Test func `an unexpected request is reported with the nearest answers`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/posts/#", .json([])).on(.get, "https://cdn.example/users/7", .json([]))
    stub.on(.post, "/users/7", .json([])).on(.get, "/users/7?page=2", .json([]))
    stub.on(.get, "/users/7", .status(204).times(1)).on(.get, "/users/7/x", .json([])).on(.head, "/", .json([]))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com")
    try await client.get("users/7")
    let told = Mutex("")
    try await withKnownIssue {
      do { try await client.get("users/7?page=1") } catch let error as RequestError {
        told.withLock { $0 = error.underlying.map { "\($0)" } ?? "" }
        throw error
      }
    } matching: {
      $0.error is UnexpectedRequest || $0.error is RequestError
    }
    #expect(
      told.withLock { $0 } == """
        Unexpected request: GET https://api.example.com/users/7?page=1. Near are: GET /users/7 (used up: its answer was \
        given); GET /users/7?page=2 (the parameter 'page' is '1'); POST /users/7 (the method is GET); GET /users/7/x (the \
        path ends before 'x'); GET /posts/# ('users' is not 'posts'); and 2 more.
        """)
  }

  @Test func `a request to a stub without answers says so`() async throws {
    try await withKnownIssue {
      let error = try await requestError { try await User.get() }
      #expect("\(try #require(error.underlying))".hasSuffix("No answer is declared."))
    } matching: {
      $0.error is UnexpectedRequest
    }
  }
}

/// A clock on which each sleep is over at once, and has moved it.
private final class SkippingClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let time = Mutex(Instant())
  var now: Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline) }
  }
}
