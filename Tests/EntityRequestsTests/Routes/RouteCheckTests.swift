import EntityClient
import EntityTesting
import Foundation
import Testing

private struct Hit: Decodable, Sendable {}

/// A client refuses routes that can't mean what they say.
struct RouteCheckTests {
  private func error(_ routes: Route...) async throws -> RequestError {
    try await requestError {
      _ = try Client(
        adapter: StubAdapter(),
        store: EntityStore(.inMemory, entities: [Topic.self, Remark.self, Reader.self, HandRemark.self]),
        baseURL: "https://api.example.com/", routes: routes)
    }
  }

  @Test func `patterns that match nothing are refused`() async throws {
    for pattern in ["a//b", "**/a", "*.json", "a/..", "{", "users?page=1"] {
      let error = try await error(.json(at: pattern))
      #expect(error.kind == .invalidRoute)
      #expect(error.description.contains("'\(pattern)'"))
    }
  }

  // D1 of the ancestors: statuses that never come are told, and don't stay silent.
  @Test func `statuses that never come to the role are refused`() async throws {
    for route in [
      Route.json(at: "a", status: 404), .value(Hit.self, at: "a", status: .failure),
      .envelope("x", at: "a", status: 301),
      .error(Hit.self, at: "a", status: 200), .error(Hit.self, at: "a", status: .success), .json(at: "a", status: 99),
    ] {
      #expect(try await error(route).kind == .invalidRoute)
    }
    #expect(try await error(.json(at: "a", status: 404)).description.contains(".error"))
    _ = try Routes([.json(at: "a", status: .any), .error(Hit.self, at: "a", status: .any)])
  }

  @Test func `two routes that match the same are refused`() async throws {
    let error = try await error(.json(at: "users/{uid}"), .value(Hit.self, at: "users/*"))
    #expect(error.kind == .invalidRoute)
    #expect(error.description.contains("users/{uid}"))
    #expect(error.description.contains("users/*"))
    _ = try Routes([.json(at: "users/*"), .envelope("a", at: "users/*"), .error(Hit.self, at: "users/*")])
    _ = try Routes([.json(at: "users/*", .get), .json(at: "users/*", .put), .json(at: "users/*")])
  }

  @Test func `an entity that the store lacks is refused`() async throws {
    #expect(try await error(.entity(Scrap.self, at: "a")).description.contains("Scrap"))
    #expect(try await error(.parts([.list(Scrap.self, at: "x")], at: "a")).kind == .invalidRoute)
    #expect(
      try await error(.entity(Reader.self, at: "a", options: .parts([.list(typedBy: "t", ["s": Scrap.self], at: "x")])))
        .kind == .invalidRoute)
    // Another store may be named with the request.
    _ = try Client(
      adapter: StubAdapter(), baseURL: "https://api.example.com/", routes: [.entity(Scrap.self, at: "a")])
  }

  @Test func `a search is explained`() throws {
    let routes = try Routes([
      .value(Hit.self, at: "sessions", .post), .json(at: "users/**"), .envelope("data", at: "users/me"),
      .error(Hit.self, at: "**", status: 404),
    ])
    let trace = routes.explain(.get, "sessions")
    #expect(trace.pattern == nil)
    #expect(
      trace.description == """
        GET sessions, status 200: no route
          sessions  POST  2xx  the method is GET
          users/**  any   2xx  'sessions' is not 'users'
        """)
    #expect(routes.explain(.get, "users/me").pattern?.description == "users/**")
    #expect(routes.explain(.get, "users/me", as: .envelope).pattern?.description == "users/me")
    #expect(routes.explain(.get, "users/me", status: 404, as: .error).pattern?.description == "**")
    #expect(routes.explain(.get, "users/me", status: 500, as: .error).pattern == nil)
  }

  @Test func `a client's routes are explained for each form of resource that a verb takes`() throws {
    let client = try Client(
      adapter: StubAdapter(), baseURL: "https://api.example.com/v1/",
      routes: [.json(at: "a/#"), .json(at: "v1/a/#"), .json(at: "**")])
    let routes = client.routes
    for resource in [
      "a/1", "/v1/a/1", "https://api.example.com/v1/a/1", "//api.example.com/v1/a/1", "a/b/../1", "a/1?q=2#f",
    ] {
      #expect(routes.explain(.get, resource).pattern?.description == "a/#", "\(resource)")
    }
    #expect(routes.explain(.get, "/a/1").pattern == nil)
    #expect(routes.explain(.get, "/a/1").description.contains("not below the base URL"))
    #expect(routes.explain(.get, "https://other.example.com/v1/a/1").description.contains("another origin"))
    #expect(routes.explain(.get, "ftp://api.example.com/v1/a/1").pattern == nil)
    // Without a client no base URL is known.
    let bare = try Routes([.json(at: "a/#")])
    #expect(bare.explain(.get, "https://api.example.com/a/1?q=2").pattern?.description == "a/#")
  }

  // D9 of the ancestors.
  @Test func `the order of the list means nothing`() async throws {
    let routes: [Route] = [.json(at: "users/*"), .value(Hit.self, at: "users/me"), .json(at: "**")]
    for list in [routes, routes.reversed()] {
      #expect(try Routes(list).explain(.get, "users/me").pattern?.description == "users/me")
      #expect(try Routes(list).explain(.get, "users/7").pattern?.description == "users/*")
    }
  }
}
