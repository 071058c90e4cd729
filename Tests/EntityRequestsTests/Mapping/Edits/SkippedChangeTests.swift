import EntityClient
import EntityTesting
import Foundation
import Testing

/// Changes that a response says and the store does not take, with the reason: by declared mappings and by updates by
/// hand.
@Suite struct SkippedChangeTests {
  private func tickets() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
  }

  /// The objects, properties and reasons; see `SkippedValueTests` for the values.
  private func texts(_ skipped: SkippedChanges) -> [String] {
    skipped.map { $0.description.components(separatedBy: ": ").prefix(2).joined(separator: ": ") }.sorted()
  }

  // MARK: Edited here

  @Test func `an edit is reported where the answer differs`() async throws {
    try await edit(Ticket.self, "Ticket")
    try await edit(HandTicket.self, "HandTicket")
  }

  private func edit<E: AnyTicket>(_ type: E.Type, _ name: String) async throws {
    let store = try tickets()
    let first = try await store.receive(E.self, ["id": 7, "title": "old", "note": "old", "version": 1])
    #expect(first.skipped.isEmpty)
    #expect(first.skipped.total == 0)
    try await store.background { context in
      let ticket = try context.fetch(E.self, uid: 7)
      ticket?.title = "mine"
      ticket?.note = "mine"
    }
    let outcome = try await store.receive(
      E.self, ["id": 7, "title": "theirs", "version": 2, "parent": 8])
    #expect(texts(outcome.skipped) == ["\(name) 7: title was edited here and not yet acknowledged"])
    let change = try #require(outcome.skipped.first)
    #expect(change.reason == .locallyEdited)
    #expect(change.properties == ["title"])
    #expect(change.entity == name)
    #expect(change.uid == "7")
    #expect(change.id == outcome.ids.first?.untyped)
    let id = try #require(outcome.ids.first)
    #expect(outcome.skipped.of(id) == [change])
    #expect(outcome.skipped.total(.locallyEdited) == 1)
    let both = try await store.receive(E.self, ["id": 7, "title": "theirs", "note": "theirs"])
    #expect(texts(both.skipped) == ["\(name) 7: title, note were edited here and not yet acknowledged"])
    // The last word of a response counts.
    let twice = try await store.receive(E.self, [["id": 7, "title": "a"], ["id": 7, "title": "mine"]])
    #expect(twice.skipped.isEmpty)
    let none = try await store.receive(E.self, ["id": 7, "title": "theirs"]) { $0.localEdits = .overwrite }
    #expect(none.skipped.isEmpty)
    #expect(try await store.receive(E.self, ["id": 7, "title": "later"]).skipped.isEmpty)
  }

  @Test func `an edited link of a member is reported for the member`() async throws {
    let store = try films()
    for studio in [1, 2] {
      _ = try await store.receive(Studio.self, ["id": JSONValue(studio)])
      _ = try await store.receive(HandStudio.self, ["id": JSONValue(studio)])
    }
    _ = try await store.receive(Film.self, ["id": 5, "studio": 1])
    _ = try await store.receive(HandFilm.self, ["id": 5, "studio": 1])
    try await store.background { context in
      if let studio = try context.fetch(Studio.self, uid: 2) { try context.fetch(Film.self, uid: 5)?.studio = studio }
      if let studio = try context.fetch(HandStudio.self, uid: 2) {
        try context.fetch(HandFilm.self, uid: 5)?.studio = studio
      }
    }
    let films: JSONValue = ["id": 1, "films": [["id": 5, "title": "t"]]]
    let stated = try await store.receive(Studio.self, films).skipped
    #expect(texts(stated) == ["Film 5: studio was edited here and not yet acknowledged"])
    let handed = try await store.receive(HandStudio.self, films).skipped
    #expect(texts(handed) == ["HandFilm 5: studio was edited here and not yet acknowledged"])
  }

  @Test func `pairs of a list count by property`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, ["id": 1, "studio": 1, "cast": [1, 2, 3]])
    _ = try await store.receive(HandFilm.self, ["id": 1, "studio": 1, "cast": [1, 2, 3]])
    try await store.background { context in
      if let film = try context.fetch(Film.self, uid: 1) { film.cast = film.cast.filter { $0.uid == 3 } }
      if let film = try context.fetch(HandFilm.self, uid: 1) { film.cast = film.cast.filter { $0.uid == 3 } }
    }
    let film: JSONValue = ["id": 1, "studio": 1, "cast": [1, 2, 3, 4]]
    let stated = try await store.receive(Film.self, film).skipped
    #expect(texts(stated) == ["Film 1: cast was edited here and not yet acknowledged"])
    let handed = try await store.receive(HandFilm.self, film).skipped
    #expect(texts(handed) == ["HandFilm 1: cast was edited here and not yet acknowledged"])
    // An answer that agrees with the edit skips nothing.
    #expect(try await store.receive(Film.self, ["id": 1, "cast": [3, 4]]).skipped.isEmpty)
    #expect(try await store.receive(HandFilm.self, ["id": 1, "cast": [3, 4]]).skipped.isEmpty)
  }

  @Test func `objects without uid are reported by their row`() async throws {
    let store = try boards()
    let board: JSONValue = ["id": 1, "pins": [["text": "a", "size": 1]], "cover": ["text": "c", "size": 1]]
    _ = try await store.receive(Board.self, board)
    _ = try await store.receive(HandBoard.self, board)
    try await store.background { context in
      for pin in try context.fetch(Pin.self) { pin.text = "mine" }
    }
    let again: JSONValue = ["id": 1, "pins": [["text": "x", "size": 2]], "cover": ["text": "y", "size": 2]]
    for skipped in [
      try await store.receive(Board.self, again).skipped, try await store.receive(HandBoard.self, again).skipped,
    ] {
      // A list in which an object was edited stays wholly; of the one in the link its own property.
      #expect(skipped.count == 2)
      #expect(skipped.allSatisfy { $0.reason == .locallyEdited })
      #expect(skipped.contains { $0.uid == "1" && $0.properties == ["pins"] })
      let pin = try #require(skipped.first { $0.entity == "Pin" })
      #expect(pin.uid == nil)
      #expect(pin.properties == ["text"])
      #expect(pin.description.hasPrefix("Pin (row "))
    }
    try await store.background { context in
      try context.fetch(Board.self, uid: 1)?.cover = nil
      try context.fetch(HandBoard.self, uid: 1)?.cover = nil
    }
    for skipped in [
      try await store.receive(Board.self, ["id": 1, "cover": ["text": "z"]]).skipped,
      try await store.receive(HandBoard.self, ["id": 1, "cover": ["text": "z"]]).skipped,
    ] {
      #expect(skipped.map(\.properties) == [["cover"]])
    }
    // The lists are set by hand to the members that they have.
    let sets = try await store.receive(HandBoard.self, ["id": 1, "sets": true, "pins": [["text": "x", "size": 2]]])
      .skipped
    #expect(sets.map(\.properties) == [["pins"]])
    #expect(try await store.receive(Board.self, ["id": 1, "cover": nil]).skipped.isEmpty)
    #expect(try await store.receive(HandBoard.self, ["id": 1, "cover": nil]).skipped.isEmpty)
  }

  @Test func `a missing row that stays because of its edits is reported`() async throws {
    let store = try tickets()
    _ = try await store.receive(Ticket.self, [["id": 1, "title": "t"], ["id": 2, "title": "t"]])
    try await store.background { try $0.fetch(Ticket.self, uid: 1)?.note = "mine" }
    let outcome = try await store.receive(Ticket.self, []) { $0.missing = .deleteMissing(in: Ticket.all) }
    #expect(outcome.counts.deleted == 1)
    #expect(
      texts(outcome.skipped) == [
        "Ticket 1: it is missing from the response, but was edited here and not yet acknowledged"
      ])
  }

  @Test func `the edit of a row that makes way is reported`() async throws {
    try await makeWay(Ticket.self)
    try await makeWay(HandTicket.self)
  }

  private func makeWay<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    let made = try await store.background { context in
      let ticket = try context.insert(E.self)
      try context.save()
      return ticket.entityID
    }
    _ = try await store.receive(E.self, ["id": 3, "title": "list", "note": "list"])
    try await store.background { try $0.fetch(E.self, uid: 3)?.note = "mine" }
    let outcome = try await store.receive(E.self, ["id": 3, "title": "answer", "note": "answer"]) { $0.target = made }
    #expect(outcome.skipped.map(\.properties) == [["note"]])
    #expect(outcome.skipped.first?.id == made.untyped)
  }

  // MARK: Held

  @Test func `a denied deletion is reported`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, ["id": 1, "studio": ["id": 1]])
    _ = try await store.receive(HandFilm.self, ["id": 1, "studio": ["id": 1]])
    let text =
      "1: it was not deleted, because another object requires it, a delete rule holds it, or it would take unsent work along"
    let stated = try await store.receive(Studio.self, [["id": 2]]) { $0.missing = .deleteMissing(in: Studio.all) }
    #expect(texts(stated.skipped) == ["Studio \(text)"])
    #expect(stated.skipped.total(.denied) == stated.counts.denied)
    let handed = try await store.receive(HandStudio.self, [["id": 2]]) {
      $0.missing = .deleteMissing(in: HandStudio.all)
    }
    #expect(texts(handed.skipped) == ["HandStudio \(text)"])
  }

  // MARK: The bound

  @Test func `the list of skipped changes is bounded, and its count is not`() async throws {
    try await bound(Ticket.self)
    try await bound(HandTicket.self)
  }

  private func bound<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    func all(_ text: String) -> JSONValue {
      JSONValue((1...1_100).map { ["id": JSONValue($0), "title": JSONValue(text), "note": "n"] })
    }
    _ = try await store.receive(E.self, all("old"))
    try await store.background { context in
      for ticket in try context.fetch(E.all) {
        ticket.title = "mine"
        ticket.note = "mine"
      }
    }
    let skipped = try await store.receive(E.self, all("theirs")).skipped
    #expect(skipped.count == SkippedChanges.limit)
    #expect(skipped.total == 1_100)
    #expect(skipped.total(.locallyEdited) == 1_100)
    #expect(skipped.total(.gone) == 0)
    #expect(skipped.description.hasSuffix("… and 1080 more"))
    var sum = skipped
    sum.add(skipped)
    #expect(sum.count == SkippedChanges.limit)
    #expect(sum.total == 2_200)
  }

  // MARK: Results

  @Suite(.tickets) struct Responses {
    @Test @MainActor func `results and pages report skipped changes`() async throws {
      _ = try await Ticket.upsert(from: [["id": 1, "title": "old"], ["id": 2, "title": "old"]])
      let store = try Client.current.store
      let ticket = try #require(try store.main.fetch(Ticket.self, uid: 1))
      ticket.title = "mine"
      try await store.main.save()
      let response = try await Ticket.upsert(from: [["id": 1, "title": "new"], ["id": 2, "title": "new"]])
      #expect(response.skipped.of(ticket.entityID).first?.reason == .locallyEdited)
      #expect("\(response.skipped)".hasPrefix("Ticket 1: title was edited here and not yet acknowledged"))
      #expect("\(response)".hasSuffix(", 1 skipped"))
      #expect(try await Ticket.upsert(from: ["id": 2, "title": "x"]).description.contains("skipped") == false)
      try StubAdapter.current.on(
        .get, "/tickets", query: ["page": "1"], .json([["id": 1, "title": "a"]]))
      try StubAdapter.current.on(.get, "/tickets", query: ["page": "2"], .json([]))
      let pages = try await Ticket.pages(by: .numbers()).all()
      #expect(pages.skipped.map(\.uid) == ["1"])
    }
  }
}
