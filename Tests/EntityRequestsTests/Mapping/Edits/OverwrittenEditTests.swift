import EntityClient
import EntityTesting
import Testing

/// A response with `.localEdits(.overwrite)` ends the edits that it overwrites.
@Suite struct OverwrittenEditTests {
  private func tickets() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
  }

  private func read<E: AnyTicket>(_ store: EntityStore, _ type: E.Type) async throws -> [String?] {
    try await store.read { context in
      let ticket = try #require(try context.fetch(E.all).first { $0.uid == 1 })
      return [ticket.title, ticket.note, ticket.parentUID.map(String.init)]
    }
  }

  @Test(arguments: ["server", "mine"]) func `an overwritten attribute is the server's again`(_ title: String)
    async throws
  {
    let store = try tickets()
    try await attribute(Ticket.self, store, title)
    try await attribute(HandTicket.self, store, title)
  }

  private func attribute<E: AnyTicket>(_ type: E.Type, _ store: EntityStore, _ title: String) async throws {
    _ = try await store.receive(E.self, ["id": 1, "title": "old", "note": "old"])
    try await store.background { context in
      let ticket = try context.fetch(E.all).first
      ticket?.title = "mine"
      ticket?.note = "mine"
    }
    let outcome = try await store.receive(E.self, ["id": 1, "title": JSONValue(title)]) {
      $0.localEdits = .overwrite
    }
    // The end of an edit is a change of the row, though none of the object.
    #expect(outcome.counts.rowsWritten >= 1)
    #expect(try await read(store, E.self) == [title, "mine", nil])
    // The response had no note: that one is an edit still.
    _ = try await store.receive(E.self, ["id": 1, "title": "later", "note": "later"])
    #expect(try await read(store, E.self) == ["later", "mine", nil])
    _ = try await store.receive(E.self, ["id": 1, "note": "mine"]) { $0.localEdits = .overwrite }
    _ = try await store.receive(E.self, []) { $0.missing = .deleteMissing(in: E.all) }
    #expect(try await store.read { try $0.count(E.all) } == 0)
  }

  @Test func `an equal row is not written`() async throws {
    let store = try tickets()
    for type in [Ticket.self, HandTicket.self] as [any AnyTicket.Type] { try await equal(type, store) }
  }

  private func equal<E: AnyTicket>(_ type: E.Type, _ store: EntityStore) async throws {
    _ = try await store.receive(E.self, ["id": 1, "title": "t"])
    let same = try await store.receive(E.self, ["id": 1, "title": "t"]) { $0.localEdits = .overwrite }
    #expect(same.counts.rowsWritten == 0)
    #expect(same.counts.unchanged == 1)
  }

  @Test(arguments: [2, 3]) func `an overwritten link is the server's again`(_ parent: Int) async throws {
    let store = try tickets()
    for fields in [["id": 1, "parent": 2], ["id": 3]] as [JSONValue] {
      _ = try await store.receive(Ticket.self, fields)
      _ = try await store.receive(HandTicket.self, fields)
    }
    try await store.background { context in
      try context.fetch(Ticket.self, uid: 1)?.parent = context.fetch(Ticket.self, uid: 3)
      try context.fetch(HandTicket.self, uid: 1)?.parent = context.fetch(HandTicket.self, uid: 3)
    }
    _ = try await store.receive(Ticket.self, ["id": 1, "parent": JSONValue(parent)]) { $0.localEdits = .overwrite }
    _ = try await store.receive(HandTicket.self, ["id": 1, "parent": JSONValue(parent)]) {
      $0.localEdits = .overwrite
    }
    #expect(try await read(store, Ticket.self)[2] == String(parent))
    #expect(try await read(store, HandTicket.self)[2] == String(parent))
    _ = try await store.receive(Ticket.self, ["id": 1, "parent": nil])
    _ = try await store.receive(HandTicket.self, ["id": 1, "parent": nil])
    #expect(try await read(store, Ticket.self)[2] == nil)
    #expect(try await read(store, HandTicket.self)[2] == nil)
  }

  @Test(arguments: [[1], [2]]) func `an overwritten list is the server's again`(_ cast: [Int]) async throws {
    let store = try films()
    let list = JSONValue(cast.map { JSONValue($0) })
    func film(_ cast: JSONValue) -> JSONValue { ["id": 1, "studio": 5, "cast": cast] }
    func casts(_ store: EntityStore) async throws -> [[Int]] {
      try await store.read { context in
        [
          try context.fetch(Film.self, uid: 1)?.cast.map(\.uid) ?? [],
          try context.fetch(HandFilm.self, uid: 1)?.cast.map(\.uid) ?? [],
        ]
      }
    }
    _ = try await store.receive(Film.self, film([2]))
    _ = try await store.receive(HandFilm.self, film([2]))
    _ = try await store.receive(Player.self, [["id": 1], ["id": 2]])
    _ = try await store.receive(HandPlayer.self, [["id": 1], ["id": 2]])
    try await store.background { context in
      try context.fetch(Film.self, uid: 1)?.cast = [context.fetch(Player.self, uid: 1)].compactMap { $0 }
      try context.fetch(HandFilm.self, uid: 1)?.cast = [context.fetch(HandPlayer.self, uid: 1)].compactMap { $0 }
    }
    _ = try await store.receive(Film.self, film(list)) { $0.localEdits = .overwrite }
    _ = try await store.receive(HandFilm.self, film(list)) { $0.localEdits = .overwrite }
    #expect(try await casts(store) == [cast, cast])
    _ = try await store.receive(Film.self, film([]))
    _ = try await store.receive(HandFilm.self, film([]))
    #expect(try await casts(store) == [[], []])
  }

  @Test func `a list overwrites the links of its members`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, [["id": 1, "studio": 5], ["id": 2, "studio": 6]])
    _ = try await store.receive(HandFilm.self, [["id": 1, "studio": 5], ["id": 2, "studio": 6]])
    try await store.background { context in
      try #require(try context.fetch(Film.self, uid: 1)).studio = try #require(try context.fetch(Film.self, uid: 2))
        .studio
      try #require(try context.fetch(HandFilm.self, uid: 1)).studio =
        try #require(try context.fetch(HandFilm.self, uid: 2)).studio
    }
    let studio: JSONValue = ["id": 6, "films": [1, 2]]
    _ = try await store.receive(Studio.self, studio) { $0.localEdits = .overwrite }
    _ = try await store.receive(HandStudio.self, studio) { $0.localEdits = .overwrite }
    _ = try await store.receive(Film.self, ["id": 1, "studio": 5])
    _ = try await store.receive(HandFilm.self, ["id": 1, "studio": 5])
    #expect(try await store.read { try $0.fetch(Film.self, uid: 1)?.studio.uid } == 5)
    #expect(try await store.read { try $0.fetch(HandFilm.self, uid: 1)?.studio.uid } == 5)
  }

  @Test(arguments: [false, true]) func `overwritten parts are the server's again`(_ isSet: Bool) async throws {
    let store = try boards()
    func board(_ parts: JSONValue) -> JSONValue {
      var fields: [(String, JSONValue)] = [("id", 1), ("pins", parts), ("cards", parts), ("cover", ["text": "c"])]
      if isSet { fields.append(("sets", true)) }
      return JSONObject(fields: fields).value
    }
    let first = board([["text": "a"], ["text": "b"]])
    _ = try await store.receive(Board.self, first)
    _ = try await store.receive(HandBoard.self, first)
    try await store.background { context in
      let board = try #require(try context.fetch(Board.self, uid: 1))
      board.cards = [board.cards[0]]
      board.pins = [board.pins[1]]
      board.cards[0].text = "mine"
      board.cover?.text = "mine"
      let hand = try #require(try context.fetch(HandBoard.self, uid: 1))
      hand.cards = [hand.cards[0]]
      hand.pins = [hand.pins[1]]
      hand.cards[0].text = "mine"
      hand.cover?.text = "mine"
    }
    _ = try await store.receive(Board.self, first) { $0.localEdits = .overwrite }
    _ = try await store.receive(HandBoard.self, first) { $0.localEdits = .overwrite }
    let second = board([["text": "x"]])
    _ = try await store.receive(Board.self, second)
    _ = try await store.receive(HandBoard.self, second)
    let texts = try await store.read { context in
      let board = try #require(try context.fetch(Board.self, uid: 1))
      let hand = try #require(try context.fetch(HandBoard.self, uid: 1))
      return [
        board.cards.map(\.text), board.pins.map(\.text), [board.cover?.text], hand.cards.map(\.text),
        hand.pins.map(\.text), [hand.cover?.text],
      ]
    }
    #expect(texts == [["x"], ["x"], ["c"], ["x"], ["x"], ["c"]])
  }

  @Test @MainActor func `an unsaved edit stays and is a new edit once it is saved`() async throws {
    let store = try tickets()
    _ = try await store.receive(Ticket.self, ["id": 1, "title": "old"])
    let ticket = try #require(try store.main.fetch(Ticket.self, uid: 1))
    ticket.title = "mine"
    _ = try await store.receive(Ticket.self, ["id": 1, "title": "server"]) { $0.localEdits = .overwrite }
    try store.mergeMain()
    #expect(ticket.title == "mine")
    #expect(ticket.hasChanges)
    try await store.main.save()
    _ = try await store.receive(Ticket.self, ["id": 1, "title": "later"])
    try store.mergeMain()
    #expect(ticket.title == "mine")
    ticket.title = "again"
    try store.main.rollback(ticket)
    _ = try await store.receive(Ticket.self, ["id": 1, "title": "server"]) { $0.localEdits = .overwrite }
    try store.mergeMain()
    #expect(ticket.title == "server")
    #expect(!ticket.hasChanges)
  }
}
