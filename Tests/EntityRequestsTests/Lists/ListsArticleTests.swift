import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

// The code of the article "Lists that live"; the tests below run it.

extension User {
  static let newest = StoredCollection<User>(get: "newest", pages: .cursor("next"), options: .envelope("items"))
}

@MainActor final class NewestUsers {
  let users: LiveResource<User>

  init() throws { users = try LiveResource(User.newest) }

  func appear() { users.loadIfNeeded() }

  func refresh() async { _ = try? await users.load() }

  func reachedEnd() async { if users.hasMore { _ = try? await users.loadMore() } }

  var end: String { users.isComplete ? "That is all" : users.hasMore ? "…" : "" }
}

@MainActor func activeAndNew(in store: EntityStore) -> LiveQuery<User> {
  LiveQuery(User.where { $0.active == true && $0.isMember(of: User.newest) }, in: store)
}

func firstNames(in store: EntityStore) async throws -> [String?] {
  let window = User.members(of: User.newest).limited(to: 50)
  return try await store.read { context in try context.fetch(window).map(\.firstName) }
}

func loadAllOfNewest() async throws {
  try await User.newest.load()
  while try await User.newest.status()?.hasMore == true { try await User.newest.loadMore() }
}

extension User {
  static let synced = StoredCollection<User>(
    pages: .header("Next-Page"), changes: .delta("_since", from: .header("ETag")))
  static let team = StoredCollection<User>(
    get: "team", pages: .cursor("next"), placing: .first { $0.active == true }, options: .envelope("items"))
}

@MainActor struct ListsArticleTests {
  @Test func `the article's code does as it says`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users/newest", .json(["items": [["id": 3, "first": "C", "active": true], ["id": 2]], "next": "x"]),
      .json(["items": [["id": 1, "first": "A"]], "next": nil]),
      .json(["items": [["id": 4, "first": "D"], ["id": 3]], "next": "y"]),
      .json(["items": [["id": 9]], "next": nil]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await Client.withClient(Client(stub, store)) {
      let screen = try NewestUsers()
      screen.appear()
      await until { !screen.users.isLoading && !screen.users.objects.isEmpty }
      #expect(screen.users.objects.map(\.uid) == [3, 2] && screen.end == "…")
      await screen.reachedEnd()
      #expect(screen.users.objects.map(\.uid) == [3, 2, 1] && screen.end == "That is all")
      #expect(activeAndNew(in: store).objects.map(\.uid) == [3])
      #expect(try await firstNames(in: store) == ["C", nil, "A"])
      await screen.refresh()
      #expect(screen.users.objects.map(\.uid) == [4, 3, 2, 1])
      try await loadAllOfNewest()
      #expect(try await User.newest.status()?.isComplete == true)
    }
  }
}
