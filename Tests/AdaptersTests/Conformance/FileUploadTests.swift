import Adapters
import EntityRequests
import Testing
import HTTPFoundation

/// Bodies from files.
@Suite(.untilItHangs) struct FileUploadTests {
  private func file(_ size: Int) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    try pattern(size).write(to: url)
    return url
  }

  /// A file of 256 MiB that takes no room on the disk: it must take none in memory either.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["ENTITYCLIENT_TSAN"] == nil))
  func `a large file is never in memory`() async throws {
    await #expect(processExitsWith: .success) {
      let url = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
      try Data().write(to: url)
      defer { try? FileManager.default.removeItem(at: url) }
      let size = 256 << 20
      try FileHandle(forWritingTo: url).truncate(atOffset: UInt64(size))
      let server = try TestServer { connection in
        let head = try connection.readHead() ?? ""
        let length = TestRequest(head: head, body: []).values("Content-Length").first.flatMap(Int.init) ?? 0
        let count = try connection.drain(length)
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Got: \(count)\r\n\r\n")
      }
      var request = request("POST", server.url())
      try request.setMultipart(["a": "b"], [.file("f", url)])
      let length = request.bodyLength
      let before = Footprint.peakMemory
      let response = try await CurlAdapter().send(request, body: RequestBody(of: request))
      #expect(length.map { $0 > size && $0 < size + 1000 } == true)
      #expect(response.headers["X-Got"] == length.map { "\($0)" })
      if Footprint.measuresMemory { #expect(Footprint.peakMemory - before < 32 << 20) }
    }
  }

  @Test func `a file that grows or shrinks while it is sent never arrives whole`() async throws {
    for newSize in [400_000, 100_000] {
      let url = try file(300_000)
      defer { try? FileManager.default.removeItem(at: url) }
      let whole = Log<Bool>()
      let server = try TestServer { connection in
        if try connection.readRequest() != nil { whole.add(true) }
      }
      var request = request("POST", server.url())
      try request.setMultipart(["a": "b"], [.file("f", url)])
      try FileHandle(forWritingTo: url).truncate(atOffset: UInt64(newSize))
      let error = try #require(try await CurlAdapter().failure(request, body: RequestBody(of: request)))
      #expect(error.kind == .sending)
      #expect(error.message.contains(url.lastPathComponent))
      #expect(whole.all.isEmpty)
    }
  }

  @Test func `a file that is gone fails the request`() async throws {
    let url = try file(10)
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var request = request("PUT", server.url())
    try request.setMultipart([:], [.file("f", url)])
    try FileManager.default.removeItem(at: url)
    let error = try #require(try await CurlAdapter().failure(request, body: RequestBody(of: request)))
    #expect(error.kind == .sending)
    #expect(error.message.contains("could not be opened"))
    #expect(server.requests.isEmpty)
  }

  @Test func `progress knows the length`() async throws {
    let url = try file(500_000)
    defer { try? FileManager.default.removeItem(at: url) }
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var request = request("PUT", server.url())
    try request.setMultipart(["a": "b"], [.file("f", url)])
    let length = try #require(request.bodyLength)
    let seen = Log<TransferProgress>()
    _ = try await CurlAdapter().send(request, body: RequestBody(of: request)) { seen.add($0) }
    #expect(seen.all.last?.bytesSent == length)
    #expect(seen.all.allSatisfy { $0.bytesToSend == length })
    #expect(server.requests.first?.body.count == Int(length))
  }

  /// In a process of its own, as all tests of kept connections are.
  @Test func `a file is sent again where a request may be`() async {
    await #expect(processExitsWith: .success) {
      let url = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
      try pattern(500_000).write(to: url)
      defer { try? FileManager.default.removeItem(at: url) }
      let server = try TestServer { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = try connection.readRequest()
      }
      let adapter = CurlAdapter()
      _ = try await adapter.send(request("GET", server.url("/warm")))
      var request = request("PUT", server.url())
      try request.setMultipart([:], [.file("f", url)])
      #expect(try await adapter.send(request, body: RequestBody(of: request)).status == 200)
      #expect(server.requests.map(\.method) == ["GET", "PUT", "PUT"])
      #expect(server.requests.last?.body == server.requests.dropFirst().first?.body)
      #expect(server.requests.last.map { Int64($0.body.count) } == request.bodyLength)
    }
  }

  /// The read goes on, but nobody waits for it.
  @Test func `a stream that blocks does not outlive a cancellation`() async throws {
    let server = try TestServer { $0.waitForClose() }
    for isSent in [false, true] {
      let (begun, released) = (Event(), Event())
      var request = request("PUT", server.url())
      request.httpBodyStream = WaitingStream(begun, released)
      let body = RequestBody(of: request)
      let sent = request
      let task = Task {
        if isSent {
          _ = try await CurlAdapter().send(sent, body: body)
        } else if case .stream(let stream) = body {
          let next = try stream.open()
          _ = try await next()
        }
      }
      await begun.wait()
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      released.set()
    }
  }

  @Test func `an input stream of others travels in chunks`() async throws {
    let server = try TestServer.answering("HTTP/1.1 204 No Content\r\n\r\n")
    var request = request("POST", server.url())
    request.httpBodyStream = InputStream(data: pattern(400_000))
    #expect(request.bodyLength == nil)
    #expect(try await CurlAdapter().send(request, body: RequestBody(of: request)).status == 204)
    #expect(server.requests.first.map { Data($0.body) } == pattern(400_000))
    #expect(server.requests.first?.values("Transfer-Encoding") == ["chunked"])
  }
}

/// Waits in its first read.
private final class WaitingStream: InputStream {
  private let begun: AdaptersTests.Event
  private let released: AdaptersTests.Event
  private var status = Stream.Status.notOpen

  init(_ begun: AdaptersTests.Event, _ released: AdaptersTests.Event) {
    (self.begun, self.released) = (begun, released)
    super.init(data: Data())
  }

  override var streamStatus: Stream.Status { status }
  override func open() { status = .open }
  override func close() { status = .closed }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    begun.set()
    released.block()
    return 0
  }
}
