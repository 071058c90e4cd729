import EntityClient
import EntityTesting
import SampleSchema
import Synchronization
import Testing
import HTTPFoundation

/// Recordings of exchanges, in a folder of the test's own.
@Suite(.sample) final class RecordingTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "recording-\(UUID().uuidString)")
  /// The test's file, as recordings see it.
  private var file: String { folder.appending(path: "Tests.swift").path }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func har(_ name: String = "sync") throws -> String {
    try String(contentsOf: folder.appending(path: "Recordings/\(name).har"), encoding: .utf8)
  }

  private func record(_ body: (RecordingAdapter) async throws -> Void) async throws {
    try await RecordingAdapter.use("sync", around: StubAdapter.current, mode: .record, file: file, body)
  }

  private func replay(
    _ order: RecordingAdapter.Order = .strict, _ body: (RecordingAdapter) async throws -> Void
  ) async throws {
    try await RecordingAdapter.use("sync", mode: .replay, order: order, file: file, body)
  }

  private func client(_ adapter: RecordingAdapter) throws -> Client {
    try Client(adapter: adapter, store: Client.current.store, baseURL: "https://api.example.com/")
  }

  /// The issues that a test makes.
  private func issuesMade(_ body: () async throws -> Void) async -> [String] {
    let found = Mutex<[String]>([])
    try? await withKnownIssue(isIntermittent: true) {
      try await body()
    } matching: { issue in
      found.withLock { $0.append(issue.error.map { "\($0)" } ?? "\(issue)") }
      return true
    }
    return found.withLock { $0 }
  }

  @Test func `a replay gives what was recorded without a network`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users", .json([["id": 1, "email": "a"]], headers: ["ETag": "\"x\""]))
    stub.on(.post, "/users", .data(Data([0, 255, 1]), status: 201, contentType: "image/png"))
    stub.on(.get, "/users/9", .failure(.timeout, "too late", mayHaveBeenProcessed: true))
    func run(_ adapter: RecordingAdapter) async throws {
      let client = try client(adapter)
      let list = try await client.get("users")
      #expect(list.json?.array?[0]?["id"] == 1)
      #expect(list.headers["ETag"] == "\"x\"" && list.status == 200)
      #expect(list.url?.absoluteString == "https://api.example.com/users")
      var post = try client.request(.post, "users")
      try post.setJSON(["email": "b", "age": 1])
      #expect(try await client.send(post).body == Data([0, 255, 1]))
      let error = try await requestError { try await client.get("users/9") }
      #expect((error.underlying as? TransportError)?.kind == .timeout)
      #expect((error.underlying as? TransportError)?.mayHaveBeenProcessed == true)
    }
    try await record { try await run($0) }
    #expect(stub.requests.count == 3)
    try await replay { try await run($0) }
    #expect(stub.requests.count == 3)
    let first = try har()
    #expect(try JSONValue(parsing: Data(first.utf8))["log.version"] == "1.2")
    // The same exchange again is the same file.
    try await record { try await run($0) }
    #expect(try har() == first)
  }

  @Test func `a recording is used as its article says`() async throws {
    let server = try StubAdapter.current
    server.on(.get, "/users", .json([["id": 1]]))
    try await record { _ = try await client($0).get("users") }
    try await RecordingAdapter.use("sync", around: server, file: file) { recording in
      let client = try Client(adapter: recording, baseURL: "https://api.example.com/")
      #expect(try await client.get("users").json?.array?.count == 1)
    }
    #expect(server.requests.count == 1)
  }

  @Test func `equal requests get their answers in order`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/users/1", .status(202).times(2), .json(["id": 1]))
    func poll(_ adapter: RecordingAdapter) async throws -> [Int] {
      let client = try client(adapter)
      var statuses: [Int] = []
      for _ in 0..<3 { statuses.append(try await client.get("users/1").status) }
      return statuses
    }
    try await record { adapter in
      let statuses = try await poll(adapter)
      #expect(statuses == [202, 202, 200])
    }
    try await replay { adapter in
      let statuses = try await poll(adapter)
      #expect(statuses == [202, 202, 200])
    }
  }

  @Test func `a request other than the next recorded request fails the test`() async throws {
    try StubAdapter.current.on(.get, "/**", .json([]))
    try await record { adapter in
      let client = try client(adapter)
      try await client.get("users", query: ["page": 1])
      try await client.get("posts")
    }
    let issues = await issuesMade {
      try await replay { adapter in
        let client = try client(adapter)
        #expect(try await requestError { try await client.get("posts") }.kind == .transport)
        _ = try await requestError { try await client.get("posts/7") }
      }
    }
    #expect(
      issues == [
        "Unrecorded request: GET https://api.example.com/posts. The next of the recording is number 1, GET "
          + "https://api.example.com/users?page=1: the URL is https://api.example.com/posts, and not "
          + "https://api.example.com/users?page=1."
      ])
  }

  @Test func `in any order, all recorded requests must come and no more`() async throws {
    try StubAdapter.current.on(.get, "/**", .json([]))
    try await record { adapter in
      let client = try client(adapter)
      for path in ["a", "b", "b"] { try await client.get(path) }
    }
    try await replay(.any) { adapter in
      let client = try client(adapter)
      for path in ["b", "a", "b"] { try await client.get(path) }
    }
    let issues = await issuesMade {
      try await replay(.any) { adapter in
        let client = try client(adapter)
        for path in ["a", "a"] { _ = try? await client.get(path) }
      }
    }
    #expect(issues.count == 1 && issues[0].hasPrefix("Unrecorded request: GET https://api.example.com/a."))
  }

  @Test func `a recorded request that was not used fails the test`() async throws {
    try StubAdapter.current.on(.get, "/**", .json([]))
    try await record { adapter in
      let client = try client(adapter)
      for path in ["a", "b", "c"] { try await client.get(path) }
    }
    let issues = await issuesMade { try await replay { _ = try await client($0).get("a") } }
    #expect(
      issues == [
        "2 of the recording were not used: number 2, GET https://api.example.com/b; number 3, GET https://api.example.com/c"
      ])
    let more = await issuesMade {
      try await replay { adapter in
        for path in ["a", "b", "c", "d"] { _ = try? await client(adapter).get(path) }
      }
    }
    #expect(more == ["Unrecorded request: GET https://api.example.com/d. The recording has no more."])
  }

  @Test func `bodies are compared as JSON else byte for byte`() async throws {
    try StubAdapter.current.on(.put, "/a", .status(204))
    func put(_ adapter: RecordingAdapter, _ text: String) async throws {
      try await client(adapter).sending(.put, "a").modifying { $0.httpBody = Data(text.utf8) }.send()
    }
    try await record { try await put($0, #"{"a": 1, "b": [2]}"#) }
    try await replay { try await put($0, #"{"b":[2],"a":1}"#) }
    let issues = await issuesMade { try await replay { try await put($0, #"{"b":[3],"a":1}"#) } }
    #expect(issues.first?.contains(#"the body is '{"b":[3],"a":1}', and not '{"a": 1, "b": [2]}'"#) == true)
  }

  @Test func `a form with files is the same with another boundary`() async throws {
    try StubAdapter.current.on(.post, "/a", .status(204))
    func post(_ adapter: RecordingAdapter) async throws {
      try await client(adapter).post("a") {
        try $0.setMultipart(
          ["title": "Oslo"], [.data("photo", Data([0, 255]), filename: "a.png", contentType: "image/png")])
      }
    }
    try await record { try await post($0) }
    try await replay { try await post($0) }
  }

  @Test func `a recording that is not there says how to make it`() async throws {
    let error = #expect(throws: RecordingError.self) { try RecordingAdapter("none", mode: .replay, file: file) }
    #expect(error?.description.contains("ENTITYCLIENT_RECORD=none") == true)
    #expect(throws: RecordingError.self) { try RecordingAdapter("none", mode: .record, file: file) }
  }

  @Test func `a test that fails leaves the recording as it was`() async throws {
    try StubAdapter.current.on(.get, "/**", .json([]))
    try await record { _ = try await client($0).get("a") }
    let before = try har()
    await #expect(throws: CancellationError.self) {
      try await record { adapter in
        try await client(adapter).get("b")
        throw CancellationError()
      }
    }
    #expect(try har() == before)
    // An unused interaction is not told in place of the error.
    await #expect(throws: CancellationError.self) { try await replay { _ in throw CancellationError() } }
  }

  @Test func `metrics are recorded as timings and replayed`() async throws {
    var new = TransferMetrics()
    (new.waiting, new.nameResolution, new.connection) = (.milliseconds(1), .milliseconds(2), .milliseconds(3))
    (new.tls, new.firstByte, new.total) = (.milliseconds(4), .milliseconds(20), .milliseconds(25))
    (new.bytesSent, new.bytesReceived) = (100, 200)
    (new.isConnectionReused, new.httpVersion) = (false, "HTTP/2")
    var kept = TransferMetrics()
    (kept.waiting, kept.firstByte, kept.total) = (.zero, .microseconds(1_234), .microseconds(5_678))
    (kept.isConnectionReused, kept.httpVersion) = (true, "HTTP/1.1")
    var late = TransferMetrics()
    (late.waiting, late.connection, late.total) = (.zero, .milliseconds(1), .seconds(60))
    late.isConnectionReused = false
    let stub = try StubAdapter.current
    stub.on(.get, "/new", .respond { [new] _ in HTTPResponse(status: 200, metrics: new) })
    stub.on(.get, "/kept", .respond { [kept] _ in HTTPResponse(status: 200, metrics: kept) })
    stub.on(.get, "/late", .error(TransportError(.timeout, "late", mayHaveBeenProcessed: true, metrics: late)))
    func run(_ adapter: RecordingAdapter) async throws {
      let client = try client(adapter)
      #expect(try await client.send(client.request(.get, "new")).metrics == new)
      #expect(try await client.send(client.request(.get, "kept")).metrics == kept)
      let error = try await requestError { try await client.get("late") }
      #expect((error.underlying as? TransportError)?.metrics == late)
    }
    try await record { try await run($0) }
    let entry = try #require(try JSONValue(parsing: Data(try har().utf8))["log.entries"]?.array?[0])
    #expect(
      entry["timings"]
        == ["blocked": 1, "dns": 2, "connect": 7, "ssl": 4, "send": 0, "wait": 10, "receive": 5])
    #expect(entry["time"] == 25)
    try await replay { try await run($0) }
  }

  @Test func `an archive of a browser is replayed`() async throws {
    let text = """
      {"log": {"version": "1.2", "creator": {"name": "Browser", "version": "1", "comment": ""}, "pages": [], "entries": [
        {"startedDateTime": "2026-05-01T00:00:00Z", "time": 3, "timings": {"send": 0, "wait": 1, "receive": 2, "ssl": -1},
         "request": {"method": "GET", "url": "https://api.example.com/a", "httpVersion": "h2", "cookies": [],
           "headers": [{"name": ":authority", "value": "api.example.com"}], "queryString": [], "headersSize": 1, "bodySize": 0},
         "response": {"status": 200, "statusText": "OK", "httpVersion": "h2", "cookies": [], "headers": [],
           "content": {"size": 2, "mimeType": "application/json", "text": "W10=", "encoding": "base64"},
           "redirectURL": "", "headersSize": 1, "bodySize": 2}, "cache": {}, "connection": "443"},
        {"request": {"method": "GET", "url": "https://api.example.com/b", "headers": []},
         "response": {"status": 0, "headers": [], "_error": "net::ERR_CONNECTION_REFUSED"}}]}}
      """
    try FileManager.default.createDirectory(
      at: folder.appending(path: "Recordings"), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: folder.appending(path: "Recordings/sync.har"))
    try await replay { adapter in
      let client = try client(adapter)
      let response = try await client.get("a")
      #expect(response.json == [])
      #expect(response.metrics?.firstByte == .milliseconds(1) && response.metrics?.total == .milliseconds(3))
      #expect(response.metrics?.isConnectionReused == nil)
      #expect(try await requestError { try await client.get("b") }.kind == .transport)
    }
  }
}
