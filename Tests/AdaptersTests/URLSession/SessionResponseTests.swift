import EntityRequests
import SessionAdapter
import Testing
import HTTPFoundation

/// Responses as servers send them, and the limits of their bodies.
@Suite(.untilItHangs, .underURLSession) struct SessionResponseTests {
  private func response(
    _ text: String, _ change: (inout URLSessionAdapter.Configuration) -> Void = { _ in }
  ) async throws -> HTTPResponse {
    let server = try TestServer.answering(text)
    return try await adapter(change).send(request("GET", server.url()))
  }

  private func failure(
    _ text: String, _ change: (inout URLSessionAdapter.Configuration) -> Void = { _ in }
  ) async throws -> TransportError? {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(text)
    }
    return try await adapter(change).failure(request("GET", server.url()))
  }

  private func adapter(_ change: (inout URLSessionAdapter.Configuration) -> Void) -> URLSessionAdapter {
    var configuration = URLSessionAdapter.Configuration()
    change(&configuration)
    return URLSessionAdapter(configuration)
  }

  @Test func `cookies stay several`() async throws {
    let first = "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/"
    let found = try await response(
      "HTTP/1.1 200 OK\r\nSet-Cookie: \(first)\r\nSet-Cookie: b=2, c\r\nSet-Cookie: d=; Secure\r\nContent-Length: 0\r\n\r\n"
    )
    #expect(found.headers.values(of: "Set-Cookie") == [first, "b=2, c", "d=; Secure"])
  }

  @Test(arguments: [
    "Basic realm=\"a\"", "Basic", "Digest realm=\"a\", nonce=\"b\"", "Bearer", "Bearer error=\"x\", basic realm=y", "",
  ])
  func `an authentication challenge is a response`(_ challenge: String) async throws {
    let text = "HTTP/1.1 401 X\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 2\r\n\r\nno"
    let server = try TestServer.answering(text)
    for _ in 0..<2 {
      let found = try await URLSessionAdapter().send(request("GET", server.url()))
      #expect(found.status == 401 && found.body == Data("no".utf8))
    }
    #expect(server.requests.flatMap { $0.values("Authorization") } == [])
    #expect(server.requests.count == 2)
  }

  @Test func `interim responses are passed over`() async throws {
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    let found = try await response(hints + hints + "HTTP/1.1 200 OK\r\nX-A: b\r\nContent-Length: 1\r\n\r\nc")
    #expect(found.status == 200 && found.body == Data("c".utf8))
    #expect(found.headers["Link"] == nil && found.headers["X-A"] == "b")
  }

  @Test func `the session keeps no response and no cookie`() async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nSet-Cookie: a=b\r\nContent-Length: 1\r\n\r\nc")
    for _ in 0..<2 { _ = try await URLSessionAdapter().send(request("GET", server.url())) }
    #expect(server.requests.count == 2)
    #expect(server.requests.flatMap { $0.values("Cookie") } == [])
  }

  @Test(arguments: [
    "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 99999999999999999999\r\n",
    "Content-Encoding: gzip\r\nContent-Length: 3\r\n", "Content-Encoding: other\r\nContent-Length: 1\r\n",
    "Transfer-Encoding: gzip, chunked\r\n",
  ])
  func `a head that deceives is an error`(_ fields: String) async throws {
    let error = try #require(try await failure("HTTP/1.1 200 OK\r\n\(fields)\r\nabc") { $0.acceptsCompression = false })
    #expect(error.kind == .badResponse)
    #expect(error.mayHaveBeenProcessed)
  }

  @Test(arguments: [
    ("HEAD", "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 300"),
    ("GET", "204 No Content\r\nContent-Encoding: gzip"),
    ("GET", "304 Not Modified\r\nContent-Encoding: gzip\r\nContent-Length: 300"),
    ("GET", "200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0"),
  ])
  func `a response without a body may announce any body`(_ method: String, _ head: String) async throws {
    let server = try TestServer.answering("HTTP/1.1 \(head)\r\n\r\n")
    let adapter = adapter { $0.maximumResponseBytes = 9 }
    let found = try await adapter.send(request(method, server.url()))
    #expect(found.body.isEmpty)
    #expect(found.headers["Content-Encoding"] == "gzip")
  }

  #if canImport(FoundationNetworking)
    /// Neither libcurl nor the head's parser in Foundation reads these.
    @Test(arguments: [
      "HTTP/1.1 200 OK\r\nX A: b\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 2000 X\r\n\r\n",
      "just words", "HTTP/1.1 200 OK\r\nX: \(String(repeating: "a", count: 200_000))\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nX-A:b\r\n\r\n", "",
    ])
    func `a response that cannot be read is a bad response`(_ text: String) async throws {
      let error = try #require(try await failure(text))
      #expect(error.kind == .badResponse)
      #expect(error.mayHaveBeenProcessed)
    }
  #endif

  /// "hello", as gzip writes it.
  private static let gzip: [UInt8] = [
    0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
  ]

  @Test func `a coding that was asked for is undone`() async throws {
    let server = try TestServer.answering { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 25\r\n\r\n".utf8) + Self.gzip
    }
    let adapter = adapter { $0.acceptsCompression = true }
    #expect(try await adapter.send(request("GET", server.url())).body == Data("hello".utf8))
    #expect(server.requests[0].values("Accept-Encoding").first?.contains("gzip") == true)
    // A part of a coded body can't be decoded.
    let part = request("GET", server.url(), ["Range": "bytes=0-3"])
    #expect(try await adapter.failure(part)?.kind == .badResponse)
    #expect(server.requests[1].values("Accept-Encoding") == ["identity"])
  }

  /// The libcurl in Foundation on Linux knows `none`, and refuses other names before the adapter sees the head.
  @Test(arguments: ["identity", "none"], [true, false])
  func `names that are no coding change nothing`(_ name: String, _ takesCodings: Bool) async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 200 OK\r\nContent-Encoding: \(name)\r\nContent-Length: 5\r\n\r\nhello")
    let adapter = adapter { $0.acceptsCompression = takesCodings }
    #expect(try await adapter.send(request("GET", server.url())).body == Data("hello".utf8))
  }

  @Test(arguments: ["Content-Length: 100\r\n", "Connection: close\r\n"])
  func `a body has a limit`(_ fields: String) async throws {
    let text = "HTTP/1.1 200 OK\r\n\(fields)\r\n" + String(repeating: "a", count: 100)
    let error = try #require(try await failure(text) { $0.maximumResponseBytes = 99 })
    #expect(error.kind == .bodyTooLarge)
    #expect(error.message.contains("99 bytes"))
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(text)
    }
    let whole = adapter { $0.maximumResponseBytes = 100 }
    #expect(try await whole.send(request("GET", server.url())).body.count == 100)
  }

  @Test func `a reader that is too far behind gets an error`() async throws {
    let (wasFull, isRead) = (Event(), Event())
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      // No machine is so slow that the peer has all of it before it closes, because its reader is too far behind.
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n")
      while (try? connection.send([UInt8](repeating: 97, count: 10_000))) != nil {}
      wasFull.set()
      isRead.block()
    }
    defer { isRead.set() }
    let adapter = adapter { $0.maximumUnreadBytes = 100_000 }
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    await wasFull.wait()
    var count = 0
    let error = await #expect(throws: TransportError.self) {
      while let piece = try await response.next() { count += piece.count }
    }
    #expect(error?.kind == .bodyTooLarge)
    #expect(count >= 100_000 && count < 1_000_000)
  }

  @Test func `the chain follows redirects`() async throws {
    let server = try TestServer.answering { request in
      request.target == "/a"
        ? Array("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n".utf8)
        : Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
    }
    let response = try await URLSessionAdapter().standard().send(request("GET", server.url("/a")))
    #expect(response.body == Data("ok".utf8) && response.url == server.url("/b"))
  }
}
