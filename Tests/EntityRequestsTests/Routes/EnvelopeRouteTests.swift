import EntityClient
import EntityTesting
import Foundation
import Testing

private struct Fact: Decodable, Sendable, Equatable { let n: Int }

/// Envelopes and error models by route count for each verb, also of entities.
struct EnvelopeRouteTests {
  private func client(_ routes: [Route], envelope: Envelope? = nil, _ answers: (StubAdapter) -> Void) throws -> Client {
    let stub = StubAdapter()
    answers(stub)
    return try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: readingEntities), baseURL: "https://api.example.com/v1/",
      envelope: envelope, routes: routes)
  }

  // Case 21 of the ancestors.
  @Test func `envelopes may differ by path`() async throws {
    let client = try client([
      .value(Fact.self, at: "**"), .envelope("data", at: "a/**"), .envelope("model", at: "b/*"),
    ]) {
      $0.on(.get, "/v1/a/1", .json(["data": ["n": 1]])).on(.get, "/v1/b/1", .json(["model": ["n": 2]]))
    }
    #expect(try await client.get("a/1").value(as: Fact.self).n == 1)
    #expect(try await client.get("b/1").value(as: Fact.self).n == 2)
    #expect(try await client.get("a/1", as: Fact.self).value.n == 1)
    #expect(try await client.get("b/1", as: Fact.self).value.n == 2)
  }

  @Test func `entities have envelopes by route too`() async throws {
    let routes: [Route] = [.envelope("found", at: "readers/search"), .envelope(Envelope(list: "all"), at: "readers")]
    let client = try client(routes, envelope: "data") {
      $0.on(.get, "/v1/readers/search", .json(["found": [["id": 1]]])).on(
        .get, "/v1/readers", .json(["all": [["id": 2]]]))
      $0.on(.get, "/v1/readers/7", .json(["data": ["id": 7]]))
    }
    try await Client.withClient(client) { () async throws in
      #expect(try await Reader.get("search").ids.count == 1)
      #expect(try await Reader.get().ids.count == 1)
      #expect(try await Reader.get("7").ids.count == 1, "no route: the client's")
      #expect(try await Reader.pages(by: .link).all().ids.count == 1)
    }
  }

  @Test func `the request's own envelope comes first`() async throws {
    let client = try client([.envelope("data", at: "**"), .value(Fact.self, at: "**")]) {
      $0.on(.get, "/v1/a", .json(["data": 5, "own": ["n": 3]])).on(.get, "/v1/readers", .json(["own": [["id": 1]]]))
    }
    #expect(try await client.get("a", options: .envelope("own")).value(as: Fact.self).n == 3)
    #expect(try await client.get("a", as: Fact.self, options: .envelope("own")).value.n == 3)
    try await Client.withClient(client) { () async throws in
      #expect(try await Reader.get(options: .envelope("own")).ids.count == 1)
    }
  }

  @Test func `the options of a model come before envelopes of routes`() async throws {
    let client = try client([
      .envelope("data", at: "**"), .entity(Reader.self, at: "readers", options: .envelope("own")),
    ]) { $0.on(.get, "/v1/readers", .json(["own": [["id": 1]]])) }
    #expect(try await client.get("readers").ids(of: Reader.self).count == 1)
  }

  // O5 of the ancestors.
  @Test func `the body may decide on the envelope`() async throws {
    let routes: [Route] = [
      .envelope(at: "search") { $0.json?["hits"] == nil ? nil : "hits" }, .envelope("results", at: "**"),
    ]
    let client = try client(routes) {
      $0.on(.get, "/v1/search", .json(["hits": [["n": 1]]]), .json(["results": [["n": 2]]]))
    }
    #expect(try await client.get("search", as: [Fact].self).value == [Fact(n: 1)])
    #expect(try await client.get("search", as: [Fact].self).value == [Fact(n: 2)])
  }

  @Test func `a missing envelope of a route is an error`() async throws {
    let client = try client([.envelope("data", at: "**"), .entity(Reader.self, at: "**")]) {
      $0.on(.get, "/v1/readers", .json(["items": [["id": 1]]]))
    }
    let error = try await requestError { try await client.get("readers") }
    #expect(error.kind == .envelope)
    #expect(error.response != nil)
  }

  @Test func `a delivered response is read by the routes of its URL`() async throws {
    let client = try client([
      .envelope("data", at: "readers"), .entity(Reader.self, at: "readers"), .error(Fact.self, at: "readers"),
      .value(Fact.self, at: "readers", .put),
    ]) { _ in }
    let url = URL(string: "https://api.example.com/v1/readers")
    let response = HTTPResponse(status: 200, url: url, body: Data(#"{"data": [{"id": 1}]}"#.utf8))
    #expect(try await client.read(response).ids(of: Reader.self).count == 1)
    let put = try client.request(.put, "readers")
    let other = HTTPResponse(status: 200, body: Data(#"{"data": {"n": 4}}"#.utf8))
    #expect(try await client.read(other, to: put).value(as: Fact.self).n == 4)
    let refusal = HTTPResponse(status: 422, url: url, body: Data(#"{"n": 5}"#.utf8))
    let error = try await requestError { try await client.read(refusal) }
    #expect(error.model(as: Fact.self)?.n == 5)
    #expect(error.url == url)
    try await Client.withClient(client) { () async throws in
      #expect(try await Reader.upsert(from: response).ids.count == 1)
    }
  }
}
