import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

private struct Hit: Decodable, Sendable, Equatable { let score: Int }
private struct Made: Decodable, Sendable, Equatable { let score: Int }

private let modelRoutes: [Route] = [
  .entity(Reader.self, at: "readers/**"),
  .entity(Reader.self, at: "readers", options: .parts([.list(Remark.self, at: "remarks")])),
  .entity(Scrap.self, at: "scraps"),
  .parts([.list(Reader.self, at: "readers"), .list(Topic.self, at: "topics")], at: "sync"),
  .value(Hit.self, at: "hits/#"),
  .value(Made.self, at: "hits", .post, status: 201),
  .value(Hit.self, at: "hits", .post),
  .value([Hit].self, at: "hits", .get),
  .json(at: "status"),
  .envelope("readers", at: "readers"),
]

/// Responses to requests that name no type are read as the model that a route leads to.
@Suite(.client(entities: readingEntities, baseURL: "https://api.example.com/v1", routes: modelRoutes))
struct ModelRouteTests {
  private func answer(_ method: HTTPMethod, _ path: String, _ answer: StubAnswer) throws -> Client {
    try StubAdapter.current.on(method, "/v1/\(path)", answer)
    return try Client.current
  }

  @Test @MainActor func `an entity is upserted`() async throws {
    let client = try answer(.get, "readers/7", .json(["id": 7, "name": "Ada"]))
    let response = try await client.get("readers/7")
    #expect(try response.objects(of: Reader.self).map(\.name) == ["Ada"])
    #expect(response.ids(of: Reader.self).count == 1)
    #expect(response.counts(of: Reader.self).inserted == 1)
    #expect(try response.entities(Reader.self).ids == response.ids(of: Reader.self))
    #expect(response.json == ["id": 7, "name": "Ada"])
    #expect(response.ids(of: Topic.self).isEmpty)
    #expect(response.counts(of: Topic.self) == EntityCounts())
    #expect(response.description == "Reader: status 200 from https://api.example.com/v1/readers/7")
  }

  // Cases 31 and 33 of the ancestors.
  @Test func `all entities of a body are written in one transaction`() async throws {
    let body: JSONValue = [
      "readers": [["id": 1], ["id": 2]],
      "remarks": [["id": 5, "reader": 1], ["id": 6, "reader": 2]],
    ]
    let client = try answer(.get, "readers", .json(body))
    let before = try await client.store.read { $0.generation }
    let response = try await client.get("readers")
    #expect(response.ids(of: Reader.self).count == 2)
    #expect(response.ids(of: Remark.self).count == 2)
    #expect(try await client.store.read { $0.generation } == before + 1)
  }

  @Test func `a document has its parts`() async throws {
    let client = try answer(.get, "sync", .json(["readers": [["id": 1]], "topics": [["id": "a"]]]))
    let response = try await client.get("sync")
    #expect(response.ids(of: Reader.self).count == 1)
    #expect(response.ids(of: Topic.self).count == 1)
    #expect(try response.entities(EntityDocument.self).ids.isEmpty)
  }

  @Test func `a value is read and not stored`() async throws {
    let client = try answer(.get, "hits/3", .json(["score": 9]))
    let response = try await client.get("hits/3")
    #expect(try response.value(as: Hit.self) == Hit(score: 9))
    #expect(try response.value(as: Hit?.self) == Hit(score: 9))
    #expect(response.ids(of: Reader.self).isEmpty)
    #expect(response.description == "Hit: status 200 from https://api.example.com/v1/hits/3")
  }

  // Cases 10, 11 and 26 of the ancestors.
  @Test func `method and status decide`() async throws {
    let client = try answer(.post, "hits", .json(["score": 1], status: 201))
    #expect(try await client.post("hits").value(as: Made.self).score == 1)
    _ = try answer(.post, "hits", .json(["score": 2]))
    #expect(try await client.post("hits").value(as: Hit.self).score == 2)
    _ = try answer(.get, "hits", .json([["score": 3]]))
    #expect(try await client.get("hits").value(as: [Hit].self).map(\.score) == [3])
  }

  @Test func `the request's own type wins`() async throws {
    let client = try answer(.get, "hits/3", .json(["score": 9]))
    #expect(try await client.get("hits/3", as: Made.self).value == Made(score: 9))
    _ = try answer(.get, "topics", .json(["score": 9, "id": "a"]))
    #expect(try await Topic.get().ids.count == 1, "an entity's verb needs no route")
  }

