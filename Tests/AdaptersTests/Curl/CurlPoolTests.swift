import EntityRequests
import Testing

@testable import Adapters

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif
import HTTPFoundation

/// More exchanges at once than the process has connections. In processes of their own, for all adapters of a process share
/// one pool.
@Suite(.untilItHangs)
struct CurlPoolTests {
  #if os(Linux)
    /// As `top -H` and debuggers show it.
    @Test func `the thread of libcurl has a name`() async {
      await #expect(processExitsWith: .success) {
        let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
        _ = try await CurlAdapter().send(request("GET", server.url()))
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        // Others may end meanwhile.
        let names = threads.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
        #expect(names.filter { $0 == "EntityCurl\n" }.count == 1)
      }
    }
  #endif

  @Test func `a request does not wait for the whole pool without end`() async {
    await #expect(processExitsWith: .success) {
      let held = try server { connection in connection.waitForClose() }
      var streams = try await openStreams(256, held.url())
      let other = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
      var waiting = request("GET", other.url())
      waiting.timeoutInterval = 0.25
      let error = try #require(try await CurlAdapter().failure(waiting))
      #expect(error.kind == .timeout)
      #expect(!error.mayHaveBeenProcessed)
      #expect(error.message.hasPrefix("Waiting for a free connection to 127.0.0.1:\(other.port): "))
      #expect(error.message.contains("on the 256 that are there"))
      let metrics = try #require(error.metrics)
      #expect(metrics.waiting == metrics.total)
      #expect(other.connections == 0)
      streams.removeLast()
      #expect(try await CurlAdapter().send(request("GET", other.url())).status == 204)
      withExtendedLifetime(streams) {}
      #expect(held.connections == 256)
    }
  }

  @Test func `a request that waits at its origin waits as long as the pool moves`() async {
    await #expect(processExitsWith: .success) {
      try await untilTheMachineKeepsUp { try await isServedByAPoolThatMoves($0) }
    }
  }

  /// One place is free at a time, so the server's log has the order.
  @Test func `places of the pool are taken in the order of the wait`() async {
    await #expect(processExitsWith: .success) {
      let held = try server { connection in connection.waitForClose() }
      var streams = try await openStreams(256, held.url())
      let other = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
      var configuration = CurlAdapter.Configuration()
      configuration.connectionsPerHost = 1
      let (one, two, three) = (
        CurlSettings(configuration), CurlSettings(configuration), CurlSettings(configuration)
      )
      let first = try await PostedRequest(other.url("/1"), one)
      let cancelled = try await PostedRequest(other.url("/2"), two)
      let second = try await PostedRequest(other.url("/3"), one)
      let third = try await PostedRequest(other.url("/4"), three)
      let fourth = try await PostedRequest(other.url("/5"), two)
      cancelled.cancel()
      await #expect(throws: CancellationError.self) { try await cancelled.response.value }
      streams.removeLast()
      for posted in [first, second, third, fourth] { #expect(try await posted.response.value == 204) }
      // The second one had to wait for its origin first, and the fourth one has the place of the one that was cancelled.
      withExtendedLifetime(streams) { #expect(other.requests.map(\.target) == ["/1", "/4", "/5", "/3"]) }
      #expect(held.connections == 256)
    }
  }
}

/// Answers each request with the first half of a body.
private func server(_ rest: @escaping @Sendable (TestConnection) throws -> Void) throws -> TestServer {
  try TestServer { connection in
    _ = try connection.readRequest()
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\na")
    try rest(connection)
  }
}

private func openStreams(_ count: Int, _ url: URL) async throws -> [StreamedHTTPResponse] {
  // Each connection has two in this process.
  var limit = rlimit()
  getrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 4 * rlim_t(count)))
  setrlimit(numericCast(RLIMIT_NOFILE.rawValue), &limit)
  let adapter = CurlAdapter {
    $0.connectionsPerHost = count
    $0.idleTimeout = nil
    $0.minimumThroughput = nil
  }
  return try await withThrowingTaskGroup(of: StreamedHTTPResponse.self) { group in
    for _ in 0..<count {
      group.addTask { try await adapter.stream(request("GET", url), body: .none, progress: nil) }
    }
    return try await group.reduce(into: []) { $0.append($1) }
  }
}

/// Whether two requests, one behind the other, waited longer than their limit for a pool in which bytes moved.
private func isServedByAPoolThatMoves(_ unit: Duration) async throws -> Bool {
  let isOver = Event()
  let held = try server { connection in
    while !isOver.isSet {
      try connection.send("a")
      connection.pause(unit)
    }
    connection.waitForClose()
  }
  let silent = try server { connection in connection.waitForClose() }
  let moving = try await openStreams(1, held.url())
  var streams = try await openStreams(255, silent.url())
  let other = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
  var configuration = CurlAdapter.Configuration()
  configuration.connectionsPerHost = 1
  configuration.idleTimeout = unit * 20
  let settings = CurlSettings(configuration)
  let first = try await PostedRequest(other.url(), settings)
  let second = try await PostedRequest(other.url(), settings)
  // It ends after three times the limit of the others, which wait for as long.
  configuration.totalTimeout = unit * 60
  let third = try await PostedRequest(other.url(), CurlSettings(configuration))
  await #expect(throws: TransportError.self) { try await third.response.value }
  streams.removeLast()
  defer { isOver.set() }
  do {
    for posted in [first, second] { #expect(try await posted.response.value == 204) }
    return withExtendedLifetime((moving, streams)) { true }
  } catch let error as TransportError where error.kind == .timeout {
    return false
  }
}

/// A request that is in the engine's mailbox once there is a value of it.
private struct PostedRequest {
  let response: Task<Int, any Error>
  private let exchange: CurlExchange
  private let engine: CurlEngine

  init(_ url: URL, _ settings: CurlSettings) async throws {
    let request = request("GET", url)
    let exchange = CurlExchange(
      try PreparedRequest(request, settings.origins), .none, settings,
      limits: RequestLimits(request, settings.configuration), progress: nil)
    let engine = try CurlEngine.shared.get()
    let isPosted = Event()
    response = Task {
      let received: ReceivedResponse = try await withCheckedThrowingContinuation { continuation in
        engine.post(.start(exchange, .whole(continuation)))
        isPosted.set()
      }
      return received.head.status
    }
    await isPosted.wait()
    (self.exchange, self.engine) = (exchange, engine)
  }

  func cancel() { engine.cancel(exchange) }
}
