import EntityClient
import EntityTesting
import Testing

@testable import Starter

/// Each test has a client and a store of its own.
@Suite(.client(entities: [User.self])) struct UserTests {
  private let ada: JSONValue = ["id": 1, "name": "Ada", "email": "ada@example.com"]

  @Test func `a user is mapped, and nothing new comes the second time`() async throws {
    #expect(try await User.upsert(from: [ada]).counts.inserted == 1)
    #expect(try await User.upsert(from: [ada]).counts.rowsWritten == 0)
  }

  @Test @MainActor func `an edit is sent`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([ada]))
    stub.on(.put, "/users/1", .json(["id": 1, "email": "ada@example.org"]))
    let user = try #require(try await User.get().objects.first)
    user.email = "ada@example.org"
    try await user.put(\.email)
    #expect(stub.requests(.put, "/users/1").first?.json == ["email": "ada@example.org"])
    #expect(user.pendingColumns.isEmpty)
  }
}
