import Adapters
import EntityClient
import EntityTesting
import HungLookup
import Testing
import HTTPFoundation

/// The figures of libcurl, and the server's counts beside them.
@Suite(.untilItHangs)
struct CurlMetricsTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

  /// The bytes of a request as the server got them.
  private func size(_ request: TestRequest?) -> Int64? { request.map { Int64($0.head.utf8.count + $0.body.count) } }

  @Test func `a connection is opened once and then kept`() async throws {
    let server = try TestServer.answering(Self.answer)
    let url = server.url()
    let lines = Log<String>()
    func log(_ line: String) { lines.add(line) }
    let adapter = CurlAdapter()
    let response = try await adapter.send(URLRequest(url: url), body: .none, progress: nil)
    if let metrics = response.metrics, metrics.isConnectionReused == false {
      log("\(metrics)")  // new connection in 14 ms, first byte after 80 ms
    }
    let first = try #require(response.metrics)
    #expect(lines.all == ["\(first)"])
    #expect(first.isConnectionReused == false && first.tls == nil && first.httpVersion == "HTTP/1.1")
    let (waiting, lookup, connection) = try #require(
      (first.waiting, first.nameResolution, first.connection) as? (Duration, Duration, Duration))
    let (firstByte, total) = try #require((first.firstByte, first.total) as? (Duration, Duration))
    #expect(connection > .zero && first.connecting == lookup + connection)
    #expect(firstByte >= waiting + lookup + connection && total >= firstByte)
    #expect(first.description.hasPrefix("new connection in "))

    let second = try #require(try await adapter.send(request("GET", url)).metrics)
    #expect(second.isConnectionReused == true)
    #expect(second.nameResolution == nil && second.connection == nil && second.connecting == nil)
    #expect(second.description.hasPrefix("kept connection, first byte after "))
    #expect(server.connections == 1)
  }

  @Test func `bytes are those that the server counted`() async throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let server = try TestServer.answering("\(head)3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
    let bodies: [RequestBody] = [
      .none, .data(pattern(100_000)), stream([pattern(70_000), pattern(3)], length: nil),
      stream([pattern(70_000)], length: 70_000),
    ]
    for body in bodies {
      let metrics = try #require(try await CurlAdapter().send(request("POST", server.url()), body: body).metrics)
      #expect(metrics.bytesSent == size(server.requests.last))
      // With the line behind the last chunk, which ends the trailer fields.
      #expect(metrics.bytesReceived.map { [5, 7].contains($0 - Int64(head.utf8.count)) } == true)
    }
  }

  @Test func `a stream has its metrics at its end`() async throws {
    let server = try TestServer.answering(Self.answer)
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    while try await response.next() != nil {}
    let metrics = try #require(response.metrics)
    #expect(metrics.bytesReceived == Int64(Self.answer.utf8.count))
    #expect(metrics.bytesSent == size(server.requests.first))

    let breaking = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")
    }
    let broken = try await CurlAdapter().stream(request("GET", breaking.url()), body: .none, progress: nil)
    let error = await #expect(throws: TransportError.self) { while try await broken.next() != nil {} }
    #expect(broken.metrics?.firstByte != nil)
    #expect(error?.metrics == broken.metrics)
  }

  @Test(
    arguments: [
      ("GET", "200 OK\r\n\r\nok", true), ("GET", "200 OK\r\nContent-Length: 2\r\n\r\nok", false),
      ("GET", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", false),
      ("GET", "204 No Content\r\n\r\n", false), ("HEAD", "200 OK\r\n\r\n", false),
    ])
  func `a body that ends with the connection is reported`(_ method: String, _ answer: String, _ ends: Bool) async throws
  {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 \(answer)")
    }
    let whole = try await CurlAdapter().send(request(method, server.url()))
    #expect(whole.metrics?.bodyEndsWithConnection == ends)
    let streamed = try await CurlAdapter().stream(request(method, server.url()), body: .none, progress: nil)
    while try await streamed.next() != nil {}
    #expect(streamed.metrics?.bodyEndsWithConnection == ends)
  }

  @Test func `a stream has no metrics before its end`() async throws {
    let go = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
      go.block()
      try connection.send("ok")
    }
    let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
    #expect(response.metrics == nil)
    go.set()
    while try await response.next() != nil {}
    #expect(response.metrics != nil)
  }

  @Test func `an error has metrics`() async throws {
    let port = try TestServer.unusedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
    let refused = try #require(try await CurlAdapter().failure(request("GET", url))?.metrics)
    #expect(refused.total != nil && refused.isConnectionReused == nil && refused.bytesSent == nil)

    let silent = try TestServer { $0.waitForClose() }
    let adapter = CurlAdapter { $0.idleTimeout = .milliseconds(50) }
    let late = try #require(try await adapter.failure(request("GET", silent.url()))?.metrics)
    #expect(late.connection != nil && late.firstByte == nil && late.isConnectionReused == false)
    #expect(try #require(late.total) >= .milliseconds(50))
  }

  /// The others wait for the one place.
  @Test func `the wait for a place counts`() async throws {
    let (arrived, go) = (Event(), Event())
    let server = try TestServer { connection in
      while let request = try connection.readRequest() {
        if request.target == "/1" {
          arrived.set()
          go.block()
        }
        try connection.send(Self.answer)
      }
    }
    let adapter = CurlAdapter { $0.connectionsPerHost = 1 }
    async let first = adapter.send(request("GET", server.url("/1")))
    await arrived.wait()
    let line = Task { try await adapter.send(request("GET", server.url("/2"))) }
    // The third comes after the second, and waits for its whole limit.
    var impatient = request("GET", server.url("/3"))
    impatient.timeoutInterval = 0.2
    while try await adapter.failure(impatient)?.kind != .timeout {}
    go.set()
    let metrics = try #require(try await line.value.metrics)
    #expect(metrics.isConnectionReused == true)
    #expect(try #require(metrics.waiting) >= .milliseconds(100))
    #expect(try #require(metrics.firstByte) >= #require(metrics.waiting))
    _ = try await first
  }

  @Test func `redirects have the metrics of the last hop`() async throws {
    let server = try TestServer.answering { request in
      request.target == "/old"
        ? Array("HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n".utf8) : Array(Self.answer.utf8)
    }
    let lines = Log<LogLine>()
    let adapter = CurlAdapter().logging { lines.add($0) }.followingRedirects()
    let response = try await adapter.send(request("GET", server.url("/old")))
    #expect(response.metrics?.bytesSent == size(server.requests.last))
    #expect(response.metrics?.isConnectionReused == true)
    #expect(lines.all.compactMap(\.metrics?.isConnectionReused) == [false, true])
    #expect("\(lines.all[1])".contains(" ms (new connection in "))
    #expect("\(lines.all[3])".contains(" ms (kept connection, first byte after "))
  }

  @Test func `clients hand the metrics on`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")
    let client = try Client(adapter: CurlAdapter().standard(), baseURL: server.url().absoluteString)
    let values = try await client.get("users", as: [Int].self)
    #expect(values.metrics?.bytesSent == size(server.requests.first))
  }
}

