import EntityClient
import EntityTesting
import Observation
import SampleSchema
import Testing
import HTTPFoundation

@testable import EntityRequests
@testable import EntityStore

/// One observable value of data, loading, error, staleness and pending writes.
@MainActor struct LiveResourceTests {
  private let stub = StubAdapter()

  @Test func `a load is seen from its beginning to its end`() async throws {
    let gate = StubGate()
    stub.on(.get, "/users", .json([["id": 2], ["id": 1]]).waiting(for: gate))
    let clock = TestClock()
    try await clock.run {
      try await Client.withClient(Client(stub, storeWithOneUser())) {
        let users = try LiveResource<User>()
        #expect(users.objects.isEmpty && users.object == nil)
        #expect(!users.isLoading && users.isStale && users.error == nil && users.lastLoaded == nil)
        #expect(users.progress == nil)
        let all = Listener { _ = (users.objects, users.isLoading, users.error, users.isStale, users.progress) }
        let objects = Listener { _ = users.objects }
        let load = Task { try await users.load() }
        await gate.arrival()
        #expect(users.isLoading && users.progress != nil && users.isStale)
        #expect(await objects.news() == 0)
        #expect(await all.news() == 1)
        gate.open()
        let response = try await load.value
        #expect(response.counts.inserted == 1)
        // The answer's order, which is not that of the rows.
        #expect(users.objects.map(\.uid) == [2, 1])
        #expect(users.object?.uid == 2)
        #expect(!users.isLoading && !users.isStale && users.error == nil && users.progress == nil)
        #expect(users.lastLoaded == Date(timeIntervalSince1970: clock.now))
        #expect(await objects.news() == 1)
      }
    }
  }

