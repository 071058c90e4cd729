import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

// Helpers that a project adds, as in the design's sample. Compiling them is half of the test.
extension User {
  fileprivate static func user(uid: Int) async throws -> EntityID<User>? { try await get("\(uid)").ids.first }

  fileprivate nonisolated(nonsending) func saveEmail() async throws {
    try await put { try $0.setJSON(jsonObject(for: \.email)) }
  }
}

@Suite(
  .sample { stub in
    stub.on(.get, "/users", query: ["page": 1], .json([["id": 1, "email": "a@x"], ["id": 2, "email": "b@x"]]))
    stub.on(.get, "/users/42", .json(["id": 42, "email": "c@x"]))
    stub.on(.put, "/users/42", .json(["id": 42, "email": "saved@x"]))
  })
struct DesignSampleTests {
  @Test @MainActor func `users are fetched on the main actor`() async throws {
    let fractions = Recorder<Double>()
    let users = try await User.get(query: ["page": 1], progress: { fractions.add($0.fraction) }).objects
    #expect(users.map(\.email) == ["a@x", "b@x"])
    #expect(fractions.all.last == 1)
    #expect(try StubAdapter.current.requests.map(\.description) == ["GET https://api.example.com/users?page=1"])
  }

  @Test func `one user can be fetched anywhere`() async throws {
    let id = try #require(try await User.user(uid: 42))
    let email = try await Client.current.store.read { try $0.object(id)?.email }
    #expect(email == "c@x")
  }

  @Test @MainActor func `an edit is saved`() async throws {
    let user = try #require(try await User.get("42").objects.first)
    user.email = "edited@x"
    try await user.saveEmail()
    #expect(user.email == "saved@x")
    #expect(!user.hasChanges)
    let sent = try #require(try StubAdapter.current.requests.last)
    #expect(sent.json == ["email": "edited@x"])
    #expect(sent.headers["Content-Type"] == "application/json")
  }

  @Test @MainActor func `the main context is up to date when a verb returns`() async throws {
    let user = try #require(try await User.get("42").objects.first)
    try StubAdapter.current.on(.get, "/users", .json([["id": 42, "email": "news"]]))
    // Nothing reads through the context in between: the merge came with the answer.
    try await User.get()
    #expect(user.email == "news")
  }

  @Test func `a request may be sent by another client`() async throws {
    let request = try User.request(.get, "42")
    #expect(request.url?.absoluteString == "https://api.example.com/users/42")
    let data = Data(#"{"id": 42, "email": "elsewhere"}"#.utf8)
    let response = try await User.upsert(from: data, in: Client.current.store)
    #expect(response.counts.inserted == 1)
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test @MainActor func `trailing closures change the request and hear of progress`() async throws {
    let fractions = Recorder<Double>()
    try await User.get("42") {
      $0.timeoutInterval = 3
      try $0.setHeaders(["X-One": "1"])
    } progress: {
      fractions.add($0.fraction)
    }
    #expect(try StubAdapter.current.requests.last?.headers["X-One"] == "1")
    #expect(fractions.all.last == 1)
  }
}
