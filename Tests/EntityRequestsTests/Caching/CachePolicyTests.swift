import EntityClient
import EntityRequests
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// When a policy asks the server, and what it gives.
struct CachePolicyTests {
  /// The result of a policy: where the objects are from, or the error, and how often the server was asked.
  struct Case: Sendable, CustomTestStringConvertible {
    let policy: CachePolicy
    let cold, fresh, stale, offline: String
    var testDescription: String { "\(policy)" }
  }

  private static let cases = [
    Case(policy: .networkOnly, cold: "network", fresh: "notModified", stale: "notModified", offline: "transport"),
    Case(policy: .cacheOnly, cold: "notCached", fresh: "cache 10", stale: "cache 100", offline: "cache 100"),
    Case(
      policy: .cacheFirst(maxAge: .seconds(60)), cold: "network", fresh: "cache 10", stale: "notModified",
      offline: "transport"),
    Case(
      policy: .staleWhileRevalidate(maxAge: .seconds(60)), cold: "network", fresh: "cache 10", stale: "cache 100",
      offline: "cache 100"),
    Case(policy: .cacheOnFailure, cold: "network", fresh: "notModified", stale: "notModified", offline: "cache 100"),
  ]

  private func outcome(_ policy: CachePolicy) async throws -> String {
    do {
      let response = try await User.get(options: .cache(policy))
      #expect(try await response.uids() == [1, 2])
      switch response.origin {
      case .network: return "network"
      case .notModified: return "notModified"
      case .cache(let age): return "cache \(age.components.seconds)"
      }
    } catch let error as RequestError {
      return "\(error.kind)"
    }
  }

  @Test(arguments: cases)
  func `a policy says when the server is asked`(_ policy: Case) async throws {
    let clock = TestClock()
    try await clock.run {
      try await CachingServer.withClient { server, client in
        #expect(try await outcome(policy.policy) == policy.cold)
        #expect(server.stub.requests.count == (policy.cold == "network" ? 1 : 0))
        try await User.get(options: .asked)
        clock.advance(by: 10)
        #expect(try await outcome(policy.policy) == policy.fresh)
        try await User.get(options: .asked)
        clock.advance(by: 100)
        #expect(try await outcome(policy.policy) == policy.stale)
      }
      let again = CachingServer()
      try await Client.withClient(again.client()) {
        try await User.get(options: .asked)
        clock.advance(by: 100)
        again.stub.on(.get, "/users", .failure(.connection))
        #expect(try await outcome(policy.policy) == policy.offline)
      }
    }
  }

  @Test func `only a failure of the server or of the transport is covered`() async throws {
    let server = CachingServer()
    try await Client.withClient(server.client()) {
      try await User.get(options: .asked)
      for status in [500, 502, 503, 504] {
        server.stub.on(.get, "/users", .status(status), .status(status))
        let response = try await User.get(options: .cache(.cacheOnFailure))
        #expect(response.ids.count == 2)
        // The others tell the error, with what is known beside it.
        let error = try await requestError { try await User.get(options: .asked) }
        #expect(error.status == status)
        #expect(error.cached(as: User.self)?.ids == response.ids)
        #expect(error.cached(as: Post.self) == nil)
      }
      for status in [400, 401, 403, 404, 410, 429] {
        server.stub.on(.get, "/users", .status(status))
        server.stub.on(.get, "/users", .status(status))
        let error = try await requestError { try await User.get(options: .cache(.cacheOnFailure)) }
        #expect(error.status == status)
        #expect(error.cached(as: User.self)?.ids.count == 2)
        // Without a policy nothing is looked up.
        #expect(try await requestError { try await User.get() }.cached(as: User.self) == nil)
      }
    }
  }

  @Test func `a known answer never overwrites newer values`() async throws {
    let server = CachingServer()
    server.stub.on(.get, "/users/1", .json(["id": 1, "email": "newer"]))
    try await Client.withClient(server.client()) {
      try await User.get(options: .asked)
      try await User.get("1")
      let known = try await User.get(options: .known)
      #expect(try await known.emails() == ["newer", "two"])
      #expect(known.counts.rowsWritten == 0)
    }
  }

  @Test func `the server's own time counts where none is given`() async throws {
    let clock = TestClock()
    try await clock.run {
      for (headers, limit) in [
        (["Cache-Control": "private, max-age=50"], 50.0), (["Cache-Control": "max-age=50", "Age": "20"], 30),
        (["Cache-Control": "max-age=50, no-cache"], 0), (["Cache-Control": "max-age=x"], 0), ([:], 0),
      ] as [(HTTPHeaders, Double)] {
        let server = CachingServer(headers: headers)
        try await Client.withClient(server.client()) {
          try await User.get(options: .cache(.cacheFirst()))
          if limit > 0 {
            clock.advance(by: limit - 1)
            try await User.get(options: .cache(.cacheFirst()))
            #expect(server.stub.requests.count == 1)
          }
          clock.advance(by: 1)
          try await User.get(options: .cache(.cacheFirst()))
          #expect(server.stub.requests.count == 2)
        }
      }
    }
  }

