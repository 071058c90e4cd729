import EntityClient
@testable import EntityStore
import EntityTesting
import Foundation
import Testing

/// The place in a stream, which the file keeps with the rows of the last event.
struct EventResumeTests {
  private func withFile(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "events-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder.appending(path: "store.sqlite"))
  }

  private static func event(_ id: Int) -> String { "id: \(id)\nevent: updated\ndata: {\"id\": \(id)}\n\n" }

  /// The id with which the stream was asked for, and the rows at the end.
  private struct Visit: Equatable {
    let sent: String?
    let buoys: [String]
  }

  /// Takes some events, and goes away, as an app does that is killed.
  private func take(
    _ count: Int, of stream: String, _ url: URL, headers: HTTPHeaders = [:], identity: String? = nil,
    _ change: (inout EventStreamOptions) -> Void = { _ in }
  ) async throws -> Visit {
    let stub = StubAdapter()
    stub.on(.get, "/events", .events(stream), .status(204))
    let store = try EntityStore(.file(url), entities: [Buoy.self])
    let client = try Client(
      adapter: stub, store: store, baseURL: "https://api.example.com/", headers: headers, identity: { identity })
    var options = EventStreamOptions.patient
    change(&options)
    var events = client.serverSentEvents("events", by: buoyRules, options: options).makeAsyncIterator()
    for _ in 0..<count { _ = try await events.next() }
    return Visit(sent: stub.requests.first?.headers["Last-Event-ID"], buoys: try await store.buoys())
  }

  @Test func `after a restart the stream goes on behind the last event that is in the store`() async throws {
    try await withFile { url in
      let stream = (1...5).map(Self.event).joined()
      // The third event has arrived, too, and was not taken in.
      #expect(try await take(2, of: stream, url) == Visit(sent: nil, buoys: ["1 - 0", "2 - 0"]))
      let second = try await take(1, of: Self.event(3) + Self.event(4), url)
      #expect(second == Visit(sent: "2", buoys: ["1 - 0", "2 - 0", "3 - 0"]))
      // Bad and unknown events move the place as well; a stream that was not to be resumed begins anew.
      let others = "id: 8\nevent: updated\ndata: {\n\nid: 9\ndata: x\n\n"
      #expect(try await take(1, of: others, url).sent == "3")
      #expect(try await take(2, of: others, url).sent == "8")
      #expect(try await take(1, of: others, url) { $0.resumes = false }.sent == nil)
      // An empty id ends the place.
      #expect(try await take(1, of: "id\ndata: x\n\n", url).sent == "9")
      #expect(try await take(1, of: Self.event(1), url).sent == nil)
    }
  }

  @Test func `each account has its own place, and no secret is written`() async throws {
    try await withFile { url in
      let headers: HTTPHeaders = ["Authorization": "Bearer hunter2"]
      #expect(try await take(1, of: Self.event(1), url, headers: headers).sent == nil)
      #expect(try await take(1, of: Self.event(1), url, headers: headers).sent == nil)
      #expect(try await take(1, of: Self.event(1), url, headers: headers, identity: "ada").sent == nil)
      #expect(try await take(1, of: Self.event(2), url, headers: headers, identity: "ada").sent == "1")
      #expect(try await take(1, of: Self.event(2), url, headers: headers, identity: "bob").sent == nil)
      for file in try FileManager.default.contentsOfDirectory(
        at: url.deletingLastPathComponent(), includingPropertiesForKeys: nil)
      {
        #expect(try Data(contentsOf: file).range(of: Data("hunter2".utf8)) == nil)
      }
    }
  }

  @Test func `an account that changes within an iteration has its own place`() async throws {
    let account = CachingServer.Text("ada")
    let stub = StubAdapter()
    stub.on(.get, "/events", .events(Self.event(5)), .events(Self.event(2)), .events(Self.event(6)), .status(204))
    let client = try Client(
      adapter: stub, store: EntityStore(.inMemory, entities: [Buoy.self]), baseURL: "https://api.example.com/",
      headers: ["Authorization": "Bearer hunter2"], identity: { account.value })
    let clock = VirtualClock(advancesByItself: true)
    var next = ["bob", "ada", "bob"]
    for try await _ in client.serverSentEvents("events", by: buoyRules, options: .patient, clock: clock) {
      account.value = next.removeFirst()
    }
    #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, nil, "5", "2"])
  }

  @Test func `rows and place are one transaction`() async throws {
    let store = try EntityStore(.inMemory, entities: [Buoy.self])
    let stub = StubAdapter()
    stub.on(.get, "/events", .events((1...3).map(Self.event).joined()))
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    var events = client.serverSentEvents("events", by: buoyRules, options: .patient).makeAsyncIterator()
    _ = try await events.next()
    // Nothing can be written there any more.
    try await store.core.unit { try $0.connection.execute("DROP TABLE \(AnswerNotes.table)") }
    let error = try await requestError { try await events.next() }
    #expect(error.kind == .upsert)
    #expect(try await store.buoys() == ["1 - 0"])
  }

  @Test func `an equal event writes nothing, not even the place`() async throws {
    let store = try EntityStore(.inMemory, entities: [Buoy.self])
    let stub = StubAdapter()
    stub.on(.get, "/events", .events(Self.event(1) + Self.event(1) + "data: x\n\n"), .status(204))
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    let clock = VirtualClock(advancesByItself: true)
    var changes: [Int64] = []
    for try await _ in client.serverSentEvents("events", by: buoyRules, options: .patient, clock: clock) {
      changes.append(
        try await store.core.unit {
          try $0.connection.rows("SELECT total_changes()") { $0.int64(0) }.first ?? 0
        })
    }
    #expect(Set(changes).count == 1)
  }
}
