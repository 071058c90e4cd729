import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlStreamTests {
  @Test func `the head comes before the body`() async throws {
    let goOn = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n")
      goOn.block()
      try connection.sendChunk(Array("abc".utf8))
      try connection.sendChunk([])
    }
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    #expect(response.status == 200)
    #expect(response.headers["x"] == "y")
    #expect(response.url == server.url())
    goOn.set()
    #expect(try await response.next() == Data("abc".utf8))
    #expect(try await response.next() == nil)
    #expect(try await response.next() == nil)
  }

  /// Each piece comes after the one before it was read, so the reader waits for most of them.
  @Test func `a reader that waits gets each piece as it comes`() async throws {
    let read = (0..<30).map { _ in Event() }
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      for event in read {
        try connection.sendChunk(Array("abc".utf8))
        event.block()
      }
      try connection.sendChunk([])
    }
    defer { for event in read { event.set() } }
    let adapter = CurlAdapter { $0.idleTimeout = .seconds(20) }
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    for event in read {
      #expect(try await response.next() == Data("abc".utf8))
      event.set()
    }
    #expect(try await response.next() == nil)
  }

  @Test func `a slow reader holds the server back`() async throws {
    let size = 48 << 20
    let expected = pattern(1 << 20)
    try await untilTheMachineKeepsUp { unit in
      let stalled = Event()
      let server = try TestServer { connection in
        defer { stalled.set() }
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        let piece = Array(expected)
        for _ in 0..<48 {
          if !stalled.isSet, connection.isStalled(unit * 200) { stalled.set() }
          try connection.send(piece)
        }
      }
      let counts = Log<Int64>()
      let adapter = CurlAdapter { $0.idleTimeout = unit * 150 }
      var received = 0
      var isEqual = true
      do {
        let response = try await adapter.stream(request("GET", server.url()), body: .none) {
          counts.add($0.bytesReceived)
        }
        // The server is stuck for longer than the idle timeout, which does not run while the reader is the slow one.
        await stalled.wait()
        #expect(counts.all.allSatisfy { $0 <= (256 + 64) << 10 })
        while let piece = try await response.next() {
          isEqual = isEqual && piece.first == expected[received % (1 << 20)]
          received += piece.count
        }
      } catch let error as TransportError where error.kind == .timeout {
        return false
      }
      #expect(received == size)
      #expect(isEqual)
      #expect(counts.all.last == Int64(size))
      #expect(counts.all == counts.all.sorted())
      return true
    }
  }

  @Test func `dropping the response closes the connection`() async throws {
    let closed = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nabc")
      connection.waitForClose()
      closed.set()
    }
    do {
      let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
      #expect(try await response.next() == Data("abc".utf8))
    }
    await closed.wait()
  }

  @Test func `cancelling the reader closes the connection`() async throws {
    let closed = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
      connection.waitForClose()
      closed.set()
    }
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    let task = Task { try await response.next() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
    await #expect(throws: CancellationError.self) { try await response.next() }
  }

  @Test func `bytes before a break are handed out`() async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
    }
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    #expect(try await response.next() == Data("abc".utf8))
    let error = await #expect(throws: TransportError.self) { try await response.next() }
    #expect(error?.kind == .badResponse)
  }

  @Test func `an unread response keeps its place until it is dropped`() async throws {
    let server = try TestServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/big" {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n")
          return connection.waitForClose()
        }
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let adapter = CurlAdapter { $0.connectionsPerHost = 1 }
    var response: StreamedHTTPResponse? = try await adapter.stream(
      request("GET", server.url("/big")), body: .none, progress: nil)
    let next = Task { try await adapter.send(request("GET", server.url("/next"))).status }
    // Another adapter has places of its own.
    #expect(try await CurlAdapter().send(request("GET", server.url("/other"))).status == 204)
    #expect(server.requests.map(\.target) == ["/big", "/other"])
    #expect(response?.status == 200)
    response = nil
    #expect(try await next.value == 204)
  }
}
