import Adapters
import EntityRequests
import EntityTesting
import Testing
import HTTPFoundation

/// The rules of RFC 9110 §15.4, without a network.
@Suite(.untilItHangs)
struct RedirectRuleTests {
  private let stub = StubAdapter()
  private let start = URL(string: "https://api.example.com/old")!

  private func redirect(_ status: Int, to location: String, _ method: HTTPMethod = .get, from path: String = "/old") {
    stub.on(method, path, .status(status, headers: ["Location": location]))
  }

  private func send(
    _ method: String = "GET", _ headers: [String: String] = [:], body: RequestBody = .none,
    policy: RedirectPolicy = .init()
  ) async throws -> HTTPResponse {
    try await stub.followingRedirects(policy).send(request(method, start, headers), body: body)
  }

  /// The redirect that is refused; the test fails where none is.
  private func refusal(
    _ method: String = "GET", body: RequestBody = .none, policy: RedirectPolicy = .init()
  ) async throws -> RedirectError? {
    do {
      _ = try await send(method, body: body, policy: policy)
      return nil
    } catch let error as RedirectError {
      return error
    }
  }

  @Test(
    arguments: [
      (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
      (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"), (308, "POST", "POST"),
      (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"), (303, "DELETE", "GET"),
      (308, "PATCH", "PATCH"),
      (301, "HEAD", "HEAD"), (303, "HEAD", "HEAD"), (307, "HEAD", "HEAD"),
    ])
  func `a status decides the next method and its body`(_ status: Int, _ method: String, _ next: String) async throws {
    redirect(status, to: "/new", try #require(HTTPMethod(rawValue: method)))
    stub.on(try #require(HTTPMethod(rawValue: next)), "/new", .status(204))
    let hasBody = !["GET", "HEAD", "DELETE"].contains(method)

    let response = try await send(
      method, hasBody ? ["Content-Type": "text/plain", "Accept": "text/html"] : [:],
      body: hasBody ? .data(Data("bytes".utf8)) : .none)

    #expect(response.status == 204)
    #expect(response.url?.absoluteString == "https://api.example.com/new")
    let last = try #require(stub.requests.last)
    #expect(stub.requests.count == 2)
    #expect(last.body == (hasBody && next == method ? Data("bytes".utf8) : Data()))
    #expect(last.headers["Content-Type"] == (hasBody && next == method ? "text/plain" : nil))
    #expect(last.headers["Accept"] == (hasBody ? "text/html" : nil))
  }

  @Test(arguments: [300, 304, 305, 306])
  func `another 3xx is a response`(_ status: Int) async throws {
    redirect(status, to: "/new")
    #expect(try await send().status == status)
  }

  @Test func `a redirect without a location is a response`() async throws {
    stub.on(.get, "/old", .status(302))
    #expect(try await send().status == 302)
  }

  @Test(
    arguments: [
      ("new", "https://api.example.com/new"), ("../a/./b?x=1#part", "https://api.example.com/a/b?x=1"),
      ("?page=2", "https://api.example.com/old?page=2"), ("//cdn.example.com/c", "https://cdn.example.com/c"),
      ("https://cdn.example.com:8443/c", "https://cdn.example.com:8443/c"),
    ])
  func `a location may be relative`(_ location: String, _ url: String) async throws {
    stub.on(.get, "/**", .status(204))
    redirect(302, to: location)
    // Used up by the first request.
    stub.on(.get, "/old", .status(302, headers: ["Location": location]), .status(204))
    #expect(try await send().url?.absoluteString == url)
  }

  @Test func `another origin gets no field that may be a secret`() async throws {
    stub.on(.get, "/back", .status(307, headers: ["Location": "https://api.example.com/end"]))
    redirect(307, to: "https://api.example.com:444/back")
    stub.on(.get, "/end", .status(204))

    _ = try await send(
      "GET",
      [
        "Authorization": "Bearer s3cret", "Cookie": "s3cret", "X-Acme": "s3cret", "Proxy-Authorization": "s3cret",
        "Referer": "https://s3cret.example.com", "Origin": "https://s3cret.example.com", "Host": "s3cret.example.com",
        "Accept": "text/html", "User-Agent": "test", "Accept-Language": "de",
      ])

    let sent = stub.requests
    #expect(sent.count == 3)
    for request in sent.dropFirst() {
      #expect(request.headers.map(\.name).sorted() == ["Accept", "Accept-Language", "User-Agent"])
    }
  }

  @Test(arguments: ["https://other.example.com/", "https://api.example.com:8443/"])
  func `host and port are of the origin`(_ base: String) async throws {
    redirect(302, to: base + "new")
    stub.on(.get, "/new", .status(204))
    _ = try await send("GET", ["Authorization": "Bearer s3cret"])
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer s3cret", nil])
  }

  @Test func `the same origin gets all fields`() async throws {
    redirect(302, to: "https://API.example.com:443/new")
    stub.on(.get, "/new", .status(204))
    _ = try await send("GET", ["Authorization": "Bearer s3cret", "X-Acme": "a"])
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer s3cret", "Bearer s3cret"])
    #expect(stub.requests.map { $0.headers["X-Acme"] } == ["a", "a"])
  }

  @Test func `a policy names fields for other origins`() async throws {
    redirect(302, to: "https://cdn.example.com/new")
    stub.on(.get, "/new", .status(204))
    var policy = RedirectPolicy()
    policy.fieldsForOtherOrigins = ["x-tenant"]
    _ = try await send("GET", ["X-Tenant": "acme", "X-Other": "a"], policy: policy)
    #expect(stub.requests.last?.headers["X-Tenant"] == "acme")
    #expect(stub.requests.last?.headers["X-Other"] == nil)
  }

  @Test func `a write keeps its precondition and a read loses its validators`() async throws {
    redirect(307, to: "/new", .put)
    redirect(307, to: "/new")
    stub.on(.put, "/new", .status(204)).on(.get, "/new", .status(204))
    _ = try await send("PUT", ["If-Match": "\"1\"", "If-None-Match": "*"], body: .data(Data([1])))
    #expect(stub.requests.last?.headers["If-Match"] == "\"1\"")
    #expect(stub.requests.last?.headers["If-None-Match"] == "*")
    _ = try await send("GET", ["If-None-Match": "\"1\"", "If-Modified-Since": "Mon, 02 Jan 2023 00:00:00 GMT"])
    #expect(stub.requests.last?.headers.count == 0)
  }

  @Test(
    arguments: [
      ("http://api.example.com/new", RedirectError.Reason.insecure), ("file:///etc/passwd", .unsupportedScheme),
      ("ftp://api.example.com/new", .unsupportedScheme), ("javascript:alert(1)", .unsupportedScheme),
      ("https://ada:s3cret@api.example.com/new", .userInfo), ("https:///new", .invalidLocation), ("", .invalidLocation),
      ("https://api.example.com/old", .loop),
    ])
  func `a refused redirect sends nothing and says where it led`(_ location: String, _ reason: RedirectError.Reason)
    async throws
  {
    redirect(302, to: location)
    let error = try #require(try await refusal())
    #expect(error.reason == reason)
    #expect(stub.requests.count == 1)
    #expect(error.hops.map(\.absoluteString) == ["https://api.example.com/old"])
    if let target = error.target { #expect(target.absoluteString == location) }
    #expect(!error.description.contains("s3cret"))
  }

  @Test func `a message says where a refused redirect led`() async throws {
    redirect(308, to: "http://ada:s3cret@cdn.example.com/new?token=s3cret")
    let text = "\(try #require(try await refusal()))"
    #expect(text.contains("http://cdn.example.com/new?token=…"))
    #expect(text.contains("https://api.example.com/old"))
    #expect(text.contains("308"))
    #expect(!text.contains("s3cret"))
  }

  @Test func `several different locations are refused`() async throws {
    var headers: HTTPHeaders = ["Location": "/new"]
    headers.add("/evil", to: "Location")
    stub.on(.get, "/old", .status(302, headers: headers))
    #expect(try await refusal()?.reason == .invalidLocation)
  }

  @Test func `a redirect loop of several URLs ends at its first repetition`() async throws {
    redirect(302, to: "/b")
    redirect(302, to: "/c", from: "/b")
    redirect(302, to: "/old", from: "/c")
    #expect(try await refusal()?.reason == .loop)
    #expect(stub.requests.map(\.path) == ["/old", "/b", "/c"])
  }

  @Test func `a POST that leads back to itself as a GET is no loop`() async throws {
    redirect(303, to: "/old", .post)
    stub.on(.get, "/old", .status(200))
    #expect(try await send("POST", body: .data(Data([1]))).status == 200)
  }

  @Test func `the limit counts redirects`() async throws {
    stub.on(.get, "/{n}", .respond { HTTPResponse(status: 302, headers: ["Location": $0.path + "x"], url: $0.url) })
    var policy = RedirectPolicy()
    policy.limit = 3
    #expect(try await refusal(policy: policy)?.reason == .limit)
    #expect(stub.requests.count == 4)
    policy.limit = 0
    #expect(try await refusal(policy: policy)?.reason == .limit)
    #expect(stub.requests.count == 5)
  }

  @Test func `a policy refuses other origins`() async throws {
    redirect(302, to: "https://cdn.example.com/new")
    var policy = RedirectPolicy()
    policy.followsOtherOrigins = false
    #expect(try await refusal(policy: policy)?.reason == .otherOrigin)
  }

  @Test func `a stream that cannot be opened again is not sent on`() async throws {
    redirect(307, to: "/new", .put)
    redirect(303, to: "/new", .post)
    stub.on(.get, "/new", .status(204)).on(.put, "/new", .status(204))
    let error = try #require(try await refusal("PUT", body: stream([Data([1])], length: 1)))
    #expect(error.reason == .bodyNotReplayable)
    #expect("\(error)".contains("can't be opened again"))
    // A redirect that needs no body is followed.
    #expect(try await send("POST", body: stream([Data([1])], length: 1)).status == 204)
    // And one that can be opened again.
    let replayable = RequestBodyStream(length: 1, isReplayable: true) {
      let rest = Pieces([Data([7])])
      return { await rest.next() }
    }
    #expect(try await send("PUT", body: .stream(replayable)).status == 204)
    #expect(stub.requests.last?.body == Data([7]))
  }

  @Test func `counts of progress never decrease`() async throws {
    stub.on(
      .put, "/old",
      .respond { _ in
        HTTPResponse(status: 307, headers: ["Location": "/new"], body: Data(repeating: 1, count: 5000))
      })
    stub.on(.put, "/new", .text("ok"))
    let counts = Log<TransferProgress>()
    _ = try await stub.followingRedirects().send(
      request("PUT", start), body: .data(Data(repeating: 2, count: 100))
    ) { counts.add($0) }
    let all = counts.all
    #expect(all.count >= 4)
    for (before, after) in zip(all, all.dropFirst()) {
      #expect(before.bytesSent <= after.bytesSent && before.bytesReceived <= after.bytesReceived)
    }
    for progress in all { #expect(progress.bytesReceived <= progress.bytesToReceive ?? .max) }
  }

  @Test func `a verb tells where a refused redirect led`() async throws {
    redirect(302, to: "http://cdn.example.com/new")
    let client = try Client(adapter: stub.followingRedirects(), baseURL: "https://api.example.com/")
    let error = await #expect(throws: RequestError.self) { try await client.get("old", as: [Int].self) }
    #expect(error?.kind == .transport)
    #expect(error?.description.contains("http://cdn.example.com/new") == true)
    #expect((error?.underlying as? RedirectError)?.reason == .insecure)
  }

  @Test func `a GET after a redirected POST has no body in the request itself`() async throws {
    redirect(303, to: "/new", .post)
    stub.on(.get, "/new", .status(204))
    let bodies = Log<Data?>()
    let adapter = stub.modifying { bodies.add($0.httpBody) }.followingRedirects()
    var post = request("POST", start)
    post.httpBody = Data("bytes".utf8)
    _ = try await adapter.send(post, body: .data(Data("bytes".utf8)))
    #expect(bodies.all == [Data("bytes".utf8), nil])
  }
}
