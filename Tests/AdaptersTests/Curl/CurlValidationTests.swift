import Adapters
import EntityRequests
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct CurlValidationTests {
  private let server: TestServer

  init() throws { server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n") }

  /// The request must fail before a connection is opened.
  private func expectRefusal(_ request: URLRequest, body: RequestBody = .none) async throws -> TransportError {
    let error = try #require(try await CurlAdapter().failure(request, body: body))
    #expect(error.kind == .invalidRequest)
    #expect(!error.mayHaveBeenProcessed)
    #expect(server.connections == 0)
    return error
  }

  @Test(arguments: ["GE T", "", "GET\r\nX: y", "G\u{e9}T", "GET/", "CONNECT", "A\0B"])
  func `methods are sent as they are`(method: String) async throws {
    var request = URLRequest(url: server.url())
    request.httpMethod = method
    guard request.httpMethod == method else { return }
    _ = try await expectRefusal(request)
  }

  @Test(arguments: ["X Y", "", "X:", "X\r\nY", "\u{e9}", "Content-Length", "transfer-encoding", "A\0B"])
  func `header names`(name: String) async throws {
    _ = try await expectRefusal(request("GET", server.url(), [name: "3"]))
  }

  @Test(.enabled(if: hasCaseSensitiveFields, "the request's dictionary keeps one of two names"))
  func `no field is there twice`() async throws {
    let error = try await expectRefusal(request("GET", server.url(), ["X-Token": "a", "x-token": "b"]))
    #expect(error.message.contains("is there twice"))
  }

  private static var hasCaseSensitiveFields: Bool {
    var request = URLRequest(url: URL(filePath: "/"))
    request.allHTTPHeaderFields = ["X-Token": "a", "x-token": "b"]
    return request.allHTTPHeaderFields?.count == 2
  }

  @Test(arguments: ["secret\r\nX: y", "secret\n", "a\0secret", "secret\u{7f}", "\u{1}secret"])
  func `header values`(value: String) async throws {
    let error = try await expectRefusal(request("GET", server.url(), ["X-Token": value]))
    #expect(error.message.contains("X-Token"))
    #expect(!error.message.contains("secret"))
  }

  @Test(arguments: [
    "/relative", "ftp://127.0.0.1/", "file:///etc/passwd", "http://", "http:///path", "http://user:pw@127.0.0.1/",
    "http://user@127.0.0.1/", "http://127.0.0.1:0/", "http://127.0.0.1:65536/",
    "http://127.0.0.1:99999999999999999999/", "http://[::1]:99999999999999999999/", "mailto:x@y", "http:opaque",
  ])
  func `URLs are checked`(text: String) async throws {
    let url = try #require(URL(string: text))
    let error = try await expectRefusal(URLRequest(url: url))
    #expect(!error.message.contains("pw"))
  }

  @Test func `bodies are sent as libcurl needs them`() async throws {
    _ = try await expectRefusal(request("HEAD", server.url()), body: .data(Data([1])))
    _ = try await expectRefusal(request("POST", server.url()), body: .file(URL(string: "http://x/")!))
    _ = try await expectRefusal(request("POST", server.url()), body: .file(URL(filePath: "/no/such/file")))
    _ = try await expectRefusal(request("POST", server.url()), body: .file(URL(filePath: "/tmp")))
    _ = try await expectRefusal(request("POST", server.url()), body: .file(URL(filePath: "/dev/zero")))
    _ = try await expectRefusal(request("POST", server.url()), body: stream([], length: -1))
  }

  @Test func `settings that can't be used are refused`() async throws {
    let proxied = CurlAdapter { $0.proxy = .server(URL(string: "ftp://127.0.0.1:1/")!) }
    #expect(try await proxied.failure(request("GET", server.url()))?.kind == .invalidRequest)
    let trusting = CurlAdapter { $0.trust = .file(URL(string: "https://x/")!) }
    #expect(try await trusting.failure(request("GET", server.url()))?.kind == .invalidRequest)
  }

  @Test func `a proxy is used when the configuration names it`() async throws {
    let proxy = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nvia")
    let adapter = CurlAdapter { $0.proxy = .server(URL(string: "http://127.0.0.1:\(proxy.port)")!) }
    let response = try await adapter.send(request("GET", URL(string: "http://elsewhere.invalid/x")!))
    #expect(response.body == Data("via".utf8))
    #expect(proxy.requests.map(\.target) == ["http://elsewhere.invalid/x"])
  }
}
