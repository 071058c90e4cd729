import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

/// Redirects between real sockets: the servers' records say what was sent where.
@Suite(.untilItHangs)
struct RedirectServerTests {
  private static func redirect(_ status: Int, to url: String) -> String {
    "HTTP/1.1 \(status) Moved\r\nLocation: \(url)\r\nContent-Length: 2\r\n\r\nno"
  }

  @Test func `a bare adapter follows no redirect`() async throws {
    let server = try TestServer.answering(Self.redirect(302, to: "/new"))
    let response = try await CurlAdapter().send(request("GET", server.url("/old")))
    #expect(response.status == 302)
    #expect(server.requests.map(\.target) == ["/old"])
  }

  @Test func `another port gets the body and no secret`() async throws {
    let other = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let target = other.url("/new?a=b").absoluteString
    let server = try TestServer.answering(Self.redirect(307, to: target))
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("redirect-\(UUID().uuidString)")
    try Data("from a file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }

    let response = try await CurlAdapter().followingRedirects().send(
      request(
        "POST", server.url("/old"),
        ["Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Cookie": "a=s3cret", "Content-Type": "text/plain"]),
      body: .file(file))

    #expect(response.status == 200)
    #expect(response.url?.absoluteString == target)
    #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["from a file"])
    let sent = try #require(other.requests.first)
    #expect(other.requests.count == 1)
    #expect(sent.method == "POST")
    #expect(sent.target == "/new?a=b")
    #expect(String(decoding: sent.body, as: UTF8.self) == "from a file")
    #expect(sent.values("Content-Type") == ["text/plain"])
    #expect(sent.values("Host") == ["127.0.0.1:\(other.port)"])
    #expect(!sent.head.contains("s3cret"))
  }

  @Test func `a streamed response is the response at the end of the redirects`() async throws {
    let server = try TestServer.answering { request in
      Array(
        (request.target == "/old"
          ? Self.redirect(302, to: "new") : "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend").utf8)
    }
    let response = try await CurlAdapter().followingRedirects().stream(
      request("GET", server.url("/old")), body: .none, progress: nil)
    #expect(response.status == 200)
    #expect(response.url?.path() == "/new")
    #expect(try await response.next() == Data("end".utf8))
    #expect(try await response.next() == nil)
  }

  @Test func `a redirect whose body never ends holds up no stream`() async throws {
    let server = try TestServer { connection in
      guard let request = try connection.readRequest() else { return }
      if request.target == "/old" {
        try connection.send("HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 1000\r\n\r\nno")
        connection.waitForClose()
      } else {
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nend")
      }
    }
    let response = try await CurlAdapter().followingRedirects().stream(
      request("GET", server.url("/old")), body: .none, progress: nil)
    #expect(try await response.next() == Data("end".utf8))
  }

  @Test func `a cancelled task follows no more redirects`() async throws {
    let arrived = Event()
    let server = try TestServer { connection in
      guard let request = try connection.readRequest() else { return }
      try connection.send(Self.redirect(302, to: request.target + "x"))
      if request.target == "/oldx" {
        _ = try connection.readRequest()
        arrived.set()
        connection.waitForClose()
        return
      }
      while let request = try connection.readRequest() {
        if request.target == "/oldx" {
          arrived.set()
          connection.waitForClose()
          return
        }
        try connection.send(Self.redirect(302, to: request.target + "x"))
      }
    }
    let task = Task { try await CurlAdapter().followingRedirects().send(request("GET", server.url("/old"))) }
    await arrived.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
