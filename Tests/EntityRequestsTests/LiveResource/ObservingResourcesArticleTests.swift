import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

// The code of the article "Observing resources"; the tests below run it.

@MainActor final class ActiveUsers {
  let users: LiveResource<User>

  init() throws { users = try LiveResource("active", staleAfter: .seconds(60)) }

  func appear() { users.loadIfNeeded() }

  func refresh() async { _ = try? await users.load() }

  var title: String {
    if users.isLoading, users.objects.isEmpty { return "Loading…" }
    if let error = users.error { return "\(users.objects.count) users, not up to date: \(error)" }
    return "\(users.objects.count) users" + (users.pending > 0 ? ", \(users.pending) changes not sent" : "")
  }
}

@MainActor func profile(of uid: Int) throws -> LiveResource<User> {
  try LiveResource("\(uid)", options: .envelope(.wholeBody))
}

@MainActor func usersByName() throws -> LiveResource<User> {
  try LiveResource(User.where { $0.active == true }.sorted(by: \.firstName), loadedBy: "active")
}

@MainActor struct ObservingResourcesArticleTests {
  @Test func `the article's code does as it says`() async throws {
    let (stub, gate) = (StubAdapter(), StubGate())
    let answer: JSONValue = [["id": 2, "first": "B", "active": true], ["id": 1, "first": "A", "active": true]]
    stub.on(.get, "/users/active", .json(answer).waiting(for: gate), .status(503))
    stub.on(.get, "/users/1", .json(["id": 1, "first": "A"]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      let screen = try ActiveUsers()
      screen.appear()
      #expect(screen.title == "Loading…")
      await gate.arrival()
      gate.open()
      await until { !screen.users.isLoading }
      #expect(screen.title == "2 users")
      #expect(try usersByName().objects.map(\.uid) == [1, 2])
      screen.users.object?.firstName = "Z"
      try await store.main.save()
      await until { screen.title == "2 users, 1 changes not sent" }
      await screen.refresh()
      #expect(screen.title.hasPrefix("2 users, not up to date: GET"))
      let one = try profile(of: 1)
      try await one.load()
      #expect(one.object?.uid == 1)
    }
  }
}
