import EntityClient
import EntityTesting
import Testing
import HTTPFoundation

/// Recordings whose requests had secrets, whose adapter failed, or which others wrote.
@Suite final class RecordingReplayTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "replay-\(UUID().uuidString)")
  private var file: String { folder.appending(path: "Tests.swift").path }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func use(
    _ stub: (any RequestAdapter)?, _ order: RecordingAdapter.Order = .strict, _ run: (Client) async throws -> Void
  ) async throws {
    let mode: RecordingAdapter.Mode = stub == nil ? .replay : .record
    try await RecordingAdapter.use("sync", around: stub, mode: mode, order: order, file: file) { adapter in
      try await run(try Client(adapter: adapter, baseURL: "https://api.example.com/"))
    }
  }

  private func write(_ entries: String) throws {
    try FileManager.default.createDirectory(
      at: folder.appending(path: "Recordings"), withIntermediateDirectories: true)
    try Data(#"{"log":{"entries":[\#(entries)]}}"#.utf8).write(to: folder.appending(path: "Recordings/sync.har"))
  }

  @Test func `a request with a secret of its answer is replayed`() async throws {
    let stub = StubAdapter()
    stub.on(.get, "/sessions/**", .json(["token": "abcdefgh1234"])).on(.put, "/a", .status(204))
    func run(_ client: Client) async throws {
      try await client.get("sessions/abcdefgh1234")
      try await client.sending(.put, "a")
        .modifying { $0.httpBody = Data(#"{"b":"Ada: abcdefgh1234!","a":[1]}"#.utf8) }.send()
    }
    try await use(stub, .strict, run)
    let text = try String(contentsOf: folder.appending(path: "Recordings/sync.har"), encoding: .utf8)
    #expect(!text.contains("abcdefgh1234"))
    try await use(nil, .strict, run)
  }

  #if compiler(>=6.3)
    @Test func `a recording warns of the bodies that it has by their size alone`() async throws {
      let stub = StubAdapter()
      let broken = HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Data([0x7B, 0xFF]))
      stub.on(.get, "/a", .respond { _ in broken }).on(.get, "/b", .json([1]))
      func record(_ paths: String...) async throws {
        try await RecordingAdapter.use("sync", around: stub, mode: .record, file: file) { adapter in
          for path in paths {
            let request = URLRequest(url: try #require(URL(string: "https://api.example.com/\(path)")))
            _ = try await adapter.send(request, body: .none, progress: nil)
          }
        }
      }
      try await withKnownIssue {
        try await record("a", "b", "a")
      } matching: { issue in
        issue.severity == .warning && "\(issue)".contains("2 bodies")
          && "\(issue)".contains("GET https://api.example.com/a; GET https://api.example.com/a")
      }
      try await record("b")
    }

    @Test func `a recording warns of the parts of forms that it has by their size alone`() async throws {
      let stub = StubAdapter()
      stub.on(.post, "/a", .status(204))
      func record(_ json: [UInt8]) async throws {
        try await RecordingAdapter.use("sync", around: stub, mode: .record, file: file) { adapter in
          var request = URLRequest(url: try #require(URL(string: "https://api.example.com/a")))
          request.httpMethod = "POST"
          request.setValue("multipart/form-data; boundary=xyz", forHTTPHeaderField: "Content-Type")
          let head = "--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json\r\n\r\n"
          let body = Data(head.utf8) + Data(json) + Data("\r\n--xyz--\r\n".utf8)
          _ = try await adapter.send(request, body: .data(body), progress: nil)
        }
      }
      try await withKnownIssue {
        try await record([0x7B, 0xFF])
      } matching: { issue in
        issue.severity == .warning && "\(issue)".contains("1 body")
          && "\(issue)".contains("POST https://api.example.com/a")
      }
      try await record(Array("{}".utf8))
    }
  #endif

  /// A mark is not for several segments or parameters, and what stands around it counts.
  @Test(arguments: ["u/x/y?q=z", "u/x", "v/x?q=z", "u/x?q=z&page=1", "u/x?r=z"])
  func `a request other than the marked request fails the test`(_ path: String) async throws {
    func entry(_ url: String) -> String {
      #"{"request":{"method":"GET","url":"https://api.example.com/\#(url)","headers":[]},"#
        + #""response":{"status":204,"headers":[]}}"#
    }
    try write(entry("u/REDACTED?q=REDACTED"))
    try await use(nil) { try await $0.get("u/x?q=z") }
    await withKnownIssue { try await self.use(nil) { try await $0.get(path) } }
  }

  @Test func `in any order, the request without a mark is taken first`() async throws {
    func entry(_ path: String, _ status: Int) -> String {
      #"{"request":{"method":"GET","url":"https://api.example.com/\#(path)","headers":[]},"#
        + #""response":{"status":\#(status),"headers":[]}}"#
    }
    try write("\(entry("u/REDACTED", 204)),\(entry("u/5", 202))")
    try await use(nil, .any) { client async throws in
      #expect(try await client.get("u/5").status == 202)
      #expect(try await client.get("u/x").status == 204)
    }
  }

  @Test func `the archive of another program is compared without its secrets`() async throws {
    try write(
      #"{"request":{"method":"POST","url":"https://api.example.com/a?token=theirs-1","headers":[],"#
        + #""postData":{"mimeType":"application/json","text":"{\"password\":\"theirs-2\"}"}},"#
        + #""response":{"status":204,"headers":[]}}"#)
    try await use(nil) { client in
      try await client.post("a?token=mine-1") { $0.httpBody = Data(#"{"password":"mine-2"}"#.utf8) }
    }
  }

  @Test(arguments: [#"{"size":3,"mimeType":"a/b"}"#, #"{"size":3,"mimeType":"a/b","encoding":"base64","text":"W=="}"#])
  func `a recorded body content that an archive cannot have is an error`(_ content: String) throws {
    try write(
      #"{"request":{"method":"GET","url":"https://api.example.com/a","headers":[]},"#
        + #""response":{"status":200,"headers":[],"content":\#(content)}}"#)
    #expect(throws: RecordingError.self) { try RecordingAdapter("sync", mode: .replay, file: file) }
  }

  @Test func `the body of a recorded request is written as the format has it`() async throws {
    func run(_ client: Client) async throws {
      try await client.post("a") { $0.httpBody = Data([0, 255, 1]) }
    }
    try await use(StubAdapter().on(.post, "/a", .status(204)), .strict, run)
    let har = try JSONValue(parsing: Data(contentsOf: folder.appending(path: "Recordings/sync.har")))
    let body = har["log.entries"]?.array?[0]?["request.postData"]?.object
    #expect(body?.keys.sorted() == ["_encoding", "mimeType", "text"])
    try await use(nil, .strict, run)
  }

  @Test func `an error that is not the transport's is recorded as a transport error`() async throws {
    let failing = FailingAdapter { UnknownFailure(secret: "hidden-one") }
    try await use(failing) { client in
      let error = try await requestError { try await client.get("a") }
      #expect(error.underlying is UnknownFailure)
    }
    try await use(nil) { client in
      let error = try await requestError { try await client.get("a") }
      #expect((error.underlying as? TransportError)?.kind == .other)
      #expect((error.underlying as? TransportError)?.message.contains("hidden") == false)
    }
  }

  @Test func `a request that was cancelled is not recorded`() async throws {
    try await use(FailingAdapter { CancellationError() }) { client in _ = try? await client.get("a") }
    try await use(nil) { _ in }
  }
}

private struct UnknownFailure: Error { let secret: String }

private struct FailingAdapter: RequestAdapter {
  let error: @Sendable () -> any Error

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    throw error()
  }
}
