import EntityClient
import EntityTesting
import Testing

/// Routes: Overcoat's matcher (cases 1-3, 8-12, 26, 28) and Sculptor's prefix (case 14), as a client has them.
@Suite struct RouteCases {
  struct A: Decodable, Sendable {}
  struct B: Decodable, Sendable {}
  struct C: Decodable, Sendable {}

  /// The pattern of the route that a request and its response lead to.
  private func route(
    _ routes: [Route], _ path: String, _ method: HTTPMethod = .get, status: Int = 200
  ) throws -> String? {
    try Routes(routes).explain(method, path, status: status).pattern?.description
  }

  /// The type that a client makes of a response.
  private func type(
    _ routes: [Route], _ path: String, _ method: HTTPMethod = .get, status: Int = 200,
    baseURL: String = "https://api.example.com/api/v1"
  ) async throws -> any Sendable.Type {
    let stub = StubAdapter()
    stub.on(method, "/**", .json([:], status: status))
    let response = try await Client(adapter: stub, baseURL: baseURL, routes: routes).sending(
      method, path
    ).send()
    if (try? response.value(as: A.self)) != nil { return A.self }
    if (try? response.value(as: B.self)) != nil { return B.self }
    _ = try response.value(as: C.self)
    return C.self
  }

  @Test(arguments: ["", "test", "test/42", "a/b/c"])
  func `Case 1: without routes no path leads anywhere`(path: String) throws {
    #expect(try route([], path) == nil)
  }

  @Test func `Case 2: each path has its own type`() async throws {
    let routes: [Route] = [.value(A.self, at: "test"), .value(B.self, at: "alternative")]
    #expect(try await type(routes, "test") == A.self)
    #expect(try await type(routes, "alternative") == B.self)
  }

  @Test(arguments: ["test", "/api/v1/test", "https://api.example.com/api/v1/test"])
  func `Case 3: paths are below the base URL`(resource: String) async throws {
    #expect(try await type([.value(A.self, at: "test")], resource) == A.self)
  }

  @Test func `Case 8: the most exact pattern counts, in whichever order they were given`() throws {
    let patterns = ["test/*", "test/path/sub", "test/path/under", "test"]
    for order in permutations(of: patterns) {
      let routes = order.map { Route.json(at: $0) }
      for path in patterns.dropFirst() { #expect(try route(routes, path) == path, "\(order)") }
      #expect(try route(routes, "test/apple") == "test/*", "\(order)")
      #expect(try route(routes, "test/apple/osx") == nil, "\(order)")
      #expect(try route(routes, "/") == nil, "\(order)")
    }
  }

  @Test func `Case 9: a text, then #, then *, then **`() throws {
    for order in permutations(of: ["test/*", "test/#", "test/**", "**"]) {
      let routes = order.map { Route.json(at: $0) }
      #expect(try route(routes, "test/apple") == "test/*")
      #expect(try route(routes, "test/42") == "test/#")
      #expect(try route(routes, "test/apple/seed") == "test/**")
      #expect(try route(routes, "models") == "**")
      #expect(try route(routes, "") == "**")
    }
  }

  @Test func `Case 10: the status decides`() async throws {
    let routes: [Route] = [
      .value(A.self, at: "test", status: 200), .value(B.self, at: "test", status: 201),
    ]
    #expect(try await type(routes, "test", status: 200) == A.self)
    #expect(try await type(routes, "test", status: 201) == B.self)
    #expect(try route(routes, "test", status: 404) == nil)
  }

  @Test func `Case 11: the method decides`() async throws {
    let routes: [Route] = [.value(A.self, at: "test", .get), .value(B.self, at: "test", .post)]
    #expect(try await type(routes, "test", .get) == A.self)
    #expect(try await type(routes, "test", .post) == B.self)
    #expect(try route(routes, "test", .put) == nil)
  }

  @Test func `Case 12: a closure decides`() async throws {
    let routes: [Route] = [
      .model(at: "test") { match in
        switch (match.method, match.status) {
        case (.get?, 200): .value(A.self)
        case (.post?, 201): .value(B.self)
        default: .value(C.self)
        }
      }
    ]
    #expect(try await type(routes, "test", .get) == A.self)
    #expect(try await type(routes, "test", .post, status: 201) == B.self)
    #expect(try await type(routes, "test", .post) == C.self)
    #expect(try await type(routes, "test", .delete) == C.self)
  }

  @Test func `Case 14: a base URL with a path`() async throws {
    #expect(
      try await type([.value(A.self, at: "test")], "test", baseURL: "https://example.com/v1")
        == A.self)
  }

  @Test func `Case 26: POST has one type for 201, and another one for all else`() async throws {
    let routes: [Route] = [
      .value(B.self, at: "model", .post, status: 201), .value(A.self, at: "model"),
    ]
    #expect(try await type(routes, "model", .post, status: 200) == A.self)
    #expect(try await type(routes, "model", .post, status: 201) == B.self)
  }

  @Test func `Case 28: a body that no route leads to is an error, with all that was asked`() async throws {
    let error = await #expect(throws: RequestError.self) {
      try await type([.value(A.self, at: "users/#")], "users/me")
    }
    #expect(error?.kind == .unmatched)
    #expect(error?.trace?.description.contains("users/#") == true)
    #expect(error?.trace?.pattern == nil)
    #expect(error?.response?.status == 200)
  }

  @Test func `O3†: a route whose method, status or closure says no gives way to the next one`() async throws {
    let routes: [Route] = [
      .value(A.self, at: "test/42", .post), .model(at: "test/#") { _ in nil },
      .value(C.self, at: "test/*"),
    ]
    #expect(try await type(routes, "test/42") == C.self)
    #expect(try await type(routes, "test/42", .post) == A.self)
  }

  @Test(
    .client(routes: [
      .value([Person].self, at: "people"), .envelope("data", at: "**"),
      .error(Problem.self, at: "**"),
    ]))
  func `O4: models, envelopes and error models each have their own map`() async throws {
    let (client, stub) = (try Client.current, try StubAdapter.current)
    stub.on(
      .get, "/people", .json(["data": [["name": "Ada"]]]),
      .json(["code": 7, "message": "Log in"], status: 401))
    #expect(try await client.get("people").value(as: [Person].self) == [Person(name: "Ada")])
    let error = await #expect(throws: RequestError.self) { try await client.get("people") }
    #expect(error?.model(as: Problem.self)?.code == 7)
  }

  private func permutations(of patterns: [String]) -> [[String]] {
    guard patterns.count > 1 else { return [patterns] }
    return patterns.indices.flatMap { index in
      var rest = patterns
      let first = rest.remove(at: index)
      return permutations(of: rest).map { [first] + $0 }
    }
  }
}
