import EntityClient
import Foundation
import Testing

/// The explanation of a match, and of a miss.
@Suite struct RouteTraceTests {
  private static let routes = [
    NamedRoute("users/**", .put, .delete), NamedRoute("users/{uid}", .get, status: .success), NamedRoute("users/me"),
    NamedRoute("users/{uid}", .get, status: 404), NamedRoute("/"), NamedRoute("users/#/posts"),
    NamedRoute("users/#", status: 410), NamedRoute("**", status: .serverError),
  ]

  @Test func `a match is explained line by line`() throws {
    for routes in [Self.routes, Self.routes.reversed(), Self.routes.sorted { $0.name < $1.name }] {
      let trace = try RouteTable(routes).explain(RouteKey(.get, RoutePath("users/42"), status: 200))
      #expect(
        trace.description == """
          GET users/42, status 200: the route users/{uid}
            /              any  any  the path goes on with 'users'
            users/me       any  any  '42' is not 'me'
            users/#        any  410  the status is 200
            users/#/posts  any  any  the path ends before 'posts'
            users/{uid}    GET  404  the status is 200
            users/{uid}    GET  2xx  matches
          """)
      #expect(trace.match?.pattern.description == "users/{uid}")
    }
  }

  @Test func `a miss is explained line by line`() throws {
    let trace = try RouteTable(Self.routes).explain(RouteKey(.post, RoutePath("users/a%0Ab/"), status: nil))
    #expect(
      trace.description == #"""
        POST users/a\nb, no status: no route
          /              any         any  the path goes on with 'users'
          users/me       any         any  'a\nb' is not 'me'
          users/#        any         410  'a\nb' is not a number
          users/#/posts  any         any  'a\nb' is not a number
          users/{uid}    GET         404  the method is POST
          users/{uid}    GET         2xx  the method is POST
          users/**       DELETE,PUT  any  the method is POST
          **             any         5xx  no status is known
        """#)
    #expect(trace.match == nil)
  }

  @Test func `a path without a component is explained`() throws {
    let table = try RouteTable([NamedRoute("a/*/c"), NamedRoute("a", .get), NamedRoute("a/#")])
    #expect(
      table.explain(RouteKey(nil, RoutePath("a"), status: 200)).description == """
        no method a, status 200: no route
          a      GET  any  no method is known
          a/#    any  any  the path ends before '#'
          a/*/c  any  any  the path ends before '*'
        """)
    #expect(
      table.explain(RouteKey(nil, RoutePath("a//c"), status: 200)).description.contains(
        "'' is an empty component or a dot segment"))
  }

  @Test func `a URL outside of the base is explained`() throws {
    let table = try RouteTable(Self.routes)
    let base = try #require(URL(string: "https://h/v1"))
    func text(_ url: String) throws -> String {
      let url = try #require(URL(string: url))
      return table.explain(RouteKey(.get, RoutePath(url, below: base), status: 200)).description
    }
    #expect(
      try text("https://h/v10/users?token=secret")
        == "GET v10/users, status 200: no route, for the URL is not below the base URL")
    #expect(
      try text("https://u:secret@other/v1/users")
        == "GET v1/users, status 200: no route, for the URL is of another origin than the base URL")
    #expect(
      try RouteTable(patterns: []).explain(RouteKey(.get, RoutePath(""), status: 200)).description
        == "GET /, status 200: no route, for there are none")
  }

  @Test func `a long path is cut off`() throws {
    let path = RoutePath(Array(repeating: String(repeating: "x", count: 100_000), count: 10).joined(separator: "/"))
    #expect(try RouteTable(patterns: ["a", "#"]).explain(RouteKey(.get, path, status: 200)).description.count < 2000)
  }
}
