import EntityClient
import EntityTesting
import Foundation
import Testing

// "Model Matchers" of Sculptor's README: which type a response is read as.

extension Forge {
  struct Organization: Decodable, Sendable {
    let login: String
  }

  struct Issue: Decodable, Sendable {
    let title: String
  }

  /// The items that a search finds: each response says of which kind its items are.
  struct Question: Decodable, Sendable {
    let title: String
  }

  struct Comment: Decodable, Sendable {
    let body: String
  }

  static let routes: [Route] = [
    .value(User.self, at: "/users/*"),
    .value(Organization.self, at: "/orgs/*"),
    .value(Issue.self, at: "/repos/*/*/issues/#"),
    .envelope("items", at: "/search"),
    .model(at: "/search") { match in
      switch match.json?["type"]?.string {
      case "question": .value([Question].self)
      case "comment": .value([Comment].self)
      default: nil
      }
    },
  ]
}

extension SculptorReadme {
  private func client(_ answers: (StubAdapter) -> Void) throws -> Client {
    let stub = StubAdapter()
    answers(stub)
    return try Client(adapter: stub, baseURL: "https://api.forge.example/v3/", routes: Forge.routes)
  }

  @Test func `Model matchers: paths lead to types`() async throws {
    let client = try client {
      $0.on(.get, "/v3/users/dcaunt", .json(["login": "dcaunt", "name": nil]))
        .on(.get, "/v3/orgs/github", .json(["login": "github"]))
        .on(.get, "/v3/repos/dcaunt/Sculptor/issues/7", .json(["title": "Precedence"]))
    }
    #expect(try await client.get("users/dcaunt").value(as: Forge.User.self).login == "dcaunt")
    #expect(
      try await client.get("orgs/github").value(as: Forge.Organization.self).login == "github")
    #expect(
      try await client.get("repos/dcaunt/Sculptor/issues/7").value(as: Forge.Issue.self).title
        == "Precedence")
  }

  @Test func `Matching paths: a path with more components matches nothing, and the error says so`() async throws {
    let client = try client { $0.on(.get, "/v3/users/dcaunt/repos", .json([])) }
    let error = try await requestError { try await client.get("users/dcaunt/repos") }
    #expect(error.kind == .unmatched)
    #expect(error.description.contains("GET users/dcaunt/repos"))
  }

  @Test func `Matching paths: a redirect leads to no other type`() async throws {
    let client = try client {
      $0.on(
        .get, "/v3/users/dcaunt",
        .respond { _ in
          HTTPResponse(
            status: 200, url: URL(string: "https://cdn.forge.example/moved/1"),
            body: Data(#"{"login": "dcaunt"}"#.utf8))
        })
    }
    #expect(try await client.get("users/dcaunt").value(as: Forge.User.self).login == "dcaunt")
  }

  @Test func `Writing your own matcher: the type that the response names`() async throws {
    let client = try client {
      $0.on(
        .get, "/v3/search", .json(["type": "question", "items": [["title": "Why?"]]]),
        .json(["type": "comment", "items": [["body": "Because."]]]))
    }
    #expect(
      try await client.get("search").value(as: [Forge.Question].self).map(\.title) == ["Why?"])
    #expect(
      try await client.get("search").value(as: [Forge.Comment].self).map(\.body) == ["Because."])
  }
}
