import EntityRequests
import Testing
import HTTPFoundation

/// Bodies that differ from their description, in both directions.
extension ConformanceCase {
  /// "hello hello hello", compressed by gzip.
  private static let gzip = Array(Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data())

  /// Sends a request whose response has a coded body.
  ///
  /// - Returns: `nil` for an error, and for a body that arrives unchanged with the name of its coding.
  @concurrent private static func decoded(
    _ adapter: any RequestAdapter, _ coding: String, _ body: [UInt8]
  ) async throws -> Data? {
    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(body.count)\r\n\r\n"
    guard let response = try await response(adapter, to: Array(head.utf8) + body) else { return nil }
    if response.body == Data(body), response.headers["Content-Encoding"] == coding { return nil }
    return response.body
  }

  static var bodies: [ConformanceCase] {
    [
      ConformanceCase("a coded body is decoded, or handed over as it came", [17]) { adapter in
        let body = try await decoded(adapter, "gzip", gzip)
        #expect(body == nil || body == Data("hello hello hello".utf8))
      },
      ConformanceCase("a coded body that is cut off or corrupt is no success", [17]) { adapter in
        let corrupt = gzip.enumerated().map { $0.offset == 12 ? ~$0.element : $0.element }
        for body in [Array(gzip.dropLast(9)), Array(gzip.dropLast(1)), Array(gzip.prefix(5)), corrupt] {
          let found = try await decoded(adapter, "gzip", body)
          #expect(found == nil, "\(body.count) bytes")
        }
      },
      ConformanceCase("a coding that is unknown or stacked is undone wholly, or not at all", [17]) { adapter in
        for coding in ["rot13", "gzip, rot13", "gzip, gzip"] {
          let found = try await decoded(adapter, coding, gzip)
          #expect(found == nil, "\(coding)")
        }
      },
      ConformanceCase("a refusal that comes before the end of an upload is the response", [19]) { adapter in
        let server = try ConformanceServer { connection in
          _ = try connection.readHead()
          try connection.send(ConformanceServer.response("413 Content Too Large", "Connection: close\r\n", "no"))
          connection.waitForClose()
        }
        let body = RequestBody.data(Data(repeating: 7, count: 8 << 20))
        let response = try await adapter.send(request("PUT", try server.url()), body: body, progress: nil)
        #expect(response.status == 413 && response.body == Data("no".utf8))
      },
      ConformanceCase("an upload goes on where nobody answers that it may", [20]) { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
        let expecting = request("PUT", try server.url(), ["Expect": "100-continue"])
        let body = Data(repeating: 7, count: 2 << 20)
        let response = try await adapter.send(expecting, body: .data(body), progress: nil)
        #expect(response.status == 200)
        #expect(server.requests.map(\.body.count) == [body.count])
      },
      ConformanceCase("a body stream that ends early or late is an error", [27]) { adapter in
        for length in [10, 5] as [Int64] {
          let server = try ConformanceServer.answering { _ in ConformanceServer.response() }
          let parts = ConformanceCounts()
          let body = RequestBodyStream(length: length) {
            {
              parts.add(1)
              return parts.all.count <= 2 ? Data("abcd".utf8) : nil
            }
          }
          _ = try await failure(adapter, request("PUT", try server.url()), .stream(body))
          if length == 10 { #expect(server.requests.isEmpty) }
        }
      },
    ]
  }

  /// Cancels a request that has arrived, and waits for the end of its connection.
  private static func cancel(
    _ arrived: StubGate, _ ended: StubGate, _ send: @escaping @Sendable () async throws -> HTTPResponse
  ) async throws {
    let task = Task { try await send() }
    try await arrived.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    try await ended.wait()
  }

  static var interruptions: [ConformanceCase] {
    [
      ConformanceCase("a task that is cancelled while its body is sent ends its connection", [28]) { adapter in
        let (arrived, ended, never) = (StubGate(), StubGate(), StubGate())
        let server = try ConformanceServer { connection in
          _ = try connection.readHead()
          arrived.open()
          connection.waitForClose()
          ended.open()
        }
        let parts = ConformanceCounts()
        let body = RequestBodyStream(length: 1 << 20) {
          {
            parts.add(1)
            if parts.all.count > 1 { try await never.wait() }
            return Data("abc".utf8)
          }
        }
        let url = try server.url()
        try await cancel(arrived, ended) {
          try await adapter.send(request("PUT", url), body: .stream(body), progress: nil)
        }
        never.open()
      },
      ConformanceCase("a task that is cancelled while a body arrives ends its connection", [28]) { adapter in
        let (arrived, ended) = (StubGate(), StubGate())
        let server = try ConformanceServer { connection in
          _ = try connection.readRequest()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
          arrived.open()
          connection.waitForClose()
          ended.open()
        }
        let url = try server.url()
        try await cancel(arrived, ended) { try await adapter.send(request("GET", url), body: .none, progress: nil) }
      },
      ConformanceCase("a task that is cancelled at any moment gets its response or an end", [28]) { adapter in
        let server = try ConformanceServer.answering { _ in ConformanceServer.response("200 OK", "", "a") }
        let url = try server.url()
        for round in 0..<100 {
          let task = Task { try await adapter.send(request("GET", url), body: .none, progress: nil) }
          // Each yield waits for everything else that the process has to run, so their number stays small.
          for _ in 0..<(round * round / 25) { await Task.yield() }
          task.cancel()
          do {
            let response = try await task.value
            #expect(response.body == Data("a".utf8))
          } catch is CancellationError {}
        }
        // Nothing is left of the cancelled requests.
        let response = try await adapter.send(request("GET", try server.url("/last")), body: .none, progress: nil)
        #expect(response.status == 200)
      },
    ]
  }
}
