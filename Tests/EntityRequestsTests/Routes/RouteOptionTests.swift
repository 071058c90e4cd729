import EntityClient
import EntityTesting
import Foundation
import Testing

private struct Unwilling: Error {}

/// Options of routes, and of reads of relationships, that can't be meant.
@MainActor struct RouteOptionTests {
  private func client(_ routes: [Route], _ answers: (StubAdapter) -> Void = { _ in }) throws -> Client {
    let stub = StubAdapter()
    answers(stub)
    return try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: readingEntities), baseURL: "https://api.example.com/",
      routes: routes)
  }

  private func stub(_ client: Client) throws -> StubAdapter { try #require(client.adapter as? StubAdapter) }

  @Test func `options that exclude each other are refused with the client`() async throws {
    for options: ResponseOptions<Reader> in [
      [.withoutUID(.insert), .deleteMissing(in: Reader.all)], .cache(.networkOnly), .limits(.standard),
      .errorModel(String.self),
    ] {
      let error = try await requestError { _ = try client([.entity(Reader.self, at: "readers", options: options)]) }
      #expect(error.kind == .invalidRoute)
    }
  }

  @Test func `a route with a dry run sends no write`() async throws {
    let client = try client([.entity(Reader.self, at: "readers", options: .dryRun)]) {
      $0.on(.post, "/readers", .json(["id": 1])).on(.get, "/readers", .json([["id": 1]]))
    }
    #expect(try await requestError { try await client.post("readers") }.kind == .invalidRequest)
    #expect(try stub(client).requests.isEmpty)
    try await client.get("readers")
    #expect(try client.store.main.count() == 0)
    try await Client.withClient(client) { () async throws in
      let events = Reader.sending(.delete, "7", options: .dryRun).events
      #expect(try await requestError { for try await _ in events {} }.kind == .invalidRequest)
    }
    #expect(try stub(client).requests.count == 1)
  }

  @Test func `no envelope is asked for of a deletion`() async throws {
    let client = try client([.envelope(at: "**") { _ in throw Unwilling() }, .entity(Reader.self, at: "readers/#")]) {
      $0.on(.delete, "/readers/7", .status(204)).on(.delete, "/readers/8", .status(204))
    }
    try await Client.withClient(client) { () async throws in
      let store = try client.store
      try await store.background { context in for uid in [7, 8] { try context.insert(Reader.self).uid = uid } }
      try await Reader.delete("7")
      try await client.delete("readers/8")
      #expect(try await store.read { try $0.count() } == 0)
    }
  }

  @Test func `a delivered response without a URL has no route`() async throws {
    let client = try client([.json(at: "**")])
    let error = try await requestError { try await client.read(HTTPResponse(status: 200, body: Data("{}".utf8))) }
    #expect(error.kind == .unmatched)
    #expect(error.description.contains("no URL"))
    let post = try client.request(.post, "https://other.example/a", allowing: .otherOrigins)
    let other = HTTPResponse(status: 200, body: Data("{}".utf8))
    #expect(try await requestError { try await client.read(other, to: post) }.wasAccepted)
  }

  // MARK: Relationships

  @Test(.client(entities: readingEntities)) func `an object that is not saved has no relationship to read`()
    async throws
  {
    let reader = try Client.current.store.main.insert(Reader.self)
    reader.uid = 7
    let error = try await requestError { try await reader.get(\.remarks) }
    #expect(error.kind == .invalidRequest)
    #expect(error.description.contains("saved"))
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test(.client(entities: readingEntities)) func `a many-to-many list deletes no objects`() async throws {
    let remark = try #require(try await Remark.upsert(from: ["id": 1, "reader": 2, "topics": ["a"]]).object)
    let error = try await requestError { try await remark.get(\.topics, options: .deleteMissing(in: Topic.all)) }
    #expect(error.kind == .invalidRequest)
    #expect(try StubAdapter.current.requests.isEmpty)
  }
}
