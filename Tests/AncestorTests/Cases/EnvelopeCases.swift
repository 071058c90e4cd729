import EntityClient
import EntityTesting
import Testing

/// Bodies and envelopes: Overcoat's response and serializer (cases 16-22).
@Suite(.client(errorModel: ErrorModel(Problem.self))) struct EnvelopeCases {
  private var client: Client { get throws { try Client.current } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  @Test(arguments: [200, 204])
  func `Case 16: without a body there is a response, whose value is nil`(status: Int) async throws {
    try stub.on(.get, "/model", .status(status, headers: ["X-Rate-Limit": "7"]))
    let response = try await client.get("model", as: Person?.self)
    #expect(response.value == nil)
    #expect(response.status == status)
    #expect(response.headers["X-Rate-Limit"] == "7")
  }

  @Test func `Case 17: without a type the value is the JSON`() async throws {
    let body: JSONValue = ["name": "Ada", "tags": ["a", nil], "score": 1.5]
    try stub.on(.get, "/model", .json(body))
    #expect(try await client.get("model").json == body)
  }

  @Test func `Case 18: an object is one value`() async throws {
    try stub.on(.get, "/model", .json(["name": "Ada", "unknown": true]))
    #expect(try await client.get("model", as: Person.self).value == Person(name: "Ada"))
  }

  @Test func `Case 19: an array is values in its order`() async throws {
    try stub.on(.get, "/models", .json([["name": "Ada"], ["name": "Grace"], ["name": "Alan"]]))
    #expect(try await client.get("models", as: [Person].self).value.map(\.name) == ["Ada", "Grace", "Alan"])
  }

  @Test func `Case 20: an envelope holds the values, and metadata beside them`() async throws {
    try stub.on(.get, "/models", .json(["status": "ok", "data": [["name": "Ada"], ["name": "Grace"]]]))
    let response = try await client.get("models", as: [Person].self, options: .envelope("data"))
    #expect(response.value.count == 2)
    #expect(try response.meta(String.self, at: "status") == "ok")
  }

  @Test(.client(entities: [Article.self, Video.self]))
  func `Case 21: one client reads different envelopes`() async throws {
    try stub.on(.get, "/articles/1", .json(["data": ["id": 1, "title": "Engines"]]))
    try stub.on(.get, "/videos/1", .json(["model": ["id": 1, "title": "Looms"]]))
    try await Article.get("1")
    try await Video.get("1")
    let titles = try await client.store.read {
      try $0.fetch(Article.all).map(\.title) + $0.fetch(Video.all).map(\.title)
    }
    #expect(titles == ["Engines", "Looms"])
  }

  @Test func `Case 22: a success is a value, and a refusal its error model`() async throws {
    try stub.on(.get, "/model", .json(["name": "Ada"]), .json(["code": 7, "message": "Log in"], status: 401))
    #expect(try await client.get("model", as: Person.self).value.name == "Ada")
    let error = await #expect(throws: RequestError.self) { try await client.get("model", as: Person.self) }
    #expect(error?.model(as: Problem.self) == Problem(code: 7, message: "Log in"))
    #expect(error?.status == 401)
  }

  @Test
  func `O5†: an array at the top has no envelope, and is taken where the envelope may be left out`() async throws {
    try stub.on(.get, "/models", .json([["name": "Ada"]]))
    let optional = Envelope("data").ifPresent()
    let response = try await client.get("models", as: [Person].self, options: .envelope(optional))
    #expect(response.value == [Person(name: "Ada")])
    let error = await #expect(throws: RequestError.self) {
      try await client.get("models", as: [Person].self, options: .envelope("data"))
    }
    #expect(error?.kind == .envelope)
  }

  @Test func `O5†: metadata that can't be read does not cost the values`() async throws {
    try stub.on(.get, "/models", .json(["page": "first", "data": [["name": "Ada"]]]))
    let response = try await client.get("models", as: [Person].self, options: .envelope("data"))
    #expect(response.value == [Person(name: "Ada")])
    #expect(throws: RequestError.self) { try response.meta(Int.self, at: "page") }
  }

  @Test func `O5: a key path leads through several objects`() async throws {
    try stub.on(.get, "/models", .json(["response": ["count": 1, "items": [["name": "Ada"]]]]))
    let response = try await client.get("models", as: [Person].self, options: .envelope("response.items"))
    #expect(response.value == [Person(name: "Ada")])
    #expect(try response.meta(Int.self, at: "response.count") == 1)
  }

  @Test func `O6†: nulls in a list stay, for a type that takes them`() async throws {
    try stub.on(.get, "/models", .json([["name": "Ada"], nil]))
    #expect(try await client.get("models", as: [Person?].self).value == [Person(name: "Ada"), nil])
    await #expect(throws: RequestError.self) { try await client.get("models", as: [Person].self) }
  }

  @Test func `O7: a body of a single space is none`() async throws {
    try stub.on(.get, "/model", .text(" "))
    #expect(try await client.get("model", as: Person?.self).value == nil)
    let error = await #expect(throws: RequestError.self) { try await client.get("model", as: Person.self) }
    #expect(error?.kind == .mapping)
  }

  @Test(arguments: [true, 7, "Ada", nil] as [JSONValue])
  func `O6†: a scalar, or null, is no object, and that is an error`(body: JSONValue) async throws {
    try stub.on(.get, "/model", .json(body))
    let error = await #expect(throws: RequestError.self) { try await client.get("model", as: Person.self) }
    #expect(error?.kind == .mapping)
  }

  @Test func `O6†: one bad element fails the list, and the error says which`() async throws {
    try stub.on(.get, "/models", .json([["name": "Ada"], ["name": 7]]))
    let error = await #expect(throws: RequestError.self) { try await client.get("models", as: [Person].self) }
    #expect(error?.message.contains("[1].name") == true)
  }
}

@Entity final class Article: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String

  static var basePath: String { "articles" }
  static var envelope: Envelope? { "data" }
}

@Entity final class Video: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String

  static var basePath: String { "videos" }
  static var envelope: Envelope? { "model" }
}
