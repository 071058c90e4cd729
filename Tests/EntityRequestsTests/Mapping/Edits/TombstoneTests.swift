import EntityClient
import EntityTesting
import Foundation
import Observation
import Synchronization
import Testing

/// Objects that were deleted here, and that the server still has: by declared mappings and by updates by hand.
@Suite struct TombstoneTests {
  private func tickets() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(60))
  }

  private func delete<E: AnyTicket>(_ type: E.Type, _ uid: Int, in store: EntityStore) async throws {
    try await store.background { try $0.delete(try #require(try $0.fetch(E.self, uid: uid))) }
  }

  private func uids<E: AnyTicket>(_ type: E.Type, in store: EntityStore) async throws -> [Int] {
    try await store.read { try $0.fetch(E.all.including(.placeholders)).map(\.uid).sorted() }
  }

  @Test func `a response does not bring a deleted object back`() async throws {
    try await noReturn(Ticket.self)
    try await noReturn(HandTicket.self)
  }

  private func noReturn<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    _ = try await store.receive(E.self, [["id": 1, "title": "a"], ["id": 2, "title": "b", "parent": 1]])
    try await delete(E.self, 1, in: store)
    // As an object of its own, as a nested one, and as a reference.
    let list: JSONValue = [
      ["id": 1, "title": "a"], ["id": 2, "title": "c", "parent": ["id": 1, "title": "x"]], ["id": 3, "parent": 1],
    ]
    let outcome = try await store.receive(E.self, list)
    #expect(outcome.ids.count == 2)
    #expect(outcome.counts.inserted == 1)
    #expect(
      outcome.skipped.map(\.description) == [
        "\(E.entityName) 1: it was deleted here, and the server has not acknowledged that"
      ])
    #expect(outcome.skipped.first?.reason == .deletedHere)
    #expect(outcome.skipped.first?.id == nil)
    #expect(try await uids(E.self, in: store) == [2, 3])
    let parents = try await store.read { try $0.fetch(E.all).compactMap(\.parentUID) }
    #expect(parents.isEmpty)
    // A complete list says nothing of it either.
    let all = try await store.receive(E.self, [["id": 2], ["id": 3]]) { $0.missing = .deleteMissing(in: E.all) }
    #expect(all.skipped.isEmpty)
    #expect(try await store.pending.count() == 1)
    // The app gives up.
    try await store.pending.discard(try #require(try await store.pending.changes().first))
    #expect(try await store.receive(E.self, list).skipped.isEmpty)
    #expect(try await uids(E.self, in: store) == [1, 2, 3])
    #expect(try await store.read { try $0.fetch(E.all).compactMap(\.parentUID) } == [1, 1])
  }

  @Test func `a response that overwrites edits brings a deleted object back`() async throws {
    try await overwriting(Ticket.self)
    try await overwriting(HandTicket.self)
  }

  private func overwriting<E: AnyTicket>(_ type: E.Type) async throws {
    let store = try tickets()
    _ = try await store.receive(E.self, ["id": 1, "title": "a"])
    try await delete(E.self, 1, in: store)
    let outcome = try await store.receive(E.self, ["id": 1, "title": "b"]) { $0.localEdits = .overwrite }
    #expect(outcome.skipped.isEmpty)
    #expect(outcome.counts.inserted == 1)
    #expect(try await store.pending.count() == 0)
    #expect(try await store.receive(E.self, ["id": 1, "title": "c"]).skipped.isEmpty)
  }

  @Test func `an object that requires a deleted object is not made`() async throws {
    let store = try films()
    _ = try await store.receive(Film.self, ["id": 1, "studio": 7])
    _ = try await store.receive(HandFilm.self, ["id": 1, "studio": 7])
    try await store.background { context in
      for film in try context.fetch(Film.all) { try context.delete(film) }
      for film in try context.fetch(HandFilm.all) { try context.delete(film) }
      for studio in try context.fetch(Studio.all.including(.placeholders)) { try context.delete(studio) }
      for studio in try context.fetch(HandStudio.all.including(.placeholders)) { try context.delete(studio) }
    }
    // The server knows the uid of a placeholder.
    #expect(try await store.pending.count() == 4)
    for _ in 0..<2 {
      let film = try await store.receive(Film.self, ["id": 2, "studio": ["id": 7, "name": "x"]])
      let byHand = try await store.receive(HandFilm.self, ["id": 2, "studio": ["id": 7, "name": "x"]])
      #expect(film.ids.isEmpty)
      #expect(byHand.ids.isEmpty)
      #expect(Set(film.skipped.map(\.reason)) == [.deletedHere, .gone])
      #expect(Set(byHand.skipped.map(\.reason)) == [.deletedHere, .gone])
    }
    // Lists leave it out.
    let player = try await store.receive(Player.self, ["id": 1, "films": [1]])
    let byHand = try await store.receive(HandPlayer.self, ["id": 1, "films": [["id": 1, "studio": 8]]])
    #expect(player.skipped.map(\.reason) == [.deletedHere])
    #expect(byHand.skipped.map(\.reason) == [.deletedHere])
    #expect(try await store.read { try $0.fetch(Player.all)[0].films.isEmpty })
    #expect(try await store.read { try $0.fetch(HandPlayer.all)[0].films.isEmpty })
  }

  @Test func `an upsert of the app's own brings a deleted object back`() async throws {
    let store = try tickets()
    for uid in 1...3 { _ = try await store.receive(Ticket.self, ["id": JSONValue(uid), "title": "a"]) }
    for uid in 1...3 { try await delete(Ticket.self, uid, in: store) }
    try await store.background { context in
      try context.upsert(Ticket.self, uid: 1)
      try context.upsert(Ticket.self, from: ["id": 2, "title": "b"])
      try context.insert(Ticket.self).uid = 3
    }
    #expect(try await uids(Ticket.self, in: store) == [1, 2, 3])
    // The server knows them all.
    #expect(try await store.pending.changes().map(\.kind) == [.edit, .edit])
    #expect(try await store.receive(Ticket.self, ["id": 1, "title": "c"]).skipped.isEmpty)
  }
}

