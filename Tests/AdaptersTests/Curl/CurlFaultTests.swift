import Adapters
import EntityRequests
import Foundation
import Testing

@Suite(.untilItHangs)
struct CurlFaultTests {
  @Test func `refused connection`() async throws {
    let port = try TestServer.unusedPort()
    let url = URL(string: "http://127.0.0.1:\(port)/secret-path?token=secret")!
    let error = try #require(
      try await CurlAdapter().failure(request("POST", url, ["Authorization": "secret"]), body: .data(Data([1]))))
    #expect(error.kind == .connection)
    #expect(error.code == 7)
    #expect(!error.mayHaveBeenProcessed)
    #expect(error.message.hasPrefix("Connecting to 127.0.0.1:\(port): "))
    #expect(!error.message.contains("secret"))
  }

  @Test func `unknown name`() async throws {
    let url = URL(string: "http://nobody.invalid/")!
    let error = try #require(try await CurlAdapter().failure(request("POST", url)))
    #expect(error.kind == .nameResolution)
    #expect(error.message.hasPrefix("Resolving the name of nobody.invalid:80: "))
    #expect(!error.mayHaveBeenProcessed)
  }

  @Test func `silence ends at the idle timeout`() async throws {
    try await untilTheMachineKeepsUp { unit in
      let server = try TestServer { $0.waitForClose() }
      let limit = unit * 40
      let adapter = CurlAdapter { $0.idleTimeout = limit }
      let clock = ContinuousClock.now
      let error = try #require(try await adapter.failure(request("GET", server.url())))
      #expect(error.kind == .timeout)
      #expect(error.message.contains("no byte moved"))
      #expect(.now - clock >= limit)
      // It may have taken longer to send the request.
      guard error.mayHaveBeenProcessed else { return false }
      return error.message.hasPrefix("Waiting for the response from 127.0.0.1:\(server.port): no byte moved")
    }
  }

  @Test func `a slow body is not idle but has a total time`() async throws {
    try await untilTheMachineKeepsUp { unit in
      let server = try TestServer { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        // Ends when the peer has closed. A byte now and then keeps the idle clock from running out.
        while true {
          try connection.sendChunk([1])
          connection.pause(unit)
        }
      }
      let total = unit * 90
      let adapter = CurlAdapter {
        $0.idleTimeout = unit * 40
        $0.totalTimeout = total
      }
      let clock = ContinuousClock.now
      let error = try #require(try await adapter.failure(request("GET", server.url())))
      #expect(error.kind == .timeout)
      if error.message.contains("no byte moved") { return false }
      #expect(error.message.contains("the exchange took longer than"))
      #expect(.now - clock >= total)
      return true
    }
  }

  @Test func `the total time counts the wait for a connection`() async throws {
    let server = try TestServer { $0.waitForClose() }
    let adapter = CurlAdapter {
      $0.connectionsPerHost = 1
      $0.totalTimeout = .milliseconds(500)
    }
    async let first = adapter.failure(request("GET", server.url()))
    async let second = adapter.failure(request("GET", server.url()))
    let errors = try await [first, second].compactMap { $0 }
    #expect(errors.map(\.kind) == [.timeout, .timeout])
  }

  @Test(arguments: [
    ("", TransportError.Kind.connection),
    ("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", .badResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab", .badResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", .badResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\nab\r\n0\r\n\r\n", .badResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\nab\r\n0\r\n\r\n", .badResponse),
    ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nno colon\r\n\r\n", .badResponse),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", .badResponse),
    ("HTTP/1.1 200 OK\r\nContent-Length: 3, 4\r\n\r\nabcd", .badResponse),
    ("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nabcd", .badResponse),
    ("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabcd", .badResponse),
    ("HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n", .badResponse),
    ("hello, I am no HTTP server\r\n\r\n", .badResponse),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", .badResponse),
    ("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 4\r\n\r\nabcd", .badResponse),
    ("HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 200_000))\r\nContent-Length: 0\r\n\r\n", .badResponse),
  ])
  func `broken responses are errors`(reply: String, kind: TransportError.Kind) async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(reply)
    }
    let error = try #require(try await CurlAdapter().failure(request("GET", server.url())))
    #expect(error.kind == kind, "\(error.message)")
    #expect(error.mayHaveBeenProcessed)
    // A streamed response fails as well, at its head or in its body.
    await #expect(throws: TransportError.self) {
      let response = try await CurlAdapter().stream(request("GET", server.url()), body: .none, progress: nil)
      while try await response.next() != nil {}
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
  func `reset connection`(reply: String) async throws {
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(reply)
      connection.reset()
    }
    let error = try #require(try await CurlAdapter().failure(request("POST", server.url())))
    #expect(error.kind == .connection || error.kind == .badResponse)
    #expect(error.mayHaveBeenProcessed)
  }

  @Test(arguments: [false, true])
  func `an early refusal of an upload is a response`(isStalled: Bool) async throws {
    let server = try TestServer { connection in
      _ = try connection.readHead()
      try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
      connection.waitForClose()
    }
    let never = Event()
    let body = RequestBody.stream(
      RequestBodyStream(length: 1 << 30) {
        {
          if isStalled { await never.wait() }; return pattern(65_536)
        }
      })
    let response = try await CurlAdapter().send(request("POST", server.url()), body: body)
    #expect(response.status == 413)
    #expect(response.body == Data("no".utf8))
    never.set()
  }
}
