import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

@Entity final class HeronUID: RemoteEntity {
  @UID @Key("id") var uid: String
  var title: String?

  static var basePath: String { "herons" }
}

@Entity final class FinchUID: RemoteEntity {
  @UID @Key("id") var uid: UUID

  static var basePath: String { "finches/" }
}

/// Verbs that name an object by its uid.
@Suite(.client(entities: [HeronUID.self, FinchUID.self], baseURL: "https://api.example.com/v1"))
struct UIDVerbTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  @Test(arguments: [
    ("5", "/v1/herons/5"), ("5/a", "/v1/herons/5%2Fa"), ("#5", "/v1/herons/%235"), ("?x=1", "/v1/herons/%3Fx%3D1"),
    ("//evil.example/x", "/v1/herons/%2F%2Fevil.example%2Fx"), ("%2e%2e", "/v1/herons/%252e%252e"),
    ("https://evil.example", "/v1/herons/https%3A%2F%2Fevil.example"), (" a\r\nb", "/v1/herons/%20a%0D%0Ab"),
    ("...", "/v1/herons/..."), ("日", "/v1/herons/%E6%97%A5"),
  ])
  func `no character of a uid has a meaning in the URL`(_ uid: String, _ path: String) async throws {
    for method in [HTTPMethod.get, .put, .patch, .delete, .head] {
      try stub.on(method, "/**", method == .delete || method == .head ? .status(204) : .json(["id": JSONValue(uid)]))
    }
    try await HeronUID.get(uid: uid)
    try await HeronUID.sending(.head, uid: uid).send()
    try await HeronUID.sending(.put, uid: uid).modifying { try $0.setJSON(["title": "a"]) }.send()
    try await HeronUID.patch(uid: uid) { try $0.setJSON(["title": "a"]) }
    try await HeronUID.delete(uid: uid)
    let requests = try stub.requests
    #expect(requests.map(\.method) == [.get, .head, .put, .patch, .delete])
    #expect(requests.allSatisfy { $0.url.absoluteString == "https://api.example.com" + path })
  }

  @Test(arguments: [
    ("", RequestError.Kind.missingUID), (".", .invalidRequest), ("..", .invalidRequest),
    ("5/..", .invalidRequest), ("../x", .invalidRequest), ("5\\..", .invalidRequest), ("5/..;a", .invalidRequest),
  ])
  func `a uid that names no object sends nothing`(_ uid: String, _ kind: RequestError.Kind) async throws {
    #expect(try await requestError { try await HeronUID.get(uid: uid) }.kind == kind)
    #expect(try await requestError { try await HeronUID.sending(.head, uid: uid).send() }.kind == kind)
    #expect(try await requestError { try await HeronUID.sending(.put, uid: uid).send() }.kind == kind)
    #expect(try await requestError { try await HeronUID.patch(uid: uid) }.kind == kind)
    #expect(try await requestError { try await HeronUID.delete(uid: uid) }.kind == kind)
    #expect(try await requestError { try HeronUID.request(.delete, uid: uid) }.kind == kind)
    #expect(try await requestError { try HeronUID.resource(uid: uid, "wings") }.kind == kind)
    #expect(try stub.requests.isEmpty)
  }

  @Test func `a deletion by uid deletes the row of that uid alone`() async throws {
    try await HeronUID.upsert(from: [["id": "5"], ["id": "5/a"]])
    try stub.on(.delete, "/v1/herons/*", .status(204))
    #expect(try await HeronUID.delete(uid: "5/a").counts.deleted == 1)
    let left = try await Client.current.store.read { try $0.fetch(HeronUID.all).map(\.uid) }
    #expect(left == ["5"])
    try stub.on(.delete, "/v1/herons/*", .status(404))
    #expect(try await requestError { try await HeronUID.delete(uid: "5") }.status == 404)
    #expect(try await HeronUID.delete(uid: "5", deletesOn404: true).counts.deleted == 1)
  }

  @Test func `a uid of each type is written as the URL of its object has it`() async throws {
    let uid = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
    let url = "https://api.example.com/v1/finches/6ba7b810-9dad-11d1-80b4-00c04fd430c8/"
    #expect(try FinchUID.request(.get, uid: uid).url?.absoluteString == url)
    try await FinchUID.upsert(from: [["id": JSONValue(uid.uuidString)]])
    try await MainActor.run {
      let finch = try #require(try Client.current.store.main.fetch(FinchUID.self, uid: uid))
      #expect(try finch.request(.get).url?.absoluteString == url)
    }
    #expect(try HeronUID.resource(uid: UInt64.max).hasSuffix("/herons/18446744073709551615"))
    #expect(try HeronUID.resource(uid: -1).hasSuffix("/herons/-1"))
  }

  @Test func `a resource below an object is encoded segment by segment`() async throws {
    #expect(try FinchUID.resource(uid: 7, "a/b", "#") == "https://api.example.com/v1/finches/7/a%2Fb/%23/")
    #expect(try await requestError { try FinchUID.resource(uid: 7, "..") }.kind == .invalidRequest)
    #expect(try await requestError { try FinchUID.resource(uid: 7, "") }.kind == .invalidRequest)
    try stub.on(.delete, "/v1/herons/7/wings", .status(204))
    #expect(try await HeronUID.delete(HeronUID.resource(uid: 7, "wings")).counts.deleted == 0)
    try await Client.current.delete(HeronUID.resource(uid: 7, "wings"))
  }

  @Test func `a type of the project may be a uid of several segments`() throws {
    struct Pair: ResourceUID {
      let texts: [String]
      func uidSegments(of entity: any RemoteEntity.Type) -> [String] { texts }
    }
    #expect(try HeronUID.resource(uid: Pair(texts: ["a/", "b"])).hasSuffix("/herons/a%2F/b"))
    #expect(throws: RequestError.self) { try HeronUID.resource(uid: Pair(texts: [])) }
    #expect(throws: RequestError.self) { try HeronUID.resource(uid: Pair(texts: ["a", ".."])) }
  }

  @Test func `a text as a path segment is encoded`() throws {
    #expect(try String(pathSegment: "a/b#c?d %é") == "a%2Fb%23c%3Fd%20%25%C3%A9")
    for text in ["", ".", "..", "a/..", "..\\a"] {
      #expect(throws: RequestError.self) { try String(pathSegment: text) }
    }
  }

  @Test func `a uid names its object as the entity and the client say`() async throws {
    let client = try Client(adapter: StubAdapter(), baseURL: "https://h", trailingSlash: .always)
    let url = try Client.withClient(client) {
      try HeronUID.request(.get, uid: 7, query: ["a": 1]).url?.absoluteString
    }
    #expect(url == "https://h/herons/7/?a=1")
  }
}