/// Objects that a response, taken in by a unit of the app's, says are deleted.
@Suite(.client(entities: [Ship.self, Harbour.self, HandShip.self])) @MainActor struct DeletionByUnitTests {
  @Test func `an upsert that says that an object is deleted leaves nothing pending`() async throws {
    let store = try Client.current.store
    try await Ship.upsert(from: [["id": 1, "harbour": 7], ["id": 2]])
    try await store.background { context in
      _ = try context.upsert(Ship.self, from: ["id": 1, "harbour": ["id": 7, "deleted": true]])
    }
    #expect(try await store.pending.count() == 0)
    #expect(try await store.read { try $0.count(Harbour.all.including(.placeholders)) } == 0)
    let main = store.main
    #expect(throws: (any Error).self) { try main.upsert(Ship.self, from: ["id": 2, "deleted": true]) }
    // Taken back, and deleted by the app, it is one that the server must hear of.
    main.rollback()
    try main.delete(try #require(try main.fetch(Ship.self, uid: 2)))
    try await main.save()
    #expect(try await store.pending.changes().map(\.description) == ["Ship 2: it was deleted here"])
  }
}

/// Deletions and inserts that requests acknowledge.
@Suite(.tickets) @MainActor struct AcknowledgedChangeTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }
  private var store: EntityStore { get throws { try Client.current.store } }

  private func ticket<E: AnyTicket>(_ type: E.Type, _ uid: Int) async throws -> E {
    try #require(try await E.upsert(from: [["id": JSONValue(uid), "title": "a"]]).object)
  }

  @Test(arguments: [204, 404, 410]) func `a DELETE of a deleted object ends the pending deletion`(_ status: Int)
    async throws
  {
    try stub.on(.delete, "/tickets/*", .status(status))
    let tickets = [try await ticket(Ticket.self, 1), try await ticket(Ticket.self, 2)]
    let main = try store.main
    for ticket in tickets { try main.delete(ticket) }
    try await main.save()
    #expect(try await store.pending.count() == 2)
    try await tickets[0].delete()
    #expect(try await store.pending.changes().map(\.uid) == ["2"])
    try await Ticket.delete("2")
    #expect(try await store.pending.count() == 0)
    _ = try await Ticket.upsert(from: [["id": 1]])
    #expect(!(try main.fetch(Ticket.all).isEmpty))
  }

  @Test(arguments: [204, 404, 410]) func `an answer from before the DELETE does not bring the object back`(
    _ status: Int
  ) async throws {
    let gate = StubGate()
    try stub.on(.get, "/tickets", .json([["id": 1, "title": "a"], ["id": 2, "title": "b"]]).waiting(for: gate))
    try stub.on(.delete, "/tickets/*", .status(status))
    let tickets = [try await ticket(Ticket.self, 1), try await ticket(Ticket.self, 2)]
    let main = try store.main
    for ticket in tickets { try main.delete(ticket) }
    try await main.save()
    let reading = Task { @MainActor in try await Ticket.get().skipped.map(\.reason) }
    await gate.arrival()
    try await tickets[0].delete()
    try await Ticket.delete("2")
    #expect(try await store.pending.count() == 0)
    gate.open()
    #expect(try await reading.value == [.gone, .gone])
    #expect(try main.fetch(Ticket.all).isEmpty)
  }

  @Test func `a DELETE that fails leaves the deletion pending`() async throws {
    try stub.on(.delete, "/tickets/*", .status(500))
    let ticket = try await ticket(Ticket.self, 1)
    try store.main.delete(ticket)
    try await store.main.save()
    _ = try await requestError { try await ticket.delete() }
    #expect(try await store.pending.count() == 1)
    // A 404 for an object that is here is as before.
    let other = try await self.ticket(Ticket.self, 2)
    try stub.on(.delete, "/tickets/2", .status(404))
    _ = try await requestError { try await other.delete() }
    #expect(!other.isDeleted)
  }

  @Test func `a DELETE of an object leaves nothing pending`() async throws {
    try stub.on(.delete, "/tickets/*", .status(204))
    let ticket = try await ticket(Ticket.self, 1)
    ticket.title = "b"
    try await store.main.save()
    try await ticket.delete()
    #expect(try await store.pending.count() == 0)
  }

  @Test func `a POST ends an insert`() async throws {
    try await posting(Ticket.self)
    try await posting(HandTicket.self)
  }

  private func posting<E: AnyTicket>(_ type: E.Type) async throws {
    // By the uid, and by the success alone.
    try stub.on(.post, "/\(E.basePath)", .json(["id": 7, "title": "server"]), .status(201))
    let main = try store.main
    let ticket = try main.insert(E.self)
    ticket.title = "mine"
    ticket.note = "later"
    try await main.save()
    #expect(try await store.pending.changes().map(\.kind) == [.insert])
    #expect(!ticket.isSending)
    try await ticket.post { request in
      #expect(try ticket.pendingJSONObject().data(format: .sorted) == Data(#"{"note":"later","title":"mine"}"#.utf8))
      try request.setJSON(["title": "mine"])
    }
    #expect(ticket.uid == 7)
    #expect(ticket.hasUID)
    #expect(!ticket.isSending)
    let change = try #require(try await store.pending.changes().first)
    #expect(change.kind == .edit)
    #expect(change.edits.map(\.property) == ["note"])
    #expect(change.edits.map(\.base) == [nil])
    try await store.pending.acknowledgeAll()
    let other = try main.insert(E.self)
    other.title = "mine"
    try await main.save()
    try await other.postPending()
    #expect(try await store.pending.count() == 0)
    #expect(!other.hasUID)
  }

  @Test(arguments: [true, false])
  func `an object that is deleted while its POST is under way is still to be deleted on the server`(isSaved: Bool)
    async throws
  {
    let gate = StubGate()
    try stub.on(.post, "/tickets", .json(["id": 7, "title": "server"]).waiting(for: gate))
    let main = try store.main
    let ticket = try main.insert(Ticket.self)
    ticket.title = "mine"
    if isSaved { try await main.save() }
    let sending = Task { @MainActor in try await ticket.post(\.title) }
    await gate.arrival()
    try main.delete(ticket)
    try await main.save()
    #expect(try await store.pending.count() == 0)
    gate.open()
    _ = try await sending.value
    #expect(try await store.pending.changes().map(\.description) == ["Ticket 7: it was deleted here"])
    #expect(try main.fetch(Ticket.all).isEmpty)
    #expect(try await Ticket.upsert(from: [["id": 7]]).ids.isEmpty)
  }

  /// The answer came while the object was gone.
  @Test func `an object that was posted comes back with its uid`() async throws {
    let gate = StubGate()
    try stub.on(.post, "/tickets", .json(["id": 7, "title": "server"]).waiting(for: gate))
    let main = try store.main
    main.undoManager.limit = .saves(5)
    let ticket = try main.insert(Ticket.self)
    ticket.title = "mine"
    try await main.save()
    let sending = Task { @MainActor in try await ticket.post(\.title) }
    await gate.arrival()
    try main.delete(ticket)
    try await main.save()
    gate.open()
    _ = try await sending.value
    try await main.undoManager.undo()
    #expect(try main.fetch(Ticket.all).map(\.uid) == [7])
    #expect(try await Ticket.upsert(from: [["id": 7]]).ids == [ticket.entityID])
    #expect(try main.count(Ticket.all) == 1)
  }

  @Test func `a uid of the app's own is known to the server once an answer has it`() async throws {
    try await named(Ticket.self, endsUID: true)
    try await named(HandTicket.self, endsUID: false)
  }

  /// - Parameter endsUID: Whether the answer ends the mark of the uid. That of an update by hand does not.
  private func named<E: AnyTicket>(_ type: E.Type, endsUID: Bool) async throws {
    try stub.on(.put, "/\(E.basePath)/5", .status(204))
    let main = try store.main
    for uid in [4, 5] {
      let ticket = try main.insert(E.self)
      ticket.uid = uid
    }
    try await main.save()
    #expect(try await store.pending.changes().map(\.kind) == [.insert, .insert])
    _ = try await E.upsert(from: [["id": 4]])
    #expect(try await store.pending.changes().map(\.kind) == (endsUID ? [.insert] : [.edit, .insert]))
    try await main.fetch(E.self, uid: 5)?.put()
    let left = endsUID ? [] : ["\(E.entityName) 4: uid was edited to 4"]
    #expect(try await store.pending.changes().map(\.description) == left)
    try await store.pending.acknowledgeAll()
  }

  @Test func `the pending properties are sent and acknowledged`() async throws {
    let gate = StubGate()
    try stub.on(.patch, "/tickets/1", .json(["id": 1, "title": "b", "note": "n"]).waiting(for: gate))
    let ticket = try await ticket(Ticket.self, 1)
    #expect(try await ticket.patchPending() == nil)
    ticket.title = "b"
    try await store.main.save()
    ticket.note = "n"
    #expect(ticket.pendingColumns.names == ["title", "note"])
    let sending = Task { @MainActor in try await ticket.patchPending() }
    await gate.arrival()
    #expect(ticket.isSending)
    let heard = Flag()
    withObservationTracking {
      _ = ticket.isSending
    } onChange: {
      heard.isSet.withLock { $0 = true }
    }
    gate.open()
    let response = try await sending.value
    #expect(response?.status == 200)
    #expect(!ticket.isSending)
    #expect(heard.isSet.withLock { $0 })
    #expect(ticket.pendingColumns.isEmpty)
    #expect(!ticket.hasChanges)
    #expect(try await store.pending.count() == 0)
    #expect(try stub.requests.last?.json == ["note": "n", "title": "b"])
  }
}

private final class Flag: Sendable {
  let isSet = Mutex(false)
}
