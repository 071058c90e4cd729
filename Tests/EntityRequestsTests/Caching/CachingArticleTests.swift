import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import Testing

// The code of the article "Caching"; the tests below run it.

func account(_ adapter: some RequestAdapter, _ store: EntityStore, name: @escaping @Sendable () -> String?) throws
  -> Client
{
  try Client(
    adapter: adapter, store: store, baseURL: "https://api.example.com/", identity: name,
    onRefreshFailure: { print("not refreshed: \($0)") })
}

@MainActor func usersOfTheLastMinute() async throws -> [User] {
  try await User.get(options: .cache(.cacheFirst(maxAge: .seconds(60)))).objects
}

@MainActor func showUsers(_ show: ([User], _ isOld: Bool) -> Void) async throws {
  for try await response in try User.cachedThenNetwork(query: ["page": 1]) {
    if case .cache = response.origin { show(try response.objects, true) } else { show(try response.objects, false) }
  }
}

@MainActor func usersOrWhatIsKnown() async throws -> (users: [User], error: RequestError?) {
  do {
    return (try await User.get(options: .cache(.networkOnly)).objects, nil)
  } catch let error as RequestError {
    return (try error.cached(as: User.self)?.objects ?? [], error)
  }
}

@MainActor struct CachingArticleTests {
  @Test func `the article's code does as it says`() async throws {
    let server = CachingServer()
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    // A clock that stands still: a slow machine takes longer than the minute.
    try await TestClock().run {
      try await Client.withClient(account(server.stub, store, name: { "ada" })) {
        #expect(try await usersOfTheLastMinute().count == 2)
        #expect(try await usersOfTheLastMinute().count == 2)
        #expect(server.stub.requests.count == 1)
        var shown: [Bool] = []
        for _ in 0..<2 { try await showUsers { users, isOld in if users.count == 2 { shown.append(isOld) } } }
        #expect(shown == [false, true, false])
        _ = try await usersOrWhatIsKnown()
        server.stub.on(.get, "/users", .status(500))
        let known = try await usersOrWhatIsKnown()
        #expect(known.users.count == 2)
        #expect(known.error?.status == 500)
      }
    }
  }
}
