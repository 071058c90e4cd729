import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The words of a server about a refusal, as a type. Cases 22, 24, 29, 30 and 32 of the ancestors.
@Suite(.client(entities: sampleEntities, errorModel: ErrorModel(Problem.self, at: "error"))) struct ErrorModelTests {
  private func refuse(_ method: HTTPMethod, _ path: String, _ answer: StubAnswer? = nil) throws {
    try StubAdapter.current.on(method, path, answer ?? .json(Problem.body, status: 401, headers: ["X-Id": "9"]))
  }

  private func expectProblem(_ error: RequestError, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(error.kind == .status, sourceLocation: sourceLocation)
    #expect(error.status == 401, sourceLocation: sourceLocation)
    #expect(error.model(as: Problem.self) == Problem.expected, sourceLocation: sourceLocation)
    #expect(error.model is Problem, sourceLocation: sourceLocation)
    #expect(error.underlying == nil, sourceLocation: sourceLocation)
    #expect(error.response?.headers["X-Id"] == "9", sourceLocation: sourceLocation)
    #expect(error.body == Problem.body, sourceLocation: sourceLocation)
    #expect(!error.description.contains("session"), sourceLocation: sourceLocation)
  }

  @Test(arguments: Client.methods) func `each verb has the error and the model`(_ method: HTTPMethod) async throws {
    try refuse(method, "/model/42")
    let client = try Client.current
    expectProblem(try await requestError { try await client.send(method) })
    expectProblem(try await requestError { try await client.send(client.request(method, "model/42")) })
    expectProblem(try await requestError { try await client.sending(method, "model/42").send() })
  }

  @Test @MainActor func `entities and their objects have the error model too`() async throws {
    for method: HTTPMethod in [.get, .post, .put, .patch, .delete] {
      try refuse(method, "/users")
      try refuse(method, "/users/1")
    }
    let user = try #require(try await User.upsert(from: ["id": 1, "email": "a"]).object)
    user.email = "b"
    expectProblem(try await requestError { try await User.get() })
    expectProblem(try await requestError { try await User.post { try $0.setJSON(["email": "x"]) } })
    expectProblem(try await requestError { try await User.delete("1") })
    expectProblem(try await requestError { try await user.get() })
    expectProblem(try await requestError { try await user.put(\.email) })
    expectProblem(try await requestError { try await user.patchPending() })
    expectProblem(try await requestError { try await user.delete() })
    let error = try await requestError { try await User.pages(by: .link).all() }
    expectProblem(error)
    #expect(error.page == 1)
    #expect(user.email == "b")
  }

  @Test func `a delivered response has the error model too`() async throws {
    let response = HTTPResponse(status: 401, headers: ["X-Id": "9"], body: Problem.body.rawBytes)
    expectProblem(try await requestError { try await User.upsert(from: response) })
  }

  // D6.
  @Test func `a refused multipart body has the response`() async throws {
    try refuse(.post, "/photos")
    let client = try Client.current
    let error = try await requestError {
      try await client.post("photos", as: Person.self) {
        try $0.setMultipart(["title": "Oslo"], [.data("photo", Data([1]), filename: "a.png")])
      }
    }
    expectProblem(error)
  }

  // MARK: Where the body is none of the model (D4)

  private func misfit(_ answer: StubAnswer) async throws -> RequestError {
    try refuse(.get, "/a", answer)
    let client = try Client.current
    let error = try await requestError { try await client.get("a", as: Person.self) }
    #expect(error.kind == .status)
    #expect(error.model == nil)
    #expect(error.model(as: Problem.self) == nil)
    #expect(error.response != nil)
    #expect(error.description.contains("refused"))
    #expect(!error.description.contains("hidden"), "\(error)")
    return error
  }

  @Test func `an error model that does not fit leaves the status and says why`() async throws {
    let body: JSONValue = ["error": ["code": "hidden", "message": "hidden"]]
    let error = try await misfit(.json(body, status: 422))
    #expect(error.status == 422)
    #expect(error.underlying is DecodingError)
    #expect(error.description.contains("'code' is not of type 'Int'"))
    #expect(error.body == body)
  }

  @Test func `a missing error model leaves the status and says why`() async throws {
    let error = try await misfit(.json(["data": "hidden"], status: 500))
    #expect((error.underlying as? RequestError)?.kind == .envelope)
    #expect(error.description.contains("'error'"))
  }

  @Test func `a body that is no JSON leaves the status and the bytes`() async throws {
    let error = try await misfit(.text("<html>hidden", status: 502, contentType: "text/html"))
    #expect(error.status == 502)
    #expect(error.underlying is JSONError)
    #expect(error.response?.body == Data("<html>hidden".utf8))
  }

  @Test func `a refusal without a body has no model and no fault`() async throws {
    #expect(try await misfit(.status(401)).underlying == nil)
    try refuse(.head, "/a")
    let client = try Client.current
    let error = try await requestError { try await client.sending(.head, "a").send() }
    #expect(error.status == 401)
    #expect(error.model == nil)
    #expect(error.underlying == nil)
  }

  @Test func `the limits of the request hold for a refusal`() async throws {
    try refuse(.get, "/users")
    let error = try await requestError { try await User.get(options: .limits(JSONLimits(nodes: 2))) }
    #expect(error.kind == .status)
    #expect(error.model == nil)
    #expect(error.underlying is JSONError)
    #expect(error.body == nil)
    #expect(error.response?.body == Problem.body.rawBytes)
  }

  // MARK: Which model

  @Test func `the request's error model comes before the client's`() async throws {
    try refuse(.get, "/a")
    try refuse(.get, "/users")
    let client = try Client.current
    let code = try await requestError {
      try await client.get("a", as: Person.self, options: .errorModel(Int.self, at: "error.code"))
    }
    #expect(code.model(as: Int.self) == 7)
    #expect(code.model(as: Problem.self) == nil)
    let whole = try await requestError { try await User.get(options: [.errorModel(JSONValue.self)]) }
    #expect(whole.model(as: JSONValue.self) == Problem.body)
  }

  @Test func `without a model the error is as before`() async throws {
    let stub = StubAdapter().on(.get, "/a", .json(Problem.body, status: 401))
    let client = try Client(adapter: stub, baseURL: "https://api.example.com/")
    let error = try await requestError { try await client.get("a", as: Person.self) }
    #expect(error.model == nil)
    #expect(error.underlying == nil)
    #expect(try error.meta(Problem.self, at: "error") == Problem.expected)
  }

  @Test func `the decoder is that of the request`() async throws {
    var snakes = JSONValueDecoder()
    snakes.keyDecodingStrategy = .convertFromSnakeCase
    let stub = StubAdapter().on(.get, "/a", .json(["total": 1, "next_page": 2], status: 400))
    let client = try Client(
      adapter: stub, baseURL: "https://api.example.com/", decoder: snakes, errorModel: ErrorModel(Paging.self))
    let error = try await requestError { try await client.get("a") }
    #expect(error.model(as: Paging.self)?.nextPage == 2)
    #expect(try error.meta(Paging.self).nextPage == 2)
    let plain = try await requestError { try await client.get("a", options: .decoder(JSONValueDecoder())) }
    #expect(plain.model(as: Paging.self)?.nextPage == nil)
  }

  // MARK: The store

  // Case 32 and D7. A model is a Decodable, which no entity is.
  @Test func `a refusal writes nothing and tells nobody`() async throws {
    try refuse(
      .get, "/users", .json(["id": 1, "error": ["code": 7, "message": "m", "users": [["id": 2]]]], status: 401))
    let store = try Client.current.store
    let before = try await store.read { $0.generation }
    var commits = store.commits.makeAsyncIterator()
    let error = try await requestError {
      try await User.get(options: [.envelope("error.users"), .parts([.list(Post.self, at: "error.users")])])
    }
    #expect(error.model(as: Problem.self)?.code == 7)
    try await store.background { try $0.insert(User.self).uid = 9 }
    let first = await commits.next()
    #expect(first?.generations == before + 1...before + 1, "no commit came before")
    #expect(try await store.read { try $0.fetch(User.all).map(\.uid) } == [9])
  }

  // Case 30, the half of the failure.
  @Test func `the progress of a refusal stops before its end`() async throws {
    try refuse(.get, "/a", .json(Problem.body, status: 401).chunked(3))
    let recorder = Recorder<Double>()
    let client = try Client.current
    let error = try await requestError {
      try await client.get("a", as: Person.self, progress: { recorder.add($0.fraction) })
    }
    #expect(error.model(as: Problem.self) == Problem.expected)
    #expect(!recorder.all.isEmpty)
    #expect(recorder.all.allSatisfy { $0 < 1 })
  }
}