  @Test func `the time in caches on the way counts against the server's time, of a 304 too, and not against the app's`()
    async throws
  {
    let clock = TestClock()
    try await clock.run {
      let server = CachingServer()
      let fields: HTTPHeaders = ["Cache-Control": "max-age=100", "ETag": "\"1\"", "Age": "90"]
      server.stub.on(
        .get, "/users/9", .json(["id": 9, "email": "x"], headers: ["Cache-Control": "max-age=100", "ETag": "\"1\""]),
        .status(304, headers: fields), .status(304, headers: fields))
      try await Client.withClient(server.client()) {
        func count() -> Int { server.stub.requests(.get, "/users/9").count }
        let own: ResponseOptions<User> = .cache(.cacheFirst())
        try await User.get("9", options: own)
        clock.advance(by: 101)
        try await User.get("9", options: own)
        #expect(count() == 2)
        // Fresh for ten seconds more.
        clock.advance(by: 9)
        try await User.get("9", options: own)
        #expect(count() == 2)
        clock.advance(by: 1)
        try await User.get("9", options: .cache(.cacheFirst(maxAge: .seconds(60))))
        #expect(count() == 2)
        try await User.get("9", options: own)
        #expect(count() == 3)
      }
    }
  }

  @Test func `an answer of any age is enough where that is said`() async throws {
    let clock = TestClock()
    try await clock.run {
      let server = CachingServer()
      try await Client.withClient(server.client()) {
        let options: ResponseOptions<User> = .cache(.cacheFirst(maxAge: .seconds(Int64.max)))
        try await User.get(options: options)
        clock.advance(by: 1_000_000_000)
        let known = try await User.get(options: options)
        #expect(known.origin == .cache(age: .seconds(1_000_000_000)))
        #expect(server.stub.requests.count == 1)
      }
    }
  }

  @Test func `a clock that is set back makes nothing fresh`() async throws {
    let clock = TestClock()
    try await clock.run {
      let server = CachingServer()
      try await Client.withClient(server.client()) {
        try await User.get(options: .asked)
        clock.advance(by: -1000)
        #expect(try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(60)))).origin == .notModified)
      }
    }
  }

  @Test func `a write ends the freshness of its entity`() async throws {
    let server = CachingServer()
    server.stub.on(.post, "/users", .json(["id": 3], status: 201)).on(.get, "/posts", .json([["id": 7]]))
    try await Client.withClient(server.client()) {
      let policy = CachePolicy.cacheFirst(maxAge: .seconds(60))
      try await User.get(options: .cache(policy))
      try await Post.get(options: .cache(policy))
      try await User.post { try $0.setJSON(["email": "three"]) }
      #expect(try await User.get(options: .cache(policy)).origin == .network)
      #expect(server.tags.last == "-")
      #expect(try await Post.get(options: .cache(policy)).origin != .network)
    }
  }