  @Test func `observers hear of an order that changes`() async throws {
    stub.on(
      .get, "/users", .json([["id": 2], ["id": 1]]), .json([["id": 2], ["id": 1]]), .json([["id": 1], ["id": 2]]))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      try await users.load()
      let (objects, error) = (Listener { _ = users.objects }, Listener { _ = users.error })
      try await users.load()
      #expect(await objects.news() == 0)
      try await users.load()
      #expect(users.objects.map(\.uid) == [1, 2])
      #expect(await objects.news() == 1)
      #expect(await error.news() == 0)
    }
  }

  @Test func `old objects stay beside an error`() async throws {
    stub.on(.get, "/users", .json([["id": 1]]), .status(503), .failure(.connection), .json([["id": 1]]))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      try await users.load()
      let loaded = users.lastLoaded
      let (objects, error) = (Listener { _ = users.objects }, Listener { _ = users.error })
      #expect(try await requestError { try await users.load() }.status == 503)
      #expect((users.error as? RequestError)?.status == 503)
      #expect(users.objects.map(\.uid) == [1])
      #expect(users.lastLoaded == loaded && !users.isLoading)
      #expect(await error.news() == 1)
      #expect(try await requestError { try await users.load() }.kind == .transport)
      #expect(await error.news() == 1)
      try await users.load()
      #expect(users.error == nil)
      #expect(await error.news() == 1)
      #expect(await objects.news() == 0)
    }
  }

  @Test func `not modified keeps the objects`() async throws {
    let (server, clock) = (CachingServer(), TestClock())
    try await clock.run {
      try await Client.withClient(server.client()) {
        let users = try LiveResource<User>()
        try await users.load()
        let (objects, loaded) = (Listener { _ = users.objects }, Listener { _ = users.lastLoaded })
        clock.advance(by: 100)
        #expect(users.isStale)
        let response = try await users.load()
        #expect(response.origin == .notModified)
        #expect(users.objects.map(\.uid) == [1, 2] && !users.isStale)
        #expect(users.lastLoaded == Date(timeIntervalSince1970: clock.now))
        #expect(await objects.news() == 0)
        #expect(await loaded.news() == 1)
        #expect(server.tags == ["-", "\"v1\""])
      }
    }
  }

  @Test func `the objects keep in step with the store`() async throws {
    stub.on(.get, "/users", .json([["id": 2], ["id": 1], ["id": 3]]), .json([["id": 3]]))
    stub.on(.get, "/users/2", .json(["id": 2, "email": "new"])).on(.post, "/users", .json(["id": 9], status: 201))
    let store = try await storeWithOneUser()
    try await Client.withClient(Client(stub, store)) {
      let users = try LiveResource<User>()
      try await users.load()
      let objects = Listener { _ = users.objects }
      try await User.get("2")
      #expect(users.object?.email == "new")
      // Others are none of the answer's.
      try await User.post()
      #expect(await objects.news() == 0)
      let gone = try #require(users.object)
      try store.main.delete(gone)
      #expect(users.objects.map(\.uid) == [1, 3])
      store.main.rollback()
      #expect(users.objects.map(\.uid) == [2, 1, 3])
      _ = await objects.news()
      try await store.background(as: .server) { _ = try $0.delete(User.self, uid: 1) }
      await turn()
      #expect(users.objects.map(\.uid) == [2, 3])
      #expect(await objects.news() == 1)
      // The answer to the same request, whoever asked for it.
      try await User.get(options: .asked)
      await until { users.objects.map(\.uid) == [3] }
      #expect(await objects.news() == 1)
    }
  }

  @Test func `the objects that the store knows are there at once`() async throws {
    let (server, clock) = (CachingServer(), TestClock())
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreLocation.file(folder.appending(path: "store.sqlite"))
    try await clock.run {
      try await Client.withClient(server.client(EntityStore(file, entities: sampleEntities))) {
        _ = try await LiveResource<User>().load()
      }
      clock.advance(by: 10)
      try await Client.withClient(server.client(EntityStore(file, entities: sampleEntities))) {
        let users = try LiveResource<User>(staleAfter: .seconds(20))
        #expect(users.objects.map(\.uid) == [1, 2])
        #expect(!users.isStale && users.lastLoaded == Date(timeIntervalSince1970: clock.now - 10))
        users.loadIfNeeded()
        #expect(!users.isLoading)
        clock.advance(by: 10)
        users.loadIfNeeded()
        #expect(users.isLoading && users.objects.count == 2)
        await until { !users.isLoading }
        #expect(!users.isStale)
      }
    }
    #expect(server.tags == ["-", "\"v1\""])
  }

  @Test func `an answer that is not kept is shown`() async throws {
    stub.on(.get, "/users", .json([["id": 2], ["id": 1]], headers: ["Cache-Control": "no-store"]))
    stub.on(.post, "/users", .json(["id": 9], status: 201))
    let clock = TestClock()
    try await clock.run {
      try await Client.withClient(Client(stub, storeWithOneUser())) {
        let users = try LiveResource<User>(staleAfter: .seconds(20))
        try await users.load()
        #expect(users.objects.map(\.uid) == [2, 1] && !users.isStale)
        clock.advance(by: 20)
        #expect(users.isStale)
        try await users.load()
        await turn()
        #expect(!users.isStale)
        try await User.post()
        await turn()
        #expect(users.isStale && users.objects.count == 2)
        // No other resource knows of it.
        #expect(try LiveResource<User>(options: .limits(JSONLimits(depth: 9))).objects.isEmpty)
      }
    }
  }

  @Test func `an emptied store forgets the answer`() async throws {
    stub.on(.get, "/users", .json([["id": 2], ["id": 1]]))
    let store = try await storeWithOneUser()
    try await Client.withClient(Client(stub, store)) {
      let users = try LiveResource<User>()
      try await users.load()
      #expect(users.objects.count == 2)
      try await store.reset()
      await until { users.lastLoaded == nil }
      #expect(users.objects.isEmpty && users.isStale)
    }
  }

  @Test func `a resource may be one object`() async throws {
    stub.on(.get, "/users/1", .json(["id": 1, "email": "a"]), .status(404))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let user = try LiveResource<User>("1")
      try await user.load()
      #expect(user.object?.email == "a")
      #expect(try await requestError { try await user.load() }.status == 404)
      #expect(user.object?.email == "a")
    }
  }

  // MARK: A query

  @Test func `the objects may be those of a query`() async throws {
    let answer: JSONValue = [["id": 2, "email": "b"], ["id": 3, "email": "a"], ["id": 4]]
    stub.on(.get, "/users/active", .json(answer))
    let store = try await storeWithOneUser()
    try await Client.withClient(Client(stub, store)) {
      let query = User.where { $0.email != nil }.sorted(by: \.email)
      let users = try LiveResource(query, loadedBy: "active", query: ["page": 1])
      #expect(users.objects.isEmpty && users.isStale)
      let objects = Listener { _ = users.objects }
      try await users.load()
      #expect(users.objects.map(\.uid) == [3, 2] && !users.isStale)
      #expect(await objects.news() == 1)
      let new = try store.main.insert(User.self)
      new.email = "aa"
      #expect(users.objects.map(\.email) == ["a", "aa", "b"])
      #expect(stub.requests.map(\.url.query) == ["page=1"])
    }
  }

  @Test func `the failure of a query is reported`() async throws {
    let store = try await storeWithOneUser()
    try await store.core.unit { rows in
      try rows.connection.prepare("ALTER TABLE \"User\" RENAME COLUMN email TO other").run()
    }
    try Client.withClient(Client(stub, store)) {
      let users = try LiveResource(User.where { $0.email != nil })
      #expect(users.error is StoreError)
      #expect(users.objects.isEmpty)
    }
  }

  // MARK: Mistakes

  @Test func `a request that cannot be made is reported at once`() async throws {
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let method = try await requestError { try LiveResource<User>(modify: { $0.httpMethod = "POST" }) }
      #expect(method.kind == .invalidRequest)
      #expect(throws: StoreError.self) { try LiveResource<EntityDocument>("start") }
      #expect(throws: NoError.self) { try LiveResource<User>(modify: { _ in throw NoError() }) }
    }
    try await Client.withClient(Client(adapter: stub, baseURL: "https://api.example.com/")) {
      let store = try await requestError { try LiveResource<User>() }
      #expect(store.kind == .noStore)
    }
    #expect(stub.requests.isEmpty)
  }
}
