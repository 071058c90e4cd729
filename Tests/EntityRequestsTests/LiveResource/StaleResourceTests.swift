import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

/// When a resource is stale, and is loaded again.
@MainActor struct StaleResourceTests {
  @Test func `an answer gets old`() async throws {
    let (server, clock) = (CachingServer(headers: ["Cache-Control": "max-age=50"]), TestClock())
    try await clock.run {
      try await Client.withClient(server.client()) {
        let users = try LiveResource<User>()
        let patient = try LiveResource<User>(staleAfter: .seconds(100))
        let asTold = try LiveResource<User>(staleAfter: nil)
        let stale = { [users, asTold, patient].map(\.isStale) }
        #expect(stale() == [true, true, true])
        try await users.load()
        #expect(stale() == [false, false, false])
        clock.advance(by: 29)
        #expect(stale() == [false, false, false])
        clock.advance(by: 1)
        #expect(stale() == [true, false, false])
        clock.advance(by: 20)
        #expect(stale() == [true, true, false])
        clock.advance(by: 50)
        #expect(stale() == [true, true, true])
        // A clock that is set back makes nothing fresh.
        clock.advance(by: -1000)
        #expect(stale() == [true, true, true])
      }
    }
  }

  @Test func `an answer that expires says when`() async throws {
    let dates: HTTPHeaders = ["Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"]
    let (server, clock) = (CachingServer(headers: dates), TestClock())
    try await clock.run {
      try await Client.withClient(server.client()) {
        let users = try LiveResource<User>(staleAfter: nil)
        try await users.load()
        clock.advance(by: 59)
        #expect(!users.isStale)
        clock.advance(by: 1)
        #expect(users.isStale)
      }
    }
  }

  @Test func `a write of the entity ends the freshness`() async throws {
    let server = CachingServer()
    server.stub.on(.post, "/users", .json(["id": 3], status: 201)).on(.post, "/posts", .json(["id": 7], status: 201))
    try await Client.withClient(server.client()) {
      let users = try LiveResource<User>()
      try await users.load()
      await turn()
      let stale = Listener { _ = users.isStale }
      try await Post.post()
      #expect(await stale.news() == 0)
      #expect(!users.isStale)
      try await User.post()
      #expect(await stale.news() == 1)
      #expect(users.isStale && users.objects.count == 2)
      users.loadIfNeeded()
      #expect(users.isStale && users.isLoading)
      await until { !users.isLoading }
      #expect(!users.isStale)
      // "Not modified" would prove nothing.
      #expect(server.tags.filter { $0 != "-" }.isEmpty)
    }
  }

  @Test func `a pending change that is taken back ends the freshness`() async throws {
    try await CachingServer.withClient { server, client in
      let users = try LiveResource<User>()
      try await users.load()
      let user = try #require(users.object)
      user.email = "mine"
      try await client.store.main.save()
      #expect(!users.isStale)
      try await client.store.pending.discardAll()
      await until { users.isStale }
    }
  }

  @Test func `an answer from before a write is stale, and no load joins it`() async throws {
    let (stub, old, new) = (StubAdapter(), StubGate(), StubGate())
    stub.on(
      .get, "/users", .json([["id": 1]]).waiting(for: old), .json([["id": 1], ["id": 3]]).waiting(for: new))
    stub.on(.post, "/users", .json(["id": 3], status: 201))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      let first = Task { try await users.load() }
      await old.arrival()
      try await User.post()
      let second = Task { try await users.load() }
      await new.arrival()
      #expect(stub.requests(.get, "/users").count == 2)
      old.open()
      #expect(try await first.value.ids.count == 1)
      await turn()
      #expect(users.isLoading && users.isStale)
      new.open()
      #expect(try await second.value.ids.count == 2)
      #expect(!users.isLoading && !users.isStale && users.objects.count == 2)
    }
  }

  // MARK: If needed

  @Test func `only a stale resource is loaded`() async throws {
    let (server, clock) = (CachingServer(), TestClock())
    try await clock.run {
      try await Client.withClient(server.client()) {
        let users = try LiveResource<User>()
        users.loadIfNeeded()
        users.loadIfNeeded()
        await until { !users.isLoading }
        #expect(server.stub.requests.count == 1)
        clock.advance(by: 29)
        users.loadIfNeeded()
        #expect(!users.isLoading)
        clock.advance(by: 1)
        users.loadIfNeeded()
        #expect(users.isLoading)
        await until { !users.isLoading }
        #expect(server.stub.requests.count == 2)
        // It asks whether that is needed or not.
        try await users.load()
        #expect(server.stub.requests.count == 3)
      }
    }
  }

  @Test func `a failed load is not repeated at once`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    stub.on(.get, "/users", .status(500), .status(500), .json([["id": 1]]))
    try await clock.run {
      try await Client.withClient(Client(stub, storeWithOneUser())) {
        let users = try LiveResource<User>(retryAfter: .seconds(5))
        users.loadIfNeeded()
        await until { !users.isLoading }
        #expect(users.error != nil)
        users.loadIfNeeded()
        clock.advance(by: 4)
        users.loadIfNeeded()
        #expect(!users.isLoading)
        clock.advance(by: 1)
        users.loadIfNeeded()
        #expect(users.isLoading && users.error != nil)
        await until { !users.isLoading }
        // One who asks gets a request.
        try await users.load()
        #expect(users.error == nil)
        #expect(stub.requests.count == 3)
      }
    }
  }

  @Test func `a request that others cancel is not repeated at once`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    stub.on(.get, "/users", .error(CancellationError()))
    try await clock.run {
      try await Client.withClient(Client(stub, storeWithOneUser())) {
        let users = try LiveResource<User>(retryAfter: .seconds(5))
        await #expect(throws: CancellationError.self) { try await users.load() }
        users.loadIfNeeded()
        #expect(!users.isLoading)
        clock.advance(by: 5)
        users.loadIfNeeded()
        #expect(users.isLoading)
        await until { !users.isLoading }
        #expect(users.error == nil && stub.requests.count == 2)
      }
    }
  }

  // MARK: What waits

  @Test func `the changes that wait are counted`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/users", .json([["id": 1], ["id": 2]])).on(.put, "/users/1", .json(["id": 1, "email": "mine"]))
    let store = try await storeWithOneUser()
    try await Client.withClient(Client(stub, store)) {
      let users = try LiveResource<User>()
      try await users.load()
      #expect(users.pending == 0)
      let waiting = Listener { _ = users.pending }
      let user = try #require(users.object)
      user.email = "mine"
      #expect(users.pending == 0)
      try await store.main.save()
      await until { users.pending == 1 }
      user.firstName = "Ada"
      try store.main.delete(users.objects[1])
      let post = try store.main.insert(Post.self)
      post.uid = 7
      try await store.main.save()
      await until { users.pending == 2 }
      #expect(try LiveResource<Post>().pending == 1)
      _ = await waiting.news()
      try await user.put(\.email, \.firstName)
      await until { users.pending == 1 }
      #expect(await waiting.news() == 1)
    }
  }
}
