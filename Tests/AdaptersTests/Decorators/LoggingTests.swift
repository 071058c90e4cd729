import Adapters
import EntityRequests
import EntityTesting
import TestSupport
import Testing
import HTTPFoundation

@Suite(.untilItHangs)
struct LoggingTests {
  private let stub = StubAdapter()
  private let url = URL(string: "https://api.example.com/notes?page=1&token=s3cret")!

  @Test func `a request has a log line for its start and one for its end`() async throws {
    let clock = VirtualClock()
    stub.on(
      .get, "/notes",
      .respond { _ in
        clock.advance(by: .milliseconds(87))
        return HTTPResponse(status: 200, body: Data(count: 1234))
      })
    stub.on(.post, "/notes", .failure(.connection, "no route to the host"))
    stub.on(.put, "/notes", .error(CancellationError()))
    let lines = Log<LogLine>()
    let adapter = stub.logging(clock: clock) { lines.add($0) }
    _ = try await adapter.send(request("GET", url))
    _ = try await adapter.failure(request("POST", url))
    _ = try? await adapter.send(request("PUT", url))
    let place = "https://api.example.com/notes?page=…&token=…"
    #expect(
      lines.all.map(\.description) == [
        "#1 GET \(place)", "#1 GET \(place): 200, 1234 bytes, 87 ms", "#2 POST \(place)",
        "#2 POST \(place): no route to the host, 0 ms", "#3 PUT \(place)", "#3 PUT \(place): cancelled, 0 ms",
      ])
  }

  @Test func `a streamed response has a line for the end of its body`() async throws {
    stub.on(.get, "/notes", .text("s3cret").chunked(2))
    stub.on(.put, "/notes", .text("s3cret").chunked(2).breaking(after: 3, .badResponse, "the body broke off"))
    stub.on(.patch, "/notes", .text("s3cret").chunked(2))
    let lines = Log<LogLine>()
    let adapter = stub.logging(clock: VirtualClock()) { lines.add($0) }
    func read(_ method: String, pieces: Int) async throws {
      let response = try await adapter.stream(request(method, url), body: .none, progress: nil)
      for _ in 0..<pieces { _ = try await response.next() }
    }
    // Nothing is told of the end twice.
    try await read("GET", pieces: 4)
    await #expect(throws: TransportError.self) { try await read("PUT", pieces: 4) }
    try await read("PATCH", pieces: 1)
    let place = "https://api.example.com/notes?page=…&token=…"
    #expect(
      lines.all.map(\.description) == [
        "#1 GET \(place)", "#1 GET \(place): 200, 0 ms", "#1 GET \(place): body of 6 bytes, 0 ms", "#2 PUT \(place)",
        "#2 PUT \(place): 200, 0 ms", "#2 PUT \(place): the body broke off, 0 ms", "#3 PATCH \(place)",
        "#3 PATCH \(place): 200, 0 ms", "#3 PATCH \(place): body dropped after 3 bytes, 0 ms",
      ])
  }

  @Test func `the log tells of a reader that is cancelled`() async throws {
    let gate = StubGate()
    stub.on(.get, "/notes", .text("ok").chunked(1, gates: [0: gate]))
    let lines = Log<LogLine>()
    let adapter = stub.logging { lines.add($0) }
    let reader = Task {
      let response = try await adapter.stream(request("GET", url), body: .none, progress: nil)
      _ = try await response.next()
    }
    await gate.arrival()
    reader.cancel()
    await #expect(throws: CancellationError.self) { try await reader.value }
    #expect(lines.all.map(\.event) == [.sent, .answered(status: 200, bytes: nil), .cancelled])
  }

  @Test func `a streamed response has its metrics at the end of its body`() async throws {
    let server = try TestServer.answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    let lines = Log<LogLine>()
    let adapter = CurlAdapter().logging { lines.add($0) }
    let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    while try await response.next() != nil {}
    #expect(lines.all.last?.event == .bodyEnded(bytes: 2))
    #expect(lines.all.last?.metrics?.firstByte != nil)
  }

  @Test func `metrics without words add nothing to a line`() async throws {
    var metrics = TransferMetrics()
    metrics.bytesSent = 7
    stub.on(.get, "/notes", .respond { [metrics] _ in HTTPResponse(status: 204, metrics: metrics) })
    let lines = Log<LogLine>()
    _ = try await stub.logging(clock: VirtualClock()) { lines.add($0) }.send(request("GET", url))
    #expect(lines.all.last?.description.hasSuffix(": 204, 0 bytes, 0 ms") == true)
  }

  @Test func `an error of others is named by its type alone`() async throws {
    struct Unknown: Error { let token = "s3cret" }
    stub.on(.get, "/notes", .error(Unknown()))
    let lines = Log<LogLine>()
    _ = try? await stub.logging { lines.add($0) }.send(request("GET", url))
    #expect(lines.all.last?.event == .failed("Unknown"))
  }

  @Test func `no line and no command shows a secret`() async throws {
    stub.on(.post, "/notes", .text("s3cret", headers: ["Set-Cookie": "s3cret"]))
    let lines = Log<LogLine>()
    let adapter = stub.logging { lines.add($0) }
    let headers = ["Authorization": "Bearer s3cret", "X-Acme": "s3cret", "Accept": "text/html"]
    _ = try await adapter.send(request("POST", url, headers), body: .data(Data("s3cret".utf8)))
    for line in lines.all {
      var text = "\(line) \(String(reflecting: line)) \(line.curlCommand) \(line.url)"
      dump(line, to: &text)
      #expect(!text.contains("s3cret"), "\(text)")
    }
    #expect(
      lines.all.first?.curlCommand
        == "curl -g --path-as-is -X 'POST' 'https://api.example.com/notes?page=…&token=…' -H 'Accept: text/html' -H 'Authorization: …' "
        + "-H 'X-Acme: …' -H 'Content-Type:' --data-raw '…6 bytes…'")
  }

  /// The words that a shell makes of the command are those that the tool gets.
  @Test func `a shell reads the logged command as it is meant`() async throws {
    stub.on(.post, "/notes", .status(204))
    let lines = Log<LogLine>()
    let body = "@it's \"$HOME\" `x` \\ \n end"
    _ = try await stub.logging { lines.add($0) }.send(
      request("POST", url, ["X-Quote": "it's $HOME", "X-Empty": ""]), body: .data(Data(body.utf8)))
    let command = try #require(lines.all.first).curlCommand(showingSecrets: true)
    let script = "curl() { printf '%s\\n--\\n' \"$@\"; }; \(command)"
    let shell = try ChildProcess.run("/bin/sh", ["-c", script], in: FileManager.default.temporaryDirectory.path)
    #expect(
      shell.output.components(separatedBy: "\n--\n") == [
        "-g", "--path-as-is", "-X", "POST", url.absoluteString, "-H", "X-Empty;", "-H", "X-Quote: it's $HOME", "-H",
        "Content-Type:", "--data-raw", body, "",
      ])
  }

  @Test func `a command keeps the type of a body`() async throws {
    stub.on(.post, "/notes", .status(204)).on(.get, "/notes", .status(204))
    let lines = Log<LogLine>()
    let adapter = stub.logging { lines.add($0) }
    _ = try await adapter.send(request("POST", url, ["Content-Type": "text/plain"]), body: .data(Data("a".utf8)))
    _ = try await adapter.send(request("GET", url))
    for line in lines.all { #expect(!line.curlCommand.contains("'Content-Type:'"), "\(line.curlCommand)") }
  }

  @Test func `a query that is one word is not shown in the log`() async throws {
    stub.on(.get, "/reset", .status(204))
    let lines = Log<LogLine>()
    _ = try await stub.logging { lines.add($0) }.send(
      request("GET", URL(string: "https://api.example.com/reset?s3cret&page=1")!))
    #expect(lines.all.first?.url == "https://api.example.com/reset?…&page=…")
    #expect(lines.all.first?.curlCommand.contains("s3cret") == false)
  }
}
