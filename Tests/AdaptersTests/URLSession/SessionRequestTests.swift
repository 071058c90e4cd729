import EntityRequests
import SessionAdapter
import Testing
import HTTPFoundation

/// A request is sent as it is written, or refused before anything is sent.
@Suite(.untilItHangs, .underURLSession) struct SessionRequestTests {
  private let adapter = URLSessionAdapter()
  private static let answer = "HTTP/1.1 204 No Content\r\n\r\n"

  /// A change of a request, and the kind of its error.
  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let kind: TransportError.Kind
    var body = RequestBody.none
    let change: @Sendable (inout URLRequest) -> Void
  }

  private static func path(_ text: String) -> @Sendable (inout URLRequest) -> Void {
    { $0.url = URL(string: text, relativeTo: $0.url) }
  }

  static let refusals = [
    Refusal(testDescription: "a GET with a body", kind: .unsupported, body: .data(Data("a".utf8))) { _ in },
    Refusal(testDescription: "a HEAD with a body", kind: .invalidRequest, body: .data(Data())) {
      $0.httpMethod = "HEAD"
    },
    Refusal(testDescription: "CONNECT", kind: .invalidRequest) { $0.httpMethod = "CONNECT" },
    Refusal(testDescription: "a method with a space", kind: .invalidRequest) { $0.httpMethod = "GET /x" },
    Refusal(testDescription: "a password in the URL", kind: .invalidRequest) {
      $0.url = URL(string: $0.url!.absoluteString.replacing("//", with: "//me:hidden@"))
    },
    Refusal(testDescription: "another scheme", kind: .invalidRequest) { $0.url = URL(string: "ftp://127.0.0.1/") },
    Refusal(testDescription: "a port of 0", kind: .invalidRequest) { $0.url = URL(string: "http://127.0.0.1:0/") },
    Refusal(testDescription: "a port of too many digits", kind: .invalidRequest) {
      $0.url = URL(string: "http://127.0.0.1:99999999999999999999/")
    },
    Refusal(testDescription: "no URL", kind: .invalidRequest) { $0.url = nil },
    Refusal(testDescription: "a file that is not there", kind: .invalidRequest, body: .file(URL(filePath: "/no/file")))
    {
      $0.httpMethod = "PUT"
    },
    Refusal(testDescription: "Content-Length", kind: .unsupported) {
      $0.setValue("7", forHTTPHeaderField: "content-length")
    },
    Refusal(testDescription: "Connection", kind: .unsupported) {
      $0.setValue("keep-alive", forHTTPHeaderField: "Connection")
    },
    Refusal(testDescription: "a line break in a value", kind: .invalidRequest) {
      $0.allHTTPHeaderFields = ["X-A": "hidden\r\nX-B: c"]
    },
    Refusal(testDescription: "a line break in a name", kind: .invalidRequest) {
      $0.allHTTPHeaderFields = ["X-A: b\r\nX-B": "hidden"]
    },
    Refusal(testDescription: "nothing but the cache", kind: .unsupported) {
      $0.cachePolicy = .returnCacheDataDontLoad
    },
  ]

  /// Requests that URLSession on Linux can't send.
  static let refusalsOnLinux = [
    Refusal(testDescription: "dots in the path", kind: .unsupported, change: path("/a/%2e%2e/b")),
    Refusal(testDescription: "a scheme in capitals", kind: .unsupported) {
      $0.url = URL(string: $0.url!.absoluteString.replacing("http", with: "HTTP"))
    },
    Refusal(testDescription: "an address of IPv6", kind: .unsupported) { $0.url = URL(string: "http://[::1]/") },
    Refusal(testDescription: "no cellular access", kind: .unsupported) { $0.allowsCellularAccess = false },
  ]

  @Test(arguments: refusals) func `a request that cannot be sent is refused`(_ refusal: Refusal) async throws {
    let server = try TestServer.answering(Self.answer)
    var sent = request("GET", server.url("/a"))
    refusal.change(&sent)
    let error = try #require(try await adapter.failure(sent, body: refusal.body))
    #expect(error.kind == refusal.kind)
    #expect(!error.mayHaveBeenProcessed)
    #expect(!error.message.contains("hidden"))
    #expect(server.connections == 0)
  }

  #if canImport(FoundationNetworking)
    @Test(arguments: refusalsOnLinux) func `a request that Linux cannot send is refused`(_ refusal: Refusal)
      async throws
    {
      try await `a request that cannot be sent is refused`(refusal)
    }
  #endif

  @Test func `fields of the adapter and of the request`() async throws {
    let server = try TestServer.answering(Self.answer)
    var plain = request("GET", server.url())
    plain.timeoutInterval = 90
    plain.cachePolicy = .reloadRevalidatingCacheData
    plain.httpBody = Data("ignored".utf8)
    _ = try await adapter.send(plain)
    var own = request("GET", server.url(), ["User-Agent": "mine", "Cache-Control": "no-store", "Host": "example.com"])
    own.cachePolicy = .reloadIgnoringLocalCacheData
    _ = try await adapter.send(own)
    _ = try await adapter.send(request("POST", server.url()), body: .data(Data("a=b".utf8)))

    let sent = server.requests
    #expect(sent.map { $0.values("User-Agent") } == [["EntityClient"], ["mine"], ["EntityClient"]])
    #expect(sent.map { $0.values("Cache-Control") } == [["max-age=0"], ["no-store"], []])
    #expect(sent[1].values("Host") == ["example.com"])
    #expect(sent.map(\.body) == [[], [], Array("a=b".utf8)])
    #if canImport(FoundationNetworking)
      // Nobody said what the body is.
      #expect(sent[2].values("Content-Type") == [])
      #expect(sent[0].values("Accept-Encoding") == ["identity"])
    #endif
  }

  @Test func `the name of the app adds no field`() async throws {
    let server = try TestServer.answering(Self.answer)
    var configuration = URLSessionAdapter.Configuration()
    configuration.userAgent = "app\r\nX-B: c"
    let adapter = URLSessionAdapter(configuration)
    #expect(try await adapter.failure(request("GET", server.url()))?.kind == .invalidRequest)
    #expect(server.connections == 0)
  }

  @Test func `an error shows no secret`() async throws {
    let port = try TestServer.unusedPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port)/secret?token=hidden"))
    let lost = request("POST", url, ["Authorization": "hidden"])
    let error = try #require(try await adapter.failure(lost, body: .data(Data("hidden".utf8))))
    #expect(error.kind == .connection)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.contains("127.0.0.1:\(port)"))
    #expect(!"\(error) \(error.localizedDescription)".contains("hidden"))
    #expect(!error.message.contains("secret"))
  }

  @Test func `a host name that does not exist is an error of the name resolution`() async throws {
    let url = try #require(URL(string: "http://nobody.invalid/"))
    let error = try #require(try await adapter.failure(request("POST", url), body: .data(Data("a".utf8))))
    #expect(error.kind == .nameResolution)
    #expect(!error.mayHaveBeenProcessed)
  }

  @Test(.enabled(if: TLSServer.isAvailable, "needs the openssl and python3 commands"))
  func `an unknown authority is not trusted`() async throws {
    let server = try TLSServer(name: "IP:127.0.0.1")
    let error = try #require(try await adapter.failure(request("GET", server.url)))
    #expect(error.kind == .tls)
  }
}
