import EntityClient
import EntityTesting
import Foundation
import Testing

/// Messages of any source, by `receive`, in order with requests that are under way.
@Suite(.client(entities: [Buoy.self, Beacon.self, HandBuoy.self])) struct PushedMessageTests {
  private var client: Client { get throws { try Client.current } }
  private var store: EntityStore { get throws { try Client.current.store } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  @discardableResult
  private func receive(_ kind: String, _ value: JSONValue) async throws -> ReceivedMessage {
    try await client.receive(PushedMessage(kind: kind, data: value.rawBytes), by: buoyRules)
  }

  @Test func `a frame of a WebSocket names its kind in its payload`() async throws {
    let rules = PushRules(
      kindAt: "type",
      [
        .on("buoy.updated", do: .upsert(Buoy.self, options: .envelope("data"))),
        .on("buoy.gone", do: .delete(Buoy.self, at: "data.ids")),
        .on("both", do: .upsert(parts: [.list(Buoy.self, at: "buoys"), .list(Beacon.self, at: "beacons")])),
        .on("change") { try $0.json()["gone"]?.bool == true ? .delete(Buoy.self, at: "id") : nil },
        .on("change", do: .upsert(Buoy.self)), .on("ping", do: .ignore),
      ])
    func receive(_ text: String) async throws -> ReceivedMessage {
      try await client.receive(PushedMessage(data: Data(text.utf8)), by: rules)
    }
    _ = try await receive(#"{"type": "buoy.updated", "data": [{"id": 1, "name": "a"}, {"id": 2}, {"id": 3}]}"#)
    #expect(try await store.buoys() == ["1 a 0", "2 - 0", "3 - 0"])
    let gone = try await receive(#"{"type": "buoy.gone", "data": {"ids": [2, 3, 8]}}"#)
    #expect(gone.counts(of: Buoy.self).deleted == 2)
    let both = try await receive(#"{"type": "both", "buoys": [{"id": 4}], "beacons": [{"id": 9, "revision": 1}]}"#)
    #expect(both.ids(of: Beacon.self).count == 1)
    #expect(both.ids(of: Buoy.self).count == 1)
    _ = try await receive(#"{"type": "change", "id": 4, "depth": 7}"#)
    #expect(try await store.buoys() == ["1 a 0", "4 - 7"])
    _ = try await receive(#"{"type": "change", "id": 4, "gone": true}"#)
    #expect(try await store.buoys() == ["1 a 0"])
    for text in [#"{"type": "ping"}"#, #"{"type": "unknown"}"#, #"{"id": 1, "name": "b"}"#, "no JSON", "{"] {
      guard case .ignored = try await receive(text).outcome else {
        Issue.record("\(text)")
        continue
      }
    }
    #expect(try await store.buoys() == ["1 a 0"])
  }

  @Test func `an older answer does not overwrite a message, and a later request does`() async throws {
    let gate = StubGate()
    try stub.on(
      .get, "/buoys/1", .json(["id": 1, "name": "old", "depth": 1]).waiting(for: gate),
      .json(["id": 1, "name": "newest", "depth": 2]))
    let older = Task { try await Buoy.get("1") }
    await gate.arrival()
    try await receive("updated", ["id": 1, "name": "pushed"])
    gate.open()
    let response = try await older.value
    // The message had no depth.
    #expect(try await store.buoys() == ["1 pushed 1"])
    #expect(response.skipped.count == 1)
    try await Buoy.get("1")
    #expect(try await store.buoys() == ["1 newest 2"])
  }

  @Test func `an older answer does not bring back what a message deleted`() async throws {
    try await Buoy.upsert(from: [["id": 1], ["id": 2]])
    let gate = StubGate()
    try stub.on(.get, "/buoys", .json([["id": 1], ["id": 2], ["id": 3]]).waiting(for: gate))
    let older = Task { try await Buoy.get() }
    await gate.arrival()
    try await receive("deleted", ["id": 2])
    // One that was never here.
    try await receive("deleted", ["id": 3])
    gate.open()
    _ = try await older.value
    #expect(try await store.buoys() == ["1 - 0"])
  }

  @Test func `a refresh that would fail again is refused, and the stream goes on behind it`() async throws {
    let rules: PushRules = [
      .on("hint", do: .refresh { try await Buoy.get(try $0.json()["path"]?.string) }),
      .on("updated", do: .upsert(Buoy.self)),
    ]
    let text =
      "id: 1\nevent: hint\ndata: {\"path\": \"5\"}\n\nid: 2\nevent: hint\ndata: {\"path\": \"../x\"}\n\n"
      + "id: 3\nevent: updated\ndata: {\"id\": 1}\n\nid: 4\nevent: hint\ndata: {\"path\": \"6\"}\n\n"
    try stub.on(.get, "/events", .events(text), .events(""), .status(204))
    try stub.on(.get, "/buoys/5", .status(404))
    try stub.on(.get, "/buoys/6", .status(401), .json(["id": 6]))
    func follow() async throws -> [String] {
      var outcomes: [String] = []
      let stream = try client.serverSentEvents(
        "events", by: rules, options: .patient, clock: VirtualClock(advancesByItself: true))
      do {
        for try await event in stream { outcomes.append(event.error.map { "\($0.kind)" } ?? "\(event.outcome)") }
      } catch {
        outcomes.append("threw \((error as? RequestError)?.status ?? 0)")
      }
      return outcomes
    }
    // The app signs in after a 401, and the event comes once more.
    #expect(try await follow() == ["status", "unsafeResource", "upserted", "threw 401"])
    _ = try await follow()
    #expect(try stub.requests.last { $0.url.path == "/events" }?.headers["Last-Event-ID"] == "3")
  }

  @Test(arguments: [
    StubAnswer.text("<html>Sign in</html>", contentType: "text/html"), .json(["message": "Back at noon"]),
    .status(403, headers: ["Retry-After": "60"]), .status(409), .status(423),
    .text("<html>Sign in</html>", status: 403, contentType: "text/html; charset=utf-8"),
  ])
  func `a refresh that another answer may mend is thrown`(_ answer: StubAnswer) async throws {
    try stub.on(.get, "/buoys/5", answer)
    let rules: PushRules = [.on("hint", do: .refresh { _ in try await Buoy.get("5") })]
    await #expect(throws: RequestError.self) {
      try await client.receive(PushedMessage(kind: "hint", data: Data()), by: rules)
    }
  }

  @Test func `a hint about an object that may not be read is refused`() async throws {
    try stub.on(.get, "/buoys/5", .json(["message": "Forbidden"], status: 403))
    let rules: PushRules = [.on("hint", do: .refresh { _ in try await Buoy.get("5") })]
    let message = try await client.receive(PushedMessage(kind: "hint", data: Data()), by: rules)
    #expect(message.error?.status == 403)
  }

  @Test func `a refresh that can't be made names its message`() async throws {
    let rules: PushRules = [
      .on(
        "hint",
        do: .refresh { _ in try await Buoy.get("../x") })
    ]
    let hint = PushedMessage(kind: "hint", data: Data(), id: "7")
    // The payload itself would be no better the next time.
    let reading: PushRules = [.on("bad", do: .refresh { try await Buoy.upsert(from: $0.data) })]
    #expect(
      try await client.receive(PushedMessage(kind: "bad", data: Data("<".utf8)), by: reading).error?.kind == .parsing)
    let error = try #require(try await client.receive(hint, by: rules).error)
    #expect(error.kind == .unsafeResource)
    #expect(error.message.hasPrefix("The message 'hint', id '7': "), "\(error)")
  }

  @Test func `a message that arrived before a request does not overwrite its answer`() async throws {
    let gate = StubGate()
    try stub.on(.get, "/buoys/1", .json(["id": 1, "name": "newer"]))
    // The rule of the first message reads again, so the second message waits while a request comes and goes.
    let rules: PushRules = [
      .on(
        "hint",
        do: .refresh { _ in
          try await gate.wait()
          try await Buoy.get("1")
        }), .on("updated", do: .upsert(Buoy.self)),
    ]
    try stub.on(
      .get, "/events",
      .events("event: hint\ndata: x\n\nevent: updated\ndata: {\"id\": 1, \"name\": \"older\", \"depth\": 3}\n\n"),
      .status(204))
    let clock = VirtualClock(advancesByItself: true)
    let stream = try client.serverSentEvents("events", by: rules, options: .patient, clock: clock)
    let task = Task {
      var skipped = 0
      for try await event in stream { skipped += event.skipped.count }
      return skipped
    }
    await gate.arrival()
    gate.open()
    // Both arrived together, and the request was sent after that.
    #expect(try await task.value == 1)
    #expect(try await store.buoys() == ["1 newer 3"])
  }

  @Test @MainActor func `of a write under way the columns that it sent stay its own`() async throws {
    let buoy = try #require(try await Buoy.upsert(from: ["id": 1, "name": "a", "depth": 1, "revision": 1]).object)
    let gate = StubGate()
    try stub.on(
      .patch, "/buoys/1", .json(["id": 1, "name": "mine", "depth": 1, "revision": 2]).waiting(for: gate))
    buoy.name = "mine"
    try await buoy.entityContext?.save()
    let write = Task { try await buoy.patch(\.name) }
    await gate.arrival()
    try await receive("updated", ["id": 1, "name": "theirs", "depth": 9, "revision": 3])
    #expect(buoy.name == "mine")
    #expect(buoy.depth == 9)
    gate.open()
    _ = try await write.value
    #expect(buoy.name == "mine")
    #expect(!buoy.hasChanges)
    // The answer may be from before the message.
    #expect(buoy.depth == 9)
    #expect(buoy.revision == 3)
  }

  @Test @MainActor func `edits and unsent objects stay`() async throws {
    let buoy = try #require(try await Buoy.upsert(from: ["id": 1, "name": "a"]).object)
    buoy.name = "mine"
    try await buoy.entityContext?.save()
    let update = try await receive("updated", ["id": 1, "name": "theirs", "depth": 2])
    #expect(update.skipped.count == 1)
    #expect(buoy.name == "mine" && buoy.depth == 2)
    let deletion = try await receive("deleted", ["id": 1])
    #expect(deletion.counts(of: Buoy.self).denied == 1)
    #expect(!buoy.isDeleted)
    #expect(try await store.pending.changes().count == 1)
  }

  @Test func `an entity with a version goes by it`() async throws {
    let rules: PushRules = [.on("set", do: .upsert(Beacon.self)), .on("end", do: .delete(Beacon.self, at: "id"))]
    func receive(_ kind: String, _ value: JSONValue) async throws -> ReceivedMessage {
      try await client.receive(PushedMessage(kind: kind, data: value.rawBytes), by: rules)
    }
    try await Beacon.upsert(from: ["id": 1, "revision": 5])
    #expect(try await receive("set", ["id": 1, "revision": 4]).skipped.count == 1)
    #expect(try await store.read { try $0.fetch(Beacon.self, uid: 1)?.revision } == 5)
    _ = try await receive("set", ["id": 1, "revision": 6])
    #expect(try await store.read { try $0.fetch(Beacon.self, uid: 1)?.revision } == 6)
    _ = try await receive("end", ["id": 1])
    #expect(try await store.read { try $0.count(Beacon.all) } == 0)
  }

  @Test func `an update by hand takes messages, too`() async throws {
    let rules: PushRules = [.on("set", do: .upsert(HandBuoy.self)), .on("end", do: .delete(HandBuoy.self))]
    _ = try await client.receive(
      PushedMessage(kind: "set", data: Data(#"[{"id": 1, "revision": 2}, {"id": 2}]"#.utf8)), by: rules)
    _ = try await client.receive(PushedMessage(kind: "end", data: Data("2".utf8)), by: rules)
    #expect(try await store.read { try $0.fetch(HandBuoy.self).map(\.revision) } == [2])
  }

  @Test func `a rule that throws refuses its message`() async throws {
    struct Mistake: Error {}
    let rules: PushRules = [.on("updated") { _ in throw Mistake() }]
    let received = try await client.receive(PushedMessage(kind: "updated", data: Data("{}".utf8)), by: rules)
    #expect(received.error?.underlying is Mistake)
    #expect(received.error?.description.contains("The message 'updated': Its rule can't be chosen") == true)
  }

  @Test func `without a store, a message that needs one is an error`() async throws {
    let client = try Client(adapter: StubAdapter(), baseURL: "https://api.example.com/")
    let message = PushedMessage(kind: "updated", data: Data("{}".utf8))
    #expect(try await requestError { try await client.receive(message, by: buoyRules) }.kind == .noStore)
    guard case .ignored = try await client.receive(message, by: []).outcome else {
      Issue.record("It was not ignored")
      return
    }
  }
}