  @Test func `an answer from before a write is not fresh`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate), .json([["id": 1], ["id": 3]]))
    stub.on(.post, "/users", .json(["id": 3], status: 201))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      let options: ResponseOptions<User> = .cache(.cacheFirst(maxAge: .seconds(60)))
      async let old = User.get(options: options)
      await gate.arrival()
      try await User.post()
      gate.open()
      #expect(try await old.ids.count == 1)
      #expect(try await User.get(options: options).ids.count == 2)
    }
  }

  @Test func `a request that differs is not a known answer`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/users", .json(["users": [["id": 1]], "posts": [["id": 7]], "more": [["id": 2]]]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      let options: ResponseOptions<User> = [.envelope("users"), .parts([.list(Post.self, at: "posts")])]
      try await User.get(options: [options, .asked])
      let known = try await User.get(options: [options, .known])
      #expect(known.ids.count == 1)
      #expect(known.ids(of: Post.self).count == 1)
      for other in [.envelope("more"), .parts([]), .envelope("users")] as [ResponseOptions<User>] {
        let kind = try await requestError { try await User.get(options: [other, .known]) }.kind
        #expect(kind == .notCached)
      }
      for query in [["page": 1], ["page": 2]] as [QueryParameters] {
        #expect(
          try await requestError { try await User.get(query: query, options: [options, .known]) }.kind == .notCached)
      }
      let accept = try await requestError {
        try await User.get(options: [options, .known], modify: { try $0.setHeaders(["Accept": "text/json"]) })
      }
      #expect(accept.kind == .notCached)
    }
  }

  @Test func `a field that the answer varies with tells answers apart`() async throws {
    let server = CachingServer(headers: ["Vary": "Accept-Language, Accept-Encoding"])
    try await Client.withClient(server.client()) {
      func get(_ language: String, _ options: ResponseOptions<User>) async throws -> EntityResponse<User> {
        try await User.get(options: options, modify: { try $0.setHeaders(["Accept-Language": language]) })
      }
      _ = try await get("de", .asked)
      #expect(try await get("de", .known).ids.count == 2)
      #expect(try await requestError { try await get("en", .known) }.kind == .notCached)
      #expect(try await get("en", .asked).origin == .network)
    }
    let any = CachingServer(headers: ["Vary": "*"])
    let client = try any.client()
    try await Client.withClient(client) {
      try await User.get(options: .asked)
      #expect(try await client.store.noteCount() == 0)
    }
  }

  @Test func `a document and an object are known answers too`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/start", .json(["users": [["id": 1]], "posts": [["id": 7]]], headers: ["ETag": "\"d\""]), .status(304))
    stub.on(.get, "/users/1", .json(["id": 1, "email": "a"], headers: ["ETag": "\"o\""]), .status(304))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      let options: ResponseOptions<EntityDocument> = .parts([
        .list(User.self, at: "users"), .list(Post.self, at: "posts"),
      ])
      try await EntityDocument.get("start", options: [options, .asked])
      let again = try await EntityDocument.get("start", options: [options, .asked])
      #expect(again.origin == .notModified)
      #expect(again.ids(of: User.self).count == 1 && again.ids(of: Post.self).count == 1)
      try await objectIsKnown(store, stub)
    }
  }

  @MainActor private func objectIsKnown(_ store: EntityStore, _ stub: StubAdapter) async throws {
    let user = try #require(try store.main.fetch(User.self, uid: 1))
    try await user.get(options: .asked)
    #expect(user.email == "a")
    let again = try await user.get(options: .asked)
    #expect(again.origin == .notModified)
    #expect(try again.object === user)
    #expect(try await User.get("1", options: .known).ids == [user.entityID])
  }

  @Test func `a cache policy is for a single GET`() async throws {
    let server = CachingServer()
    try await Client.withClient(server.client()) {
      let post = try await requestError { try await User.post(options: .known) }
      #expect(post.kind == .invalidRequest)
      let pages = try await requestError { try await User.pages(by: .link, options: .asked).all() }
      #expect(pages.kind == .invalidRequest)
      let stream = try await requestError {
        try await User.get(options: .known, modify: { $0.httpBodyStream = InputStream(data: Data("x".utf8)) })
      }
      #expect(stream.kind == .invalidRequest)
      #expect(server.stub.requests.isEmpty)
      #expect(try await User.upsert(from: [["id": 5]], options: .known).origin == .network)
    }
  }

  // MARK: Refreshing in the background

  @Test func `an old answer is given at once and refreshed`() async throws {
    let clock = TestClock()
    try await clock.run {
      let (server, gate) = (CachingServer(), StubGate())
      let client = try server.client()
      try await Client.withClient(client) {
        try await User.get(options: .asked)
        clock.advance(by: 100)
        server.stub.on(.get, "/users", .json([["id": 9]]).waiting(for: gate))
        let old = try await User.get(options: .cache(.staleWhileRevalidate(maxAge: .seconds(60))))
        #expect(old.origin == .cache(age: .seconds(100)))
        #expect(old.ids.count == 2)
        await gate.arrival()
        // A caller that asks meanwhile waits for the same answer.
        async let new = User.get(options: .asked)
        gate.open()
        #expect(try await new.ids.count == 1)
      }
    }
  }

  @Test func `a background refresh that fails is reported`() async throws {
    let clock = TestClock()
    try await clock.run {
      let server = CachingServer()
      let (errors, continuation) = AsyncStream<any Error>.makeStream()
      let client = try server.client(onRefreshFailure: { continuation.yield($0) })
      try await Client.withClient(client) {
        try await User.get(options: .asked)
        clock.advance(by: 100)
        server.stub.on(.get, "/users", .status(503))
        try await User.get(options: .cache(.staleWhileRevalidate(maxAge: .seconds(60))))
        var iterator = errors.makeAsyncIterator()
        let error = try #require(await iterator.next() as? RequestError)
        #expect(error.status == 503)
        #expect(error.url?.path() == "/users")
      }
    }
  }
}
