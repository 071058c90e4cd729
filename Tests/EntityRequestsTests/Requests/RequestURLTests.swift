import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

/// Where requests go.
@Suite struct RequestURLTests {
  private func url(
    _ resource: String? = nil, base: String = "https://api.example.com/", query: QueryParameters = [:]
  ) throws -> String {
    try Self.client(base) {
      try #require(User.request(.get, resource, query: query, allowing: [.aboveBasePath, .otherOrigins]).url)
        .absoluteString
    }
  }

  static func client<R>(
    _ base: String, headers: HTTPHeaders = [:], _ body: () throws -> R
  ) throws -> R {
    let store = try EntityStore(.inMemory, entities: sampleEntities + [Specimen.self])
    return try Client.withClient(
      try Client(adapter: StubAdapter(), store: store, baseURL: base, headers: headers), operation: body)
  }

  @Test(arguments: [
    ("https://api.example.com", "https://api.example.com/users"),
    ("https://api.example.com/", "https://api.example.com/users"),
    ("https://api.example.com/v1", "https://api.example.com/v1/users"),
    ("https://api.example.com/v1/", "https://api.example.com/v1/users"),
    ("http://localhost:8080/a/b//", "http://localhost:8080/a/b/users"),
    ("http://[::1]:8080", "http://[::1]:8080/users"),
  ])
  func `the base URL keeps its path`(_ base: String, _ expected: String) throws {
    #expect(try url(base: base) == expected)
  }

  @Test(arguments: [
    ("42", "https://h/v1/users/42"),
    ("42/", "https://h/v1/users/42/"),
    ("42/friends", "https://h/v1/users/42/friends"),
    ("", "https://h/v1/users"),
    ("./", "https://h/v1/users/"),
    (".", "https://h/v1/users/"),
    ("../posts", "https://h/v1/posts"),
    ("../../../../posts", "https://h/posts"),
    ("a/./b/../c", "https://h/v1/users/a/c"),
    ("/status", "https://h/status"),
    ("/", "https://h/"),
    ("//other/x", "https://other/x"),
    ("http://other:81/x?y=1", "http://other:81/x?y=1"),
    ("https://other", "https://other"),
    ("?page=2", "https://h/v1/users?page=2"),
    ("42#part", "https://h/v1/users/42"),
    ("#part", "https://h/v1/users"),
    ("müller", "https://h/v1/users/m%C3%BCller"),
    ("日本/🎉", "https://h/v1/users/%E6%97%A5%E6%9C%AC/%F0%9F%8E%89"),
    ("a b", "https://h/v1/users/a%20b"),
    ("a%20b", "https://h/v1/users/a%20b"),
    ("a%2Fb", "https://h/v1/users/a%2Fb"),
    ("100%", "https://h/v1/users/100%25"),
    ("100%zz", "https://h/v1/users/100%25zz"),
    ("user:ada", "https://h/v1/users/user:ada"),
    ("a\\b|c^d\"<>", "https://h/v1/users/a%5Cb%7Cc%5Ed%22%3C%3E"),
    ("a\r\nb\0", "https://h/v1/users/a%0D%0Ab%00"),
    ("x?q=a b&r=%26", "https://h/v1/users/x?q=a%20b&r=%26"),
  ])
  func `a resource is relative to the base path`(_ resource: String, _ expected: String) throws {
    #expect(try url(resource, base: "https://h/v1") == expected)
  }

  @Test func `queries are added to the query that is there`() throws {
    #expect(try url("42?a=1", query: ["b": 2]) == "https://api.example.com/users/42?a=1&b=2")
    #expect(try url("?", query: ["b": 2]) == "https://api.example.com/users?b=2")
    #expect(try url(query: [:]) == "https://api.example.com/users")
  }

  @Test func `the query of the base path stays`() throws {
    let urls = try Self.client("https://h") {
      try [Keyed.request(.get), Keyed.request(.get, "7", query: ["page": 1]), Keyed.request(.get, "/x")].map {
        $0.url?.absoluteString
      }
    }
    #expect(urls == ["https://h/keyed/?key=1", "https://h/keyed/7?key=1&page=1", "https://h/x"])
  }

  @Test func `an absolute base path needs no client`() throws {
    #expect(try Elsewhere.request(.get, "7").url?.absoluteString == "https://elsewhere.example/api/7")
    #expect(try Elsewhere.request(.get, "/7").url?.absoluteString == "https://elsewhere.example/7")
  }

  @Test(arguments: ["ftp://h/x", "https://", "https:///x", "https://ho st/", "https://h:port/", "https://[::1/"])
  func `a text that is no URL is refused`(_ resource: String) async throws {
    let error = try await requestError { try url(resource) }
    #expect(error.kind == .invalidRequest)
  }

  @Test(arguments: [
    "", "api.example.com", "/v1", "ftp://h", "https://", "https://h?x=1", "https://h/#f", "https://h/a?\u{301}k=v",
    "file:///x",
  ])
  func `a base URL must be absolute`(_ base: String) async throws {
    let error = try await requestError { try url(base: base) }
    #expect(error.kind == .invalidRequest)
  }

