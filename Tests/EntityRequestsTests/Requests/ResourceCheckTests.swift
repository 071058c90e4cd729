import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

@Entity final class GreyThing: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?

  static var basePath: String { "things" }
}

/// Resources that lead to a place which needs the caller's word.
@Suite(
  .client(entities: [GreyThing.self], baseURL: "https://api.example.com/v1/") { stub in
    for method in [HTTPMethod.get, .post, .put, .patch, .delete, .head] { stub.on(method, "/**", .status(204)) }
  })
struct ResourceCheckTests {
  /// Texts that lead to the collection, or above it.
  static let empty = [
    "", ".", "./", "5/..", "5/../", "#5", "?", "?a=1", "5//../..", "%2e", "5/%2E%2e", "/v1/things", "/v1/things/",
    "5%2F..", "5%2f%2e%2e", "5%5C..", "5/..;", "5%2F..;a", ";x", "%2F",
  ]
  static let above = [
    "..", "../", "5/../..", "../other/5", "%2e%2E/other", "5/../../things2", "../../..", "x/../../v1/things/../y",
    "..%2Fother",
  ]
  static let folders = ["/", "/v1", "/v1/", "https://api.example.com", "https://api.example.com/v1/"]
  static let origins = [
    "//evil.example/things/5", "https://evil.example/v1/things/5", "http://api.example.com/v1/things/5",
    "https://api.example.com:444/v1/things/5", "https://api.example.com@evil.example/things/5", "//evil.example",
  ]

