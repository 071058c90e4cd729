import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

@Entity final class Prospectus: RemoteEntity {
  @UID @Key("id") var uid: String
  @Key("attributes.title") var title: String?

  static var basePath: String { "prospectuses" }
  static var envelope: Envelope? { "data" }
  static var headers: HTTPHeaders { .jsonAPI }
}

/// A media type of JSON that a client or an entity sends by default.
@Suite(.client(entities: [Prospectus.self])) @MainActor struct JSONContentTypeTests {
  /// The `Accept` and the `Content-Type` of the last request.
  private func sent() throws -> [String?] {
    let headers = try StubAdapter.current.requests.last?.headers
    return [headers?["Accept"], headers?["Content-Type"]]
  }

  @Test func `a body of JSON has the default type`() async throws {
    let stub = try StubAdapter.current
    stub.on(
      .post, "/prospectuses", .json(["data": ["id": "1"]]), .json(["data": ["id": "1"]]), .json(["data": ["id": "1"]]))
    try await Prospectus.post { try $0.setJSON(["data": ["attributes": ["title": "a"]]] as JSONValue) }
    #expect(try sent() == ["application/vnd.api+json", "application/vnd.api+json"])
    try await Prospectus.post { try $0.setJSON(["data": ["a"]]) }
    #expect(try sent()[1] == "application/vnd.api+json")
    try await Prospectus.post { try $0.setJSON(["data": 1, "more": "x"] as [String: Any?]) }
    #expect(try sent()[1] == "application/vnd.api+json")
  }

  @Test func `a verb with properties has the default type`() async throws {
    let prospectus = try #require(try await Prospectus.upsert(from: ["data": ["id": "1"]]).object)
    prospectus.title = "b"
    try StubAdapter.current.on(.patch, "/prospectuses/1", .status(204))
    try await prospectus.patch(\.title)
    #expect(try sent()[1] == "application/vnd.api+json")
  }

  @Test func `a request without a body has no type`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/prospectuses", .json(["data": []]))
    stub.on(.delete, "/prospectuses/1", .status(204))
    try await Prospectus.get()
    #expect(try sent() == ["application/vnd.api+json", nil])
    try await Prospectus.delete("1")
    #expect(try sent() == ["application/vnd.api+json", nil])
  }

  @Test func `a body of another kind has its own type`() async throws {
    try StubAdapter.current.on(.post, "/prospectuses", .json(["data": ["id": "1"]]))
    try await Prospectus.post { try $0.setForm(["title": "a"]) }
    #expect(try sent()[1] == "application/x-www-form-urlencoded")
  }

  @Test func `a type that is not JSON gives way`() throws {
    var request = try Prospectus.request(.post)
    try request.setHeaders(["Content-Type": "text/plain"])
    try request.setJSON(["a": 1] as JSONValue)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
  }

  /// The client's own requests follow the same rule.
  @Test func `a request of a client without a body has no type`() async throws {
    let stub = StubAdapter()
    stub.on(.delete, "/x", .status(204))
    stub.on(.get, "/x", .json(1))
    stub.on(.post, "/x", .json(1))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com/", headers: .jsonAPI)
    try await client.send(client.request(.delete, "x"))
    #expect(stub.requests.last?.headers["Content-Type"] == nil)
    _ = try await client.get("x", as: Int.self)
    #expect(stub.requests.last?.headers["Content-Type"] == nil)
    _ = try await client.post("x", as: Int.self) { try $0.setJSON(1 as JSONValue) }
    #expect(stub.requests.last?.headers["Content-Type"] == "application/vnd.api+json")
  }
}
