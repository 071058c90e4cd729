import Adapters
import EntityClient
import Foundation
import Testing

/// Streamed responses that break off: what is committed stays and is told, or nothing is written.
@Suite(.untilItHangs)
struct StreamedBreakTests {
  /// In the middle of the element 12.
  private static let lost = "[" + Stops.json(0..<12) + #",{"id": 12, "na"#

  private static func losing() throws -> TestServer {
    try TestServer { connection in
      try connection.begin()
      try connection.sendPart(lost)
    }
  }

  @Test func `a lost connection keeps the groups before`() async throws {
    let place = try StopPlace(try Self.losing())
    defer { place.end() }
    try await place.store.background { context in
      let stop = Stop()
      try context.insert(stop)
      stop.uid = 99
      stop.name = "kept"
    }
    let error = try #require(await place.failure(.groups(of: 5), .deleteMissing(in: Stop.all)))
    #expect(error.kind == .transport)
    #expect(error.underlying is TransportError)
    #expect(error.committed?.groups == 2)
    #expect(error.committed?.elements == 10)
    #expect(error.committed?.counts.inserted == 10)
    #expect(error.description.contains("10 objects in 2 groups"))
    // No row is missing from a list whose end nobody knows.
    #expect(try await place.count() == 11)
  }

  @Test func `a lost connection writes nothing of an atomic response`() async throws {
    let place = try StopPlace(try Self.losing())
    defer { place.end() }
    let error = try #require(await place.failure(.atomically))
    #expect(error.kind == .transport)
    #expect(error.committed == nil)
    #expect(try await place.count() == 0)
    #expect(try place.others == [])
  }

  @Test func `a fault of the text keeps the groups before it and says where it is`() async throws {
    let text = "[" + Stops.json(0..<9) + #",{"id": 9, "name": nul}]"#
    let place = try StopPlace(try TestServer.giving(text))
    defer { place.end() }
    let error = try #require(await place.failure(.groups(of: 4)))
    #expect(error.kind == .parsing)
    #expect(error.message.contains("[9]"))
    #expect(error.committed?.elements == 8)
    #expect(try await place.count() == 8)
    #expect(try await place.failure(.atomically)?.kind == .parsing)
  }