  private func refusals(of resource: String, on thing: GreyThing? = nil, _ methods: [HTTPMethod]) async throws {
    let client = try Client.current
    for method in methods {
      #expect(try await kind { try GreyThing.request(method, resource) } == .unsafeResource, "\(method)")
      #expect(try await kind { try await GreyThing.sending(method, resource).send() } == .unsafeResource, "\(method)")
      #expect(
        try await kind { try await GreyThing.get(resource) { $0.httpMethod = method.rawValue } } == .unsafeResource)
    }
    for method in methods {
      #expect(try await kind { try await GreyThing.verb(method, resource) } == .unsafeResource, "\(method)")
      // A client's base URL stands for the base path.
      let based = try Client(adapter: client.adapter, store: client.store, baseURL: "https://api.example.com/v1/things")
      #expect(try await kind { try await based.sending(method, resource).send() } == .unsafeResource, "\(method)")
      #expect(
        try await kind { try await based.sending(method, resource, as: JSONValue?.self).send() } == .unsafeResource)
      #expect(try await kind { try based.request(method, resource) } == .unsafeResource, "\(method)")
    }
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  private func kind<R>(_ body: () async throws -> R) async throws -> RequestError.Kind? {
    do { _ = try await body() } catch let error as RequestError { return error.kind }
    return nil
  }

  @Test(arguments: empty) func `a resource text that names no object changes no collection`(_ resource: String)
    async throws
  {
    try await refusals(of: resource, [.delete, .put, .patch])
    try await GreyThing.delete(resource, allowing: .collection)
    try await GreyThing.put(resource, options: .allowing(.collection))
    try await GreyThing.get(resource)
    try await GreyThing.post(resource)
    #expect(try StubAdapter.current.requests.count == 4)
  }

  @Test(arguments: above) func `a path that climbs out of the base path is refused`(_ resource: String) async throws {
    try await refusals(of: resource, [.get, .post, .head, .delete, .put, .patch])
    try await GreyThing.get(resource, options: .allowing(.aboveBasePath))
    try await GreyThing.delete(resource, allowing: .aboveBasePath)
    #expect(try StubAdapter.current.requests.count == 2)
  }

  @Test(arguments: folders) func `a resource above the collection is not changed`(_ resource: String) async throws {
    try await refusals(of: resource, [.delete, .put, .patch])
    try await GreyThing.get(resource)
    try await GreyThing.delete(resource, allowing: .aboveBasePath)
  }

  @Test(arguments: origins) func `another origin is refused`(_ resource: String) async throws {
    try await refusals(of: resource, [.get, .post, .head, .delete, .put, .patch])
    try await GreyThing.get(resource, options: .allowing(.otherOrigins))
    try await GreyThing.head(resource, allowing: .otherOrigins)
    try await GreyThing.delete(resource, allowing: .otherOrigins)
    #expect(try StubAdapter.current.requests.count == 3)
    #expect(try await kind { try await GreyThing.get(resource, options: .allowing(.collection)) } == .unsafeResource)
  }

  @Test(arguments: [
    "5", "5/", "/v1/things/5", "5/wings", "https://api.example.com/v1/things/5", "//api.example.com:443/sessions/5",
    "/sessions/5", "a/./b/../c", "5?x#y", "...", "..a", "http:/evil.example", "a%2Fb", "5;v=1", "a%5Cb",
  ])
  func `all other resources need no allowance`(_ resource: String) async throws {
    for method in [HTTPMethod.get, .post, .head, .delete, .put, .patch] {
      try await GreyThing.verb(method, resource)
      try await Client.current.sending(method, resource).send()
    }
    #expect(try StubAdapter.current.requests.count == 12)
  }

  @Test func `without a resource only a deletion needs an allowance`() async throws {
    try await GreyThing.put()
    try await GreyThing.patch()
    try await Client.current.sending(.put).send()
    #expect(try StubAdapter.current.requests.count == 3)
  }

  @Test func `a deletion without a resource needs an explicit allowance`() async throws {
    #expect(try await kind { try await GreyThing.delete() } == .unsafeResource)
    #expect(try await kind { try await Client.current.delete() } == .unsafeResource)
    #expect(try await kind { try await Client.current.sending(.delete, as: JSONValue?.self).send() } == .unsafeResource)
    #expect(try StubAdapter.current.requests.isEmpty)
    try await GreyThing.delete(allowing: .collection)
    try await Client.current.delete(options: .allowing(.collection))
    try await Client.current
      .sending(.delete, as: JSONValue?.self, options: [.allowing(.collection), .allowing(.otherOrigins)]).send()
    #expect(try StubAdapter.current.requests.count == 3)
  }

  @Test @MainActor func `an object is deleted at its own URL, and not for an empty text`() async throws {
    let thing = try #require(try await GreyThing.upsert(from: [["id": 5]]).object)
    for resource in Self.empty.dropLast(2) + Self.above {
      #expect(try await kind { try await thing.delete(resource) } == .unsafeResource, "\(resource)")
      #expect(try await kind { try await thing.put(\.title, to: resource) } == .unsafeResource, "\(resource)")
    }
    #expect(try await kind { try await thing.get("https://evil.example") } == .unsafeResource)
    #expect(try StubAdapter.current.requests.isEmpty && !thing.isDeleted)
    try await thing.put(\.title)
    try await thing.delete()
    #expect(thing.isDeleted)
    #expect(try StubAdapter.current.requests.map(\.path) == ["/v1/things/5", "/v1/things/5"])
  }

  @Test func `a URL that the closure sets is the caller's own`() async throws {
    try await GreyThing.delete { $0.url = URL(string: "https://other.example/things") }
    try await Client.current.delete { $0.url = URL(string: "https://other.example/things") }
    #expect(
      try StubAdapter.current.requests.map(\.url.absoluteString)
        == Array(repeating: "https://other.example/things", count: 2))
  }

  @Test func `a query that the closure adds is no allowance`() async throws {
    func add(_ request: inout URLRequest) { request.url?.append(queryItems: [URLQueryItem(name: "a", value: "1")]) }
    #expect(try await kind { try await GreyThing.delete("") { add(&$0) } } == .unsafeResource)
    #expect(try await kind { try await Client.current.delete("") { add(&$0) } } == .unsafeResource)
    #expect(try await kind { try await GreyThing.get("//evil.example") { add(&$0) } } == .unsafeResource)
    #expect(try StubAdapter.current.requests.isEmpty)
  }

  @Test func `the first page needs the word too`() async throws {
    let elsewhere = "https://cdn.example/things"
    #expect(try await kind { try await GreyThing.pages(elsewhere, by: .link).all() } == .unsafeResource)
    #expect(try await kind { try await GreyThing.pages("../things2", by: .link).all() } == .unsafeResource)
    #expect(try StubAdapter.current.requests.isEmpty)
    try await GreyThing.pages(elsewhere, by: .link, allowing: [try #require(URL(string: "https://cdn.example"))]).all()
    try await GreyThing.pages("../things2", by: .link, options: .allowing(.aboveBasePath)).all()
    #expect(try StubAdapter.current.requests.count == 2)
  }

  @Test func `the error says where it led and no secret`() async throws {
    let error = try await requestError { try await GreyThing.get("https://ada:hidden@evil.example/x?key=hidden") }
    #expect(error.description.contains("https://evil.example/x"))
    #expect(!"\(error)".contains("hidden"))
  }

  @Test func `known objects are not given for a resource at another origin`() async throws {
    #expect(throws: RequestError.self) { try GreyThing.cachedThenNetwork("https://evil.example/things") }
  }

  @Test(arguments: above + origins) @MainActor
  func `a live resource needs an allowance too`(_ resource: String) async throws {
    let query = GreyThing.where { $0.title != nil }
    let errors = [
      try await requestError { try LiveResource<GreyThing>(resource) },
      try await requestError { try LiveResource(query, loadedBy: resource) },
      try await requestError { try LiveResource<GreyThing>(resource, options: .allowing(.collection)) },
    ]
    #expect(errors.allSatisfy { $0.kind == .unsafeResource })
    let word: ResourceAllowance = Self.above.contains(resource) ? .aboveBasePath : .otherOrigins
    let things = try LiveResource<GreyThing>(resource, options: .allowing(word))
    #expect(try StubAdapter.current.requests.isEmpty)
    try await things.load()
    #expect(try StubAdapter.current.requests.count == 1)
  }

  @Test @MainActor func `a URL that the closure of a live resource sets is the caller's own`() throws {
    _ = try LiveResource<GreyThing>(modify: { $0.url = URL(string: "https://other.example/things") })
  }
}

extension GreyThing {
  static func verb(_ method: HTTPMethod, _ resource: String) async throws {
    switch method {
    case .get: try await get(resource)
    case .post: try await post(resource)
    case .put: try await put(resource)
    case .patch: try await patch(resource)
    case .delete: try await delete(resource)
    default: try await head(resource)
    }
  }
}

extension RequestEvents {
  /// Sends the request, and waits for the response.
  fileprivate func send() async throws { for try await _ in self {} }
}
