import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

/// A refusal that comes after redirects, or as a stream.
@Suite(.untilItHangs)
struct AuthenticationRefusalTests {
  private let server = URL(string: "https://api.example.com/v1/")!
  private let refreshes = Log<Int>()
  private let stub = StubAdapter()

  init() {
    let answer = StubAnswer.respond { request in
      HTTPResponse(
        status: request.headers["Authorization"] == "Bearer good" ? 200 : 401, url: request.url, body: Data("body".utf8)
      )
    }
    stub.on(.get, "/v1/notes", answer).on(.post, "/v1/notes", answer).on(.post, "/v1/token", .status(204))
  }

  /// The token is `old` until it was renewed.
  private func authentication(
    renewed: String = "good", _ work: @escaping @Sendable (any RequestAdapter) async throws -> Void = { _ in }
  ) -> Authentication {
    .bearer(at: server) { [refreshes] in
      refreshes.all.isEmpty ? "old" : renewed
    } refresh: { [refreshes] adapter in
      try await work(adapter)
      refreshes.add(1)
    }
  }

  private func post(_ path: String, by adapter: some RequestAdapter) async throws -> Int {
    try await adapter.send(request("POST", server.appending(path: path)), body: .data(Data([1]))).status
  }

  @Test func `a POST that was redirected to the refusal is not sent again`() async throws {
    stub.on(.post, "/v1/pay", .status(303, headers: ["Location": "/v1/notes"]))
    let adapter = stub.followingRedirects().authenticated(by: authentication())
    #expect(try await post("pay", by: adapter) == 401)
    #expect(stub.requests(.post, "/v1/pay").count == 1)
    // The next request has the new token.
    #expect(refreshes.all.count == 1)
    #expect(try await adapter.send(request("GET", server.appending(path: "notes"))).status == 200)
  }

  @Test func `a renewal that fails after a redirect says that the POST may have been processed`() async throws {
    stub.on(.post, "/v1/pay", .status(303, headers: ["Location": "/v1/notes"]))
    func failure(_ path: String) async throws -> TransportError? {
      let adapter = stub.followingRedirects().authenticated(
        by: authentication { _ in throw TransportError(.offline, "offline", mayHaveBeenProcessed: false) })
      return try await adapter.failure(request("POST", server.appending(path: path)))
    }
    #expect(try await failure("pay")?.mayHaveBeenProcessed == true)
    // This one was refused, and nothing else was sent.
    #expect(try await failure("notes")?.mayHaveBeenProcessed == false)
  }

  @Test func `a POST that was redirected to its own URL is not sent again`() async throws {
    stub.on(.post, "/v1/pay", .status(303, headers: ["Location": "/v1/pay"])).on(.get, "/v1/pay", .status(401))
    let adapter = stub.followingRedirects().authenticated(by: authentication())
    #expect(try await post("pay", by: adapter) == 401)
    #expect(stub.requests(.post, "/v1/pay").count == 1)
  }

  @Test func `a POST that a transport redirected by itself is not sent again`() async throws {
    let end = server.appending(path: "receipt")
    stub.on(.post, "/v1/pay", .respond { _ in HTTPResponse(status: 401, url: end) })
    #expect(try await post("pay", by: stub.authenticated(by: authentication())) == 401)
    #expect(stub.requests(.post, "/v1/pay").count == 1)
  }

  @Test func `redirects that left the server renew no token`() async throws {
    stub.on(.post, "/v1/pay", .status(303, headers: ["Location": "https://psp.example.com/c"]))
    stub.on(.get, "/c", .status(302, headers: ["Location": "https://api.example.com/v1/notes"]))
    let adapter = stub.followingRedirects().authenticated(by: authentication())
    #expect(try await post("pay", by: adapter) == 401)
    #expect(stub.requests.map(\.path) == ["/v1/pay", "/c", "/v1/notes"])
    #expect(refreshes.all.isEmpty)
  }

  @Test func `a POST that only moved is sent again`() async throws {
    stub.on(.post, "/v1/moved", .status(308, headers: ["Location": "/v1/notes"]))
    let adapter = stub.followingRedirects().authenticated(by: authentication())
    #expect(try await post("moved", by: adapter) == 200)
    #expect(stub.requests(.post, "/v1/notes").map { $0.headers["Authorization"] } == ["Bearer old", "Bearer good"])
  }

  @Test(arguments: [true, false])
  func `a streamed refusal holds up neither the refresh nor the next attempt`(_ sends: Bool) async throws {
    let token = request("POST", server.appending(path: "token"))
    let authentication = authentication { adapter in
      if sends { _ = try await adapter.send(token, body: .none, progress: nil) }
    }
    var chain = StandardChain()
    chain.requestsPerHost = 1
    chain.authentication = authentication
    let response = try await stub.standard(chain).stream(
      request("GET", server.appending(path: "notes")), body: .none, progress: nil)
    #expect(response.status == 200)
    #expect(try await response.next() == Data("body".utf8))
    #expect(refreshes.all.count == 1)
  }

  @Test func `a streamed refusal that is the result has its body`() async throws {
    let adapter = stub.limited(perHost: 1).authenticated(by: authentication(renewed: "old"))
    let response = try await adapter.stream(
      request("GET", server.appending(path: "notes")), body: .none, progress: nil)
    #expect(response.status == 401)
    #expect(try await response.next() == Data("body".utf8))
    #expect(try await response.next() == nil)
  }

  private func streamLongRefusal(by adapter: some RequestAdapter) async throws -> StreamedHTTPResponse {
    stub.on(
      .get, "/v1/long",
      .respond { request in
        let isGood = request.headers["Authorization"] == "Bearer good"
        return HTTPResponse(status: isGood ? 200 : 401, body: isGood ? Data("ok".utf8) : pattern(100_000))
      })
    return try await adapter.stream(
      request("GET", server.appending(path: "long")), body: .none, progress: nil)
  }

  @Test func `a long streamed refusal is dropped for the refresh and the next attempt`() async throws {
    let token = request("POST", server.appending(path: "token"))
    let authentication = authentication { _ = try await $0.send(token, body: .none, progress: nil) }
    let response = try await streamLongRefusal(by: stub.limited(perHost: 1).authenticated(by: authentication))
    #expect(response.status == 200)
    #expect(try await response.next() == Data("ok".utf8))
    #expect(refreshes.all.count == 1)
  }

  @Test func `a long streamed refusal that is the result breaks off`() async throws {
    let response = try await streamLongRefusal(by: stub.authenticated(by: authentication(renewed: "old")))
    #expect(response.status == 401)
    #expect(try await response.next() == pattern(100_000).prefix(65_536))
    let error = await #expect(throws: TransportError.self) { _ = try await response.next() }
    #expect(error?.kind == .bodyTooLarge)
  }

  @Test func `an international name is the same server in both spellings`() async throws {
    stub.on(.get, "/**", .status(204))
    let shown = try #require(URL(string: "https://b\u{FC}cher.example/"))
    let adapter = stub.authenticated(by: .bearer("good", at: shown))
    _ = try await adapter.send(request("GET", URL(string: "https://xn--bcher-kva.example/")!))
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer good"])
  }
}
