import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// Paths that patterns make.
@Suite struct PathMakingTests {
  @Test func `a path is made of values`() throws {
    #expect(try PathPattern("users/{uid}/posts").path(["uid": 42]) == "users/42/posts")
    #expect(try PathPattern("{a}/{b:#}").path(["b": 7, "a": true]) == "true/7")
    #expect(try PathPattern("repos/*/#/**").path(.init(unnamed: ["ada", 7], rest: ["x", "y"])) == "repos/ada/7/x/y")
    #expect(try PathPattern("{a}/*").path(.init(["a": 1], unnamed: [2])) == "1/2")
    #expect(try PathPattern("users").path() == "users")
    #expect(try PathPattern("**").path() == "")
  }

  @Test func `slashes at the ends are written`() throws {
    #expect(try PathPattern("/users/{uid}/").path(["uid": 42]) == "/users/42/")
    #expect(try PathPattern("/").path() == "/")
    #expect(try PathPattern("").path() == "")
    #expect(try PathPattern("**/").path() == "")
  }

  @Test func `no character of a value has a meaning in the URL`() throws {
    let pattern = try PathPattern("search/{term}")
    #expect(try pattern.path(["term": "a/b?c#d%2Fe"]) == "search/a%2Fb%3Fc%23d%252Fe")
    #expect(try pattern.path(["term": "*"]) == "search/%2A")
    #expect(try pattern.path(["term": "..."]) == "search/...")
    #expect(try PathPattern("files/**").path(.init(rest: ["a/b", "c d"])) == "files/a%2Fb/c%20d")
  }

  @Test func `a text stays as it is written`() throws {
    let text = "users/@me/items:batch/a%20b/%3A"
    #expect(try PathPattern(text).path() == text)
    #expect(try PathPattern("a b/müller").path() == "a%20b/m%C3%BCller")
  }

  @Test(
    arguments: [
      ("users/{uid}", [:], "parameter 'uid' is missing"),
      ("users/{uid}", ["uid": "1", "id": "2"], "no parameter 'id'"),
      ("users/{uid}", ["uid": ""], "parameter 'uid' is empty"),
      ("users/{uid}", ["uid": "."], "parameter 'uid' is '.'"),
      ("users/{uid}", ["uid": ".."], "parameter 'uid' is '..'"),
      ("users/{uid:#}", ["uid": "4x"], "parameter 'uid' is not a number"),
      ("users/{uid:#}", ["uid": ""], "parameter 'uid' is not a number"),
      ("users/*/#", PathParameters(unnamed: ["a"]), "parameter number 2 is missing"),
      ("users/*/#", PathParameters(unnamed: ["a", -1]), "parameter number 2 is not a number"),
      ("users/*", PathParameters(unnamed: ["a", "b"]), "more values"),
      ("users/**", [:], "'**' has no value"),
      ("users/**", PathParameters(rest: ["a", ".."]), "a value for '**' is '..'"),
      ("**", PathParameters(rest: [""]), "a value for '**' is empty"),
      ("users", PathParameters(rest: ["a"]), "the pattern has no '**'"),
    ] as [(String, PathParameters, String)])
  func `values that do not fit are refused`(_ pattern: String, _ parameters: PathParameters, _ reason: String) throws {
    let pattern = try PathPattern(pattern)
    let error = try #require(throws: RequestError.self) { try pattern.path(parameters) }
    #expect(error.kind == .invalidRequest)
    #expect(error.message.contains(reason), "\(error.message)")
    #expect(error.message.contains("'\(pattern)'"))
  }

  @Test(.client(entities: sampleEntities)) func `a verb takes the path that a pattern makes`() async throws {
    let files = try PathPattern("{uid:#}/files/{name}")
    let stub = try StubAdapter.current
    stub.on(.get, "/users/*/files/*", .status(204))
    try await User.get(files.path(["uid": 42, "name": "Q1/Q2 50%.pdf"]))
    let url = try #require(stub.requests.first?.url)
    #expect(url.absoluteString == "https://api.example.com/users/42/files/Q1%2FQ2%2050%25.pdf")
    let parameters = try #require(try PathPattern("/users/{uid}/files/{name}").match(url.path()))
    #expect(parameters["name"] == "Q1/Q2 50%.pdf")
  }
}
