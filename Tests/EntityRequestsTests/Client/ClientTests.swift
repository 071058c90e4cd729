import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The global hook. Only this suite installs a client, so its tests are one after the other.
@Suite(.serialized) struct ClientTests {
  private func client(_ host: String) throws -> Client {
    try Client(
      adapter: StubAdapter().on(.get, "/users", .json([["id": 1]])),
      store: EntityStore(.inMemory, entities: sampleEntities), baseURL: "https://\(host)/")
  }

  @Test func `without a client nothing is sent`() async throws {
    let error = try await requestError { try await User.get() }
    #expect(error.kind == .notInstalled)
    #expect(error.description.contains("Client.install"))
    #expect(try await requestError { try User.request(.get) }.kind == .notInstalled)
    #expect(try await requestError { try await User.delete("1") }.kind == .notInstalled)
    #expect(try await requestError { try await User.upsert(from: ["id": 1]) }.kind == .notInstalled)
  }

  @Test func `a second install must say that it replaces the first`() async throws {
    defer { Client.uninstall() }
    try Client.install(client("one"))
    #expect(try Client.current.baseURL.host() == "one")
    let error = try await requestError { try Client.install(client("two")) }
    #expect(error.kind == .alreadyInstalled)
    #expect(try Client.current.baseURL.host() == "one")
    try Client.install(client("two"), replacing: true)
    #expect(try await User.get().url?.host() == "two")
  }

  @Test func `the task's own client comes first`() async throws {
    defer { Client.uninstall() }
    try Client.install(client("installed"))
    let inner = try client("inner")
    let host = try Client.withClient(inner) { try Client.current.baseURL.host() }
    #expect(host == "inner")
    let hosts = try await Client.withClient(inner) {
      async let child = User.get().url?.host()
      let task = Task { try await User.get().url?.host() }
      let detached = Task.detached { try await User.get().url?.host() }
      return try await [child, task.value, detached.value]
    }
    #expect(hosts == ["inner", "inner", "installed"])
    #expect(try Client.current.baseURL.host() == "installed")
  }

  @Test func `bad headers are found at once`() async throws {
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let error = try await requestError {
      try Client(adapter: StubAdapter(), store: store, baseURL: "https://h", headers: ["Authorization": "token\n"])
    }
    #expect(error.kind == .invalidRequest)
    #expect(!error.description.contains("token"))
  }

  @Test func `the base URL of a client may be a URL`() throws {
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let url = try #require(URL(string: "https://h/v1"))
    #expect(try Client(adapter: StubAdapter(), store: store, baseURL: url).baseURL == url)
  }
}
