import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// Errors of transports that rules inject.
@Suite(.sample) struct FaultAdapterTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  private func request(_ method: HTTPMethod = .get, _ path: String = "users") throws -> URLRequest {
    try Client.current.request(method, path)
  }

  private func fault(_ body: () async throws -> Void) async throws -> TransportError? {
    do { try await body() } catch let error as TransportError { return error }
    return nil
  }

  @Test(arguments: Fault.all) func `each error of a transport is injected`(_ fault: Fault) async throws {
    try stub.on(.get, "/users", .text("abc"))
    let adapter = FaultAdapter(try stub).inject(fault)
    let sent = try await self.fault { _ = try await adapter.send(request(), body: .none, progress: nil) }
    var text = ""
    let streamed = try await self.fault {
      let response = try await adapter.stream(request(), body: .none, progress: nil)
      while let piece = try await response.next() { text += String(decoding: piece, as: UTF8.self) }
    }
    let isUnsent = fault.description.hasSuffix("not sent")
    #expect(try stub.requests.count == (isUnsent ? 0 : 2))
    for error in [sent, streamed] {
      #expect(error?.mayHaveBeenProcessed == !isUnsent)
      #expect(error.map { fault.description.hasPrefix("\($0.kind)") } == true)
    }
    #expect(text == (fault.description.hasSuffix("after 1 bytes") ? "a" : ""))
    #expect(adapter.injected.count == 2)
  }

  @Test func `the list of faults has all kinds of errors`() {
    for kind in TransportError.Kind.allCases {
      #expect(Fault.all.contains { $0.description == "\(kind), not sent" }, "\(kind)")
    }
  }

  @Test func `a rule counts its own requests`() async throws {
    for method in [HTTPMethod.get, .post] { try stub.on(method, "/**", .status(204)) }
    let adapter = FaultAdapter(try stub)
      .inject(.lost(.timeout), into: .post, "/users/{id}", .number(2))
      .inject(.unsent(.connection), .every(3))
      .inject(.unsent(.tls), .first(1))
    var kinds: [TransportError.Kind?] = []
    for (method, path) in [
      (HTTPMethod.get, "users"), (.post, "users/1"), (.post, "users/2"), (.get, "x"), (.post, "users"), (.get, "users"),
      (.post, "users/3"),
    ] {
      kinds.append(
        try await fault { _ = try await adapter.send(request(method, path), body: .none, progress: nil) }?.kind)
    }
    #expect(kinds == [.tls, nil, .timeout, nil, nil, .connection, nil])
    #expect(adapter.injected.map(\.description).first == "tls, not sent")
    // The lost one reached the server.
    #expect(try stub.requests.map(\.path) == ["/users/1", "/users/2", "/x", "/users", "/users/3"])
  }

  @Test func `a body that can be read only once is not read for the rules`() async throws {
    try stub.on(.put, "/users", .status(204))
    let adapter = FaultAdapter(try stub).inject(.unsent(.other), into: .get, "/users")
    let reads = Recorder<Int>()
    let body = RequestBodyStream(length: nil) {
      reads.add(reads.all.count)
      return { reads.all.count > 1 ? nil : Data("a\(reads.add(1))".utf8) }
    }
    _ = try await adapter.send(request(.put), body: .stream(body), progress: nil)
    #expect(reads.all == [0, 1])
  }

  @Test func `a lost answer to a POST leaves the object unsaved`() async throws {
    try stub.on(.post, "/users", .json(["id": 5]))
    let client = try Client(
      adapter: FaultAdapter(try stub).inject(.lost(.badResponse)), store: Client.current.store,
      baseURL: "https://api.example.com")
    let error = try await Client.withClient(client) { try await requestError { try await User.post() } }
    #expect(error.kind == .transport)
    #expect((error.underlying as? TransportError)?.mayHaveBeenProcessed == true)
    #expect(try await client.store.read { try $0.count(User.all) } == 0)
  }

  @Test func `a path that no request can have fails the test`() throws {
    let adapter = FaultAdapter(try stub)
    withKnownIssue { adapter.inject(.unsent(.other), into: .get, "/a/**/b") }
  }
}
