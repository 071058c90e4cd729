import Adapters
import EntityClient
import Foundation
import Synchronization
import Testing

/// Server-sent events over a real socket, into a file.
@Suite(.untilItHangs)
struct EventStreamTests {
  private static let head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
  private static let rules: PushRules = [.on("stop", do: .upsert(Stop.self)), .on("gone", do: .delete(Stop.self))]

  private static func options() -> EventStreamOptions {
    var options = EventStreamOptions()
    options.reconnectionTime = .milliseconds(1)
    options.reconnectionTimes = .milliseconds(1)...(.seconds(1))
    return options
  }

  @Test func `events are in the store while the server goes on, and the next connection goes on behind them`()
    async throws
  {
    let connections = Mutex(0)
    let taken = Event()
    let server = try TestServer { connection in
      guard let request = try connection.readRequest() else { return }
      let number = connections.withLock { number in
        number += 1
        return number
      }
      switch number {
      case 1:
        #expect(request.values("Last-Event-ID") == [])
        #expect(request.values("Accept") == ["text/event-stream"])
        try connection.send(Self.head)
        // In the middle of a line, and of a character.
        let bytes = Array(
          "id: 1\r\nevent: stop\r\ndata: {\"id\": 1, \"name\": \"ä\"}\r\n\r\nid: 2\r\nevent: stop\r\ndata: {\"id\"".utf8
        )
        try connection.sendChunk(Array(bytes[..<44]))
        try connection.sendChunk(Array(bytes[44...]))
        taken.block()
      // The connection breaks within the second event.
      case 2:
        #expect(request.values("Last-Event-ID") == ["1"])
        try connection.send(Self.head)
        try connection.sendChunk(
          Array("id: 2\nevent: stop\ndata: {\"id\": 2, \"name\": \"b\"}\n\nevent: gone\ndata: 1\n\n".utf8))
        try connection.sendChunk([])
      default:
        #expect(request.values("Last-Event-ID") == ["2"])
        try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
      }
    }
    let place = try StopPlace(server)
    defer { place.end() }
    var names: [[Int: String]] = []
    for try await _ in place.client.serverSentEvents("events", by: Self.rules, options: Self.options()) {
      names.append(try await place.names())
      taken.set()
    }
    #expect(names == [[1: "ä"], [1: "ä", 2: "b"], [2: "b"]])
  }

  /// The server can't send more than the buffers of the system and the adapter hold.
  @Test func `a slow reader slows the server down`() async throws {
    let sent = Mutex(0)
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(Self.head)
      let event = Array("data: \(String(repeating: "x", count: 65_000))\n\n".utf8)
      // It ends when the reader goes away.
      while (try? connection.sendChunk(event)) != nil { sent.withLock { $0 += 1 } }
    }
    let place = try StopPlace(server)
    defer { place.end() }
    var count = 0
    var most = 0
    for try await _ in place.client.serverSentEvents("events", by: []) {
      count += 1
      most = max(most, sent.withLock { $0 } - count)
      if count == 600 { break }
    }
    // 39 MB were read.
    #expect(most < 300)
  }

  @Test func `ending the loop closes the connection`() async throws {
    let closed = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send(Self.head)
      while (try? connection.sendChunk(Array(": still here\n\ndata: x\n\n".utf8))) != nil {}
      closed.set()
    }
    let place = try StopPlace(server)
    defer { place.end() }
    for try await _ in place.client.serverSentEvents("events", by: []) { break }
    await closed.wait()
    let task = Task { for try await _ in place.client.serverSentEvents("events", by: []) {} }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
