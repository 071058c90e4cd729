import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

/// The tools for tests.
@Suite(.sample) struct StubAdapterTests {
  @Test func `an unexpected request fails the test`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users/*", query: ["a": 1], .json([]))
    try await withKnownIssue {
      let error = try await requestError { try await User.get("1") }
      let unexpected = try #require(error.underlying as? UnexpectedRequest)
      #expect(unexpected.description.contains("GET https://api.example.com/users/1"))
      #expect(unexpected.description.contains("GET /users/*?a=1 (there is no 'a' in the query)"))
    } matching: { issue in
      issue.error is UnexpectedRequest
    }
    #expect(stub.requests.count == 1)
  }

  @Test func `several answers are given once`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .status(204), .status(304))
    #expect(try await User.get().status == 204)
    #expect(try await User.get().status == 304)
    await withKnownIssue { _ = try await User.get() }
    stub.on(.get, "/users", .status(200))
    #expect(try await User.get().status == 200)
    #expect(try await User.get().status == 200)
  }

  @Test func `sent requests are recorded`() async throws {
    let stub = try StubAdapter.current
    stub.on(.put, "/users/{id}/{part}", .status(204))
    try await User.put("4%2F2/p", query: ["q": "a b", "r": "1"]) {
      try $0.setHeaders(["X-A": "1"])
      try $0.setJSON(["k": 1])
    }
    let sent = try #require(stub.requests(.put, "/users/*/p").first)
    #expect(sent.parameters == ["id": "4/2", "part": "p"])
    #expect(sent.query.map { "\($0.name):\($0.value)" } == ["q:a b", "r:1"])
    #expect(sent.headers["x-a"] == "1")
    #expect(sent.json == ["k": 1])
    #expect(sent.method == .put)
    #expect(stub.requests(.get, "/users/*/p").isEmpty)
  }

  @Test func `wildcards are those of path patterns`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users/**", .status(200)).on(.get, "/users/{id:#}", .status(204))
    #expect(try await User.get("42").status == 204)
    #expect(try await User.get("me").status == 200)
    #expect(try await User.get("42/posts/7").status == 200)
    #expect(stub.requests.map(\.parameters) == [["id": "42"], [:], [:]])
    #expect(stub.requests(.get, "/users/#/**").count == 1)
  }

  @Test func `the route that was added last counts and not the most exact one`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users/me", .status(204)).on(.get, "/users/*", .status(200))
    #expect(try await User.get("me").status == 200)
    stub.on(.get, "/users/me", .status(204))
    #expect(try await User.get("me").status == 204)
  }

  /// A path stands in a test as it is read, not encoded.
  @Test(arguments: ["100%", "a%41", "a b", "é", "x*", "{x", "a#b"])
  func `a component that is no wildcard is plain text`(_ text: String) async throws {
    let path = try PathPattern("{name}").path(["name": text])
    try StubAdapter.current.on(.get, "/users/\(text)/", .status(204))
    #expect(try await User.get(path).status == 204)
    #expect(try StubAdapter.current.requests(.get, "users/\(text)").count == 1)
  }

  @Test(arguments: ["/users/**/posts", "/users/../posts", "/users/{id}/posts/{id}", "/users/{}"])
  func `a path that no request can have fails the test`(_ path: String) throws {
    let stub = try StubAdapter.current
    withKnownIssue {
      stub.on(.get, path, .status(204))
    } matching: {
      ($0.error as? RequestError)?.kind == .invalidRoute
    }
    withKnownIssue {
      #expect(stub.requests(.get, path).isEmpty)
    } matching: {
      ($0.error as? RequestError)?.kind == .invalidRoute
    }
  }

  @Test func `a stub compares the query only by choice`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .status(200)).on(.get, "/users", query: ["page": 2], .status(204))
    #expect(try await User.get(query: ["page": 1]).status == 200)
    #expect(try await User.get(query: ["x": 1, "page": 2]).status == 204)
  }

  @Test func `a closure answers to the request`() async throws {
    try StubAdapter.current.on(
      .get, "/users/{id}",
      .respond { request in
        HTTPResponse(status: 200, body: Data(#"{"id": \#(request.parameters["id"] ?? "0")}"#.utf8))
      })
    #expect(try await User.get("77").value?["id"]?.int64 == 77)
  }

  @Test func `requests wait at a gate`() async throws {
    let gate = StubGate()
    try StubAdapter.current.on(.get, "/users/*", .status(204).waiting(for: gate))
    try await withThrowingTaskGroup(of: Int.self) { group in
      for id in 1...5 { group.addTask { try await User.get("\(id)").status } }
      await gate.arrival(5)
      gate.open()
      for try await status in group { #expect(status == 204) }
    }
    #expect(try await User.get("6").status == 204)
  }

  // Each case has a store and a stub of its own, though all run at once.
  @Test(arguments: 1...20) func `each case has its own client`(_ number: Int) async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": JSONValue(number)]]))
    try await User.get()
    await Task.yield()
    #expect(stub.requests.count == 1)
    #expect(try await Client.current.store.read { try $0.fetch(User.all).map(\.uid) } == [number])
  }

  @Test(.client(StubAdapter().on(.get, "/users", .status(204)), entities: sampleEntities))
  func `a test can be given an adapter`() async throws {
    #expect(try await User.get().status == 204)
  }
}
