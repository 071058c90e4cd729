import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Headers that an entity type adds.
@Suite(.sample(headers: ["Authorization": "client", "X-App": "a", "Accept": "text/json"])) struct TypeHeaderTests {
  @Test func `the nearest header wins`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/headed", .status(204))
    let store = try EntityStore(.inMemory, entities: [Headed.self])
    try await Headed.get(in: store)
    try await Headed.get(in: store) { try $0.setHeaders(["Authorization": "request"]) }
    #expect(stub.requests.map { $0.headers["Authorization"] } == ["entity", "request"])
    #expect(stub.requests.allSatisfy { $0.headers["X-App"] == "a" })
    #expect(stub.requests.allSatisfy { $0.headers["X-Type"] == "t" })
    #expect(stub.requests.allSatisfy { $0.headers["Accept"] == "application/vnd.x+json" })
    #expect(try Headed.request(.get).value(forHTTPHeaderField: "X-Type") == "t")
  }

  @Test func `type headers stay at the origin of the collection`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/headed", .status(204)).on(.get, "/away", .status(204))
    let store = try EntityStore(.inMemory, entities: [Headed.self, Faraway.self])
    try await Headed.get("https://evil.example/away", in: store, options: .allowing(.otherOrigins))
    try await Headed.get(in: store) { $0.url = URL(string: "https://evil.example/away") }
    #expect(stub.requests.allSatisfy { $0.headers["Authorization"] == nil })
    #expect(stub.requests.allSatisfy { $0.headers["X-Type"] == nil })
    // An entity at another origin gets its own headers, and none of the client's.
    try await Faraway.get(in: store)
    try await Headed.get(in: store) { $0.url = URL(string: "https://other.example/away") }
    try await Faraway.get("https://api.example.com/headed", in: store) {
      $0.url = URL(string: "https://other.example/away")
    }
    #expect(stub.requests.suffix(3).map { $0.headers["Authorization"] } == ["elsewhere", nil, "elsewhere"])
    #expect(stub.requests.suffix(3).allSatisfy { $0.headers["X-App"] == nil })
  }

  @Test func `an addition to a default header leaves the default behind`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/away", .status(204))
    let store = try EntityStore(.inMemory, entities: [Headed.self])
    let elsewhere = URL(string: "https://evil.example/away")
    func sent(_ change: (inout URLRequest) throws -> Void) async throws -> HTTPHeaders {
      try await Headed.get(in: store) {
        try change(&$0)
        $0.url = elsewhere
      }
      return try #require(stub.requests.last).headers
    }
    let added = try await sent { try $0.addHeaders(["Authorization": "mine", "X-App": "b", "X-New": "n"]) }
    #expect(added["Authorization"] == "mine")
    #expect(added["X-App"] == "b")
    #expect(added["X-New"] == "n")
    #expect(added["X-Type"] == nil)
    let wrapped = try await sent { try $0.setHeaders(["Authorization": "old entity", "X-Type": "own"]) }
    #expect(wrapped["Authorization"] == nil)
    let twice = try await sent { try $0.addHeaders(["Authorization": "entity"]) }
    #expect(twice["Authorization"] == nil)
    let replaced = try await sent { try $0.setHeaders(["Authorization": "mine", "X-App": "b"]) }
    #expect(replaced["Authorization"] == "mine")
    #expect(replaced["X-App"] == "b")
    // The default is `a`: a word that merely has its letter is the caller's own.
    let longer = try await sent { try $0.setHeaders(["X-App": "app"]) }
    #expect(longer["X-App"] == "app")
    let within = try await sent { try $0.setHeaders(["X-App": "b;a"]) }
    #expect(within["X-App"] == nil)
    // A secret is found wherever it stands.
    let glued = try await sent { try $0.setHeaders(["Authorization": "entity2"]) }
    #expect(glued["Authorization"] == nil)
  }

  @Test func `an invalid header is refused`() async throws {
    let store = try EntityStore(.inMemory, entities: [Malformed.self])
    #expect(try await requestError { try await Malformed.get(in: store) }.kind == .invalidRequest)
    #expect(try StubAdapter.current.requests.isEmpty)
  }
}

@Entity final class Headed: RemoteEntity {
  static var basePath: String { "headed" }
  static var headers: HTTPHeaders {
    ["authorization": "entity", "X-Type": "t", "Accept": "application/vnd.x+json"]
  }
}

@Entity final class Faraway: RemoteEntity {
  static var basePath: String { "https://other.example/away" }
  static var headers: HTTPHeaders { ["Authorization": "elsewhere"] }
}

@Entity final class Malformed: RemoteEntity {
  static var basePath: String { "malformed" }
  static var headers: HTTPHeaders { ["X-A": "a\nb"] }
}
