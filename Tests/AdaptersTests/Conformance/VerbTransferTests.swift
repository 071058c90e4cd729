import Adapters
import EntityClient
import Foundation
import Testing

/// Verbs over libcurl and a raw socket: behaviour that only the whole way shows.
@Suite(.untilItHangs)
struct VerbTransferTests {
  /// 10 MB of notes in chunks; the last chunk is held back until progress was seen.
  @Test func `progress is reported before the last chunk`() async throws {
    let progressSeen = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let text = String(repeating: "x", count: 1_000)
      for part in 0..<100 {
        let notes = (0..<100).map { #"{"id": \#(part * 100 + $0), "text": "\#(text)"}"# }
        try connection.sendChunk(Array(((part == 0 ? "[" : ",") + notes.joined(separator: ",")).utf8))
      }
      progressSeen.block()
      try connection.sendChunk(Array("]".utf8))
      try connection.sendChunk([])
    }
    let store = try EntityStore(.inMemory, entities: [Note.self])
    let client = try Client(adapter: CurlAdapter(), store: store, baseURL: server.url())
    let fractions = Log<Double>()
    let counts = try await Client.withClient(client) {
      try await Note.get(progress: { progress in
        fractions.add(progress.fraction)
        if progress.fraction > 0 && progress.fraction < 1 { progressSeen.set() }
      }).counts
    }
    #expect(counts.inserted == 10_000)
    #expect(fractions.all == fractions.all.sorted())
    #expect(fractions.all.last == 1.0)
    #expect(fractions.all.filter { $0 == 1.0 }.count == 1)
  }

  @Test func `a cancelled verb closes its connection and writes nothing`() async throws {
    let sent = Event()
    let closed = Event()
    let server = try TestServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{\"id\": 1}")
      sent.set()
      connection.waitForClose()
      closed.set()
    }
    let store = try EntityStore(.inMemory, entities: [Note.self])
    let client = try Client(adapter: CurlAdapter(), store: store, baseURL: server.url())
    let task = Task { try await Client.withClient(client) { _ = try await Note.get() } }
    await sent.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
    #expect(try await store.read { try $0.count(Note.all) } == 0)
  }
}

@Entity final class Note: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?

  static var basePath: String { "notes" }
}
