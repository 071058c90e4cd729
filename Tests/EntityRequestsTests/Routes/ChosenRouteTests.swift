import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

private struct Notice: Decodable, Sendable, Equatable { let text: String }
private struct Unreadable: Error {}

/// Routes whose closures see the request and the parsed response.
struct ChosenRouteTests {
  private func client(_ routes: [Route], _ answers: (StubAdapter) throws -> Void) throws -> Client {
    let stub = StubAdapter()
    try answers(stub)
    return try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: readingEntities), baseURL: "https://api.example.com/",
      routes: routes)
  }

  @Test func `the body decides which model a route gives`() async throws {
    let feed = Route.model(at: "feed/#") { match in
      switch match.json?["kind"]?.string {
      case "reader": .entity(Reader.self)
      case "notice": .value(Notice.self)
      default: nil
      }
    }
    let client = try client([feed, .json(at: "feed/*")]) { stub in
      stub.on(.get, "/feed/1", .json(["kind": "reader", "id": 7]))
      stub.on(.get, "/feed/2", .json(["kind": "notice", "text": "Hello"]))
      stub.on(.get, "/feed/3", .json(["kind": "other"]))
    }
    #expect(try await client.get("feed/1").ids(of: Reader.self).count == 1)
    #expect(try await client.get("feed/2").value(as: Notice.self).text == "Hello")
    #expect(try await client.get("feed/3").value(as: JSONValue.self) == ["kind": "other"], "the next route is asked")
  }

  // Case 12 of the ancestors.
  @Test func `the closure sees the request and the response`() async throws {
    let seen = Mutex<RouteMatch?>(nil)
    let route = Route.model(at: "readers/{uid}/#") { match in
      seen.withLock { $0 = match }
      return .json
    }
    let client = try client([route]) {
      $0.on(.put, "/readers/*/9", .json(["x": 1], status: 201, headers: ["X-Region": "north"]))
    }
    try await client.put("readers/a%2Fb/9")
    let match = try #require(seen.withLock { $0 })
    #expect(match.method == .put)
    #expect(match.parameters["uid"] == "a/b")
    #expect(match.parameters.unnamed == ["9"])
    #expect(match.status == 201)
    #expect(match.headers["X-Region"] == "north")
    #expect(match.json == ["x": 1])
  }

  @Test func `an error of a closure fails the request`() async throws {
    let client = try client([.model(at: "**") { _ in throw Unreadable() }, .json(at: "b/**")]) {
      $0.on(.post, "/a", .json(["x": 1]))
    }
    let error = try await requestError { try await client.post("a") }
    #expect(error.kind == .mapping)
    #expect(error.underlying is Unreadable)
    #expect(error.response?.status == 200)
    #expect(error.wasAccepted)
  }

  @Test func `all closures that decline are in the trace`() async throws {
    let client = try client([.model(at: "a") { _ in nil }, .model(at: "**") { _ in nil }]) {
      $0.on(.get, "/a", .json(["x": 1]))
    }
    let error = try await requestError { try await client.get("a") }
    #expect(error.kind == .unmatched)
    #expect(error.description.components(separatedBy: "had no result").count == 3)
  }

  @Test func `a store is asked for once a closure chooses an entity`() async throws {
    let stub = StubAdapter().on(.get, "/a", .json(["id": 1]))
    let client = try Client(
      adapter: stub, baseURL: "https://api.example.com/", routes: [.model(at: "a") { _ in .entity(Reader.self) }])
    let error = try await requestError { try await client.get("a") }
    #expect(error.kind == .noStore)
    #expect(error.response?.status == 200)
    let store = try EntityStore(.inMemory, entities: readingEntities)
    #expect(try await client.get("a", in: store).ids(of: Reader.self).count == 1)
  }

  @Test func `a named entity asks for the store before anything is sent`() async throws {
    let stub = StubAdapter().on(.get, "/readers", .json([["id": 1]])).on(.head, "/readers", .status(200))
    let client = try Client(
      adapter: stub, baseURL: "https://api.example.com/", routes: [.entity(Reader.self, at: "readers", .get, .head)])
    #expect(try await requestError { try await client.get("readers") }.kind == .noStore)
    #expect(stub.requests.isEmpty)
    let store = try EntityStore(.inMemory, entities: readingEntities)
    #expect(try await client.get("readers", in: store).ids(of: Reader.self).count == 1)
    try await client.head("readers")
  }
}
