import EntityClient
import Foundation
import Testing

/// Which of several routes counts: the most exact one that matches, in whichever order they were given.
@Suite struct RouteOrderTests {
  @Test func `Case 1: an empty table has nothing for any path`() throws {
    let table = try RouteTable(patterns: [])
    for path in ["", "/", "test", "test/42"] { #expect(table[path] == nil) }
  }

  @Test func `Cases 2 and 3: each path gets its own route, below the base path`() throws {
    let table = try RouteTable(patterns: ["test", "alternative"])
    #expect(table["test"] == "test")
    #expect(table["alternative"] == "alternative")
    let (base, url) = ("https://api.example.com/api/v1", "https://api.example.com/api/v1/test")
    #expect(try table.value(url, base: base) == "test")
    #expect(try table.value(url, base: "https://api.example.com") == nil)
  }

  @Test func `Case 8: a text comes before a wildcard, in each order of insertion`() throws {
    for patterns in permutations(["test/*", "test/path/sub", "test/path/under", "test"]) {
      let table = try RouteTable(patterns: patterns)
      #expect(table["test/path/sub"] == "test/path/sub")
      #expect(table["test/path/under"] == "test/path/under")
      #expect(table["test/apple"] == "test/*")
      // Back from the text `path`, where the path is at its end.
      #expect(table["test/path"] == "test/*")
      #expect(table["test/apple/osx"] == nil)
      #expect(table["test"] == "test")
      #expect(try table.value("https://h/api/v1/", base: "https://h/api/v1") == nil)
    }
  }

  @Test func `Case 9: a number comes before a star, which comes before two; ** alone is for the base too`() throws {
    for patterns in permutations(["test/*", "test/#", "test/**", "**"]) {
      let table = try RouteTable(patterns: patterns)
      #expect(table["test/apple"] == "test/*")
      #expect(table["test/42"] == "test/#")
      #expect(table["test/apple/seed"] == "test/**")
      #expect(table["models"] == "**")
      #expect(table["test"] == "**")
      #expect(try table.value("https://h/api/v1/", base: "https://h/api/v1") == "**")
      #expect(try table.value("https://h/api/v1", base: "https://h/api/v1/") == "**")
    }
  }

  @Test func `the root is more exact than two stars`() throws {
    for patterns in permutations(["/", "**"]) {
      let table = try RouteTable(patterns: patterns)
      #expect(table[""] == "/")
      #expect(table["a"] == "**")
    }
  }

  @Test func `Case 14: the base path is taken off`() throws {
    #expect(try RouteTable(patterns: ["test"]).value("https://h/v1/test", base: "https://h/v1") == "test")
  }

  @Test func `Defect D9: users/*, added first, does not hide users/me, and a dead end leads back`() throws {
    for patterns in permutations(["users/*", "users/me", "users/me/posts/#", "*/me/posts/x", "users/#/**"]) {
      let table = try RouteTable(patterns: patterns)
      #expect(table["users/me"] == "users/me")
      #expect(table["users/you"] == "users/*")
      #expect(table["users/me/posts/7"] == "users/me/posts/#")
      // Three texts match, and the fourth component does not.
      #expect(table["users/me/posts/x"] == "*/me/posts/x")
      #expect(table["users/me/posts/y"] == nil)
      #expect(table["users/1/posts/y"] == "users/#/**")
      #expect(table["users/1"] == "users/*")
    }
  }

  @Test func `the first difference decides`() throws {
    for patterns in permutations(["a/**", "*/b", "#/b", "**"]) {
      let table = try RouteTable(patterns: patterns)
      #expect(table["a/b"] == "a/**")
      #expect(table["1/b"] == "#/b")
      #expect(table["c/b"] == "*/b")
      #expect(table["c/d"] == "**")
    }
  }

  @Test func `the parameters are those of the route`() throws {
    let table = try RouteTable([
      NamedRoute("users/{id}", .get), NamedRoute("users/{uid}", .post), NamedRoute("users/*/posts"),
    ])
    func parameters(_ method: HTTPMethod, _ path: String) -> PathParameters? {
      table.match(RouteKey(method, RoutePath(path), status: 200))?.parameters
    }
    #expect(parameters(.get, "users/1") == ["id": 1])
    #expect(parameters(.post, "users/1") == ["uid": 1])
    #expect(parameters(.get, "users/1/posts") == PathParameters(unnamed: [1]))
  }

  @Test func `a route that declines gives way to the next`() throws {
    let table = try RouteTable(patterns: ["users/me", "users/*", "**"])
    var asked: [String] = []
    let key = RouteKey(.get, RoutePath("users/me"), status: 200)
    let (result, trace) = table.first(key) { value, parameters in
      asked.append(value)
      return value == "**" ? parameters.rest : nil
    }
    #expect(result == ["users", "me"])
    #expect(asked == ["users/me", "users/*", "**"])
    #expect(trace.outcomes == [.declined, .declined, .matched])
    struct Refused: Error {}
    #expect(throws: Refused.self) {
      try table.first(key) { _, _ -> Int? in throw Refused() }
    }
  }

  @Test(arguments: [
    ([NamedRoute("users/*"), NamedRoute("users/{uid}")], "'any users/* any' and 'any users/{uid} any'"),
    ([NamedRoute("users/#"), NamedRoute("/users/{uid:#}/")], "'any users/# any' and 'any /users/{uid:#}/ any'"),
    ([NamedRoute("a%3Ab"), NamedRoute("a:b")], "'any a%3Ab any' and 'any a:b any'"),
    (
      [NamedRoute("users", .get, .put), NamedRoute("users", .post), NamedRoute("users", .post, .get)],
      "'GET,PUT users any' and 'GET,POST users any'"
    ),
    ([NamedRoute("a", status: 200), NamedRoute("a", status: .range(200...200))], "'any a 200' and 'any a 200-200'"),
    (
      [NamedRoute("a", status: .success), NamedRoute("a", status: .range(250...349))], "'any a 2xx' and 'any a 250-349'"
    ),
  ])
  func `routes that match the same request equally well are refused`(_ routes: [NamedRoute], _ names: String) throws {
    for order in permutations(routes + [NamedRoute("b"), NamedRoute("*")]) {
      let error = try #require(throws: RequestError.self) { try RouteTable(order) }
      #expect(error.kind == .invalidRoute)
      let other = names.split(separator: " and ").reversed().joined(separator: " and ")
      #expect(error.message.contains(names) || error.message.contains(other), "\(error.message)")
    }
  }

  @Test func `routes that something decides between are accepted`() throws {
    #expect(throws: Never.self) {
      try RouteTable([
        NamedRoute("a", .get), NamedRoute("a", .post), NamedRoute("a"), NamedRoute("a", .get, status: 200),
        NamedRoute("a", .get, status: 201), NamedRoute("a", .get, status: .success),
        NamedRoute("a", .get, status: .clientError), NamedRoute("a", .get, status: .failure), NamedRoute("A"),
      ])
    }
  }
}
