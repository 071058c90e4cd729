import EntityClient
import EntityTesting
import Foundation
import Testing

/// Streams of a stub, on a clock that the tests move.
@Suite(.client(entities: [Buoy.self])) struct ServerSentEventTests {
  private var store: EntityStore { get throws { try Client.current.store } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  /// All events up to the end of the stream.
  private func all(
    _ options: EventStreamOptions = .patient, _ clock: VirtualClock = VirtualClock(advancesByItself: true),
    by rules: PushRules = buoyRules
  ) async throws -> [ReceivedMessage] {
    var events: [ReceivedMessage] = []
    let stream = try Client.current.serverSentEvents("events", by: rules, options: options, clock: clock)
    for try await event in stream { events.append(event) }
    return events
  }

  private func outcomes(_ events: [ReceivedMessage]) -> [String] {
    events.map { event in
      switch event.outcome {
      case .upserted: "upserted"
      case .deleted: "deleted"
      case .refreshed: "refreshed"
      case .ignored: "ignored"
      case .refused: "refused"
      }
    }
  }

  private static let stream = """
    : a comment
    event: created
    data: [{"id": 1, "name": "a"},
    data:  {"id": 2, "name": "b"}, {"id": 3}]

    event: updated
    data: {"id": 1, "depth": 5}

    event: deleted
    data: {"id": 2}

    event: cleared
    data: [3, "4"]

    event: changed
    data

    data: {"id": 9}


    """

  @Test func `events are upserts, deletions and hints, and a second time they write nothing`() async throws {
    try stub.on(.get, "/buoys", .json([["id": 7, "name": "read"]]))
    for round in 0..<2 {
      try stub.on(.get, "/events", .events(Self.stream).chunked(7), .status(204))
      let events = try await all()
      #expect(outcomes(events) == ["upserted", "upserted", "deleted", "deleted", "refreshed", "ignored"])
      #expect(events.map(\.message.kind) == ["created", "updated", "deleted", "cleared", "changed", "message"])
      #expect(events[0].ids(of: Buoy.self).count == 3)
      #expect(events[0].counts(of: Buoy.self).inserted == (round == 0 ? 3 : 2))
      #expect(events[1].counts(of: Buoy.self).rowsWritten == (round == 0 ? 1 : 0))
      #expect(events[2].counts(of: Buoy.self).deleted == 1)
      #expect(try await store.buoys() == ["1 a 5", "7 read 0"])
    }
    let request = try #require(stub.requests(.get, "/events").first)
    #expect(request.headers["Accept"] == "text/event-stream")
    #expect(request.headers["Cache-Control"] == "no-cache")
    #expect(request.headers["Last-Event-ID"] == nil)
  }

  @Test func `the next connection has the id of the last event, and waits as the server says`() async throws {
    let clock = VirtualClock(advancesByItself: true)
    try stub.on(
      .get, "/events", .events("id: 1\nevent: created\ndata: {\"id\": 1}\n\nid: 2\ndata: x\n\nid: 3\ndata: cut"),
      .events("retry: 20000\nid: 4\n\n"), .events("retry: 1\ndata: y\n\n"), .events("retry: 99999999999999999999\n\n"),
      .status(204))
    #expect(try await all(.patient, clock).map(\.message.id) == ["1", "2", "4"])
    #expect(try stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "2", "4", "4", "4"])
    let waits = clock.sleeps
    #expect(waits.count == 4)
    for (wait, least) in zip(waits, [Duration.seconds(3), .seconds(20), .milliseconds(100), .seconds(600)]) {
      #expect(wait >= least && wait <= least * 1.5, "\(wait)")
    }
  }

  @Test func `failures are followed by longer waits`() async throws {
    let clock = VirtualClock(advancesByItself: true)
    try stub.on(
      .get, "/events", .failure(.connection), .status(503), .status(429, headers: ["Retry-After": "100"]),
      .failure(.timeout, mayHaveBeenProcessed: true), .status(500), .status(502), .events("data: x\n\n"),
      .events(": nothing\n").breaking(after: 5), .status(204))
    #expect(try await all(.patient, clock).count == 1)
    for (wait, least) in zip(clock.sleeps, [3, 6, 100, 24, 48, 60, 3, 3]) {
      #expect(wait >= .seconds(least) && wait <= .seconds(least) * 1.5, "\(wait) \(least)")
    }
    #expect(clock.sleeps.count == 8)
    // Many clients do not come back at once.
    #expect(Set(clock.sleeps).count > 4)
  }

  @Test func `too many failures in a row are an error`() async throws {
    var options = EventStreamOptions.patient
    options.maximumFailures = 2
    try stub.on(
      .get, "/events", .failure(.connection), .events("data: x\n\n"), .failure(.connection), .failure(.connection),
      .status(503))
    let error = try await requestError { try await all(options) }
    #expect(error.status == 503)
    #expect(try stub.requests.count == 5)
  }

  @Test(arguments: [
    (StubAnswer.json([]), RequestError.Kind.parsing, "its content type is 'application/json'"),
    (.data(Data("data: x\n\n".utf8), contentType: nil), .parsing, "its content type is not given"),
    (.status(404), .status, "(status 404)"), (.status(401), .status, "(status 401)"),
    (.text("data: x\n\n", status: 206, contentType: "text/event-stream"), .parsing, "no event stream"),
    (.failure(.tls, "the certificate is over"), .transport, "the certificate is over"),
    (.failure(.invalidRequest), .transport, "a failure"),
  ]) func `what can't become better is an error, and no other connection`(
    _ answer: StubAnswer, _ kind: RequestError.Kind, _ words: String
  ) async throws {
    try stub.on(.get, "/events", answer)
    let clock = VirtualClock(advancesByItself: true)
    let error = try await requestError { try await all(.patient, clock) }
    #expect(error.kind == kind)
    #expect(error.description.contains(words), "\(error)")
    #expect(error.method == .get && error.url?.path() == "/events")
    #expect(try stub.requests.count == 1)
    #expect(clock.sleeps.isEmpty)
  }

  @Test func `after an error the iteration is over`() async throws {
    try stub.on(.get, "/events", .status(404))
    var events = try Client.current.serverSentEvents("events", by: []).makeAsyncIterator()
    await #expect(throws: RequestError.self) { try await events.next() }
    #expect(try await events.next() == nil)
  }

  @Test func `an event that can't be read is handed out with its place, and the next one goes on`() async throws {
    try await Buoy.upsert(from: ["id": 1, "name": "old"])
    let stream = """
      id: 1
      event: updated
      data: {"id": 1,
      data: "name": secret}

      id: 2
      event: updated
      data: {"id": 1, "depth": "secret"}

      id: 3
      event: deleted
      data: {"name": "secret"}

      id: 4
      event: cleared
      data: [1, true]

      id: 5
      event: updated
      data: {"id": 2}


      """
    try stub.on(.get, "/events", .events(stream), .status(204))
    let events = try await all()
    #expect(outcomes(events) == ["refused", "refused", "refused", "refused", "upserted"])
    let errors = events.compactMap(\.error)
    for (error, words) in zip(
      errors,
      [
        "The message 'updated', id '1': The payload is not JSON: JSON line 2",
        "'Buoy.depth' can't be read from 'depth'",
        "nothing under 'id'", "A uid of 'Buoy' was expected, and there is a boolean",
      ])
    {
      #expect(error.description.contains(words), "\(error)")
      #expect(!error.description.contains("secret"), "\(error)")
    }
    #expect(!events.map { "\($0)" }.joined().contains("secret"))
    #expect(try await store.buoys() == ["1 old 0", "2 - 0"])
    #expect(try stub.requests.last?.headers["Last-Event-ID"] == "5")
  }

  @Test func `a hint whose request fails for now comes again, and one that fails for good is refused`() async throws {
    try stub.on(.get, "/buoys", .failure(.connection), .json([["id": 1]]), .status(404))
    let hint = "id: 1\ndata: x\n\nid: 2\nevent: changed\ndata: x\n\n"
    try stub.on(
      .get, "/events", .events(hint), .events("id: 2\nevent: changed\ndata: x\n\n"),
      .events("id: 3\nevent: changed\ndata: x\n\n"), .status(204))
    let events = try await all()
    // The object is gone meanwhile: the request would fail each time.
    guard case .refused(let error)? = events.last?.outcome else {
      Issue.record("\(outcomes(events))")
      return
    }
    #expect(error.status == 404)
    #expect(try stub.requests(.get, "/events").map { $0.headers["Last-Event-ID"] } == [nil, "1", "2", "3"])
    #expect(try await store.buoys() == ["1 - 0"])
  }

  /// The ids with which the stream is asked for say which messages come again.
  @Test(arguments: ["", "id: 1\ndata: x\n\n"])
  func `a hint that nobody repeats waits for its request, and the messages behind it wait`(
    _ beginning: String
  ) async throws {
    let clock = VirtualClock(advancesByItself: true)
    try stub.on(.get, "/buoys", .status(503), .failure(.connection), .json([["id": 7, "name": "read"]]))
    let hint = "event: changed\ndata: x\n\nevent: updated\ndata: {\"id\": 1, \"name\": \"new\"}\n\n"
    try stub.on(.get, "/events", .events(beginning + hint), .status(204))
    let events = try await all(.patient, clock)
    #expect(outcomes(events) == (beginning.isEmpty ? [] : ["ignored"]) + ["refreshed", "upserted"])
    #expect(try await store.buoys() == ["1 new 0", "7 read 0"])
    #expect(try stub.requests(.get, "/events").count == 2)
    for (wait, least) in zip(clock.sleeps, [3, 6, 3]) {
      #expect(wait >= .seconds(least) && wait <= .seconds(least) * 1.5, "\(wait) \(least)")
    }
    #expect(clock.sleeps.count == 3)
  }

  @Test func `failures before a connection that works do not count for a hint`() async throws {
    var options = EventStreamOptions.patient
    options.maximumFailures = 2
    try stub.on(
      .get, "/events", .failure(.connection), .failure(.connection), .events("event: changed\ndata: x\n\n"),
      .status(204))
    try stub.on(.get, "/buoys", .status(503), .json([["id": 7, "name": "read"]]))
    #expect(outcomes(try await all(options, VirtualClock(advancesByItself: true))) == ["refreshed"])
  }

  @Test func `a hint that nobody repeats and whose request fails too often is an error`() async throws {
    var options = EventStreamOptions.patient
    options.maximumFailures = 2
    try stub.on(.get, "/buoys", .status(503))
    try stub.on(.get, "/events", .events("event: changed\ndata: x\n\n"))
    let error = try await requestError { try await all(options) }
    #expect(error.status == 503)
    #expect(try stub.requests.map(\.path) == ["/events", "/buoys", "/buoys", "/buoys"])
  }

  @Test func `after a break the app reads again before the next event, until that succeeds`() async throws {
    var options = EventStreamOptions.patient
    options.afterBreak = { _ = try await Buoy.get() }
    try stub.on(.get, "/buoys", .status(503), .json([["id": 7, "name": "read"]]))
    try stub.on(
      .get, "/events", .events("data: a\n\n"), .events("data: lost\n\n"), .events("data: c\n\n"), .status(204))
    #expect(try await all(options).map(\.message.text) == ["a", "c"])
    #expect(
      try stub.requests.map(\.path) == ["/events", "/events", "/buoys", "/events", "/buoys", "/events"])
    #expect(try await store.buoys() == ["7 read 0"])
  }

  @Test func `another error of the reading after a break ends the sequence`() async throws {
    var options = EventStreamOptions.patient
    options.afterBreak = { _ = try await Buoy.get() }
    try stub.on(.get, "/buoys", .status(404))
    try stub.on(.get, "/events", .events("data: a\n\n"))
    #expect(try await requestError { try await all(options) }.status == 404)
    #expect(try stub.requests.count == 3)
  }

  @Test func `a silent server is left`() async throws {
    let clock = VirtualClock()
    let gate = StubGate()
    var options = EventStreamOptions()
    options.maximumSilence = .seconds(30)
    try stub.on(
      .get, "/events", .events("data: x\n\n: lost xx").chunked(2, gates: [1: gate]), .status(204))
    let task = Task { [options] in try await all(options, clock) }
    await gate.arrival()
    // One sleep for all reads of a connection.
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(30))
    await clock.sleep(number: 2)
    #expect(clock.sleeps[0] == .seconds(30))
    #expect(clock.sleeps[1] >= .seconds(3) && clock.sleeps[1] <= .seconds(4.5))
    clock.advance(by: .seconds(5))
    #expect(try await task.value.count == 1)
  }

  @Test func `a refusal for now with a long body is a refusal for now`() async throws {
    let clock = VirtualClock()
    try stub.on(
      .get, "/events", .data(Data(repeating: 0x78, count: 3 << 20), status: 503), .events("data: x\n\n"),
      .status(204))
    let task = Task { try await all(.patient, clock) }
    await clock.sleep(number: 1)
    clock.advance(by: .seconds(60))
    await clock.sleep(number: 2)
    clock.advance(by: .seconds(60))
    #expect(try await task.value.count == 1)
  }

  @Test func `a cancelled task ends the request and the waits`() async throws {
    let gate = StubGate()
    try stub.on(.get, "/events", .events("data: x\n\n").waiting(for: gate), .status(503))
    let first = Task { try await all() }
    await gate.arrival()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let clock = VirtualClock()
    let second = Task { try await all(.patient, clock) }
    await clock.sleep(number: 1)
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
  }

  @Test func `nothing is sent before the first event is asked for`() throws {
    _ = try Client.current.serverSentEvents("events", by: buoyRules).makeAsyncIterator()
    #expect(try stub.requests.isEmpty)
  }

  @Test @MainActor func `on the main actor objects are up to date with each event`() async throws {
    let buoy = try #require(try await Buoy.upsert(from: ["id": 1, "name": "old"]).object)
    try stub.on(.get, "/events", .events("event: updated\ndata: {\"id\": 1, \"name\": \"new\"}\n\n"), .status(204))
    let clock = VirtualClock(advancesByItself: true)
    for try await _ in try Client.current.serverSentEvents("events", by: buoyRules, options: .patient, clock: clock) {
      #expect(buoy.name == "new")
    }
  }
}