/// The handshake of TLS.
@Suite(.untilItHangs, .enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
struct CurlTLSMetricsTests {
  @Test func `a handshake takes time only once`() async throws {
    let server = try TLSServer(name: "IP:127.0.0.1")
    let adapter = CurlAdapter { $0.trust = .file(server.certificate) }
    let first = try #require(try await adapter.send(request("GET", server.url)).metrics)
    let handshake = try #require(first.tls)
    #expect(handshake > .zero && first.isConnectionReused == false)
    #expect(try #require(first.connecting) > handshake)
    let second = try #require(try await adapter.send(request("GET", server.url)).metrics)
    #expect(second.tls == nil && second.isConnectionReused == true)
  }

  /// The lookup takes long: were it a part of another time too, the times would be longer than that to the first byte.
  @Test(.enabled(if: hung_lookup_is_there())) func `no time is a part of another`() async throws {
    let name = "\(UUID().uuidString.lowercased()).loopback.hung.invalid"
    defer { hung_lookup_let_go(name) }
    let server = try TLSServer(name: "DNS:\(name)")
    let port = try #require(server.url.port)
    let url = try #require(URL(string: "https://\(name):\(port)/"))
    let adapter = CurlAdapter { $0.trust = .file(server.certificate) }
    async let answer = adapter.send(request("GET", url))
    await lookupHangs(name)
    // This one waits for its whole limit.
    let impatient = CurlAdapter { $0.connectTimeout = .milliseconds(300) }
    #expect(try await impatient.failure(request("GET", url))?.kind == .timeout)
    hung_lookup_let_go(name)
    let metrics = try #require(try await answer.metrics)
    #expect(try #require(metrics.nameResolution) >= .milliseconds(200))
    let (connection, tls) = try #require((metrics.connection, metrics.tls) as? (Duration, Duration))
    #expect(connection > .zero && tls > .zero)
    let before = try #require(metrics.waiting) + #require(metrics.connecting)
    #expect(try #require(metrics.firstByte) >= before)
  }
}
