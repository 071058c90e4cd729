import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The article "Why nothing arrives" prints the words that the library says.
@MainActor @Suite struct NothingArrivesTests {
  private static let article = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Sources/EntityClient/EntityClient.docc/WhyNothingArrives.md")

  /// An error has the words, and the article prints them.
  private func expect(_ words: String, _ operation: () async throws -> Void) async throws {
    let error = try await #require(throws: (any Error).self) { try await operation() }
    #expect("\(error)".contains(words))
    #expect(try String(contentsOf: Self.article, encoding: .utf8).contains("`\(words)"), "the article lacks '\(words)'")
  }

  private func answered(
    _ answer: StubAnswer, _ envelope: Envelope? = nil, entities: [any ManagedEntity.Type]? = sampleEntities
  ) async throws {
    let stub = StubAdapter().on(.get, "/users", answer)
    let store = try entities.map { try EntityStore(.inMemory, entities: $0) }
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com", envelope: envelope)
    try await Client.withClient(client) { _ = try await User.get() }
  }

  @Test func `before anything is sent`() async throws {
    try await expect("There is no client.") { try await User.get() }
    try await expect("The client has no store to keep objects in.") { try await answered(.json([]), entities: nil) }
    try await expect("The store was opened without 'User'.") {
      try await answered(.json([["id": 1]]), entities: [Address.self])
    }
  }

  @Test func `a response that is refused as a whole`() async throws {
    let list: JSONValue = [["id": 1]]
    try await expect("The body has nothing under the envelope 'data'") {
      try await answered(.json(["users": list]), "data")
    }
    try await expect("The response can't be read as 'User': it has neither 'id' nor another key of the entity") {
      try await answered(.json(["data": list]))
    }
    try await expect("The body is not JSON (its content type is 'text/html')") {
      try await answered(.data(Data("<html>".utf8), headers: ["Content-Type": "text/html"]))
    }
    try await expect("'User.age' can't be read from 'age' of object 0") {
      try await answered(.json([["id": 1, "age": "old"]]))
    }
  }

  @Test func `a live query whose store is gone says so`() throws {
    let found: LiveQuery<User>
    do { found = LiveQuery(User.all, in: try EntityStore(.inMemory, entities: sampleEntities)) }
    #expect(found.objects == [])
    let words = "\(try #require(found.error))"
    #expect(try String(contentsOf: Self.article, encoding: .utf8).contains("`\(words)"), "the article lacks '\(words)'")
  }

  @Test(.client(entities: sampleEntities)) func `an empty list is no error`() async throws {
    try StubAdapter.current.on(.get, "/users", .json([]))
    let response = try await User.get()
    #expect(response.ids == [])
    #expect(response.absentKeys == [])
  }
}
