import AdapterDecorators
import EntityRequests
import EntityTesting
import Foundation
import Testing

/// A decorator takes its server as a client takes its base URL: as a URL or as a text.
@Suite struct ServerTextTests {
  private func sent(_ adapter: some RequestAdapter, _ stub: StubAdapter, _ name: String) async throws -> [String?] {
    for server in ["https://api.example.com/a", "https://other.example/a"] {
      let client = try Client(adapter: adapter, baseURL: server)
      _ = try await client.get("b")
    }
    return stub.requests.map { $0.headers[name] }
  }

  @Test func `a decorator takes its server as a text too`() async throws {
    func stub() -> StubAdapter { StubAdapter().on(.get, "/**", .text("[]")) }
    let one = stub()
    let modifying = try one.modifying(requestsTo: "https://api.example.com") { try $0.setHeaders(["X-A": "1"]) }
    #expect(try await sent(modifying, one, "X-A") == ["1", nil])
    let two = stub()
    let bearer = two.authenticated(by: try .bearer("abc", at: "https://api.example.com/"))
    #expect(try await sent(bearer, two, "Authorization") == ["Bearer abc", nil])
    let three = stub()
    let signing = three.signed(by: try RequestSigner(keyID: "k", key: Data("k".utf8), at: "https://api.example.com/"))
    #expect(try await sent(signing, three, "Signature").map { $0 != nil } == [true, false])
  }

  @Test(arguments: ["api.example.com", "", "ftp://api.example.com", "https://"])
  func `a text that names no server is refused`(_ text: String) {
    for make in [
      { _ = try StubAdapter().modifying(requestsTo: text) { _ in } },
      { _ = try Authentication.bearer("a", at: text) },
      { _ = try Authentication.basic(user: "a", password: "b", at: text) },
      { _ = try Authentication.bearer(at: text, token: { nil }, refresh: { _ in }) },
    ] as [() throws -> Void] {
      let error = #expect(throws: RequestError.self) { try make() }
      #expect(error?.kind == .invalidRequest)
    }
  }
}
