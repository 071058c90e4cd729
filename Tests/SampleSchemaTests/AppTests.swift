import EntityClient
import EntityTesting
import SampleSchema
import Testing

// The code of the article "Testing": an app's own client, and what its screens show.

/// The client of the app. The transport comes from outside: `CurlAdapter().standard()`, and a stub in tests.
func appClient(_ transport: some RequestAdapter, _ store: EntityStore) throws -> Client {
  try Client(
    adapter: transport, store: store, baseURL: "https://api.example.com/v1", verdict: .errors(), nothing: [.emptyText])
}

/// What the list of users shows.
@MainActor final class UserList {
  private let users: LiveQuery<User>
  private(set) var problem: String?

  init(in store: EntityStore) { users = LiveQuery(User.all.sorted(by: \.firstName), in: store) }

  var names: [String] { users.objects.map { $0.firstName ?? "-" } }

  func refresh() async {
    do {
      try await User.get()
      problem = nil
    } catch {
      problem = "\(error)"
    }
  }
}

@MainActor struct AppTests {
  @Test func `the app's own client takes a refusal for one`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/v1/users", .json(["errors": [["message": "not now"]]]))
    let client = try appClient(stub, EntityStore(.inMemory, entities: sampleEntities))
    try await Client.withClient(client) {
      let error = try await #require(throws: RequestError.self) { try await User.get() }
      #expect(error.serverMessage == "not now")
    }
  }

  @Test(.client(entities: sampleEntities)) func `the list stays beside a problem`() async throws {
    let store = try Client.current.store
    try StubAdapter.current.on(
      .get, "/users", .json([["id": 1, "first": "Bea"], ["id": 2, "first": "Ada"]]), .status(503))
    let list = UserList(in: store)
    #expect(list.names == [])
    await list.refresh()
    #expect(list.names == ["Ada", "Bea"])
    await list.refresh()
    #expect(list.names == ["Ada", "Bea"])
    #expect(list.problem?.contains("503") == true)
  }

  @Test(.client(entities: sampleEntities)) func `a screen can be looked at while it loads`() async throws {
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/users", .json([["id": 1]]).waiting(for: gate))
    let users = try LiveResource<User>()
    users.loadIfNeeded()
    await gate.arrival()
    #expect(users.isLoading)
    gate.open()
    try await users.load()
    #expect(users.objects.map(\.uid) == [1])
  }
}
