import EntityRequests
import Synchronization
import Testing
import HTTPFoundation

/// The byte counts that progress reported.
final class ConformanceCounts: Sendable {
  private let counts = Mutex<[Int64]>([])
  func add(_ count: Int64) { counts.withLock { $0.append(count) } }
  var all: [Int64] { counts.withLock { $0 } }
}

extension ConformanceCase {
  /// A request that must get no response.
  @concurrent static func failure(
    _ adapter: any RequestAdapter, _ request: URLRequest, _ body: RequestBody = .none
  ) async throws -> TransportError? {
    do {
      let response = try await adapter.send(request, body: body, progress: nil)
      Issue.record("A response came: status \(response.status), \(response.body.count) bytes.")
      return nil
    } catch let error as TransportError {
      return error
    }
  }

  static var broken: [ConformanceCase] { brokenConnections + brokenMessages }

  private static var brokenConnections: [ConformanceCase] {
    [
      ConformanceCase("a refused connection is told, and surely processed nothing", [1]) { adapter in
        let url = try ConformanceServer { _ in }.url()
        let error = try await failure(adapter, request("POST", url), .data(Data("a".utf8)))
        #expect(error?.mayHaveBeenProcessed == false)
      },
      ConformanceCase(
        "a connection that ends without a reply may have processed the request, and a POST is sent once", [6]
      ) {
        adapter in
        let server = try ConformanceServer { connection in _ = try connection.readRequest() }
        let error = try await failure(adapter, request("POST", try server.url()), .data(Data("a".utf8)))
        #expect(error?.mayHaveBeenProcessed == true)
        #expect(server.requests.count == 1)
      },
      ConformanceCase("a POST on a kept connection that the server has left is done once at most", [18]) { adapter in
        let server = try ConformanceServer { connection in
          guard try connection.readRequest() != nil else { return }
          try connection.send(ConformanceServer.response())
          // The second request is read, and gets no response.
          _ = try connection.readRequest()
        }
        _ = try await adapter.send(request("GET", try server.url("/1")), body: .none, progress: nil)
        #expect(server.requests.map(\.line) == ["GET /1"])
        do {
          _ = try await adapter.send(request("POST", try server.url("/2")), body: .data(Data("a".utf8)), progress: nil)
        } catch let error as TransportError {
          #expect(error.mayHaveBeenProcessed)
        }
        #expect(server.requests.filter { $0.line == "POST /2" }.count <= 1)
      },
    ]
  }

  private static var brokenMessages: [ConformanceCase] {
    [
      ConformanceCase("a body that is shorter than it was said is an error", [8, 9]) { adapter in
        let bodies = [
          "Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
          "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
        ]
        for body in bodies {
          let server = try ConformanceServer { connection in
            _ = try connection.readRequest()
            try connection.send("HTTP/1.1 200 OK\r\n\(body)")
          }
          let error = try await failure(adapter, request("POST", try server.url()))
          #expect(error?.mayHaveBeenProcessed == true, "\(body)")
          let streamed = try await Self.streamed(adapter, request("GET", try server.url()))
          #expect(streamed, "\(body)")
        }
      },
      ConformanceCase("a reply that is not HTTP is an error", [11, 16]) { adapter in
        for text in [
          "hello\r\n\r\n", "HTTP/1.1 banana\r\n\r\n", "\0\0\0\0", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        ] {
          let server = try ConformanceServer { connection in
            _ = try connection.readRequest()
            try connection.send(text)
          }
          _ = try await failure(adapter, request("GET", try server.url()))
        }
      },
      ConformanceCase("a body stream that fails ends the request with an error", [27]) { adapter in
        struct Broken: Error {}
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        let parts = ConformanceCounts()
        let body = RequestBodyStream(length: 1000) {
          {
            parts.add(1)
            if parts.all.count > 1 { throw Broken() }
            return Data("abc".utf8)
          }
        }
        await #expect(throws: (any Error).self) {
          _ = try await adapter.send(request("PUT", try server.url()), body: .stream(body), progress: nil)
        }
        #expect(server.requests.isEmpty)
      },
    ]
  }

  /// Whether the stream of a cut-off body fails.
  @concurrent private static func streamed(_ adapter: any RequestAdapter, _ request: URLRequest) async throws -> Bool {
    do {
      let response = try await adapter.stream(request, body: .none, progress: nil)
      while try await response.next() != nil {}
      return false
    } catch is TransportError {
      return true
    }
  }

  static var cancellations: [ConformanceCase] {
    [
      ConformanceCase("a task that is cancelled already sends nothing", [28]) { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        let url = try server.url()
        let gate = StubGate()
        let task = Task {
          try? await gate.wait()
          return try await adapter.send(request("GET", url), body: .none, progress: nil)
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.isEmpty)
      },
      ConformanceCase("a cancelled task gets CancellationError, and its connection ends", [5, 28]) { adapter in
        let (arrived, ended) = (StubGate(), StubGate())
        let server = try ConformanceServer { connection in
          _ = try connection.readRequest()
          arrived.open()
          connection.waitForClose()
          ended.open()
        }
        let url = try server.url()
        let task = Task { try await adapter.send(request("GET", url), body: .none, progress: nil) }
        try await arrived.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await ended.wait()
      },
    ]
  }

  static var streams: [ConformanceCase] {
    [
      ConformanceCase("the head of a stream comes before its body, and the body piece by piece") { adapter in
        let read = StubGate()
        let server = try ConformanceServer { connection in
          _ = try connection.readRequest()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
          // The rest is sent after the first piece was read.
          read.block()
          try connection.send("def")
        }
        let response = try await adapter.stream(request("GET", try server.url()), body: .none, progress: nil)
        var text = ""
        while let piece = try await response.next() {
          text += String(decoding: piece, as: UTF8.self)
          if text == "abc" { read.open() }
        }
        #expect(text == "abcdef")
      },
      ConformanceCase("a stream that nobody reads any more ends its connection", [26]) { adapter in
        let ended = StubGate()
        let server = try ConformanceServer { connection in
          _ = try connection.readRequest()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
          connection.waitForClose()
          ended.open()
        }
        let url = try server.url()
        let task = Task {
          let response = try await adapter.stream(request("GET", url), body: .none, progress: nil)
          return try await response.next()
        }
        _ = try await task.value
        try await ended.wait()
      },
    ]
  }
}
