import EntityClient
import EntityTesting
import Foundation
import Testing

/// The verbs of a client: Overcoat's session manager (cases 23-30).
@Suite(.client(errorModel: ErrorModel(Problem.self))) @MainActor struct ClientCases {
  private nonisolated static let refusal: JSONValue = ["code": 7, "message": "Log in"]
  private var client: Client { get throws { try Client.current } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  @Test func `Case 23: GET gives the value, and keeps the JSON`() async throws {
    try stub.on(.get, "/model/42", .json(["name": "Ada", "id": 42]))
    let response = try await client.get("model/42", as: Person.self)
    #expect(response.value == Person(name: "Ada"))
    #expect(response.json == ["name": "Ada", "id": 42])
    #expect(try stub.requests.map(\.method) == [.get])
  }

  private nonisolated static let methods: [HTTPMethod] = [.get, .post, .put, .patch, .delete]

  @Test(arguments: methods) func `Case 24: a refusal has the response and its model`(method: HTTPMethod) async throws {
    try stub.on(method, "/model/42", .json(Self.refusal, status: 401, headers: ["X-Trace": "a1"]))
    let error = try await requestError { try await client.sending(method, "model/42", as: Person.self).send() }
    #expect(error.kind == .status)
    #expect(error.method == method)
    #expect(error.response?.headers["X-Trace"] == "a1")
    #expect(error.model(as: Problem.self)?.message == "Log in")
  }

  @Test func `Case 25: HEAD has no value, and no error`() async throws {
    try stub.on(.head, "/model", query: ["page": 2], .status(200, headers: ["X-Total-Count": "171"]))
    let response = try await client.sending(.head, "model", query: ["page": 2]).send()
    #expect(response.json == nil)
    #expect(response.headers["X-Total-Count"] == "171")
  }

  @Test(arguments: methods.suffix(3))
  func `Case 27: PUT, PATCH and DELETE go by their own methods`(method: HTTPMethod) async throws {
    try stub.on(method, "/model/42", .json(["name": "Ada"]))
    #expect(try await client.sending(method, "model/42", as: Person.self).send().value == Person(name: "Ada"))
    #expect(try stub.requests.map(\.method) == [method])
  }

  @Test func `Case 29: the error of an async call has the typed response, past tasks and groups`() async throws {
    try stub.on(.get, "/model", .json(Self.refusal, status: 401))
    let client = try client
    let result = await Task { try await client.get("model", as: Person.self) }.result
    let error = #expect(throws: RequestError.self) { try result.get() }
    #expect(error?.model(as: Problem.self) == Problem(code: 7, message: "Log in"))
    #expect(error?.response?.status == 401)
  }

  @Test func `Case 30: progress comes beside the value, and a refusal has its model all the same`() async throws {
    try stub.on(.get, "/model", .json(["name": "Ada"]).chunked(4), .json(Self.refusal, status: 401).chunked(4))
    let reports = Reports()
    #expect(try await client.get("model", as: Person.self, progress: reports.handler).value == Person(name: "Ada"))
    #expect(reports.all.count > 1)
    #expect(reports.all.last?.fraction == 1)
    let error = try await requestError { try await client.get("model", as: Person.self, progress: Reports().handler) }
    #expect(error.model(as: Problem.self) == Problem(code: 7, message: "Log in"))
  }

  @Test(arguments: ["<html>", "{"])
  func `O7: a refusal without JSON keeps its response, and so does one with bad JSON`(body: String) async throws {
    try stub.on(.get, "/model", .text(body, status: 502, contentType: "text/html"))
    let error = try await requestError { try await client.get("model", as: Person.self) }
    #expect(error.kind == .status)
    #expect(error.status == 502)
    #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) } == body)
    #expect(error.model == nil)
  }

  @Test func `O7: a success with bad JSON is an error that says where it is bad`() async throws {
    try stub.on(.get, "/model", .text("{\"name\": nul}"))
    let error = try await requestError { try await client.get("model", as: Person.self) }
    #expect(error.kind == .parsing)
    #expect(error.underlying is JSONError)
    #expect(error.status == 200)
  }

  @Test func `O8: an upload in parts tells its progress, and parameters are a query`() async throws {
    try stub.on(.post, "/photos", query: ["album": 7], .json(["name": "Ada"]))
    let reports = Reports()
    let person = try await client.post(
      "photos", query: ["album": 7], as: Person.self,
      modify: {
        try $0.setMultipart(["title": "Engine"], [.data("photo", Data(count: 100_000), filename: "engine.jpg")])
      }, progress: reports.handler
    ).value
    #expect(person == Person(name: "Ada"))
    #expect(reports.all.contains { $0.bytesSent > 100_000 })
    let body = try #require(try stub.requests.first?.body)
    #expect(body.range(of: Data("name=\"title\"\r\n\r\nEngine\r\n".utf8)) != nil)
  }

  @Test(.client(baseURL: "https://example.com/v1"))
  func `O8: a slash at the beginning leads to the root of the host`() async throws {
    try stub.on(.get, "/status", .status(204)).on(.get, "/v1/status", .status(204))
    try await client.get("/status")
    try await client.get("status")
    #expect(try stub.requests.map(\.path) == ["/status", "/v1/status"])
  }
}
