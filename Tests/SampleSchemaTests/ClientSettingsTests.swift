import EntityClient
import EntityTesting
import SampleSchema
import Testing

/// A test reads and sends as the app does, by the settings of its client.
@Suite struct ClientSettingsTests {
  @Test(
    .client(entities: sampleEntities, verdict: .errors(), nothing: [.emptyText]) {
      $0.on(.get, "/users", .json([["id": 1, "avatar_url": ""]]))
      $0.on(.get, "/users/2", .json(["errors": [["message": "no"]]]))
    })
  func `a verdict and the values that mean nothing`() async throws {
    let store = try Client.current.store
    try await User.get()
    #expect(try await store.read { try $0.fetch(User.self, uid: 1)?.avatarURL } == nil)
    let error = try await #require(throws: RequestError.self) { try await User.get("2") }
    #expect(error.serverMessage == "no")
  }

  @Test(.client(entities: sampleEntities, trailingSlash: .always) { $0.on(.get, "/users/7/", .json(["id": 7])) })
  func `the end of an object's URL`() async throws {
    #expect(try await User.get(uid: 7).ids.count == 1)
  }

  /// A list is kept for an account: without its name, credentials in the headers are refused.
  @Test(
    .client(entities: sampleEntities, headers: ["Authorization": "Bearer t"], identity: "ada") {
      $0.on(.get, "/users/newest", .json([["id": 1]]))
    })
  func `the account that is logged in`() async throws {
    #expect(try await StoredCollection<User>(get: "newest").load().ids.count == 1)
  }

  @Test(
    .client(
      StubAdapter().on(.get, "/users/7/", .json(["errors": ["no"]])), entities: sampleEntities, trailingSlash: .always,
      verdict: .errors(), nothing: [.zeroID], identity: "ada"))
  func `the same around another adapter`() async throws {
    let error = try await #require(throws: RequestError.self) { try await User.get(uid: 7) }
    #expect(error.serverMessage == "no")
    #expect(try Client.current.nothing == [.zeroID])
  }
}
