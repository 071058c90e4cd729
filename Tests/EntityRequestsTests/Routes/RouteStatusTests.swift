import EntityClient
import Testing

/// Methods and statuses of routes.
@Suite struct RouteStatusTests {
  @Test func `Cases 10 and 26, defect D1: a status is a number, and the route of that number counts`() throws {
    for routes in permutations([
      NamedRoute("model", status: 200, name: "A"), NamedRoute("model", status: 201, name: "B"),
    ]) {
      let table = try RouteTable(routes)
      #expect(table["model", status: 200] == "A")
      #expect(table["model", status: 201] == "B")
      #expect(table["model", status: 404] == nil)
      #expect(table["model", status: nil] == nil)
    }
    // A text as a status, "201", can't be written.
    #expect(!((StatusPattern.self as Any.Type) is any ExpressibleByStringLiteral.Type))
  }

  @Test func `Case 26: a route for one status comes before one for any`() throws {
    for routes in permutations([
      NamedRoute("model", .post, status: 201, name: "B"), NamedRoute("model", .post, name: "A"),
    ]) {
      let table = try RouteTable(routes)
      #expect(table["model", .post, status: 200] == "A")
      #expect(table["model", .post, status: 201] == "B")
    }
  }

  @Test func `Case 11: a method is one of the route's, or the route is for any`() throws {
    for routes in permutations([NamedRoute("model", .get, name: "A"), NamedRoute("model", .post, name: "B")]) {
      let table = try RouteTable(routes)
      #expect(table["model", .get] == "A")
      #expect(table["model", .post] == "B")
      #expect(table["model", .put] == nil)
      #expect(table["model", nil] == nil)
    }
    let table = try RouteTable([NamedRoute("model", .get, .post, name: "A")])
    #expect(table["model", .get] == "A")
    #expect(table["model", .post] == "A")
    #expect(table["model", HTTPMethod(rawValue: "get")] == nil)
  }

  @Test func `Case 12: method and status together, and a route for all the rest`() throws {
    for routes in permutations([
      NamedRoute("model", .get, status: 200, name: "A"), NamedRoute("model", .post, status: 201, name: "B"),
      NamedRoute("model", name: "C"),
    ]) {
      let table = try RouteTable(routes)
      for method in [.get, .post, .put, nil] as [HTTPMethod?] {
        for status in [200, 201, 404, nil] {
          let expected = method == .get && status == 200 ? "A" : method == .post && status == 201 ? "B" : "C"
          #expect(table["model", method, status: status] == expected)
        }
      }
    }
  }

  @Test func `the more exact status counts`() throws {
    for routes in permutations([
      NamedRoute("a", status: 204, name: "one"), NamedRoute("a", status: .range(200...209), name: "ten"),
      NamedRoute("a", status: .success, name: "class"), NamedRoute("a", name: "any"),
      NamedRoute("a", status: .range(100...599), name: "all"),
    ]) {
      let table = try RouteTable(routes)
      #expect(table["a", status: 204] == "one")
      #expect(table["a", status: 205] == "ten")
      #expect(table["a", status: 210] == "class")
      #expect(table["a", status: 404] == "all")
      #expect(table["a", status: 999] == "any")
      #expect(table["a", status: nil] == "any")
    }
  }

  @Test func `the method of a route decides before its status`() throws {
    for routes in permutations([
      NamedRoute("a", .get, status: .success, name: "method"), NamedRoute("a", status: 200, name: "status"),
    ]) {
      let table = try RouteTable(routes)
      #expect(table["a", .get, status: 200] == "method")
      #expect(table["a", .post, status: 200] == "status")
    }
  }

  @Test func `a route of another method or status gives way`() throws {
    for routes in permutations([
      NamedRoute("users/me", .put), NamedRoute("users/#", status: .success), NamedRoute("users/*", .get),
      NamedRoute("**", status: .failure),
    ]) {
      let table = try RouteTable(routes)
      #expect(table["users/me", .put] == "users/me")
      #expect(table["users/me", .get] == "users/*")
      #expect(table["users/7", .get, status: 404] == "users/*")
      #expect(table["users/7", .delete, status: 404] == "**")
      #expect(table["users/me", .delete] == nil)
    }
  }

  @Test(
    arguments: [
      0, 99, 600, -1, StatusPattern.range(99...200), .range(500...600), .range(Int.min...0), .range(Int.min...Int.max),
    ] as [StatusPattern])
  func `a status that no response has is refused`(_ status: StatusPattern) throws {
    let error = try #require(throws: RequestError.self) { try RouteTable([NamedRoute("a", status: status)]) }
    #expect(error.kind == .invalidRoute)
    #expect(error.message.contains("any a \(status)"))
  }

  @Test func `a pattern of statuses matches`() {
    #expect(StatusPattern.any.matches(200) && StatusPattern.any.matches(nil))
    #expect(StatusPattern.success.matches(299) && !StatusPattern.success.matches(300))
    #expect(!StatusPattern.success.matches(nil) && !StatusPattern.status(200).matches(nil))
    #expect(StatusPattern.failure.matches(404) && StatusPattern.failure.matches(503))
    #expect(StatusPattern.redirection.matches(304) && !StatusPattern.redirection.matches(404))
    #expect(StatusPattern.clientError.matches(499) && !StatusPattern.serverError.matches(499))
    let texts = [200, .any, .success, .serverError, .failure, .range(200...204)] as [StatusPattern]
    #expect(texts.map(\.description) == ["200", "any", "2xx", "5xx", "400-599", "200-204"])
  }
}
