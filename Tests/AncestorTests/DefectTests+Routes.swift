import EntityClient
import EntityTesting
import Testing

extension DefectTests {
  @Suite struct RouteDefects {
    private let routes: [Route] = [.value(Person.self, at: "users/*"), .json(at: "users/me")]

    private func response(_ resource: String, baseURL: String) async throws -> RoutedResponse {
      let stub = StubAdapter()
      stub.on(.get, "/**", .json(["name": "Ada"]))
      return try await Client(adapter: stub, baseURL: baseURL, routes: routes).get(resource)
    }

    @Test
    func `D1: a status that no response has, or that never comes to the role, is refused when the routes are made`() {
      for route: Route in [
        .json(at: "users", status: 2010), .json(at: "users", status: 404),
        .error(Problem.self, at: "users", status: 201),
      ] {
        let error = #expect(throws: RequestError.self) { try Routes([route]) }
        #expect(error?.kind == .invalidRoute)
      }
    }

    @Test func `D2: the base path goes component by component, so that /v1 is none of /v10/users/7`() async throws {
      let error = await #expect(throws: RequestError.self) {
        try await response(
          "https://api.example.com/v10/users/7", baseURL: "https://api.example.com/v1")
      }
      #expect(error?.kind == .unmatched)
      let person = try await response(
        "https://api.example.com/v1/users/7", baseURL: "https://api.example.com/v1")
      #expect(try person.value(as: Person.self) == Person(name: "Ada"))
    }

    @Test func `D9: users/* that came first does not shadow users/me`() async throws {
      let me = try await response("users/me", baseURL: "https://api.example.com")
      #expect(try me.value(as: JSONValue.self) == ["name": "Ada"])
      let other = try await response("users/you", baseURL: "https://api.example.com")
      #expect(try other.value(as: Person.self) == Person(name: "Ada"))
    }

    @Test func `D9: a way that ends leads back to a wildcard`() throws {
      let routes = try Routes([.json(at: "a/b/c"), .json(at: "a/*/d"), .json(at: "*/b/*")])
      #expect(routes.explain(.get, "a/b/d").pattern?.description == "a/*/d")
      #expect(routes.explain(.get, "a/b/e").pattern?.description == "*/b/*")
    }

    @Test(arguments: ["https://api.example.com/v3", "https://api.example.com/v3/"])
    func `D10: a prefix counts for absolute URLs too`(baseURL: String) async throws {
      for resource in ["users/you", "/v3/users/you", "https://api.example.com/v3/users/you"] {
        #expect(
          try await response(resource, baseURL: baseURL).value(as: Person.self)
            == Person(name: "Ada"))
      }
    }
  }
}
