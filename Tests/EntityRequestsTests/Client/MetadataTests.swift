import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The values of an envelope beside the objects. Cases 20 and 21 of the ancestors, and D5.
@Suite(.client(entities: sampleEntities)) struct MetadataTests {
  private static let body: JSONValue = [
    "status": "ok", "data": [["name": "Ada", "id": 1], ["name": "Alan", "id": 2]],
    "paging": ["total": 171, "nextPage": 2],
  ]

  @Test func `a value's response has metadata`() async throws {
    try StubAdapter.current.on(.get, "/people", .json(Self.body))
    let response = try await Client.current.get("people", as: [Person].self, options: .envelope("data"))
    #expect(response.value.count == 2)
    #expect(try response.meta(String.self, at: "status") == "ok")
    #expect(try response.meta(at: "paging") == Paging(total: 171, nextPage: 2))
    #expect(try response.meta(Int.self, at: "paging.total") == 171)
    #expect(try response.meta(JSONValue.self) == Self.body)
  }

  @Test func `an entity's response has metadata`() async throws {
    try StubAdapter.current.on(.get, "/users", .json(Self.body))
    let response = try await User.get(options: .envelope("data"))
    #expect(response.ids.count == 2)
    #expect(try response.meta(String.self, at: "status") == "ok")
    #expect(try response.meta(at: "paging") == Paging(total: 171, nextPage: 2))
    for try await page in User.pages(by: .link, options: .envelope("data")) {
      #expect(try page.meta(Int.self, at: "paging.total") == 171)
    }
    let value = try await User.upsert(from: Self.body, options: .envelope("data"))
    #expect(try value.meta(Int.self, at: "paging.total") == 171)
  }

  @Test(arguments: [401, 200]) func `an error has metadata`(_ status: Int) async throws {
    try StubAdapter.current.on(.get, "/users", .json(Self.body, status: status))
    let error = try await requestError { try await User.get(options: .envelope("none")) }
    #expect(error.kind == (status == 200 ? .envelope : .status))
    #expect(try error.meta(Int.self, at: "paging.total") == 171)
    #expect(try error.meta(Paging?.self, at: "none") == nil)
    let missing = try await requestError { try error.meta(Paging.self, at: "none") }
    #expect(missing.kind == .envelope)
    #expect(missing.status == status)
    #expect(missing.url == error.url)
  }

  // Without an envelope there is metadata all the same.
  @Test func `no envelope is needed for metadata`() async throws {
    try StubAdapter.current.on(.get, "/a", .json(["name": "Ada", "total": 3]))
    let response = try await Client.current.get("a", as: Person.self)
    #expect(try response.meta(Paging.self).total == 3)
  }

  @Test func `metadata that is not there is an error that says so`() async throws {
    try StubAdapter.current.on(.get, "/a", .json(["name": "Ada", "total": "hidden"])).on(.get, "/none", .status(204))
    let response = try await Client.current.get("a", as: Person.self)
    #expect(try response.meta(Int?.self, at: "none") == nil)
    #expect(try response.meta(Person?.self, at: "")?.name == "Ada")
    #expect(try await requestError { try response.meta(Int.self, at: "none") }.kind == .envelope)
    let misfit = try await requestError { try response.meta(Int.self, at: "total") }
    #expect(misfit.kind == .mapping)
    #expect(misfit.description.contains("under 'total'"))
    #expect(misfit.url?.path() == "/a")
    #expect(!misfit.description.contains("hidden"))
    let empty = try await Client.current.get("none")
    #expect(try empty.meta(Int?.self, at: "total") == nil)
    #expect(try await requestError { try empty.meta(Int.self, at: "total") }.kind == .mapping)
    let none = try await User.upsert(from: HTTPResponse(status: 204))
    #expect(try none.meta(Int?.self, at: "total") == nil)
  }

  @Test func `the client's decoder reads metadata`() async throws {
    var snakes = JSONValueDecoder()
    snakes.keyDecodingStrategy = .convertFromSnakeCase
    let stub = StubAdapter().on(.get, "/users", .json(["data": [], "paging": ["total": 1, "next_page": 2]]))
    let client = try Client(
      adapter: stub, store: Client.current.store, baseURL: "https://api.example.com/", envelope: "data",
      decoder: snakes)
    let response = try await Client.withClient(client) { try await User.get() }
    #expect(try response.meta(Paging.self, at: "paging").nextPage == 2)
  }

  // Case 21: two kinds of envelopes in one client.
  @Test func `envelopes may differ from request to request`() async throws {
    try StubAdapter.current.on(.get, "/a", .json(["data": ["name": "Ada"]]))
      .on(.get, "/b", .json(["model": ["name": "Ada"]]))
    let client = try Client.current
    let first = try await client.get("a", as: Person.self, options: .envelope("data")).value
    let second = try await client.get("b", as: Person.self, options: .envelope("model")).value
    #expect(first == second)
  }
}