  @Test(arguments: ["ftp://bot:se/cret@h/", "ftp://bot:se?cret@h/", "ftp://bot:se#cret@h/", "ftp://bot:cret"])
  func `a password that ends the authority is not in the error`(_ base: String) async throws {
    let error = try await requestError { try url(base: base) }
    #expect(!error.description.contains("cret"))
  }

  @Test func `secrets of a refused URL are not in the error`() async throws {
    let error = try await requestError { try url("ftp://ada:secret@h/x?token=hidden") }
    #expect(!error.description.contains("secret"))
    #expect(!error.description.contains("hidden"))
  }

  @Test(arguments: [
    ("https://h/a", "https://h/b?c", true), ("https://h?a", "https://h#b", true),
    ("https://h", "HTTPS://H:443/a", true),
    ("http://[::1]/", "http://[::1]:80", true), ("https://u:p@h/", "https://h/", true),
    ("https://h/", "http://h/", false), ("https://h/", "https://h:444/", false), ("https://h/", "https://hh/", false),
    ("https://h/", "https://h@evil/", false), ("https://h/", "https://h.evil/", false),
    ("https://h/", "mailto:h", false),
  ])
  func `an origin is scheme, host and port`(_ url: String, _ other: String, _ isSame: Bool) throws {
    let (url, other) = (try #require(URL(string: url)), try #require(URL(string: other)))
    #expect(url.hasSameOrigin(as: other) == isSame)
    #expect(other.hasSameOrigin(as: url) == isSame)
  }

  // MARK: Objects

  @Test(.sample) @MainActor func `an object is at its uid`() throws {
    let context = try Client.current.store.main
    let user = try context.insert(User.self)
    user.uid = 42
    #expect(try user.request(.put).url?.absoluteString == "https://api.example.com/users/42")
    #expect(try user.request(.get, query: ["a": 1]).url?.absoluteString == "https://api.example.com/users/42?a=1")
    #expect(try user.request(.post).url?.absoluteString == "https://api.example.com/users")
    #expect(try user.request(.patch, "x").url?.absoluteString == "https://api.example.com/users/x")
    #expect(try user.request(.get, "").url?.absoluteString == "https://api.example.com/users/42")
  }

  @Test(
    .sample,
    arguments: [
      ("a/b?c#d", "a%2Fb%3Fc%23d"), ("a b", "a%20b"), ("é+%", "%C3%A9%2B%25"), ("a%2Fb", "a%252Fb"), ("...", "..."),
    ])
  @MainActor func `a uid is one segment`(_ uid: String, _ segment: String) throws {
    let specimen = try Client.current.store.main.insert(Specimen.self)
    specimen.uid = uid
    #expect(try specimen.request(.get).url?.absoluteString == "https://api.example.com/specimens/\(segment)")
  }

  @Test(.sample) @MainActor func `without a uid there is no URL`() async throws {
    let user = try Client.current.store.main.insert(User.self)
    for method in [HTTPMethod.get, .head, .put, .patch, .delete] {
      let error = try await requestError { try user.request(method) }
      #expect(error.kind == .missingUID)
    }
    #expect(try user.request(.put, "7").url?.path == "/users/7")
    let specimen = try Client.current.store.main.insert(Specimen.self)
    specimen.uid = ""
    #expect(try await requestError { try specimen.request(.delete) }.kind == .missingUID)
    // These would be another resource: the collection, or the folder that holds it.
    for uid in [".", ".."] {
      specimen.uid = uid
      #expect(try await requestError { try specimen.request(.delete) }.kind == .invalidRequest)
    }
  }

  // MARK: Headers

  @Test(arguments: [
    ("42", true), ("HTTPS://API.example.com:443/next", true), ("http://api.example.com/x", false),
    ("https://api.example.com:444/x", false), ("https://api.example.com.evil.net/x", false),
    ("//evil.net/x", false), ("https://api.example.com@evil.net/x", false),
  ])
  func `default headers go to the same origin only`(_ resource: String, _ isSent: Bool) throws {
    try Self.client("https://api.example.com/v1", headers: ["Authorization": "Bearer x"]) {
      let request = try User.request(.get, resource, allowing: .otherOrigins)
      #expect((request.value(forHTTPHeaderField: "Authorization") == "Bearer x") == isSent)
      #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
    }
  }

  @Test func `the client's Accept header wins`() throws {
    let accept = try Self.client("https://h", headers: ["accept": "application/vnd.api+json"]) {
      try User.request(.get).value(forHTTPHeaderField: "Accept")
    }
    #expect(accept == "application/vnd.api+json")
  }
}

@Entity private final class Keyed: RemoteEntity {
  static var basePath: String { "keyed/?key=1" }
}

@Entity private final class Elsewhere: RemoteEntity {
  static var basePath: String { "https://elsewhere.example/api/" }
}
