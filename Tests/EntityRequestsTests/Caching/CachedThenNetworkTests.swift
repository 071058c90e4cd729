import EntityClient
import EntityRequests
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The objects that are known, and then those of the server.
struct CachedThenNetworkTests {
  private func run(_ server: CachingServer, _ client: Client) async throws -> [String] {
    var seen: [String] = []
    do {
      for try await response in try User.cachedThenNetwork() {
        let emails = try await response.emails().joined(separator: " ")
        switch response.origin {
        case .network: seen.append("network: \(emails)")
        case .notModified: seen.append("notModified: \(emails)")
        case .cache: seen.append("cache: \(emails)")
        }
      }
    } catch let error as RequestError {
      seen.append("\(error.kind) \(error.cached(as: User.self)?.ids.count ?? 0)")
    }
    return seen
  }

  @Test func `Case 38: what is known comes first, and nothing where nothing is known`() async throws {
    try await CachingServer.withClient { server, client in
      let first = try await run(server, client)
      #expect(first == ["network: one 1 two"])
      #expect(try await run(server, client) == ["cache: one 1 two", "notModified: one 1 two"])
      server.tag.value = "\"v2\""
      #expect(try await run(server, client) == ["cache: one 1 two", "network: one 2 two"])
      server.stub.on(.get, "/users", .failure(.connection))
      #expect(try await run(server, client) == ["cache: one 2 two", "transport 2"])
    }
  }

  @Test func `nothing is sent before the second response`() async throws {
    let server = CachingServer()
    try await Client.withClient(server.client()) {
      try await User.get(options: .asked)
      let responses = try User.cachedThenNetwork()
      var iterator = responses.makeAsyncIterator()
      #expect(try await iterator.next()?.ids.count == 2)
      #expect(server.stub.requests.count == 1)
      #expect(try await iterator.next()?.origin == .notModified)
      #expect(try await iterator.next() == nil)
      #expect(server.stub.requests.count == 2)
      // Each iteration begins anew, and one that is left asks nobody.
      for try await response in responses {
        #expect(response.origin != .notModified)
        break
      }
      #expect(server.stub.requests.count == 2)
    }
  }

  @Test func `an error ends the sequence`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/users", .status(404))
    let client = try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: sampleEntities), baseURL: "https://api.example.com/")
    try await Client.withClient(client) {
      var iterator = try User.cachedThenNetwork().makeAsyncIterator()
      #expect(try await requestError { try await iterator.next() }.status == 404)
      #expect(try await iterator.next() == nil)
      #expect(stub.requests.count == 1)
    }
  }

  @Test @MainActor func `the main context is up to date`() async throws {
    try await CachingServer.withClient { server, client in
      for try await response in try User.cachedThenNetwork(in: try client.store) {
        #expect(try response.objects.map(\.email) == ["one 1", "two"])
      }
      server.tag.value = "\"v2\""
      var emails: [String?] = []
      for try await response in try User.cachedThenNetwork() { emails.append(try response.object?.email) }
      #expect(emails == ["one 1", "one 2"])
    }
  }
}
