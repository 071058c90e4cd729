import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// The verbs of a client without a store.
@Suite(.client(baseURL: "https://api.example.com/v1", headers: ["Authorization": "Bearer hidden"]))
struct ValueVerbTests {
  private let ada: JSONValue = ["name": "Ada", "age": 36]

  // Cases 18, 23 and 27 of the ancestors.
  @Test(arguments: Client.methods) func `each method is sent and its answer is read`(_ method: HTTPMethod) async throws
  {
    try StubAdapter.current.on(method, "/v1/model/42", .json(ada, headers: ["X-Quota": "3"]))
    let body: JSONValue? = method == .get ? nil : ["sent": true]
    let response = try await Client.current.send(method, body: body)
    #expect(response.value == Person(name: "Ada", age: 36))
    #expect(response.json == ada)
    #expect(response.status == 200)
    #expect(response.headers["X-Quota"] == "3")
    #expect(response.url?.absoluteString == "https://api.example.com/v1/model/42")
    let request = try #require(try StubAdapter.current.requests.first)
    #expect(request.method == method)
    #expect(request.json == body)
    #expect(request.headers["Authorization"] == "Bearer hidden")
    #expect(request.headers["Accept"] == "application/json")
  }

  // Case 19.
  @Test func `an array is read in its order`() async throws {
    try StubAdapter.current.on(.get, "/v1/people", .json([["name": "Ada"], ["name": "Alan"]]))
    let people = try await Client.current.get("people", query: ["page": 1], as: [Person].self).value
    #expect(people.map(\.name) == ["Ada", "Alan"])
    #expect(try StubAdapter.current.requests.first?.url.query() == "page=1")
  }

  // Case 17.
  @Test(arguments: Client.methods) func `without a type the value is the body`(_ method: HTTPMethod) async throws {
    try StubAdapter.current.on(method, "/v1/model/42", .json(["data": ada]))
    let client = try Client.current
    let response =
      switch method {
      case .get: try await client.get("model/42")
      case .post: try await client.post("model/42")
      case .delete: try await client.delete("model/42")
      default: try await client.sending(method, "model/42").send()
      }
    #expect(response.json == ["data": ada])
    #expect(try response.value(as: JSONValue.self) == response.json)
    #expect(try StubAdapter.current.requests.first?.method == method)
  }

  // Cases 16 and 25.
  @Test func `a HEAD has no value`() async throws {
    try StubAdapter.current.on(.head, "/v1/model/42", .status(200, headers: ["ETag": "x"]))
    let response = try await Client.current.sending(.head, "model/42", query: ["a": "b"]).send()
    #expect(try response.value(as: JSONValue?.self) == nil)
    #expect(response.json == nil)
    #expect(response.status == 200)
    #expect(response.headers["ETag"] == "x")
    #expect(try StubAdapter.current.requests.first?.url.query() == "a=b")
  }

  // Case 16.
  @Test(arguments: [StubAnswer.status(204), .status(200), .text(" \n"), .status(304)])
  func `an optional is nil without a body`(_ answer: StubAnswer) async throws {
    try StubAdapter.current.on(.get, "/v1/a", answer)
    let client = try Client.current
    let response = try await client.get("a", as: Person?.self)
    #expect(response.value == nil)
    #expect(response.json == nil)
    #expect(try await client.get("a").json == nil)
    let error = try await requestError { try await client.get("a", as: Person.self) }
    #expect(error.kind == .mapping)
    #expect(error.response?.status == response.status)
    #expect(error.description.contains("no body"))
  }

  @Test func `a deletion that asks for no value ignores the body`() async throws {
    try StubAdapter.current.on(.delete, "/v1/a", .text("OK", contentType: "text/plain"))
    let client = try Client.current
    #expect(try await client.delete("a").json == nil)
    #expect(try await requestError { try await client.sending(.delete, "a", as: Person.self).send() }.kind == .parsing)
    #expect(try await requestError { try await client.sending(.delete, "a", as: Person?.self).send() }.kind == .parsing)
  }

  @Test func `a request that was made before is read too`() async throws {
    try StubAdapter.current.on(.post, "/v1/login", .json(ada))
    let client = try Client.current
    var request = try client.request(.post, "login")
    try request.setForm(["name": "ada"])
    #expect(try await client.sending(request, as: Person.self).send().value.name == "Ada")
    #expect(try StubAdapter.current.requests.first?.body == Data("name=ada".utf8))
  }

  @Test func `the closure of a verb may change the method`() async throws {
    try StubAdapter.current.on(.head, "/v1/a", .json(ada))
    let response = try await Client.current.get("a", as: Person?.self) { $0.httpMethod = "HEAD" }
    #expect(response.value == nil, "the answer to HEAD has no body")
  }

  @Test func `a closure that throws sends nothing`() async throws {
    struct Stop: Error {}
    let client = try Client.current
    await #expect(throws: Stop.self) { try await client.post("a", as: Person.self) { _ in throw Stop() } }
    await #expect(throws: Stop.self) { try await client.post("a") { _ in throw Stop() } }
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `secrets stay at their origin`() async throws {
    try StubAdapter.current.on(.get, "/a", .json(ada))
    let client = try Client.current
    try await client.get("https://other.example/a", as: Person.self, options: .allowing(.otherOrigins))
    try await client.get("a", as: Person.self) { $0.url = URL(string: "https://other.example/a") }
    try await client.get("a") {
      try $0.addHeaders(["Authorization": "own"])
      $0.url = URL(string: "https://other.example/a")
    }
    #expect(try StubAdapter.current.requests.map { $0.headers["Authorization"] } == [nil, nil, "own"])
  }

  @Test func `a description has no values`() async throws {
    try StubAdapter.current.on(.get, "/v1/a", .json(ada))
    let response = try await Client.current.get("a", query: ["token": "hidden"], as: Person.self)
    #expect(response.description == "Person: status 200 from https://api.example.com/v1/a?token=…")
  }
}
