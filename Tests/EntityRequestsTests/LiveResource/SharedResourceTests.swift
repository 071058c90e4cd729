import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Resources of one request, and who ends a load.
@MainActor struct SharedResourceTests {
  private let stub = StubAdapter()
  private let gate = StubGate()
  private let cancelled = StubGate()

  @Test func `resources of one request share it`() async throws {
    stub.on(.get, "/users", .json([["id": 2], ["id": 1]]).waiting(for: gate), .status(500))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let (one, two) = (try LiveResource<User>(), try LiveResource<User>(staleAfter: .seconds(1)))
      let query = try LiveResource(User.all)
      let other = try LiveResource<User>(query: ["page": 2])
      let loads = [one, two].map { resource in Task { try await resource.load() } }
      await gate.arrival()
      query.loadIfNeeded()
      #expect([one, two, query, other].map(\.isLoading) == [true, true, true, false])
      #expect(one.progress == two.progress)
      gate.open()
      for load in loads { #expect(try await load.value.ids.count == 2) }
      #expect([one, two, query].allSatisfy { !$0.isLoading })
      #expect([one, two, other].map { $0.objects.count } == [2, 2, 0])
      #expect(stub.requests.count == 1)
      _ = try? await one.load()
      #expect([one, two, query, other].map { $0.error != nil } == [true, true, true, false])
    }
  }

  @Test func `a request that is read in another way is another request`() async throws {
    stub.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    let client = try Client(stub, await storeWithOneUser())
    try await Client.withClient(client) {
      let resources = [
        try LiveResource<User>(), try LiveResource(options: .localEdits(.overwrite)),
        try LiveResource(modify: { try $0.setHeaders(["Accept-Language": "de"]) }),
        try LiveResource(options: .errorModel(String.self)), try LiveResource(options: .errorModel(String.self)),
        try LiveResource(options: .deleteMissing(in: User.where { $0.age > 200 })),
      ]
      for resource in resources { resource.loadIfNeeded() }
      await gate.arrival(resources.count)
      gate.open()
      for resource in resources { await until { !resource.isLoading } }
      #expect(stub.requests.count == resources.count)
    }
  }

  @Test func `a resource that cancels its load spares the others`() async throws {
    stub.on(.get, "/users", answerUntilCancelled(gate, cancelled))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let (one, two) = (try LiveResource<User>(), try LiveResource<User>())
      let load = Task { try await one.load() }
      await gate.arrival()
      two.loadIfNeeded()
      one.cancel()
      await #expect(throws: CancellationError.self) { try await load.value }
      #expect(one.isLoading && two.isLoading)
      two.cancel()
      #expect(!one.isLoading && !two.isLoading && one.progress == nil)
      try await cancelled.wait()
      #expect(one.error == nil && one.isStale)
      // Whoever asks now asks anew.
      gate.open()
      try await one.load()
      #expect(stub.requests.count == 2)
    }
  }

  @Test func `a cancelled task leaves the load to the others`() async throws {
    stub.on(.get, "/users", answerUntilCancelled(gate, cancelled))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      let loads = (0..<2).map { _ in Task { try await users.load() } }
      await gate.arrival()
      loads[0].cancel()
      await #expect(throws: CancellationError.self) { try await loads[0].value }
      #expect(users.isLoading)
      loads[1].cancel()
      await #expect(throws: CancellationError.self) { try await loads[1].value }
      try await cancelled.wait()
      #expect(!users.isLoading && users.error == nil)
      // A task that is cancelled already asks for nothing.
      let late = Task { try await users.load() }
      late.cancel()
      await #expect(throws: CancellationError.self) { try await late.value }
      #expect(stub.requests.count == 1)
    }
  }

  @Test func `a request that others cancel is no failure`() async throws {
    stub.on(.get, "/users", .error(CancellationError()))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      await #expect(throws: CancellationError.self) { try await users.load() }
      #expect(users.error == nil && !users.isLoading && users.isStale)
    }
  }

  @Test func `a resource that is released ends its load`() async throws {
    stub.on(.get, "/users", answerUntilCancelled(gate, cancelled))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      var users: LiveResource<User>? = try LiveResource()
      _ = users?.pending
      users?.loadIfNeeded()
      await gate.arrival()
      weak let gone = users
      users = nil
      #expect(gone == nil)
      try await cancelled.wait()
    }
  }

  @Test func `a load goes on for the resources that still show it`() async throws {
    stub.on(.get, "/users", .json([["id": 2]]).waiting(for: gate))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      var first: LiveResource<User>? = try LiveResource()
      let second = try LiveResource<User>()
      first?.loadIfNeeded()
      await gate.arrival()
      first = nil
      await turn()
      #expect(second.isLoading)
      gate.open()
      await until { !second.isLoading }
      #expect(second.objects.map(\.uid) == [2])
    }
  }

  @Test func `the answers of one account are not another account's`() async throws {
    let (server, name) = (CachingServer(), CachingServer.Text("ada"))
    try await Client.withClient(server.client(identity: { name.value })) {
      let users = try LiveResource<User>()
      try await users.load()
      #expect(users.objects.count == 2)
      let (objects, loading) = (Listener { _ = users.objects }, Listener { _ = users.isLoading })
      name.value = "bob"
      users.loadIfNeeded()
      #expect(users.isLoading && users.objects.isEmpty && users.lastLoaded == nil)
      #expect(try LiveResource<User>().isLoading)
      await until { !users.isLoading }
      #expect(users.objects.count == 2)
      #expect(await objects.news() > 0)
      #expect(await loading.news() > 0)
      #expect(server.tags == ["-", "-"])
      // Ada's are still here.
      name.value = "ada"
      users.loadIfNeeded()
      #expect(!users.isLoading && users.objects.count == 2)
    }
  }

  @Test func `a resource's observers hear of the progress`() async throws {
    let gates = (0..<3).map { _ in StubGate() }
    stub.on(
      .get, "/users", .json([["id": 1], ["id": 2]]).chunked(3, gates: [0: gates[0], 1: gates[1], 2: gates[2]]))
    try await Client.withClient(Client(stub, storeWithOneUser())) {
      let users = try LiveResource<User>()
      let listener = Listener { _ = users.progress }
      users.loadIfNeeded()
      await gates[0].arrival()
      #expect(await listener.news() == 1)
      var last = try #require(users.progress)
      for index in 0..<2 {
        gates[index].open()
        await gates[index + 1].arrival()
        try await until { try #require(users.progress) > last }
        last = try #require(users.progress)
        #expect(await listener.news() == 1)
      }
      #expect(last < 1)
      gates[2].open()
      await until { !users.isLoading }
      #expect(users.progress == nil)
    }
  }
}