  @Test func `another type than the route's is an error`() async throws {
    let client = try answer(.get, "hits/3", .json(["score": 9]))
    let response = try await client.get("hits/3")
    let error = try await requestError { _ = try response.value(as: Made.self) }
    #expect(error.kind == .mapping)
    #expect(error.description.contains("'Hit'"))
    #expect(error.description.contains("'Made'"))
    #expect(try await requestError { _ = try response.value(as: Made?.self) }.kind == .mapping)
    #expect(try await requestError { _ = try response.entities(Reader.self) }.kind == .mapping)
    _ = try answer(.get, "readers/7", .json(["id": 7]))
    let objects = try await client.get("readers/7")
    #expect(try await requestError { _ = try objects.value(as: Hit.self) }.description.contains("'Reader'"))
    #expect(try await requestError { _ = try objects.entities(Topic.self) }.description.contains("'Topic'"))
  }

  // Case 28 of the ancestors.
  @Test func `a body that no route leads to is an error that shows the search`() async throws {
    let client = try answer(.get, "papers/1", .json(["score": 9]))
    let error = try await requestError { try await client.get("papers/1") }
    #expect(error.kind == .unmatched)
    #expect(error.response?.status == 200)
    #expect(error.body == ["score": 9])
    #expect(error.url?.path() == "/v1/papers/1")
    #expect(error.trace?.pattern == nil)
    #expect(error.description.contains("GET papers/1, status 200: no route"))
    #expect(error.description.contains("'papers' is not 'readers'"))
    #expect(!error.wasAccepted)
    _ = try answer(.post, "papers", .json(["score": 9]))
    #expect(try await requestError { try await client.post("papers") }.wasAccepted)
  }

  @Test func `URLs of other origins have no route`() async throws {
    try StubAdapter.current.on(.get, "/v1/hits/3", .json(["score": 9]))
    let error = try await requestError {
      try await Client.current.get("https://other.example/v1/hits/3", options: .allowing(.otherOrigins))
    }
    #expect(error.kind == .unmatched)
    #expect(error.description.contains("another origin"))
  }

  // D11.
  @Test(arguments: [StubAnswer.status(204), .status(200), .text(" "), .status(304)])
  func `an empty body is no error`(_ empty: StubAnswer) async throws {
    let client = try answer(.get, "papers/1", empty)
    _ = try answer(.get, "hits/3", empty)
    _ = try answer(.get, "readers/7", empty)
    for path in ["papers/1", "hits/3", "readers/7"] {
      let response = try await client.get(path)
      #expect(response.json == nil)
      #expect(try response.value(as: Hit?.self) == nil)
      #expect(response.ids(of: Reader.self).isEmpty)
      #expect(try await requestError { _ = try response.value(as: Hit.self) }.description.contains("no body"))
    }
  }

  @Test func `a HEAD needs no route`() async throws {
    let client = try answer(.head, "papers/1", .status(200, headers: ["ETag": "x"]))
    #expect(try await client.head("papers/1").headers["ETag"] == "x")
  }

  @Test func `a route to JSON reads the body as it is`() async throws {
    let client = try answer(.get, "status", .json(["up": true]))
    let response = try await client.get("status")
    #expect(try response.value(as: JSONValue.self) == ["up": true])
    #expect(try response.meta(Bool.self, at: "up"))
    #expect(try await requestError { _ = try response.value(as: Hit.self) }.description.contains("JSON"))
  }

  @Test func `a body that is not of the route's type is a mapping error`() async throws {
    let client = try answer(.get, "hits/3", .json(["score": "many"]))
    let error = try await requestError { try await client.get("hits/3") }
    #expect(error.kind == .mapping)
    #expect(error.response?.status == 200)
    #expect(error.underlying is DecodingError)
  }

  @Test func `an entity that cannot be taken in is an error, and nothing is written`() async throws {
    let client = try answer(.get, "readers", .json(["readers": [["id": 1], ["name": "no uid"]]]))
    let error = try await requestError { try await client.get("readers") }
    #expect(error.kind == .upsert)
    #expect(try await client.store.read { try $0.fetch(Reader.all).count } == 0)
  }

  @Test func `a request by a route may name another store`() async throws {
    let client = try answer(.get, "readers/7", .json(["id": 7]))
    let other = try EntityStore(.inMemory, entities: readingEntities)
    try await client.get("readers/7", in: other)
    #expect(try await other.read { try $0.fetch(Reader.all).count } == 1)
    #expect(try await client.store.read { try $0.fetch(Reader.all).count } == 0)
  }

  @Test func `progress ends at one`() async throws {
    let client = try answer(.get, "readers/7", .json(["id": 7]))
    let last = Mutex(0.0)
    try await client.get("readers/7", progress: { progress in last.withLock { $0 = progress.fraction } })
    #expect(last.withLock { $0 } == 1)
  }
}
