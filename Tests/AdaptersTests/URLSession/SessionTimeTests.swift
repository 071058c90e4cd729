import EntityRequests
import EntityTesting
import SessionAdapter
import Testing
import HTTPFoundation

/// Limits of time, by a clock that the tests move.
@Suite(.untilItHangs, .underURLSession) struct SessionTimeTests {
  private let clock = VirtualClock()

  private func adapter(_ change: (inout URLSessionAdapter.Configuration) -> Void = { _ in }) -> URLSessionAdapter {
    var configuration = URLSessionAdapter.Configuration()
    change(&configuration)
    return URLSessionAdapter(configuration, clock: clock)
  }

  /// A server that answers nothing, and whose request has arrived.
  private func silentServer(_ arrived: Event, _ ended: Event) throws -> TestServer {
    try TestServer { connection in
      _ = try connection.readRequest()
      arrived.set()
      connection.waitForClose()
      ended.set()
    }
  }

  @Test func `silence ends the request and its connection`() async throws {
    let (arrived, ended) = (Event(), Event())
    let server = try silentServer(arrived, ended)
    let adapter = adapter()
    let sent = request("POST", server.url("/a?token=hidden"))
    async let failure = adapter.failure(sent)
    await arrived.wait()
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(60))
    let error = try #require(try await failure)
    #expect(error.kind == .timeout)
    #expect(error.mayHaveBeenProcessed)
    #expect(error.message.contains("nothing moved for 60.0 seconds"))
    #expect(!error.message.contains("hidden"))
    await ended.wait()
  }

  @Test(arguments: [(5.0, 5), (60.0, 7)]) func `the time of a request comes first`(_ interval: Double, _ seconds: Int)
    async throws
  {
    let (arrived, ended) = (Event(), Event())
    let server = try silentServer(arrived, ended)
    let adapter = adapter { $0.idleTimeout = .seconds(7) }
    var slow = request("GET", server.url())
    slow.timeoutInterval = interval
    let sent = slow
    async let failure = adapter.failure(sent)
    await clock.sleep(number: 1)
    #expect(clock.sleeps == [.seconds(seconds)])
    clock.advance(by: .seconds(seconds))
    #expect(try await failure?.kind == .timeout)
  }

  @Test func `the whole time has a limit`() async throws {
    let (arrived, ended) = (Event(), Event())
    let server = try silentServer(arrived, ended)
    let adapter = adapter {
      $0.totalTimeout = .seconds(10)
      $0.idleTimeout = nil
    }
    async let failure = adapter.failure(request("GET", server.url()))
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(10))
    #expect(try await failure?.message.contains("the whole time of 10.0 seconds") == true)
  }

  @Test func `a body that drips ends`() async throws {
    let next = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\na")
      next.block()
      try connection.send("b")
      connection.waitForClose()
    }
    let adapter = adapter()
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    #expect(try await response.next() == Data("a".utf8))
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(30))
    next.set()
    // The byte moves the limit of silence, and not that of the least.
    #expect(try await response.next() == Data("b".utf8))
    clock.advance(by: .seconds(30))
    let error = await #expect(throws: TransportError.self) { _ = try await response.next() }
    #expect(error?.kind == .timeout)
    #expect(error?.message.contains("2 bytes came in 60.0 seconds") == true)
  }

  /// The system keeps each sleep until its time has come, though it was cancelled.
  @Test func `many requests share one sleep`() async throws {
    let go = Event()
    let server = try TestServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/held" { go.block() }
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    defer { go.set() }
    let adapter = adapter()
    // Nothing sleeps for an exchange that ends before the first look.
    async let first = adapter.send(request("GET", server.url("/held")))
    await clock.sleep(number: 1)
    for _ in 0..<20 { _ = try await adapter.send(request("GET", server.url("/next"))) }
    #expect(clock.sleeps == [.seconds(60)])
    // A shorter limit needs an earlier look.
    var short = request("GET", server.url("/held"))
    short.timeoutInterval = 5
    let sent = short
    async let last = adapter.send(sent)
    await clock.sleep(number: 2)
    #expect(clock.sleeps.count == 2)
    go.set()
    _ = try await (first, last)
  }

  @Test func `the wait for a connection does not count`() async throws {
    let (first, go) = (Event(), Event())
    let server = try TestServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/1" {
          first.set()
          go.block()
        }
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let adapter = adapter {
      $0.connectionsPerHost = 1
      $0.idleTimeout = .seconds(3)
      $0.minimumThroughput = nil
    }
    var patient = request("GET", server.url("/1"))
    patient.timeoutInterval = 100_000
    let sent = patient
    async let slow = adapter.send(sent)
    await first.wait()
    await clock.sleep(number: 1)
    async let waiting = adapter.send(request("GET", server.url("/2")))
    while adapter.waiting == 0 { await Task.yield() }
    for _ in 0..<10 { clock.advance(by: .seconds(3)) }
    #expect(adapter.waiting == 1)
    go.set()
    _ = try await slow
    #expect(try await waiting.status == 204)
  }
}
