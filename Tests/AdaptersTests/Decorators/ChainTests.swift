import Adapters
import EntityRequests
import EntityTesting
import Synchronization
import Testing
import HTTPFoundation

/// The default chain, and the samples of the article on it.
@Suite(.untilItHangs)
struct ChainTests {
  /// The token of an app.
  private actor Account {
    private(set) var token: String? = "old"

    // The adapter that comes in sends without a token.
    func refresh(by adapter: any RequestAdapter) async throws {
      var request = URLRequest(url: URL(string: "https://api.example.com/token")!)
      request.httpMethod = "POST"
      let response = try await adapter.send(request, body: .none, progress: nil)
      token = String(decoding: response.body, as: UTF8.self)
    }
  }

  private static func client(_ transport: some RequestAdapter, _ log: @escaping @Sendable (String) -> Void) throws
    -> Client
  {
    let account = Account()
    let server = URL(string: "https://api.example.com/")!
    var chain = StandardChain()
    chain.authentication = .bearer(at: server) {
      await account.token
    } refresh: { adapter in
      try await account.refresh(by: adapter)
    }
    chain.retry.maximumAttempts = 5
    chain.requestsPerHost = 4
    chain.log = { log("\($0)") }
    chain.clock = VirtualClock(advancesByItself: true)  // in a test
    return try Client(adapter: transport.standard(chain), baseURL: "https://api.example.com/")
  }

