import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Loads of one resource that are under way together, and news of answers while they are.
@MainActor struct OverlappingLoadTests {
  @Test func `an older load goes on when the newer load is cancelled`() async throws {
    let (stub, old, new) = (StubAdapter(), StubGate(), StubGate())
    stub.on(
      .get, "/users", .json([["id": 2]], headers: ["Cache-Control": "no-store"]).waiting(for: old),
      .json([]).waiting(for: new))
    stub.on(.post, "/users", .json(["id": 3], status: 201))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      let first = Task { try await users.load() }
      await old.arrival()
      try await User.post()
      let second = Task { try await users.load() }
      await new.arrival()
      second.cancel()
      await #expect(throws: CancellationError.self) { try await second.value }
      #expect(users.isLoading && users.progress != nil)
      old.open()
      #expect(try await first.value.ids.count == 1)
      #expect(users.objects.map(\.uid) == [2])
      #expect(!users.isLoading && users.progress == nil && users.isStale)
    }
  }

  @Test func `the failure of an older load is reported when the newer load is cancelled`() async throws {
    let (stub, clock, old, new) = (StubAdapter(), TestClock(), StubGate(), StubGate())
    stub.on(.get, "/users", .status(500).waiting(for: old), .json([]).waiting(for: new), .json([["id": 1]]))
    stub.on(.post, "/users", .json(["id": 3], status: 201))
    try await clock.run {
      try await Client.withClient(Client(stub, storeWithOneUser())) {
        let users = try LiveResource<User>(retryAfter: .seconds(5))
        let first = Task { try await users.load() }
        await old.arrival()
        try await User.post()
        let second = Task { try await users.load() }
        await new.arrival()
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        old.open()
        #expect(try await requestError { try await first.value }.status == 500)
        #expect((users.error as? RequestError)?.status == 500)
        users.loadIfNeeded()
        #expect(!users.isLoading)
        clock.advance(by: 5)
        users.loadIfNeeded()
        await until { !users.isLoading }
        #expect(users.error == nil && users.objects.map(\.uid) == [1])
      }
    }
  }

  @Test func `an older load that ends after the newer load changes nothing`() async throws {
    let (stub, old) = (StubAdapter(), StubGate())
    let headers: HTTPHeaders = ["Cache-Control": "no-store"]
    stub.on(
      .get, "/users", .json([["id": 1]], headers: headers).waiting(for: old),
      .json([["id": 1], ["id": 3]], headers: headers))
    stub.on(.post, "/users", .json(["id": 3], status: 201))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      let first = Task { try await users.load() }
      await old.arrival()
      try await User.post()
      try await users.load()
      #expect(users.isLoading && users.objects.count == 2)
      old.open()
      _ = try await first.value
      #expect(!users.isLoading && users.objects.count == 2)
    }
  }

  // MARK: News

  /// The main actor may hear of several things in one turn.
  @Test(arguments: [true, false])
  func `a note that is newer than the reported end has not ended`(_ isNewer: Bool) async throws {
    let client = try CachingServer().client()
    try await Client.withClient(client) {
      let users = try LiveResource<User>(staleAfter: .seconds(86_400))
      try await users.load()
      await turn()
      let key = try #require(try await client.store.noteKeys().first)
      let followers = try client.store.core.answers.followers
      if !isNewer { followers.tellChanged(key) }
      followers.tellEnded(of: "User")
      if isNewer { followers.tellChanged(key) }
      await turn()
      #expect(users.isStale == !isNewer)
    }
  }

  @Test func `an answer that is not kept is not stale in between`() async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    stub.on(.get, "/users", .json([["id": 2]], headers: ["Cache-Control": "no-store"]))
    try await clock.run {
      try await Client.withClient(Client(stub, storeWithOneUser())) {
        let users = try LiveResource<User>()
        try await users.load()
        await turn()
        let stale = Listener { _ = users.isStale }
        try await users.load()
        #expect(await stale.news() == 0)
        #expect(!users.isStale)
      }
    }
  }

  @Test func `a write during a load ends the freshness of an answer that is not kept`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    let headers: HTTPHeaders = ["Cache-Control": "no-store"]
    stub.on(.get, "/users", .json([["id": 2]], headers: headers), .json([], headers: headers).waiting(for: gate))
    stub.on(.post, "/users", .json(["id": 3], status: 201))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>(staleAfter: .seconds(86_400))
      try await users.load()
      await turn()
      let load = Task { try await users.load() }
      await gate.arrival()
      #expect(!users.isStale)
      try await User.post()
      await turn()
      #expect(users.isStale)
      gate.open()
      _ = try await load.value
    }
  }

  /// Another request of the same note has an answer that is not to be kept.
  @Test func `an answer that is forgotten during a load is stale when the load fails`() async throws {
    let (server, gate) = (StubAdapter(), StubGate())
    server.on(
      .get, "/users", .json([["id": 2]]), .status(500).waiting(for: gate),
      .json([["id": 2]], headers: ["Cache-Control": "no-store"]))
    try await Client.withClient(Client(server, storeWithOneUser())) {
      let users = try LiveResource<User>(staleAfter: .seconds(86_400))
      try await users.load()
      await turn()
      let load = Task { try await users.load() }
      await gate.arrival()
      try await User.get(options: .asked, modify: { try $0.setHeaders(["Accept-Language": "de"]) })
      await turn()
      #expect(!users.isStale && users.isLoading)
      gate.open()
      #expect(try await requestError { try await load.value }.status == 500)
      #expect(users.isStale)
    }
  }
}
