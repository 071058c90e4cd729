import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlCancelTests {
  @Test func `a cancelled task sends nothing`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await CurlAdapter().send(request("GET", server.url()))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.connections == 0)
  }

  @Test func `cancelling while nothing comes closes the connection`() async throws {
    let arrived = Event()
    let closed = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      arrived.set()
      connection.waitForClose()
      closed.set()
    }
    let task = Task { try await CurlAdapter().send(request("GET", server.url())) }
    await arrived.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
  }

  @Test func `a hung upload is cancelled`() async throws {
    let pulled = Event()
    let never = Event()
    let closed = Event()
    let server = try TestServer { connection in
      connection.waitForClose()
      closed.set()
    }
    let body = RequestBody.stream(
      RequestBodyStream(length: nil) {
        {
          pulled.set()
          await never.wait()
          return nil
        }
      })
    let task = Task { try await CurlAdapter().send(request("POST", server.url()), body: body) }
    await pulled.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
    never.set()
  }

  @Test func `requests that wait for a connection are cancelled and the next goes on`() async throws {
    let arrived = Event()
    let answer = Event()
    let server = try TestServer { connection in
      while try connection.readRequest() != nil {
        arrived.set()
        answer.block()
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let adapter = CurlAdapter { $0.connectionsPerHost = 1 }
    let first = Task { try await adapter.send(request("GET", server.url("/first"))).status }
    await arrived.wait()
    let second = Task { try await adapter.send(request("GET", server.url("/second"))).status }
    let third = Task { try await adapter.send(request("GET", server.url("/third"))).status }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    answer.set()
    #expect(try await first.value == 204)
    #expect(try await third.value == 204)
    #expect(server.requests.map(\.target) == ["/first", "/third"])
  }

  /// In a process of its own, where only this test opens files.
  @Test func `cancelling at any moment leaks nothing`() async throws {
    await #expect(processExitsWith: .success) {
      let closed = Log<Bool>()
      let server = try TestServer { connection in
        if let request = try connection.readRequest(), request.target != "/wait" {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
          return
        }
        defer { closed.add(true) }
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for size in [1, 10_000, 100_000] { try connection.sendChunk([UInt8](repeating: 7, count: size)) }
        connection.waitForClose()
      }
      let adapter = CurlAdapter()
      _ = try await adapter.send(request("GET", server.url("/warm")))
      let before = Footprint.now.files
      for round in 0..<200 {
        let task = Task {
          if round.isMultiple(of: 2) {
            _ = try await adapter.send(request("POST", server.url("/wait")), body: .data(pattern(round * 500))) { _ in }
          } else {
            let response = try await adapter.stream(request("GET", server.url("/wait")), body: .none, progress: nil)
            while try await response.next() != nil {}
          }
        }
        // Random, and without a clock: as often as not the request is on its way somewhere.
        for _ in 0..<Int.random(in: 0..<(round.isMultiple(of: 3) ? 30 : 3000)) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
      }
      // Accepted after all the others; by then each of them is known to the server.
      _ = try await adapter.send(request("GET", server.url("/last")))
      let deadline = ContinuousClock.now + .seconds(600)
      while ContinuousClock.now < deadline,
        closed.all.count < server.connections - 2 || Footprint.now.files > before
      {
        await Task.yield()
      }
      #expect(closed.all.count == server.connections - 2)
      #expect(Footprint.now.files <= before)
      #expect(server.connections > 20)
    }
  }
}
