import EntityRequests
import SessionAdapter
import Testing
import HTTPFoundation

/// Tasks that are cancelled at any moment.
@Suite(.untilItHangs, .underURLSession) struct SessionCancelTests {
  /// URLSession on Linux stops the process where a redirect that is cancelled gets its answer, and waits for ever where a task is
  /// cancelled from its cancellation handler.
  @Test(arguments: [
    "HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: 2\r\n\r\nok",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
  ])
  func `each request ends`(_ answer: String) async throws {
    let server = try TestServer.answering(answer)
    let adapter = URLSessionAdapter()
    let ends = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<1000 {
        let sent = request("GET", server.url("/\(number)"))
        group.addTask {
          let task = Task { try await adapter.send(sent) }
          // As many moments as there are numbers.
          for _ in 0..<(number % 40) { await Task.yield() }
          task.cancel()
          do {
            return try await task.value.body == Data("ok".utf8)
          } catch is CancellationError {
            return true
          }
        }
      }
      return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(ends == 1000)
    // The next request is served.
    #expect(try await adapter.send(request("GET", server.url())).body == Data("ok".utf8))
  }

  @Test func `a cancelled request frees its place`() async throws {
    let arrived = Event()
    let server = try TestServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/held" {
          arrived.set()
          connection.waitForClose()
          return
        }
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    var configuration = URLSessionAdapter.Configuration()
    configuration.connectionsPerHost = 1
    let adapter = URLSessionAdapter(configuration)
    let held = Task { try await adapter.send(request("GET", server.url("/held"))) }
    await arrived.wait()
    async let next = adapter.send(request("GET", server.url("/next")))
    held.cancel()
    #expect(try await next.status == 204)
    await #expect(throws: CancellationError.self) { try await held.value }
  }

  @Test func `one adapter does not wait for another`() async throws {
    let arrived = Event()
    let server = try TestServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/held" {
          arrived.set()
          connection.waitForClose()
          return
        }
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    var configuration = URLSessionAdapter.Configuration()
    configuration.connectionsPerHost = 1
    let (first, second) = (URLSessionAdapter(configuration), URLSessionAdapter(configuration))
    let held = Task { try await first.send(request("GET", server.url("/held"))) }
    await arrived.wait()
    #expect(try await second.send(request("GET", server.url("/next"))).status == 204)
    held.cancel()
    await #expect(throws: CancellationError.self) { try await held.value }
  }
}
