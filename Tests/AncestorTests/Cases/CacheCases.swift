import EntityClient
import EntityTesting
import Testing

/// Cached, then network: OEGFlamingJune's forced cache (case 38), and the defects of it.
@Suite(.notes) @MainActor struct CacheCases {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  /// The responses of a forced cache, as what a screen shows of each.
  private func shown() async throws -> [(origin: ResponseOrigin, texts: [String])] {
    var shown: [(ResponseOrigin, [String])] = []
    for try await response in try Note.cachedThenNetwork("stream", options: .envelope("data")) {
      shown.append((response.origin, try response.objects.map(\.text)))
    }
    return shown
  }

  private static func timeline(_ text: String) -> JSONValue {
    ["data": JSONArray((1...20).map { ["id": JSONValue($0), "text": JSONValue(text)] }).value]
  }

  @Test func `Case 38: a cold cache gives the network's 20 notes alone; a warm one 20 old ones, and then 20 new ones`()
    async throws
  {
    try stub.on(.get, "/notes/stream", .json(Self.timeline("Old")), .json(Self.timeline("New")))
    let cold = try await shown()
    #expect(cold.map(\.origin) == [.network])
    #expect(cold.first?.texts == Array(repeating: "Old", count: 20))
    let warm = try await shown()
    #expect(warm.count == 2)
    #expect(warm.first?.texts == Array(repeating: "Old", count: 20))
    #expect(warm.last?.texts == Array(repeating: "New", count: 20))
    #expect(warm.last?.origin == .network)
    if case .cache = warm.first?.origin {} else { Issue.record("\(warm[0].origin)") }
  }

  @Test func `F2†: the cache of a whole store is cleared with it`() async throws {
    try stub.on(.get, "/contacts", .json(contacts([1])))
    try await Contact.get(options: .cache(.networkOnly))
    #expect(try await Contact.get(options: .cache(.cacheOnly)).ids.count == 1)
    try await Client.current.store.reset()
    let error = try await requestError { try await Contact.get(options: .cache(.cacheOnly)) }
    #expect(error.kind == .notCached)
  }
}

extension DefectTests {
  @Suite(.notes) @MainActor struct CacheDefects {
    private var stub: StubAdapter { get throws { try StubAdapter.current } }

    @Test func `D22: what is known overwrites nothing: it is the objects as they are now`() async throws {
      try stub.on(.get, "/contacts", .json(contacts([1, 2]))).on(
        .get, "/contacts/1", .json(["id": 1, "display_name": "New"]))
      try await Contact.get(options: .cache(.networkOnly))
      try await Contact.get("1")
      let known = try await Contact.get(options: .cache(.cacheOnly))
      #expect(try known.objects.map(\.displayName) == ["New", "Contact 2"])
      #expect(known.counts.rowsWritten == 0)
    }

    @Test func `D22: one account does not get the lists of another`() async throws {
      let (store, stub) = (try Client.current.store, try stub)
      stub.on(.get, "/contacts", .json(contacts([1])))
      func client(of name: String) throws -> Client {
        try Client(
          adapter: stub, store: store, baseURL: "https://api.example.com", identity: { name })
      }
      try await Client.withClient(client(of: "ada")) {
        _ = try await Contact.get(options: .cache(.networkOnly))
      }
      let error = try await requestError {
        try await Client.withClient(client(of: "grace")) {
          _ = try await Contact.get(options: .cache(.cacheOnly))
        }
      }
      #expect(error.kind == .notCached)
    }

    @Test func `D22: a cold cache is an error, and not an empty list`() async throws {
      let error = try await requestError { try await Contact.get(options: .cache(.cacheOnly)) }
      #expect(error.kind == .notCached)
      #expect(try stub.requests.isEmpty)
    }
  }
}
