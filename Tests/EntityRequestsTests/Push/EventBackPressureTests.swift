import EntityClient
import EntityTesting
import HTTPFoundation
import Synchronization
import Testing

/// A slow reader of events, and one that goes away.
@Suite(.client(entities: [Buoy.self])) struct EventBackPressureTests {
  /// An endless stream, which counts what was pulled of it.
  private final class Source: RequestAdapter {
    let pulls = Mutex(0)
    /// Ends with the reader of the first body.
    let end: AsyncStream<Never>
    private let body: Mutex<Body?>
    private let piece: Data

    init(_ piece: String) {
      self.piece = Data(piece.utf8)
      let (end, continuation) = AsyncStream.makeStream(of: Never.self)
      self.end = end
      body = Mutex(Body(continuation))
    }

    private final class Body: Sendable {
      let end: AsyncStream<Never>.Continuation
      init(_ end: AsyncStream<Never>.Continuation) { self.end = end }
      deinit { end.finish() }
    }

    @concurrent func send(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> HTTPResponse { throw TransportError(.unsupported, "It streams.", mayHaveBeenProcessed: false) }

    @concurrent func stream(
      _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
    ) async throws -> StreamedHTTPResponse {
      let reader = self.body.withLock { body in
        defer { body = nil }
        return body
      }
      return StreamedHTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"], url: request.url) {
        try withExtendedLifetime(reader) {
          try Task.checkCancellation()
          self.pulls.withLock { $0 += 1 }
          return self.piece
        }
      }
    }
  }

  @Test func `a piece is pulled when the events before it are taken in`() async throws {
    let source = Source("event: updated\ndata: {\"id\": 1}\n\ndata: a\n\ndata: b\n\n")
    let client = try Client(adapter: source, store: Client.current.store, baseURL: "https://api.example.com/")
    var events = client.serverSentEvents("events", by: buoyRules).makeAsyncIterator()
    for number in 1...9 {
      _ = try await events.next()
      #expect(source.pulls.withLock { $0 } == (number + 2) / 3)
    }
  }

  /// An adapter may hand over megabytes at once.
  @Test func `a large piece is read in small ones`() async throws {
    let source = Source(String(repeating: "data: \(String(repeating: "x", count: 1000))\n\n", count: 5000))
    let client = try Client(adapter: source, store: Client.current.store, baseURL: "https://api.example.com/")
    var count = 0
    for try await event in client.serverSentEvents("events", by: []) {
      #expect(event.message.data.count == 1000)
      count += 1
      if count == 5001 { break }
    }
    #expect(source.pulls.withLock { $0 } == 2)
  }

  @Test func `a request that is sent while a large piece is read is newer than the whole piece`() async throws {
    let stub = try StubAdapter.current
    let long = "data: a\n\ndata: \(String(repeating: "x", count: 1 << 17))\n\n"
    stub.on(.get, "/events", .events(long + "event: updated\ndata: {\"id\": 1, \"name\": \"old\"}\n\n"))
    stub.on(.get, "/buoys", .json([["id": 1, "name": "new"]]))
    var events = try Client.current.serverSentEvents("events", by: buoyRules, options: .patient).makeAsyncIterator()
    let first = try await events.next()
    #expect(first?.message.text == "a")
    try await Buoy.get()
    for _ in 0..<2 { _ = try await events.next() }
    #expect(try await Client.current.store.buoys() == ["1 new 0"])
  }

  @Test func `leaving the loop ends the request`() async throws {
    let source = Source("data: a\n\ndata: b\n\n")
    let client = try Client(adapter: source, store: Client.current.store, baseURL: "https://api.example.com/")
    for try await _ in client.serverSentEvents("events", by: []) { break }
    for await _ in source.end {}
  }
}
