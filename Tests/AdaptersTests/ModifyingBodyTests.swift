import Adapters
import EntityRequests
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct ModifyingBodyTests {
  private let server: TestServer

  init() throws { server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n") }

  private func sent(
    _ body: RequestBody, _ modify: @escaping @Sendable (inout URLRequest) throws -> Void
  ) async throws -> [UInt8] {
    let adapter = CurlAdapter().modifying { try modify(&$0) }
    _ = try await adapter.send(request("POST", server.url()), body: body)
    let response = try await adapter.stream(request("POST", server.url()), body: body, progress: nil)
    #expect(response.status == 204)
    let bodies = server.requests.suffix(2).map(\.body)
    #expect(bodies.first == bodies.last)
    return bodies.first ?? []
  }

  @Test func `a body that is set replaces a body of each kind`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "modifying-\(UUID().uuidString)")
    try Data("file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bodies: [RequestBody] = [.none, .data(Data("old".utf8)), .file(file), stream([Data("x".utf8)], length: 1)]
    for body in bodies {
      let bytes = try await sent(body) { try $0.setJSON(["a": 1]) }
      #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":1}"#)
      #expect(server.requests.last?.values("Content-Type") == ["application/json"])
    }
  }

  @Test func `a file that is set becomes the body`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "modifying-\(UUID().uuidString)")
    try Data("file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let bytes = try await sent(.data(Data("old".utf8))) { try $0.setFile(file, contentType: "text/plain") }
    #expect(String(decoding: bytes, as: UTF8.self) == "file")
  }

  @Test func `the body is seen and can be taken away`() async throws {
    let seen = Log<Data?>()
    #expect(
      try await sent(.data(Data("old".utf8))) {
        seen.add($0.httpBody)
        $0.httpBody = nil
      }.isEmpty)
    #expect(seen.all == [Data("old".utf8), Data("old".utf8)])
    let kept = try await sent(.data(Data("old".utf8))) { $0.setValue("1", forHTTPHeaderField: "X-Other") }
    #expect(kept == Array("old".utf8))
    #expect(try await sent(stream([Data("ab".utf8)], length: 2)) { _ in } == Array("ab".utf8))
  }
}
