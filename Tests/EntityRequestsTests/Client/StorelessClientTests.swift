import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Entities and a client that has no store.
@Suite(.client(headers: ["Authorization": "Bearer hidden"])) struct StorelessClientTests {
  private func store() throws -> EntityStore { try EntityStore(.inMemory, entities: sampleEntities) }

  private func expectNoStore(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
  ) async throws {
    let error = try await requestError(sourceLocation: sourceLocation, body)
    #expect(error.kind == .noStore, sourceLocation: sourceLocation)
    #expect(error.status == nil, sourceLocation: sourceLocation)
    for way in ["store:", "in:", "`client."] {
      #expect(error.description.contains(way), "\(way) is a way out", sourceLocation: sourceLocation)
    }
    #expect(!error.description.contains("hidden"), sourceLocation: sourceLocation)
    #expect(try StubAdapter.current.requests.isEmpty, "nothing is sent", sourceLocation: sourceLocation)
  }

  @Test func `the store is an error that names the ways out`() async throws {
    let client = try Client.current
    try await expectNoStore { _ = try client.store }
  }

  @Test func `a verb of an entity sends nothing`() async throws {
    try await expectNoStore { try await User.get() }
    try await expectNoStore { try await User.head() }
    try await expectNoStore { try await User.post { try $0.setJSON(["email": "a"]) } }
    try await expectNoStore { try await User.delete("1") }
    try await expectNoStore { _ = try await User.pages(by: .link).all() }
    try await expectNoStore { try await User.upsert(from: [["id": 1]]) }
    try await expectNoStore { try await EntityDocument.get("sync", options: .parts([.list(User.self, at: "users")])) }
  }

  @Test func `a request that names a store is kept there`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([["id": 1], ["id": 2]])).on(.delete, "/users/1", .status(204))
    let store = try store()
    #expect(try await User.get(in: store).counts.inserted == 2)
    #expect(try await User.pages(by: .link, in: store).all().ids.count == 2)
    #expect(try await User.delete("1", in: store).counts.deleted == 1)
    #expect(try await User.upsert(from: [["id": 3]], in: store).counts.inserted == 1)
    #expect(try await store.read { try $0.count(User.all) } == 2)
  }

  @Test @MainActor func `an object uses the store that it is in`() async throws {
    try StubAdapter.current.on(.put, "/users/1", .json(["id": 1, "email": "new"]))
    let store = try store()
    try await User.upsert(from: [["id": 1, "email": "old"]], in: store)
    let user = try #require(try store.main.fetch(User.self, uid: 1))
    user.email = "new"
    try await user.put(\.email)
    #expect(try StubAdapter.current.requests.last?.json == ["email": "new"])
    #expect(user.pendingColumns.isEmpty)
  }

  @Test func `a loose object makes its JSON`() throws {
    let user = User()
    user.email = "ada@example.com"
    #expect(try user.jsonObject(for: \.email) == ["email": "ada@example.com"])
  }

  @Test func `requests about no entity need none`() async throws {
    try StubAdapter.current.on(.post, "/login", .json(["token": "t"]))
    let client = try Client.current
    let answer = try await client.send(client.request(.post, "login"))
    #expect(try JSONObject(parsing: answer.body)["token"] == "t")
    #expect(try StubAdapter.current.requests.first?.headers["Authorization"] == "Bearer hidden")
  }
}
