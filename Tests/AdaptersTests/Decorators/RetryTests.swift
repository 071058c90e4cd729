import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct RetryTests {
  private let stub = StubAdapter()
  private let clock = VirtualClock(advancesByItself: true)
  private let url = URL(string: "https://api.example.com/notes")!

  private func policy(_ change: (inout RetryPolicy) -> Void = { _ in }) -> RetryPolicy {
    var policy = RetryPolicy()
    change(&policy)
    return policy
  }

  private static let methods: [HTTPMethod] = [.get, .head, .put, .delete, .post, .patch]

  @Test(arguments: methods)
  func `a request that did not reach the server is sent again whatever its method`(_ method: HTTPMethod) async throws {
    stub.on(method, "/notes", .failure(.connection), .failure(.nameResolution), .status(204))
    let response = try await stub.retrying(clock: clock).send(request(method.rawValue, url))
    #expect(response.status == 204)
    #expect(stub.requests.count == 3)
  }

  @Test(arguments: methods)
  func `a request that may have been processed is sent again where twice is as good as once`(_ method: HTTPMethod)
    async throws
  {
    stub.on(method, "/notes", .failure(.timeout, mayHaveBeenProcessed: true), .status(503), .status(204))
    let adapter = stub.retrying(clock: clock)
    if method == .post || method == .patch {
      #expect(try await adapter.failure(request(method.rawValue, url))?.kind == .timeout)
      #expect(try await adapter.send(request(method.rawValue, url)).status == 503)
      #expect(stub.requests.count == 2)
      #expect(clock.sleeps == [])
    } else {
      #expect(try await adapter.send(request(method.rawValue, url)).status == 204)
    }
  }

  @Test func `an idempotency key makes a POST repeatable`() async throws {
    stub.on(.post, "/notes", .failure(.connection, mayHaveBeenProcessed: true), .status(502), .status(201))
    let response = try await stub.retrying(clock: clock).send(
      request("POST", url, ["Idempotency-Key": "1"]), body: .data(Data([1])))
    #expect(response.status == 201)
    #expect(stub.requests.map(\.body) == [Data([1]), Data([1]), Data([1])])
  }

  @Test(
    arguments: [
      TransportError.Kind.invalidRequest, .unsupported, .tls, .sending, .bodyTooLarge, .offline, .other,
    ])
  func `an error that comes again is not retried`(_ kind: TransportError.Kind) async throws {
    stub.on(.get, "/notes", .failure(kind))
    #expect(try await stub.retrying(clock: clock).failure(request("GET", url))?.kind == kind)
    #expect(stub.requests.count == 1)
  }

  @Test(arguments: [200, 304, 400, 401, 404, 409, 500, 501])
  func `a status that is not retried is the result`(_ status: Int) async throws {
    stub.on(.get, "/notes", .status(status))
    #expect(try await stub.retrying(clock: clock).send(request("GET", url)).status == status)
    #expect(stub.requests.count == 1)
  }

  @Test func `the last response is the result`() async throws {
    stub.on(.get, "/notes", .status(503), .status(502), .status(429), .status(200))
    #expect(try await stub.retrying(clock: clock).send(request("GET", url)).status == 429)
    #expect(stub.requests.count == 3)
  }

  @Test func `waits are random up to a limit that doubles`() async throws {
    stub.on(.get, "/notes", .status(503))
    let adapter = stub.retrying(
      policy {
        $0.maximumAttempts = 5
        $0.baseDelay = .seconds(1)
        $0.maximumDelay = .seconds(3)
        $0.deadline = nil
        $0.retriesPerRequest = nil
      }, clock: clock)
    for _ in 0..<100 { _ = try await adapter.send(request("GET", url)) }
    let sleeps = clock.sleeps
    #expect(sleeps.count == 400)
    for (place, limit) in [1.0, 2, 3, 3].enumerated() {
      let waits = stride(from: place, to: sleeps.count, by: 4).map { sleeps[$0] / .seconds(1) }
      #expect(waits.allSatisfy { (0...limit).contains($0) })
      // A hundred waits are not all in one half.
      #expect(waits.contains { $0 < limit / 2 } && waits.contains { $0 > limit / 2 })
    }
  }

  @Test(
    arguments: [
      ("7", 7.0), (" 7 ", 7), ("Mon, 02 Jan 2023 00:00:09 GMT", 9), ("Monday, 02-Jan-23 00:00:09 GMT", 9),
      ("Mon Jan  2 00:00:09 2023", 9), ("Sun, 01 Jan 2023 23:59:59 GMT", 0), ("0", 0), ("", 0), ("2.0", 2),
      ("2.75", 2.75),
    ])
  func `the server says how long to wait at least`(_ value: String, _ seconds: Double) async throws {
    stub.on(
      .get, "/notes",
      .status(503, headers: ["Retry-After": value, "Date": "Mon, 02 Jan 2023 00:00:00 GMT"]), .status(200))
    let adapter = stub.retrying(policy { $0.baseDelay = .seconds(1) }, clock: clock)
    #expect(try await adapter.send(request("GET", url)).status == 200)
    let wait = try #require(clock.sleeps.first) / .seconds(1)
    #expect((seconds...(seconds + 1)).contains(wait))
  }

  @Test(
    arguments: [
      "-5", "soon", "2.", ".5", "1e3", "120s", "5, 7", "Mon, 02 Foo 2023 00:00:09 GMT", "Fri, 31 Feb 2023 00:00:09 GMT",
      "Mon, 02 Jan 2023 99:00:09 GMT",
    ])
  func `a wait that cannot be read is the longest wait`(_ value: String) async throws {
    stub.on(.get, "/notes", .status(503, headers: ["Retry-After": value]), .status(200))
    let policy = policy {
      $0.baseDelay = .seconds(1)
      $0.maximumDelay = .seconds(20)
    }
    #expect(try await stub.retrying(policy, clock: clock).send(request("GET", url)).status == 200)
    let wait = try #require(clock.sleeps.first) / .seconds(1)
    #expect((20...21).contains(wait))
  }

  @Test func `a date is compared with the device's clock where the server tells no time`() async throws {
    stub.on(.get, "/notes", .status(429, headers: ["Retry-After": "Mon, 02 Jan 2023 00:00:30 GMT"]), .status(200))
    // The same as Mon, 02 Jan 2023 00:00:10 GMT.
    try await AnswerClock.$now.withValue({ 1_672_617_610 }) {
      _ = try await stub.retrying(clock: clock).send(request("GET", url))
    }
    let wait = try #require(clock.sleeps.first) / .seconds(1)
    #expect((20...20.5).contains(wait))
  }

  @Test(arguments: ["61", "1000000000", "99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
  func `a wait past the deadline is not begun`(_ value: String) async throws {
    stub.on(.get, "/notes", .status(503, headers: ["Retry-After": value]), .status(200))
    #expect(try await stub.retrying(clock: clock).send(request("GET", url)).status == 503)
    #expect(clock.sleeps == [])
  }

  @Test func `the deadline counts from the first attempt`() async throws {
    let clock = clock
    stub.on(
      .get, "/notes",
      .respond { _ in
        clock.advance(by: .seconds(25))
        return HTTPResponse(status: 503)
      })
    let adapter = stub.retrying(
      policy {
        $0.maximumAttempts = 10
        $0.baseDelay = .zero
      }, clock: clock)
    #expect(try await adapter.send(request("GET", url)).status == 503)
    // At 0, 25 and 50 seconds; the next would begin at 75.
    #expect(stub.requests.count == 3)
  }

  @Test func `all requests share a budget`() async throws {
    stub.on(.get, "/notes", .status(503))
    let adapter = stub.retrying(clock: clock)
    for _ in 0..<105 { _ = try await adapter.send(request("GET", url)) }
    // Ten are free, and each of the 100 requests after the first few adds a fifth of one.
    #expect((28...32).contains(stub.requests.count - 105))
  }

  @Test func `a stream that cannot be opened again is not sent again`() async throws {
    stub.on(.put, "/notes", .status(503))
    let adapter = stub.retrying(clock: clock)
    #expect(try await adapter.send(request("PUT", url), body: stream([Data([1])], length: 1)).status == 503)
    #expect(stub.requests.count == 1)
  }

  @Test func `a streamed response is sent again up to its head`() async throws {
    stub.on(.get, "/notes", .failure(.connection), .status(503), .text("ok"))
    let response = try await stub.retrying(clock: clock).stream(request("GET", url), body: .none, progress: nil)
    #expect(response.status == 200)
    #expect(try await response.next() == Data("ok".utf8))
  }

  @Test func `a cancelled task waits no longer`() async throws {
    stub.on(.get, "/notes", .status(503))
    let clock = VirtualClock()
    let adapter = stub.retrying(clock: clock)
    let task = Task { try await adapter.send(request("GET", url)) }
    await clock.sleep(number: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(stub.requests.count == 1)
  }

  @Test func `a refused connection is tried again until the server is there`() async throws {
    // The first server closes without an answer, which may be after the request was done.
    let answers = Log<Int>()
    let server = try TestServer { connection in
      guard try connection.readRequest() != nil else { return }
      answers.add(1)
      if answers.all.count > 2 { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
    }
    let adapter = CurlAdapter().retrying(clock: clock)
    #expect(try await adapter.send(request("GET", server.url())).status == 200)
    #expect(server.requests.count == 3)
    let posted = try TestServer { connection in _ = try connection.readRequest() }
    #expect(try await adapter.failure(request("POST", posted.url()), body: .data(Data([1])))?.kind == .connection)
    #expect(posted.requests.count == 1)
  }

  @Test func `the last error tells whether any attempt may have been processed`() async throws {
    for (first, isPossible) in [
      (StubAnswer.failure(.timeout, mayHaveBeenProcessed: true), true), (.status(503), true),
      (.failure(.connection), false),
    ] {
      let stub = StubAdapter().on(.put, "/notes", first, .failure(.connection))
      let adapter = stub.retrying(policy { $0.maximumAttempts = 2 }, clock: clock)
      let error = try #require(try await adapter.failure(request("PUT", url)))
      #expect(error.kind == .connection)
      #expect(stub.requests.count == 2)
      #expect(error.mayHaveBeenProcessed == isPossible)
    }
  }

  @Test func `a request that a redirect answered may have been processed`() async throws {
    let moved = StubAnswer.status(303, headers: ["Location": "https://other.example.com/receipt"])
    stub.on(.post, "/notes", moved).on(.get, "/notes", moved)
    stub.on(.get, "/receipt", .failure(.connection), .failure(.connection), .text("ok"))
    let adapter = stub.followingRedirects().retrying(clock: clock)
    let error = try #require(try await adapter.failure(request("POST", url), body: .data(Data([1]))))
    #expect(error.kind == .connection)
    #expect(error.mayHaveBeenProcessed)
    #expect(stub.requests(.post, "/notes").count == 1)
    // Twice is as good as once.
    #expect(try await adapter.send(request("GET", url)).body == Data("ok".utf8))
    #expect(stub.requests(.get, "/notes").count == 2)
  }
}
