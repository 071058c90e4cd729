import EntityClient
import EntityTesting
import Testing

// Sculptor's README, sample by sample. Its service is a forge: users, organizations, repositories, issues.

enum Forge {
  struct User: Decodable, Sendable {
    let login: String
    let name: String?
  }
}

@MainActor struct SculptorReadme {
  private let stub = StubAdapter()

  @Test func `Simple serialization: one line from a URL to a model`() async throws {
    stub.on(.get, "/users/dcaunt", .json(["login": "dcaunt", "name": nil]))
    let client = try Client(adapter: stub, baseURL: "https://api.forge.example")

    let user = try await client.get("https://api.forge.example/users/dcaunt", as: Forge.User.self).value

    #expect(user.login == "dcaunt")
  }

  @Test func `Simple serialization: a failure says what failed`() async throws {
    stub.on(.get, "/users/dcaunt", .json(["message": "Not Found"], status: 404))
    let client = try Client(adapter: stub, baseURL: "https://api.forge.example")

    let error = try await requestError { try await client.get("users/dcaunt", as: Forge.User.self) }

    #expect(error.description.hasPrefix("GET https://api.forge.example/users/dcaunt (status 404): "))
    #expect(try error.meta(String.self, at: "message") == "Not Found")
  }

  @Test func `Model matchers: the tokens of paths, and the values that they stand for`() throws {
    let issue = try PathPattern("/repos/{owner}/{name}/issues/{number:#}")

    let parameters = issue.match("/repos/dcaunt/Sculptor/issues/7")

    #expect(parameters?["owner"] == "dcaunt")
    #expect(parameters?["number"] == "7")
    #expect(issue.match("/repos/dcaunt/Sculptor/issues/latest") == nil)
    #expect(try issue.path(["owner": "dcaunt", "name": "Sculptor", "number": 7]) == "/repos/dcaunt/Sculptor/issues/7")
  }

  @Test(arguments: [
    ("/users/dcaunt", true), ("/users/github", true), ("/users/dcaunt/repos", false),
  ])
  func `Matching paths: as many components as the pattern has`(path: String, matches: Bool) throws {
    #expect((try PathPattern("/users/*").match(path) != nil) == matches)
    #expect((try PathPattern("/users/*/repos").match(path) != nil) != matches)
  }

  @Test(arguments: ["https://api.forge.example/v3", "https://api.forge.example/v3/"])
  func `Matching paths: a base URL with a path`(baseURL: String) async throws {
    stub.on(.get, "/v3/users/dcaunt", .json(["login": "dcaunt"]))

    let user = try await Client(adapter: stub, baseURL: baseURL).get("users/dcaunt", as: Forge.User.self).value

    #expect(user.login == "dcaunt")
  }
}
