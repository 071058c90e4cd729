import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlVerbTests {
  private static func echo() throws -> TestServer {
    try TestServer.answering { request in
      Array("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n".utf8) + request.body
    }
  }

  @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "PROPFIND"], [0, 1, 5_000_000])
  func `every body kind travels unchanged`(method: String, size: Int) async throws {
    let server = try Self.echo()
    let data = pattern(size)
    let file = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString)")
    try data.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let pieces = stride(from: 0, to: size, by: 70_001).map { data[$0..<min(size, $0 + 70_001)] }
    let bodies: [RequestBody] = [
      .data(data), .file(file), stream(pieces, length: Int64(size)), stream(pieces, length: nil),
      .data((Data([1, 2, 3]) + data).dropFirst(3)),
    ]
    for body in bodies {
      let response = try await CurlAdapter().send(request(method, server.url()), body: body)
      #expect(response.status == 200)
      #expect(response.body == data)
    }
    #expect(server.requests.allSatisfy { $0.method == method })
    #expect(server.requests.allSatisfy { $0.body.count == size })
    let framings = server.requests.map { $0.values("Transfer-Encoding").first ?? "length" }
    #expect(framings == ["length", "length", "length", "chunked", "length"])
    #expect(server.requests.allSatisfy { $0.values("Expect").isEmpty })
  }

  @Test func `requests without a body`() async throws {
    let server = try Self.echo()
    for method in ["GET", "DELETE", "OPTIONS", "get"] {
      #expect(try await CurlAdapter().send(request(method, server.url())).status == 200)
    }
    for method in ["POST", "PUT", "PATCH"] {
      #expect(try await CurlAdapter().send(request(method, server.url())).status == 200)
    }
    #expect(server.requests.map { $0.values("Content-Length").first } == [nil, nil, nil, nil, "0", "0", "0"])
    #expect(server.requests.map(\.method).prefix(3) == ["GET", "DELETE", "OPTIONS"])
  }

  @Test func `headers travel as they are`() async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=1, x\r\nset-cookie:b=2\r\nX-Empty:\r\nX-Latin: caf\u{e9}\r\nContent-Length: 0\r\n\r\n"
    )
    let headers = ["X-One": "a, b; c=\"d\"", "x-empty": "", "User-Agent": "mine", "X-Tab": "a\tb"]
    let response = try await CurlAdapter().send(request("GET", server.url(), headers))
    #expect(response.headers.values(of: "set-cookie") == ["a=1, x", "b=2"])
    #expect(response.headers["X-Empty"] == "")
    #expect(response.headers["x-latin"] == "caf\u{e9}")
    #expect(response.headers.map(\.name) == ["Set-Cookie", "set-cookie", "X-Empty", "X-Latin", "Content-Length"])
    let sent = try #require(server.requests.first)
    #expect(sent.values("X-One") == ["a, b; c=\"d\""])
    #expect(sent.values("X-Empty") == [""])
    #expect(sent.values("X-Tab") == ["a\tb"])
    #expect(sent.values("User-Agent") == ["mine"])
    #expect(sent.values("Host") == ["127.0.0.1:\(server.port)"])
    #expect(sent.values("Accept-Encoding") == ["gzip, deflate"])
  }

  @Test(arguments: ["/a%2Fb/../c?q=a%20b+c&x=%E2%82%AC", "/%41?a=b?c=/../d", "/a//b/./c?", "/?x=%5B1%5D'()"])
  func `URL bytes are untouched`(target: String) async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    let url = server.url(target + "#fragment")
    #expect(url.absoluteString.hasSuffix(target + "#fragment"))
    _ = try await CurlAdapter().send(request("GET", url))
    #expect(server.requests.map(\.target) == [target])
  }

  @Test func `responses without a body`() async throws {
    let server = try TestServer.answering { request in
      switch request.target {
      case "/head": Array("HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n".utf8)
      case "/204": Array("HTTP/1.1 204 No Content\r\nETag: x\r\n\r\n".utf8)
      default: Array("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n".utf8)
      }
    }
    let adapter = CurlAdapter { $0.connectionsPerHost = 1 }
    let head = try await adapter.send(request("HEAD", server.url("/head")))
    #expect(head.status == 200)
    #expect(head.body.isEmpty)
    #expect(head.headers["Content-Length"] == "999999999999")
    let empty = try await adapter.send(request("GET", server.url("/204")))
    #expect(empty.status == 204)
    #expect(empty.body.isEmpty)
    #expect(empty.headers["ETag"] == "x")
    let same = try await adapter.send(request("GET", server.url("/304")))
    #expect(same.status == 304)
    #expect(same.body.isEmpty)
    #expect(same.url == server.url("/304"))
  }

  @Test func `interim responses and trailers are passed over`() async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 100 Continue\r\nX: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
        + "HTTP/1.1 200 OK\r\nX: 2\r\nFolded: a\r\n  b\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "3\r\nabc\r\n0\r\nX-Trailer: t\r\n\r\n")
    let response = try await CurlAdapter().send(request("GET", server.url()))
    #expect(response.status == 200)
    #expect(response.headers.map(\.name) == ["X", "Folded", "Transfer-Encoding"])
    #expect(response.headers["X"] == "2")
    #expect(response.headers["Folded"] == "a b")
    #expect(response.body == Data("abc".utf8))
  }

  @Test(arguments: [301, 401, 404, 429, 500, 503])
  func `every status is a response`(status: Int) async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 \(status) Hm\r\nLocation: http://127.0.0.1:1/\r\nWWW-Authenticate: Basic realm=\"x\"\r\n"
        + "Content-Length: 2\r\n\r\nno")
    let response = try await CurlAdapter().send(request("GET", server.url()))
    #expect(response.status == status)
    #expect(response.body == Data("no".utf8))
    #expect(server.requests.count == 1)
  }

  @Test func `many at once are all answered`() async throws {
    let server = try Self.echo()
    let adapter = CurlAdapter()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<64 {
        group.addTask {
          let data = pattern(index * 1000)
          return try await adapter.send(request("POST", server.url("/\(index)")), body: .data(data)).body == data
        }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
    #expect(server.requests.count == 64)
    #expect(server.connections <= 6)
  }
}