  /// The server sends no more, and leaves the connection open.
  @Test func `a fault does not wait for the next piece`() async throws {
    let goOn = Event()
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<9) + #",{"id": 9, "name": nul}"#)
      goOn.block()
    }
    defer { goOn.set() }
    let place = try StopPlace(server)
    defer { place.end() }
    #expect(try await place.failure(.groups(of: 4))?.kind == .parsing)
    #expect(try await place.failure(.atomically)?.kind == .parsing)
  }

  @Test func `an error before the first group tells of none`() async throws {
    let place = try StopPlace(try TestServer.giving(#"{"message": "no list"}"#))
    defer { place.end() }
    let error = try #require(await place.failure(.groups(of: 4), .envelope("items")))
    #expect(error.committed == nil)
    #expect(!error.description.contains("In the store"))
  }

  @Test(arguments: [#"{"id": 9, "name": null}"#, #"{"name": "x"}"#, "5"])
  func `an object that cannot be taken in has its place in the whole list`(_ element: String) async throws {
    let text = "[" + Stops.json(0..<9) + "," + element + "," + Stops.json(10..<14) + "]"
    let place = try StopPlace(try TestServer.giving(text))
    defer { place.end() }
    for (streaming, count) in [(Streaming.atomically, 0), (.groups(of: 4), 8)] {
      let error = try #require(await place.failure(streaming))
      #expect(error.kind == .upsert)
      #expect((error.underlying as? MappingError)?.position == 9)
      #expect(error.committed?.elements == (count == 0 ? nil : 8))
      #expect(try await place.count() == count)
    }
    for streaming in [Streaming.atomically, .groups(of: 4)] {
      let response = try await place.get(streaming, .skipping)
      #expect(response.refused.map(\.position) == [9])
      #expect(response.counts.refused == 1)
      #expect(response.committed.elements == 14)
    }
    #expect(try await place.count() == 13)
  }

  private static func coded(_ code: (Int) -> Int) -> String {
    let objects = (0..<12).map { #"{"id": \#($0), "name": "n", "code": "\#(code($0))"}"# }
    return "[\(objects.joined(separator: ","))]"
  }

  @Test func `a unique value that two objects of a group have ends the group`() async throws {
    let place = try StopPlace(try TestServer.giving(Self.coded { $0 == 10 ? 9 : $0 }))
    defer { place.end() }
    let error = try #require(await place.failure(.groups(of: 4)))
    #expect((error.underlying as? StoreError)?.kind == .uniqueViolation)
    #expect(error.message.contains("Object 10 of the response"))
    #expect(error.committed?.elements == 8)
    #expect(try await place.count() == 8)
    let response = try await place.get(.groups(of: 4), .skipping)
    #expect(response.refused.map(\.position) == [10])
    #expect(try await place.count() == 11)
  }

  /// The later one of two groups has the last word, as the later one of two responses has. One response can't contradict itself.
  @Test func `a unique value that objects of two groups have goes to the later object`() async throws {
    let place = try StopPlace(try TestServer.giving(Self.coded { $0 == 10 ? 2 : $0 }))
    defer { place.end() }
    let error = try #require(await place.failure(.atomically))
    #expect((error.underlying as? StoreError)?.kind == .uniqueViolation)
    #expect(error.message.contains("Object 10 of the response"))
    #expect(try await place.count() == 0)
    #expect(try await place.get(.groups(of: 4)).counts.inserted == 12)
    let codes = try await place.store.read { context in
      try context.fetch(Stop.where { $0.uid == 2 || $0.uid == 10 }.sorted { $0.uid }).map(\.code)
    }
    #expect(codes == [nil, "2"])
  }

  @Test func `a cancelled request keeps the groups that were reported and closes its connection`() async throws {
    let (sent, closed) = (Event(), Event())
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart(Self.lost)
      connection.waitForClose()
      closed.set()
    }
    let place = try StopPlace(server)
    defer { place.end() }
    let committed = Log<StreamedProgress>()
    let task = Task {
      try await place.get(
        .groups(of: 5) { part in
          committed.add(part)
          if part.groups == 2 { sent.set() }
        })
    }
    await sent.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
    #expect(committed.all.last?.elements == 10)
    #expect(try await place.count() == 10)
  }

  /// The group that is on its way to the file is not written.
  @Test func `a cancelled request does not write the group that waits for the writer`() async throws {
    let (first, held, free) = (Event(), Event(), Event())
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<5))
      held.block()
      try connection.sendPart("," + Stops.json(5..<10) + "]")
      try connection.end()
    }
    let place = try StopPlace(server)
    defer { place.end() }
    let task = Task { try await place.get(.groups(of: 5) { _ in first.set() }) }
    await first.wait()
    let unit = Task {
      try await place.store.background { _ in
        held.set()
        free.block()
      }
    }
    await held.wait()
    task.cancel()
    free.set()
    try await unit.value
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await place.count() == 5)
  }

  @Test func `an atomic response is one unit`() async throws {
    let goOn = Event()
    let arrived = Event()
    let server = try TestServer { connection in
      try connection.begin()
      try connection.sendPart("[" + Stops.json(0..<10_000))
      arrived.set()
      goOn.block()
      try connection.sendPart("]")
      try connection.end()
    }
    defer { goOn.set() }
    let place = try StopPlace(server)
    defer { place.end() }
    let task = Task { try await place.get(.atomically, .deleteMissing(in: Stop.all)) }
    await arrived.wait()
    #expect(try await place.count() == 0)
    // The file beside the store has no name.
    #expect(try place.others == [])
    goOn.set()
    let response = try await task.value
    #expect(response.counts.inserted == 10_000)
    #expect(response.committed.groups == 1)
    #expect(response.committed.elements == 10_000)
    #expect(try await place.count() == 10_000)
  }
}
