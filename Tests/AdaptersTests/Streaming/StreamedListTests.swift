import Adapters
import EntityClient
import Foundation
import Testing

/// Lists that a server sends piece by piece, over a real socket, into a file.
@Suite(.untilItHangs)
struct StreamedListTests {
  @Test func `groups are in the store while the server goes on`() async throws {
    let committed = Log<StreamedProgress>()
    let two = Event()
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<25))
      two.block()
      try connection.sendPart("," + Stops.json(25..<31) + "]")
      try connection.end()
    }
    let place = try StopPlace(server)
    defer { place.end() }
    let task = Task {
      try await place.get(
        .groups(of: 10) { part in
          committed.add(part)
          if part.groups == 2 { two.set() }
        })
    }
    await two.wait()
    #expect(try await place.count() >= 20)
    let response = try await task.value
    #expect(response.counts.inserted == 31)
    #expect(response.committed.groups == 4)
    #expect(response.committed.elements == 31)
    #expect(committed.all.map(\.elements) == [10, 20, 30, 31])
    #expect(committed.all.last?.counts == response.counts)
    #expect(try await place.names() == Dictionary(uniqueKeysWithValues: (0..<31).map { ($0, "a\($0)") }))
  }

  /// A thousand saves and reads, while the server is silent in the middle of an element.
  @Test func `a server that stalls holds nobody up`() async throws {
    let stalls = Event()
    let goOn = Event()
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<10) + #",{"id": 10, "na"#)
      stalls.set()
      goOn.block()
      try connection.sendPart(#"me": "late"}]"#)
      try connection.end()
    }
    defer { goOn.set() }
    let place = try StopPlace(server)
    defer { place.end() }
    let first = Event()
    let task = Task { try await place.get(.groups(of: 5) { if $0.groups == 2 { first.set() } }) }
    await stalls.wait()
    await first.wait()
    for number in 0..<1_000 {
      try await place.store.background { context in
        let stop = Stop()
        try context.insert(stop)
        stop.uid = 1_000 + number
        stop.name = "saved"
      }
    }
    try await saveOnMain(place.store)
    #expect(try await place.count() == 1_011)
    goOn.set()
    #expect(try await task.value.counts.inserted == 11)
    #expect(try await place.names()[10] == "late")
  }

  @MainActor private func saveOnMain(_ store: EntityStore) throws {
    let stop = Stop()
    try store.main.insert(stop)
    stop.uid = 5_000
    stop.name = "of the screen"
    try store.main.save()
  }

  /// While the writer is held, no more is taken from the socket than the buffers hold.
  @Test func `a busy writer holds the server back`() async throws {
    let (stalled, held, free) = (Event(), Event(), Event())
    let sent = Log<Int>()
    let text = String(repeating: "x", count: 10_000)
    let server = try TestServer { connection in
      defer { stalled.set() }
      try connection.begin()
      try connection.sendPart("[" + Stops.json([0]))
      for number in 1..<2_400 {
        if !stalled.isSet, number % 100 == 0, connection.isStalled(.milliseconds(400)) {
          sent.add(number)
          stalled.set()
        }
        try connection.sendPart(#",{"id": \#(number), "name": "\#(text)"}"#)
      }
      try connection.sendPart("]")
      try connection.end()
    }
    let place = try StopPlace(server)
    defer { place.end() }
    let unit = Task {
      try await place.store.background { _ in
        held.set()
        free.block()
      }
    }
    await held.wait()
    let task = Task { try await place.get(.groups(of: 10)) }
    await stalled.wait()
    #expect(sent.all.count == 1)
    free.set()
    try await unit.value
    #expect(try await task.value.counts.inserted == 2_400)
  }

  @Test func `the list may stand below an envelope`() async throws {
    let server = try TestServer.giving(
      #"{"meta": {"total": 3}, "data": {"stops": [\#(Stops.json(1...3))], "kind": "bus"}, "end": true}"#)
    let place = try StopPlace(server)
    defer { place.end() }
    let response = try await place.get(.groups(of: 2), .envelope("data.stops"))
    #expect(response.counts.inserted == 3)
    #expect(response.committed.groups == 2)
    #expect(try response.meta(Int.self, at: "meta.total") == 3)
    #expect(try response.meta(String.self, at: "data.kind") == "bus")
    #expect(try response.meta(Bool.self, at: "end"))
    #expect(response.value?["data.stops"]?.array?.isEmpty == true)
  }

  @Test(arguments: ["[]", "  [ ] ", #"[{"id": 1, "name": "a1"}]"#])
  func `short lists are lists too`(_ text: String) async throws {
    let place = try StopPlace(try TestServer.giving(text))
    defer { place.end() }
    for streaming in [Streaming.groups(of: 1), .groups(), .atomically] {
      let response = try await place.get(streaming)
      #expect(response.committed.elements == (text.contains("id") ? 1 : 0))
    }
    #expect(try await place.count() == (text.contains("id") ? 1 : 0))
  }

  @Test func `groups of one element and elements longer than a piece are taken`() async throws {
    let long = String(repeating: "y", count: 300_000)
    let server = try TestServer.giving(
      "[" + Stops.json(0..<40) + #",{"id": 40, "name": "\#(long)"},"# + Stops.json(41..<45) + "]")
    let place = try StopPlace(server)
    defer { place.end() }
    let response = try await place.get(.groups(of: 1))
    #expect(response.committed.groups == 45)
    #expect(response.counts.inserted == 45)
    #expect(try await place.names()[40]?.count == 300_000)
    let again = try await place.get(.atomically)
    #expect(again.counts.unchanged == 45)
  }

  @Test func `a body without a list is taken as a whole`() async throws {
    let place = try StopPlace(try TestServer.giving(#" {"id": 7, "name": "one"}"#))
    defer { place.end() }
    let response = try await place.get(.groups())
    #expect(response.counts.inserted == 1)
    #expect(response.committed.groups == 1)
    let wrong = try await place.failure(.groups(), .envelope(Envelope(list: "stops", item: "stop")))
    #expect(wrong?.kind == .envelope)
    let list = try StopPlace(try TestServer.giving("[\(Stops.json(0..<3))]"))
    defer { list.end() }
    let missing = try await list.failure(.groups(of: 1), .envelope("data"))
    #expect(missing?.kind == .envelope)
    #expect(try await list.count() == 0)
    #expect(try await list.get(.groups(), .envelope(Envelope("data").ifPresent())).counts.inserted == 3)
  }

  @Test func `refused streams have their body`() async throws {
    let server = try TestServer.answering(
      "HTTP/1.1 503 Busy\r\nContent-Length: 15\r\n\r\n{\"reason\": \"x\"}")
    let place = try StopPlace(server)
    defer { place.end() }
    let error = try await place.failure(.groups())
    #expect(error?.kind == .status)
    #expect(error?.body?["reason"]?.string == "x")
    #expect(error?.committed == nil)
    let short = try await place.failure(.groups(), .limits(JSONLimits(bytes: 10)))
    #expect(short?.kind == .status)
    let empty = try StopPlace(try TestServer.answering("HTTP/1.1 304 Same\r\nETag: \"1\"\r\n\r\n"))
    defer { empty.end() }
    let same = try await empty.get(.groups())
    #expect(same.status == 304)
    #expect(same.committed.elements == 0)
    #expect(same.committed.groups == 0)
  }

  @Test func `a coded body is decoded piece by piece`() async throws {
    // [{"id":1,"name":"a"},{"id":2,"name":"b"}] as gzip.
    let coded = try #require(
      Data(base64Encoded: "H4sIAAAAAAACA4uuVspMUbIy1FHKS8xNVbJSSlSq1YGIGcHFkpRqYwHoSyMNKQAAAA=="))
    let server = try TestServer.answering { _ in
      Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(coded.count)\r\n\r\n".utf8) + coded
    }
    let place = try StopPlace(server)
    defer { place.end() }
    #expect(try await place.get(.groups(of: 1)).counts.inserted == 2)
    #expect(try await place.names() == [1: "a", 2: "b"])
  }
}