  @Test func `a request goes through the whole chain`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users",
      .respond { request in
        let isKnown = request.headers["Authorization"] == "Bearer new"
        return isKnown
          ? HTTPResponse(status: 307, headers: ["Location": "https://cdn.example.com/list"]) : HTTPResponse(status: 401)
      })
    stub.on(.get, "/list", .status(503), .failure(.timeout, mayHaveBeenProcessed: true), .text("[1, 2]"))
    stub.on(.post, "/token", .text("new"))
    let log = Log<String>()

    let ids = try await Self.client(stub) { log.add($0) }.get("users", as: [Int].self).value

    #expect(ids == [1, 2])
    // Without the number in front and the size and the time behind.
    let lines: [String] = log.all.filter { $0.contains(": ") }.map { line in
      let words = line.prefix { $0 != "," }.split(separator: " ").dropFirst()
      return words.joined(separator: " ")
    }
    let users = "GET https://api.example.com/users"
    let list = "GET https://cdn.example.com/list"
    #expect(
      lines == [
        "\(users): 401", "POST https://api.example.com/token: 200", "\(users): 307", "\(list): 503", "\(users): 307",
        "\(list): a failure of the stub", "\(users): 307", "\(list): 200",
      ])
    // Another origin gets no token.
    for request in stub.requests(.get, "/list") { #expect(request.headers["Authorization"] == nil) }
  }

  @Test func `the standard chain without settings follows redirects and tries again`() async throws {
    let count = Log<Int>()
    let server = try TestServer.answering { request in
      if request.target == "/end" { return Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8) }
      count.add(1)
      return Array(
        (count.all.count == 1
          ? "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
          : "HTTP/1.1 301 Moved\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n").utf8)
    }
    let adapter = CurlAdapter().standard()
    #expect(try await adapter.send(request("GET", server.url("/"))).body == Data("ok".utf8))
    #expect(server.requests.map(\.target) == ["/", "/", "/end"])
    let streamed = try await adapter.stream(request("GET", server.url("/")), body: .none, progress: nil)
    #expect(try await streamed.next() == Data("ok".utf8))
  }

  @Test func `equal GETs of one account are one request, and equal GETs of two accounts are two`() async throws {
    let gate = StubGate()
    let stub = StubAdapter().on(.get, "/users", .text("[]").waiting(for: gate))
    let token = Mutex("a")
    var chain = StandardChain()
    chain.authentication = .bearer(at: URL(string: "https://api.example.com/")!) {
      token.withLock { $0 }
    } refresh: { _ in
    }
    let adapter = stub.standard(chain)
    let url = URL(string: "https://api.example.com/users")!
    let first = Task { try await adapter.send(request("GET", url)) }
    await gate.arrival(1)
    token.withLock { $0 = "b" }
    let other = Task { try await adapter.send(request("GET", url)) }
    await gate.arrival(2)
    gate.open()
    _ = try await (first.value, other.value)
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer a", "Bearer b"])
  }

  @Test func `a request that waits for its next attempt holds up no other`() async throws {
    let clock = VirtualClock()
    let stub = StubAdapter().on(.get, "/slow", .status(503), .text("late")).on(.get, "/quick", .text("ok"))
    var chain = StandardChain()
    chain.requestsPerHost = 1
    chain.clock = clock
    let adapter = stub.standard(chain)
    let slow = Task { try await adapter.send(request("GET", URL(string: "https://api.example.com/slow")!)) }
    await clock.sleep(number: 1)
    let quick = try await adapter.send(request("GET", URL(string: "https://api.example.com/quick")!))
    #expect(quick.body == Data("ok".utf8))
    clock.advance(by: .seconds(60))
    #expect(try await slow.value.body == Data("late".utf8))
  }

  @Test func `each attempt and each redirect has a signature of its own`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/a", .status(503), .status(302, headers: ["Location": "/b"])).on(.get, "/b", .text("ok"))
    var chain = StandardChain()
    let server = URL(string: "https://api.example.com/")!
    chain.signer = RequestSigner(keyID: "1", key: Data("key".utf8), at: server)
    chain.clock = VirtualClock(advancesByItself: true)
    _ = try await stub.standard(chain).send(request("GET", server.appending(path: "a")))
    #expect(Set(stub.requests.compactMap { $0.headers["Signature"] }).count == 3)
    #expect(stub.requests.allSatisfy { $0.headers.values(of: "Signature").count == 1 })
  }

  @Test func `an app that is offline sends nothing`() async throws {
    let stub = StubAdapter().on(.get, "/users", .text("[]"))
    let network = OfflineSwitch()
    var chain = StandardChain()
    chain.network = network
    let client = try Client(adapter: stub.standard(chain), baseURL: "https://api.example.com/")

    network.isOffline = true
    let error = await #expect(throws: RequestError.self) { try await client.get("users", as: [Int].self) }
    #expect((error?.underlying as? TransportError)?.kind == .offline)
    #expect(stub.requests.isEmpty)
    network.isOffline = false
    #expect(try await client.get("users", as: [Int].self).value == [])
  }

  /// A request that was sent goes on, and nothing new begins.
  @Test func `an app that goes offline begins no next attempt`() async throws {
    let (clock, gate) = (VirtualClock(), StubGate())
    let stub = StubAdapter().on(.get, "/users", .status(503), .text("[]"))
    stub.on(.get, "/slow", .text("late").waiting(for: gate))
    var chain = StandardChain()
    let network = OfflineSwitch()
    chain.network = network
    chain.clock = clock
    let adapter = stub.standard(chain)
    let server = URL(string: "https://api.example.com/")!
    let underWay = Task { try await adapter.send(request("GET", server.appending(path: "slow"))) }
    await gate.arrival()
    let retried = Task { try await adapter.failure(request("GET", server.appending(path: "users"))) }
    await clock.sleep(number: 1)
    network.isOffline = true
    clock.advance(by: .seconds(1))
    let error = try #require(try await retried.value)
    #expect(error.kind == .offline)
    // The first attempt was answered.
    #expect(error.mayHaveBeenProcessed)
    #expect(stub.requests(.get, "/users").count == 1)
    #expect(clock.sleeps.count == 1)
    gate.open()
    #expect(try await underWay.value.body == Data("late".utf8))
  }

  @Test func `an app that goes offline follows no redirect and renews no token`() async throws {
    let network = OfflineSwitch()
    let stub = StubAdapter()
    stub.on(
      .get, "/old",
      .respond { _ in
        network.isOffline = true
        return HTTPResponse(status: 307, headers: ["Location": "/new"])
      })
    stub.on(
      .get, "/users",
      .respond { _ in
        network.isOffline = true
        return HTTPResponse(status: 401)
      })
    let account = Account()
    let server = URL(string: "https://api.example.com/")!
    var chain = StandardChain()
    chain.network = network
    chain.authentication = .bearer(at: server) {
      await account.token
    } refresh: { adapter in
      try await account.refresh(by: adapter)
    }
    for path in ["old", "users"] {
      network.isOffline = false
      let error = try await stub.standard(chain).failure(request("GET", server.appending(path: path)))
      #expect(error?.kind == .offline)
    }
    #expect(stub.requests.map(\.path) == ["/old", "/users"])
  }

  @Test func `the fifth request behind four unread streams fails`() async throws {
    let clock = VirtualClock()
    let stub = StubAdapter().on(.get, "/users", .text("[]"))
    var chain = StandardChain()
    chain.requestsPerHost = 4
    chain.clock = clock
    let adapter = stub.standard(chain)
    let url = URL(string: "https://api.example.com/users")!
    var unread: [StreamedHTTPResponse] = []
    for _ in 0..<4 { unread.append(try await adapter.stream(request("GET", url), body: .none, progress: nil)) }
    let fifth = Task { try await adapter.failure(request("GET", url)) }
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(60))
    #expect(try await fifth.value?.kind == .timeout)
    #expect(stub.requests.count == 4)
    withExtendedLifetime(unread) {}
  }

  @Test func `a streamed request that waits for its next attempt holds up no other`() async throws {
    let clock = VirtualClock()
    let stub = StubAdapter().on(.get, "/slow", .text("busy", status: 503), .text("late")).on(
      .get, "/quick", .text("ok"))
    var chain = StandardChain()
    chain.requestsPerHost = 1
    chain.clock = clock
    let adapter = stub.standard(chain)
    let slow = Task {
      let url = URL(string: "https://api.example.com/slow")!
      return try await adapter.stream(request("GET", url), body: .none, progress: nil)
    }
    await clock.sleep(number: 1)
    let quick = try await adapter.send(request("GET", URL(string: "https://api.example.com/quick")!))
    #expect(quick.body == Data("ok".utf8))
    clock.advance(by: .seconds(60))
    let late = try await slow.value
    #expect(try await late.next() == Data("late".utf8))
  }
}
