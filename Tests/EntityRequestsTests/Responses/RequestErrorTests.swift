import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

@Suite(.sample(headers: ["Authorization": "Bearer hidden"])) struct RequestErrorTests {
  private func error(_ answer: StubAnswer, query: QueryParameters = [:]) async throws -> RequestError {
    try StubAdapter.current.on(.get, "/users", answer)
    let error = try await requestError { try await User.get(query: query) }
    #expect(try await Client.current.store.read { try $0.count(User.all) } == 0)
    #expect(error.method == .get)
    return error
  }

  @Test(arguments: [100, 300, 301, 400, 401, 404, 410, 422, 500, 599]) func `an error status is thrown`(_ status: Int)
    async throws
  {
    let answer = StubAnswer.json(["id": 1, "secret": "hidden"], status: status, headers: ["X-Reason": "hidden"])
    let error = try await error(answer, query: ["token": "hidden"])
    #expect(error.kind == .status)
    #expect(error.status == status)
    #expect(error.body?["id"]?.int64 == 1)
    #expect(error.response?.headers["X-Reason"] == "hidden")
    #expect(error.description.hasPrefix("GET https://api.example.com/users?token=… (status \(status)): "))
    #expect(!error.description.contains("hidden"))
  }

  @Test func `a body that is no JSON is not needed for a status`() async throws {
    let error = try await error(.text("<html>", status: 502, contentType: "text/html"))
    #expect(error.kind == .status)
    #expect(error.body == nil)
    #expect(error.response?.body == Data("<html>".utf8))
  }

  @Test func `a failure of the transport is an error without a response`() async throws {
    let error = try await error(.failure(.timeout, "too slow", mayHaveBeenProcessed: true))
    #expect(error.kind == .transport)
    #expect(error.response == nil)
    let underlying = try #require(error.underlying as? TransportError)
    #expect(underlying.kind == .timeout)
    #expect(underlying.mayHaveBeenProcessed)
    #expect(error.description == "GET https://api.example.com/users: No response: too slow")
  }

  @Test func `any error of an adapter is an error of the transport`() async throws {
    struct Odd: Error { let text = "hidden" }
    let error = try await error(.error(Odd()))
    #expect(error.kind == .transport)
    #expect(error.underlying is Odd)
    #expect(!error.description.contains("hidden"))
    try StubAdapter.current.on(.get, "/users", .error(CancellationError()))
    await #expect(throws: CancellationError.self) { try await User.get() }
  }

  @Test(arguments: ["<html>hidden</html>", "[{\"id\": 1}", "[1,]", "\u{FEFF}[]"])
  func `an error for a body that is no JSON names its content type`(_ text: String) async throws {
    let error = try await error(.text(text, contentType: "text/html"))
    #expect(error.kind == .parsing)
    #expect(error.underlying is JSONError)
    #expect(error.description.contains("'text/html'"))
    #expect(!error.description.contains("hidden"))
    #expect(error.response?.body == Data(text.utf8))
  }

  @Test func `the content type is not needed`() async throws {
    try StubAdapter.current.on(.get, "/users", .text("[{\"id\": 1}]", contentType: "text/plain"))
    #expect(try await User.get().ids.count == 1)
  }

  @Test(arguments: ["", " ", "\r\n\t"]) func `a response body with nothing in it is no error`(_ text: String)
    async throws
  {
    try StubAdapter.current.on(.get, "/users", .text(text))
    let response = try await User.get()
    #expect(response.ids.isEmpty)
    #expect(response.value == nil)
  }

  @Test(arguments: ["null", "5", "\"x\"", "true"]) func `a body that is a scalar is an error`(_ text: String)
    async throws
  {
    let error = try await error(.text(text))
    #expect(error.kind == .parsing)
    #expect(error.response != nil)
  }

  @Test func `a value that does not fit is an error of the upsert`() async throws {
    let error = try await error(.json([["id": 1], ["id": 2, "age": "hidden"]]))
    #expect(error.kind == .upsert)
    #expect((error.underlying as? MappingError)?.property == "age")
    #expect(error.response?.status == 200)
    #expect(!error.description.contains("hidden"))
  }

  @Test func `an element that is no object is an error`() async throws {
    #expect(try await error(.json([["id": 1], 5])).kind == .upsert)
  }

  @Test func `descriptions are bounded`() async throws {
    let path = String(repeating: "x", count: 5000)
    try StubAdapter.current.on(.get, "/users/*", .status(500))
    let error = try await requestError { try await User.get(path) }
    #expect(error.description.count < 1100)
    #expect(error.url?.absoluteString.count ?? 0 > 5000)
  }

  @Test func `user info is not shown`() async throws {
    try StubAdapter.current.on(.get, "/x", .status(500))
    let error = try await requestError {
      try await User.get("https://ada:hidden@h.example:8/x?a&b=hidden#hidden", options: .allowing(.otherOrigins))
    }
    #expect(error.description.hasPrefix("GET https://h.example:8/x?…&b=… (status 500)"))
    #expect(!error.description.contains("hidden"))
    #expect(!error.description.contains("ada"))
  }
}
