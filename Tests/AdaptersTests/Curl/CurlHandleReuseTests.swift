import Adapters
import EntityRequests
import Testing
import HTTPFoundation

/// Requests that have a handle of libcurl after one another. In a process of its own, for all adapters of a process share
/// the handles.
@Suite(.untilItHangs)
struct CurlHandleReuseTests {
  @Test func `a request has nothing of the request before it`() async {
    await #expect(processExitsWith: .success) {
      let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      let adapter = CurlAdapter()
      let bare = CurlAdapter {
        $0.userAgent = nil
        $0.acceptsCompression = false
      }
      let plains: [(CurlAdapter, [String], [String])] = [
        (adapter, ["EntityClient"], ["gzip, deflate"]), (bare, [], []),
      ]
      // Each leaves behind what the plain one after it must not have.
      let before: [(CurlAdapter, String, RequestBody, [String: String])] = [
        (adapter, "GET", .none, ["X-Secret": "s3cret", "Range": "bytes=0-1"]),
        (adapter, "HEAD", .none, ["X-Secret": "s3cret"]),
        (adapter, "DELETE", .none, [:]),
        (adapter, "POST", .data(pattern(10)), ["Content-Type": "text/plain"]),
        (adapter, "PUT", stream([pattern(10)], length: nil), [:]),
        (bare, "GET", .none, ["X-Secret": "s3cret"]),
      ]
      for (index, (other, method, body, headers)) in before.enumerated() {
        _ = try await other.send(
          request(method, server.url("/before/\(index)"), headers), body: body, progress: { _ in })
        for (plain, agent, codings) in plains {
          #expect(try await plain.send(request("GET", server.url("/plain/\(index)"))).status == 200)
          let sent = try #require(server.requests.last)
          #expect(sent.line == "GET /plain/\(index)")
          #expect(sent.body.isEmpty)
          #expect(sent.values("User-Agent") == agent)
          #expect(sent.values("Accept-Encoding") == codings)
          for name in ["X-Secret", "Range", "Content-Type", "Content-Length", "Transfer-Encoding", "Expect"] {
            #expect(sent.values(name) == [], "\(name) after \(method)")
          }
        }
      }
      #expect(server.requests.count == 18)
      #expect(server.connections == 1)
    }
  }

  @Test func `a connection that was stale once is no reason for new connections`() async {
    await #expect(processExitsWith: .success) {
      let isRead = Event()
      let isLate = Event()
      let server = try TestServer { connection in
        while let request = try connection.readRequest() {
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
          guard request.target == "/first" else { continue }
          isRead.block()
          try connection.send("HTTP/1.1 408 Timeout\r\nContent-Length: 4\r\n\r\nlate")
          isLate.set()
        }
      }
      let adapter = CurlAdapter()
      #expect(try await adapter.send(request("GET", server.url("/first"))).body == Data("good".utf8))
      isRead.set()
      await isLate.wait()
      for number in 2...5 {
        #expect(try await adapter.send(request("GET", server.url("/\(number)"))).body == Data("good".utf8))
      }
      #expect(server.connections == 2)
    }
  }

  /// The peer of a handshake is silent for longer than the time that the request before had.
  @Test func `a request does not have the time of the request before it`() async {
    await #expect(processExitsWith: .success) {
      try await untilTheMachineKeepsUp { unit in
        let seconds = unit * 10 / .seconds(1)
        let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        let isOver = Event()
        let isOpen = Event()
        let silent = try TestServer { _ in
          isOpen.set()
          isOver.block()
        }
        let url = try #require(URL(string: "https://127.0.0.1:\(silent.port)/"))
        let adapter = CurlAdapter()
        var short = request("GET", server.url())
        short.timeoutInterval = seconds
        // Its handle is kept.
        guard try await adapter.failure(short) == nil else { return false }
        async let patient = adapter.failure(request("GET", url))
        await isOpen.wait()
        short.url = url
        let first = try #require(try await adapter.failure(short))
        #expect(first.kind == .timeout, "\(first.message)")
        #expect(!first.mayHaveBeenProcessed)
        isOver.set()
        let second = try #require(try await patient)
        #expect(second.kind == .tls, "\(second.message)")
        return true
      }
    }
  }
}

/// The handles of an adapter that trusts a server, and of one that does not.
@Suite(.untilItHangs, .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
struct CurlHandleTrustTests {
  @Test func `trust is not lent with a handle`() async {
    await #expect(processExitsWith: .success) {
      let server = try TLSServer(name: "IP:127.0.0.1")
      let pem = try Data(contentsOf: server.certificate)
      let trusting = CurlAdapter {
        $0.trust = .pem(pem)
        $0.connectionsPerHost = 64
      }
      // More handles than are looked through, so that the next adapter gets one of these.
      try await sendAtOnce(64, through: trusting)
      #expect(try await trusting.send(request("GET", server.url)).body == Data("ok".utf8))
      for _ in 0..<2 {
        #expect(try await CurlAdapter().failure(request("GET", server.url))?.kind == .tls)
        #expect(try await trusting.send(request("GET", server.url)).body == Data("ok".utf8))
      }
    }
  }

  @Test func `pins are not lent with a handle`() async {
    await #expect(processExitsWith: .success) {
      let server = try TLSServer(name: "IP:127.0.0.1")
      let trusting = CurlAdapter { $0.trust = .file(server.certificate) }
      let pinning = CurlAdapter {
        $0.trust = .file(server.certificate)
        $0.pinnedKeys = [Data(repeating: 0, count: 32).base64EncodedString()]
      }
      for _ in 0..<2 {
        #expect(try await trusting.send(request("GET", server.url)).body == Data("ok".utf8))
        #expect(try await pinning.failure(request("GET", server.url))?.kind == .tls)
      }
    }
  }
}

/// Sends requests, none of which is answered before all are there.
private func sendAtOnce(_ count: Int, through adapter: CurlAdapter) async throws {
  let arrived = Log<Bool>()
  let areThere = Event()
  let server = try TestServer { connection in
    _ = try connection.readRequest()
    arrived.add(true)
    if arrived.all.count == count { areThere.set() }
    areThere.block()
    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
  }
  try await withThrowingTaskGroup(of: Void.self) { group in
    for _ in 0..<count { group.addTask { _ = try await adapter.send(request("GET", server.url())) } }
    try await group.waitForAll()
  }
}
