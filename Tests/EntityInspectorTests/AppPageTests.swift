import EntityClient
import EntityInspector
import EntityTesting
import Foundation
import Testing

/// The pages for which the app is asked: the plan of its outbox, and its live queries.
struct AppPageTests {
  @Test func `pending changes have the plan of the outbox, with what each change waits for`() async throws {
    let app = try InspectedClient()
    #expect(try await app.page("pending.json")["plan"] == nil)
    // The page that says so is asked again, and the plan takes the place of the sentence.
    let early = try await app.html("pending")
    #expect(
      early.contains("<div data-live=\"plan\"><p class=\"note\">The store has no outbox.")
        && early.contains(" data-poll>"))
    let outbox = try Outbox(app.client)
    app.stub.on(.post, "/counters", .json(["message": "no"], status: 400))
    try await app.store.background { context in
      let counter = try context.insert(Counter.self)
      counter.name = "New"
      let ticket = try context.insert(Ticket.self)
      (ticket.text, ticket.counter) = ("first", counter)
    }
    let before = try #require(try await app.page("pending.json")["plan.lines"]?.array)
    #expect(before.map { $0["state"]?.string } == ["ready", "after"])
    #expect(before.map { $0["reason"]?.string } == ["ready", "after 1"])
    #expect(before[0]?["request"]?.string == "POST counters" && before[0]?["object.label"]?.string == "New")
    #expect(app.stub.requests.isEmpty, "a look at the plan sends nothing")
    try await outbox.send()
    let page = try await app.page("pending.json")
    let after = try #require(page["plan.lines"]?.array)
    #expect(Set(after.map { $0["state"]?.string }) == ["refused", "blocked"])
    let entry = try #require(page["outbox[0]"])
    #expect(entry["state"]?.string == "refused" && entry["why"]?.string == "a person edits, retries or drops it")
    #expect(entry["attempts"]?.int64 == 1 && entry["status"]?.int64 == 400)
    #expect(entry["request"]?.string == "POST https://api.example.com/counters")
    // The mark of a change belongs to its object, and not to a place in the plan.
    let html = try await app.html("pending")
    for line in after {
      let pk = try #require(line["object.pk"]?.int64)
      let entity = try #require(line["object.entity"]?.string)
      #expect(html.contains("data-key=\"plan.\(entity).\(pk).\(line["request"]?.string ?? "")\""))
    }
    withExtendedLifetime(outbox) {}
  }

  @Test func `an entry that waits for a person says so`() async throws {
    let app = try InspectedClient()
    let outbox = try Outbox(app.client)
    // The server has made the counter, and says nothing of it that can be read.
    app.stub.on(.post, "/counters", .json("made", status: 201))
    try await app.store.background { try $0.insert(Counter.self).name = "New" }
    try await outbox.send()
    let page = try await app.page("pending.json")
    #expect(page["plan.lines[0].state"]?.string == "unknown")
    let entry = try #require(page["outbox[0]"])
    #expect(entry["state"]?.string == "sending" && entry["next"]?.string == nil)
    #expect(entry["why"]?.string == "the server may have it; a person confirms or drops it")
    withExtendedLifetime(outbox) {}
  }

  @Test func `an entry says whether an edit helps, and whether the same request is tried again`() async throws {
    let app = try InspectedClient()
    let id = try await app.store.background { try $0.insert(Counter.self).entityID }
    let key = RowKey(entity: try app.store.core.schema.model(Counter.self).number, pk: id.pk)
    try await app.store.core.unit { rows in
      try rows.outbox.insert(OutboxEntry(key: key, kind: .deletion, state: .refused, time: 1_000))
      var claim = OutboxEntry(key: key, kind: .create, state: .sending, time: 1_000)
      claim.next = 4_600
      try rows.outbox.insert(claim)
    }
    let entries = try #require(try await app.page("pending.json")["outbox"]?.array)
    #expect(
      entries.map { $0["why"]?.string } == [
        "a person retries or drops it", "the server fails at it, and the same request is tried again",
      ])
  }

  @Test func `an object has the part of the plan about it, and its entries`() async throws {
    let app = try InspectedClient()
    let outbox = try Outbox(app.client)
    app.stub.on(.post, "/counters", .status(400))
    let pks = try await app.store.background { context in
      let (counter, ticket) = (try context.insert(Counter.self), try context.insert(Ticket.self))
      ticket.counter = counter
      return [counter.entityID.pk, ticket.entityID.pk]
    }
    // The page of an object without changes has the place where they appear; one with changes follows them.
    #expect(try await app.html("e/Ticket/\(pks[1])").contains(" data-poll>"))
    let ticket = try await app.page("e/Ticket/\(pks[1]).json")
    #expect(ticket["plan.lines"]?.array?.compactMap { $0["object.pk"]?.int64 } == pks)
    try await outbox.send()
    let counter = try await app.page("e/Counter/\(pks[0]).json")
    #expect(counter["plan.lines[0].state"]?.string == "refused")
    #expect(counter["outbox[0].status"]?.int64 == 400)
    #expect(try await app.html("e/Counter/\(pks[0])").contains("<h2>Sending</h2>"))
    withExtendedLifetime(outbox) {}
  }

  @Test func `live queries have their SQL, values, rows and runs`() async throws {
    let app = try InspectedClient()
    #expect(try await app.page("live.json")["queries"]?.array?.isEmpty == true)
    var query: LiveQuery<Counter>? = await MainActor.run {
      let query = LiveQuery(Counter.where { $0.name == "<first>" }, in: app.store)
      _ = query.objects
      return query
    }
    try await app.store.background { try $0.upsert(Counter.self, uid: 1).name = "<first>" }
    await MainActor.run { _ = query?.objects }
    let line = try #require(try await app.page("live.json")["queries[0]"])
    #expect(line["entity"]?.string == "Counter" && line["rows"]?.int64 == 1 && line["runs"]?.int64 == 2)
    let sql = try #require(line["sql"]?.string)
    #expect(sql.contains("\"name\"") && sql.contains("?") && !sql.contains("first"))
    #expect(line["values[0]"]?.string == "<first>" && line["number"]?.int64 == 1)
    #expect(line["last"]?.string != nil && line["failure"] == nil)
    #expect(line["plan[0].isScan"]?.bool == true && line["plan[0].text"]?.string?.hasPrefix("SCAN") == true)
    #expect(try await app.html("live").contains("&lt;first&gt;"))
    // The numbers stay when an earlier query ends.
    let other = await MainActor.run { LiveQuery(Ticket.all, in: app.store) }
    await MainActor.run { query = nil }
    let left = try #require(try await app.page("live.json")["queries"]?.array)
    #expect(left.map { $0["number"]?.int64 } == [2])
    await MainActor.run { withExtendedLifetime(other) {} }
  }

  @Test func `a busy main actor delays no page for more than a second, and is named`() async throws {
    let app = try InspectedClient()
    let gate = DispatchSemaphore(value: 0)
    func hold() { gate.wait() }
    let (holds, held) = AsyncStream.makeStream(of: Void.self)
    Task { @MainActor in
      held.finish()
      hold()
    }
    for await _ in holds {}
    defer { gate.signal() }
    let page = try JSONValue(parsing: Data(try await app.browser.app("live.json").utf8))
    #expect(page["problem"]?.string == "The main actor did not answer within a second.")
    // Other pages do not ask it.
    #expect(try app.browser.get("e/Ticket").status == 200)
  }

  @Test func `an inspector keeps neither the outbox nor the store of its client`() async throws {
    weak var weakStore: EntityStore?
    let inspector: Inspector
    do {
      let store = try EntityStore(.inMemory, entities: [Counter.self, Ticket.self])
      weakStore = store
      let client = try Client(adapter: StubAdapter(), store: store, baseURL: "https://api.example.com/")
      inspector = try Inspector.start(client)
      // An outbox ends with its last reference, and its task a moment later.
      _ = try Outbox(client)
    }
    while weakStore != nil { await Task.yield() }
    inspector.stop()
  }
}
