import Adapters
import EntityRequests
import EntityTesting
import Synchronization
import Testing
import HTTPFoundation

/// Whatever is printed, no secret is in it. All secrets of these tests have the same text.
@Suite(.untilItHangs)
struct SecretTests {
  private static let secret = "s3cret"
  private static let url = URL(string: "https://ada:s3cret@api.example.com/v1?access_token=s3cret#s3cret")!

  private static var headers: HTTPHeaders {
    var headers: HTTPHeaders = [
      "Authorization": "Bearer s3cret", "X-Acme": "s3cret", "Set-Cookie": "id=s3cret", "Content-Type": "text/plain",
      "Location": "https://ada:s3cret@api.example.com/new?token=s3cret", "Link": "<https://a.example/?token=s3cret>",
      "Content-Location": "?token=s3cret",
    ]
    headers.add("session=s3cret", to: "set-cookie")
    return headers
  }

  /// All ways in which a value is printed: by itself, as an element, and with all that is in it.
  private func expectNoSecret(_ value: Any, sourceLocation: SourceLocation = #_sourceLocation) -> String {
    var text = "\(value) \([value]) \(String(describing: Optional(value))) \(String(reflecting: value)) "
    debugPrint(value, to: &text)
    dump(value, to: &text)
    #expect(!text.contains(Self.secret), "\(text)", sourceLocation: sourceLocation)
    #expect(!text.contains(Data(Self.secret.utf8).base64EncodedString()), "\(text)", sourceLocation: sourceLocation)
    // The bytes of a body, one on each line.
    #expect(!text.contains("- 115\n"), "\(text)", sourceLocation: sourceLocation)
    return text
  }

  @Test func `headers show the values that are no secrets`() {
    let text = expectNoSecret(Self.headers)
    #expect(text.contains("Content-Type: text/plain"))
    #expect(text.contains("Authorization: …"))
    #expect(text.contains("Location: https://api.example.com/new?token=…"))
  }

  @Test func `responses show the status, the place and the size`() {
    let response = HTTPResponse(status: 200, headers: Self.headers, url: Self.url, body: Data("s3cret".utf8))
    let text = expectNoSecret(response)
    #expect(text.contains("status 200 from https://api.example.com/v1?access_token=…, 6 bytes"))
    _ = expectNoSecret(StreamedHTTPResponse(response))
  }

  @Test func `bodies show their size`() throws {
    #expect(expectNoSecret(RequestBody.data(Data("s3cret".utf8))).contains("6 bytes"))
    #expect(expectNoSecret(RequestBody.file(URL(fileURLWithPath: "/home/s3cret/note.txt"))).contains("note.txt"))
    #expect(expectNoSecret(stream([Data("s3cret".utf8)], length: 6)).contains("a stream of 6 bytes"))
    _ = expectNoSecret(RequestBody.none)
  }

  @Test func `a client shows its server and the type of its adapter`() throws {
    let server = URL(string: "https://api.example.com/")!
    var chain = StandardChain()
    chain.authentication = .basic(user: "ada", password: Self.secret, at: server)
    chain.signer = RequestSigner(keyID: "app", key: Data(Self.secret.utf8), at: server)
    let client = try Client(
      adapter: CurlAdapter().standard(chain), baseURL: "https://ada:s3cret@api.example.com/v1", headers: Self.headers)
    let text = expectNoSecret(client)
    #expect(text.contains("https://api.example.com/v1"))
    _ = expectNoSecret(chain)
    _ = expectNoSecret(CurlAdapter().standard(chain))
    _ = expectNoSecret(Authentication.bearer(Self.secret, at: server))
  }

  @Test func `the errors of each way to fail show no secret`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/v1/refused", .text("s3cret", status: 400, headers: Self.headers))
    stub.on(.get, "/v1/broken", .text("{\"a\": s3cret}", headers: Self.headers))
    stub.on(.get, "/v1/mapped", .text("{\"a\": \"s3cret\"}"))
    stub.on(.get, "/v1/gone", .failure(.connection))
    stub.on(.get, "/v1/moved", .status(302, headers: ["Location": "http://ada:s3cret@b.example/?token=s3cret"]))
    stub.on(.get, "/v1/loop", .status(302, headers: ["Location": "/v1/loop?token=s3cret"]))
    let lines = Log<LogLine>()
    var chain = StandardChain()
    chain.log = { lines.add($0) }
    chain.clock = VirtualClock(advancesByItself: true)
    let client = try Client(
      adapter: stub.standard(chain), baseURL: "https://api.example.com/v1", headers: ["Authorization": "Bearer s3cret"])
    for path in ["refused", "broken", "mapped", "gone", "moved", "loop"] {
      let error = await #expect(throws: RequestError.self) {
        try await client.get(path, query: ["token": "s3cret"], as: [Int].self)
      }
      guard let error else { continue }
      _ = expectNoSecret(error)
      _ = expectNoSecret(error.localizedDescription)
      if let underlying = error.underlying as? RedirectError { #expect(!"\(underlying)".contains(Self.secret)) }
      _ = expectNoSecret(error.response as Any)
    }
    #expect(lines.all.count >= 12)
    for line in lines.all {
      _ = expectNoSecret(line)
      _ = expectNoSecret(line.curlCommand)
    }
  }

  @Test func `errors of URLs and headers that cannot be sent show no secret`() async throws {
    for base in ["ftp://ada:s3cret@a.example", "https://ada:s3cret@/x", "https://ada:s3cret@a.example/?token=s3cret"] {
      let error = #expect(throws: RequestError.self) { try Client(adapter: StubAdapter(), baseURL: base) }
      _ = expectNoSecret(error as Any)
    }
    let error = #expect(throws: RequestError.self) {
      try Client(adapter: StubAdapter(), baseURL: "https://a.example", headers: ["Authorization": "s3cret\n"])
    }
    _ = expectNoSecret(error as Any)
    let refused = try await CurlAdapter().failure(request("GET", Self.url))
    _ = expectNoSecret(refused as Any)
  }

  @Test func `a server with a password is shown without it`() async throws {
    let server = URL(string: "https://ada:s3cret@api.example.com/")!
    let authentication = Authentication.bearer("token", at: server)
    let signer = RequestSigner(keyID: "app", key: Data(), at: server)
    var chain = StandardChain()
    chain.authentication = authentication
    chain.signer = signer
    for value: Any in [
      authentication, signer, StubAdapter().authenticated(by: authentication), StubAdapter().signed(by: signer),
      StubAdapter().modifying(requestsTo: server) { _ in }, StubAdapter().standard(chain), chain,
    ] {
      #expect(expectNoSecret(value).contains("https://api.example.com/"))
    }
  }

  @Test func `an error of a redirect is dumped without secrets`() async throws {
    let stub = StubAdapter().on(.get, "/v1", .status(302, headers: ["Location": "http://b.example/?token=s3cret"]))
    let error = await #expect(throws: RedirectError.self) {
      try await stub.followingRedirects().send(request("GET", URL(string: "https://api.example.com/v1?a=s3cret")!))
    }
    #expect(expectNoSecret(try #require(error)).contains("http://b.example/?token=…"))
  }
}
