import Adapters
import EntityRequests
import Testing
import HTTPFoundation

/// Peers that are never silent for long and never come to an end.
@Suite(.untilItHangs)
struct CurlStallTests {
  private let adapter = CurlAdapter {
    $0.idleTimeout = nil
    $0.minimumThroughput = .init(bytes: 10_000, in: .milliseconds(300))
  }

  /// Sends one byte after the other, until the peer closes.
  private static func drip(_ start: String, _ drop: String) throws -> TestServer {
    try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(start)
      while true {
        try connection.send(drop)
        connection.pause(.milliseconds(20))
      }
    }
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", "a"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n"),
    ("HTTP/1.1 200 OK\r\n", "X: y\r\n"),
  ])
  func `a response that drips ends with a timeout`(start: String, drop: String) async throws {
    let server = try Self.drip(start, drop)
    let error = try #require(try await adapter.failure(request("GET", server.url())))
    #expect(error.kind == .timeout)
    #expect(error.message.contains("bytes moved in 0.3 seconds, and 10000 are the least"))
    #expect(error.mayHaveBeenProcessed)
    await #expect(throws: TransportError.self) {
      let response = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
      while try await response.next() != nil {}
    }
  }

  @Test(arguments: [
    // libcurl 8 counts fields, too, and comes first.
    (
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X: y\r\n",
      "KiB of header or trailer fields|Too many response headers"
    ),
    ("HTTP/1.1 200 OK\r\n", "X: y\r\n", "KiB of header or trailer fields|Too many response headers"),
    ("", "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n", "more than 100 interim responses"),
  ])
  func `fields without end are an error`(start: String, drop: String, words: String) async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(start)
      while true { try connection.send(drop) }
    }
    let error = try #require(try await CurlAdapter().failure(request("GET", server.url())))
    #expect(error.kind == .badResponse)
    #expect(words.split(separator: "|").contains { error.message.contains($0) }, "\(error.message)")
  }

  @Test func `a quiet stream of events is not slow`() async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
      for _ in 0..<10 {
        try connection.send(": ping\n")
        connection.pause(.milliseconds(100))
      }
    }
    let request = request("GET", server.url(), ["Accept": "text/event-stream"])
    #expect(try await adapter.send(request, body: .none, progress: nil).body.count == 70)
  }

  /// A server may think for longer than the least throughput allows for a body.
  @Test func `a server that takes time before its answer is not slow`() async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 102 Processing\r\n\r\n")
      connection.pause(.milliseconds(1200))
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    }
    #expect(try await adapter.send(request("POST", server.url()), body: .data(Data([1, 2]))).status == 200)
  }

  /// Responses that nobody reads hold all the places.
  @Test func `a request does not wait for unread responses without end`() async throws {
    let size = 64 << 20
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
      let piece = [UInt8](repeating: 1, count: 1 << 20)
      for _ in 0..<64 { try connection.send(piece) }
    }
    let adapter = CurlAdapter { $0.connectionsPerHost = 2 }
    let first = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    let second = try await adapter.stream(request("GET", server.url()), body: .none, progress: nil)
    var waiting = request("GET", server.url("/next"))
    waiting.timeoutInterval = 0.25
    let error = try #require(try await adapter.failure(waiting))
    #expect(error.kind == .timeout)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.hasPrefix("Waiting for a free connection to 127.0.0.1:\(server.port): "))
    #expect(error.message.contains("on the 2 that are there"))
    // The responses are whole, however late they are read.
    for response in [first, second] {
      var count = 0
      while let piece = try await response.next() { count += piece.count }
      #expect(count == size)
    }
    #expect(server.requests.map(\.target) == ["/", "/"])
  }
}
