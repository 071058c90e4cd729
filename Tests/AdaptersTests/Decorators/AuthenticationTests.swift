import Adapters
import EntityRequests
import EntityTesting
import Synchronization
import Testing
import HTTPFoundation

/// The tokens of an app, and how often they were renewed.
private final class TestSession: Sendable {
  struct LoggedOut: Error {}

  private let state: Mutex<(token: String?, refreshes: Int)>

  init(_ token: String?) { state = Mutex((token, 0)) }

  var token: String? {
    get { state.withLock(\.token) }
    set { state.withLock { $0.token = newValue } }
  }
  var refreshes: Int { state.withLock(\.refreshes) }
  func countRefresh() { state.withLock { $0.refreshes += 1 } }
}

@Suite(.untilItHangs)
struct AuthenticationTests {
  private let server = URL(string: "https://api.example.com/v1/")!
  private let url = URL(string: "https://api.example.com/v1/notes")!

  /// Takes the token `good` alone.
  private static func stub() -> StubAdapter {
    let answer = StubAnswer.respond { request in
      HTTPResponse(status: request.headers["Authorization"] == "Bearer good" ? 200 : 401, url: request.url)
    }
    return StubAdapter().on(.get, "/v1/notes", answer).on(.post, "/v1/notes", answer)
  }

  private func authentication(
    _ session: TestSession, gate: StubGate? = nil, fails: Bool = false, renewed: String = "good"
  ) -> Authentication {
    .bearer(at: server) {
      session.token
    } refresh: { _ in
      session.countRefresh()
      try await gate?.wait()
      if fails { throw TestSession.LoggedOut() }
      session.token = renewed
    }
  }

  @Test func `basic credentials are those of the standard`() async throws {
    let stub = StubAdapter().on(.get, "/**", .status(204))
    // RFC 7617 §2 and §2.1.
    for (user, password, value) in [
      ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="), ("test", "123£", "Basic dGVzdDoxMjPCow=="),
    ] {
      let adapter = stub.authenticated(by: .basic(user: user, password: password, at: server))
      _ = try await adapter.send(request("GET", url))
      #expect(stub.requests.last?.headers["Authorization"] == value)
    }
    let adapter = stub.authenticated(by: .basic(user: "a:b", password: "s3cret", at: server))
    let error = try #require(try await adapter.failure(request("GET", url)))
    #expect(error.kind == .invalidRequest)
    #expect(!"\(error)".contains("s3cret"))
    #expect(stub.requests.count == 2)
  }

  @Test func `a token that no field can hold is an error that does not show the token`() async throws {
    let stub = StubAdapter().on(.get, "/**", .status(204))
    let adapter = stub.authenticated(by: .bearer("s3cret\n", at: server))
    let error = await #expect(throws: RequestError.self) { try await adapter.send(request("GET", url)) }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.description.contains("s3cret") == false)
    #expect(stub.requests.isEmpty)
  }

  @Test(
    arguments: [
      "https://other.example.com/v1/notes", "http://api.example.com/v1/notes", "https://api.example.com:8443/v1/notes",
    ])
  func `another origin gets no credentials and its refusal renews nothing`(_ other: String) async throws {
    let stub = Self.stub()
    let session = TestSession("good")
    let adapter = stub.authenticated(by: authentication(session))
    let response = try await adapter.send(request("GET", try #require(URL(string: other))))
    #expect(response.status == 401)
    #expect(stub.requests.map { $0.headers["Authorization"] } == [nil])
    #expect(session.refreshes == 0)
  }

  @Test func `a redirect takes no credentials to another origin and its refusal renews nothing`() async throws {
    let stub = Self.stub()
      .on(.get, "/v1/moved", .status(302, headers: ["Location": "https://other.example.com/v1/notes"]))
    let session = TestSession("good")
    let adapter = stub.followingRedirects().authenticated(by: authentication(session))
    let response = try await adapter.send(request("GET", server.appending(path: "moved")))
    #expect(response.status == 401)
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer good", nil])
    #expect(session.refreshes == 0)
  }

  @Test func `a token that the app replaced meanwhile is not renewed`() async throws {
    let gate = StubGate()
    let stub = StubAdapter().on(
      .get, "/v1/notes",
      StubAnswer.respond { request in
        HTTPResponse(status: request.headers["Authorization"] == "Bearer login" ? 200 : 401, url: request.url)
      }.waiting(for: gate))
    let session = TestSession("old")
    let adapter = stub.authenticated(by: authentication(session))
    async let response = adapter.send(request("GET", url))
    await gate.arrival()
    session.token = "login"
    gate.open()
    #expect(try await response.status == 200)
    #expect(session.refreshes == 0)
    #expect(session.token == "login")
  }

  @Test func `a request with credentials of its own is sent as it is`() async throws {
    let stub = Self.stub()
    let session = TestSession("good")
    let adapter = stub.authenticated(by: authentication(session))
    let response = try await adapter.send(request("GET", url, ["authorization": "Bearer own"]))
    #expect(response.status == 401)
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer own"])
  }

  @Test func `any number of refusals causes one refresh`() async throws {
    let stub = Self.stub()
    let session = TestSession("old")
    let gate = StubGate()
    let adapter = stub.authenticated(by: authentication(session, gate: gate))
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<100 {
        group.addTask {
          let method = number.isMultiple(of: 2) ? "GET" : "POST"
          return try await adapter.send(request(method, url), body: method == "GET" ? .none : .data(Data([1]))).status
        }
      }
      await gate.arrival()
      gate.open()
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 100))
    #expect(session.refreshes == 1)
    // Each was refused once at most.
    #expect(stub.requests.count <= 200)
  }

