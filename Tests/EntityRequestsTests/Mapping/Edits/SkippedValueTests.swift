import EntityClient
import EntityStore
import EntityTesting
import Testing

/// The values of changes that a response did not make: which are conflicts, and which repeat what the server had.
@Suite(.tickets) @MainActor struct SkippedValueTests {
  private func ticket<E: AnyTicket>(_ type: E.Type, _ fields: JSONValue) async throws -> E {
    try #require(try await E.upsert(from: fields).object)
  }

  private func text(_ text: String) -> PendingValue { .attribute(.text(text)) }

  @Test func `a value that repeats the server's former value is no conflict`() async throws {
    try await answerTwice(Ticket.self)
    try await answerTwice(HandTicket.self)
  }

  private func answerTwice<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old"])
    ticket.title = "mine"
    try await ticket.entityContext?.save()
    for (title, before) in [("old", "old"), ("new", "old"), ("new", "new")] {
      let skipped = try await E.upsert(from: ["id": 7, "title": JSONValue(title)]).skipped
      let change = try #require(skipped.first)
      #expect(skipped.count == 1)
      #expect(change.reason == .locallyEdited)
      let value = try #require(change.values.first)
      #expect(change.values.count == 1)
      #expect(value.property == "title")
      #expect(value.base == text(before))
      #expect(value.mine == text("mine"))
      #expect(value.theirs == text(title))
      #expect(change.isConflict == (title != before))
      let told = title == before ? "there \"\(title)\" as before" : "there \"\(title)\", before \"\(before)\""
      #expect(
        change.description
          == "\(E.entityName) 7: title was edited here and not yet acknowledged: here \"mine\", \(told)")
    }
  }

  @Test func `an unsaved edit that hides a change is reported`() async throws {
    try await hide(Ticket.self)
    try await hide(HandTicket.self)
  }

  private func hide<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old", "note": "old"])
    ticket.title = "mine"
    let response = try await E.upsert(from: [["id": 7, "title": "new", "note": "new"], ["id": 8, "title": "t"]])
    #expect(response.counts.updated == 1)
    #expect(ticket.title == "mine")
    #expect(ticket.note == "new")
    let change = try #require(response.skipped.first)
    #expect(response.skipped.count == 1)
    #expect(change.reason == .unsavedEdit)
    #expect(change.id == ticket.entityID.untyped)
    #expect(change.properties == ["title"])
    #expect(change.values.map(\.base) == [text("old")])
    #expect(change.values.map(\.mine) == [text("mine")])
    #expect(change.values.map(\.theirs) == [text("new")])
    #expect(change.isConflict)
    #expect(
      change.description
        == "\(E.entityName) 7: title was edited here and is not saved: here \"mine\", there \"new\", before \"old\"")
    // The same value as the edit hides nothing.
    #expect(try await E.upsert(from: ["id": 7, "title": "mine"]).skipped.isEmpty)
    ticket.entityContext?.rollback()
    #expect(ticket.title == "mine")
  }

  @Test func `an edit that the request carries does not hide the value of its answer`() async throws {
    let ticket = try await ticket(Ticket.self, ["id": 7, "title": "old", "note": "old"])
    try StubAdapter.current.on(.put, "/tickets/7", .json(["id": 7, "title": "MINE", "note": "new"]))
    ticket.title = "mine"
    ticket.note = "unsent"
    let response = try await ticket.put(\.title)
    #expect(ticket.title == "MINE")
    #expect(response.skipped.map(\.properties) == [["note"]])
    #expect(response.skipped.map(\.reason) == [.unsavedEdit])
  }

  @Test func `a skipped list has its members as values`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, ["id": 1, "studio": 1, "cast": [1, 2]])
    try await store.background { context in
      let film = try context.fetch(Film.self, uid: 1)
      film?.cast = film?.cast.filter { $0.uid == 1 } ?? []
    }
    let skipped = try await store.receive(Film.self, ["id": 1, "cast": [1, 2, 3]]).skipped
    let change = try #require(skipped.first)
    let value = try #require(change.values.first)
    func count(_ value: PendingValue?) -> Int {
      if case .list(let ids) = value { ids.count } else { -1 }
    }
    #expect([value.base, value.mine, value.theirs].map(count) == [2, 2, 3])
    #expect(change.isConflict)
    let again = try await store.receive(Film.self, ["id": 1, "cast": [1, 2, 3]]).skipped
    #expect(again.first?.isConflict == false)
  }
}