  @Test func `a token that is refused again ends in the refusal`() async throws {
    let stub = Self.stub()
    let session = TestSession("old")
    let adapter = stub.authenticated(by: authentication(session, renewed: "bad too"))
    #expect(try await adapter.send(request("GET", url)).status == 401)
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer bad too"])
    #expect(session.refreshes == 1)
  }

  @Test func `a refresh that fails is the error of all that wait for it`() async throws {
    let stub = Self.stub()
    let session = TestSession("old")
    let gate = StubGate()
    let adapter = stub.authenticated(by: authentication(session, gate: gate, fails: true))
    let first = Task { try await adapter.send(request("GET", url)) }
    await gate.arrival()
    let others = (0..<5).map { _ in Task { try await adapter.send(request("GET", url)) } }
    while stub.requests.count < 6 { await Task.yield() }
    gate.open()
    for task in [first] + others {
      let error = await #expect(throws: TransportError.self) { try await task.value }
      #expect(error?.kind == .unauthorized)
      #expect(error?.cause is TestSession.LoggedOut)
    }
    #expect(session.refreshes == 1)
    // The next one tries anew.
    #expect(try await adapter.failure(request("GET", url))?.cause is TestSession.LoggedOut)
    #expect(session.refreshes == 2)
  }

  @Test func `a token that is the same after the refresh is not sent again`() async throws {
    let stub = Self.stub()
    let session = TestSession("old")
    let adapter = stub.authenticated(by: authentication(session, renewed: "old"))
    #expect(try await adapter.send(request("GET", url)).status == 401)
    #expect(stub.requests.count == 1)
  }

  @Test func `without a session no token is sent and none is renewed`() async throws {
    let stub = Self.stub()
    let session = TestSession(nil)
    let adapter = stub.authenticated(by: authentication(session))
    #expect(try await adapter.send(request("GET", url)).status == 401)
    #expect(stub.requests.map { $0.headers["Authorization"] } == [nil])
    #expect(session.refreshes == 0)
  }

  @Test func `a cancelled request does not cancel the refresh that others wait for`() async throws {
    let stub = Self.stub()
    let session = TestSession("old")
    let gate = StubGate()
    let adapter = stub.authenticated(by: authentication(session, gate: gate))
    let first = Task { try await adapter.send(request("GET", url)) }
    await gate.arrival()
    let second = Task { try await adapter.send(request("GET", url)) }
    while stub.requests.count < 2 { await Task.yield() }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    gate.open()
    #expect(try await second.value.status == 200)
    #expect(session.refreshes == 1)
  }

  @Test func `a refresh that uses the same adapter does not wait for itself`() async throws {
    let stub = Self.stub().on(.post, "/v1/token", .status(401), .text("good"))
    let session = TestSession("old")
    let whole = Mutex<(any RequestAdapter)?>(nil)
    let statuses = Log<Int>()
    let refresh = URL(string: "https://api.example.com/v1/token")!
    let adapter = stub.authenticated(
      by: .bearer(at: server) {
        session.token
      } refresh: { below in
        // First by the app's own adapter, then by the one below.
        guard let own = whole.withLock({ $0 }) else { return }
        let refused = try await own.send(request("POST", refresh))
        let renewed = try await below.send(request("POST", refresh))
        statuses.add(refused.status)
        statuses.add(renewed.status)
        session.token = "good"
      })
    whole.withLock { $0 = adapter }
    #expect(try await adapter.send(request("GET", url)).status == 200)
    #expect(statuses.all == [401, 200])
    #expect(stub.requests(.post, "/v1/token").map { $0.headers["Authorization"] } == [nil, nil])
  }

  @Test func `a stream that cannot be opened again ends in the refusal with a new token for the next`() async throws {
    let stub = Self.stub()
    let session = TestSession("old")
    let adapter = stub.authenticated(by: authentication(session))
    #expect(try await adapter.send(request("POST", url), body: stream([Data([1])], length: 1)).status == 401)
    #expect(session.refreshes == 1)
    #expect(try await adapter.send(request("POST", url), body: stream([Data([1])], length: 1)).status == 200)
  }

  @Test func `a streamed response is authenticated too`() async throws {
    let session = TestSession("old")
    let server = try TestServer.answering { request in
      Array(
        (request.values("Authorization") == ["Bearer good"]
          ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
          : "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno").utf8)
    }
    let authentication = Authentication.bearer(at: server.url()) {
      session.token
    } refresh: { _ in
      session.token = "good"
    }
    let response = try await CurlAdapter().authenticated(by: authentication).stream(
      request("GET", server.url("/notes")), body: .none, progress: nil)
    #expect(response.status == 200)
    #expect(try await response.next() == Data("ok".utf8))
    #expect(server.requests.count == 2)
  }
}
