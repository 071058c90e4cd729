import EntityClient
import EntityStore
import EntityTesting
import Testing

/// Edits, requests that carry them and answers that overlap: they end as they would one after the other.
@Suite(.tickets) @MainActor struct OverlappingEditTests {
  private var store: EntityStore { get throws { try Client.current.store } }
  private var main: EntityContext { get throws { try store.main } }

  private func ticket<E: AnyTicket>(_ type: E.Type, _ fields: JSONValue) async throws -> E {
    try #require(try await E.upsert(from: fields).object)
  }

  private func text(_ value: PendingValue?) -> String { value?.as(String.self) ?? "-" }

  private func expectPending<E: AnyTicket>(
    _ type: E.Type, _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let found = try await store.pending.changes(of: E.self).flatMap { change in
      change.edits.filter { $0.property != "parent" }
        .map { "\($0.property): \(text($0.base)) to \(text($0.value))" }
    }
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  // MARK: An edit that returns to an earlier value

  enum Saving: CaseIterable { case always, never, inUnits }

  @Test(arguments: Saving.allCases, [false, true])
  func `an edit that comes back is not the edit that was sent`(_ saving: Saving, _ isInOrder: Bool) async throws {
    try await comeBack(Ticket.self, saving, isInOrder)
    try await comeBack(HandTicket.self, saving, isInOrder)
  }

  private func comeBack<E: AnyTicket>(_ type: E.Type, _ saving: Saving, _ isInOrder: Bool) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "new"])
    func set(_ title: String) async throws {
      guard saving == .inUnits else {
        ticket.title = title
        return saving == .always ? try await main.save() : ()
      }
      let id = ticket.entityID
      try await store.background { try $0.object(id)?.title = title }
      try store.mergeMain()
    }
    try await set("on")
    let first = try HandSent(ticket, "title", in: store)
    try await set("off")
    let second = try HandSent(ticket, "title", in: store)
    try await set("on")
    for sent in isInOrder ? [first, second] : [second, first] {
      try await sent.answer(["id": 7, "title": sent === first ? "on" : "off"])
    }
    // The server has "off" by now, and is to get "on".
    #expect(ticket.title == "on")
    try await main.save()
    try await expectPending(E.self, ["title: off to on"])
    try await HandSent(ticket, "title", in: store).answer()
    try await expectPending(E.self, [])
    #expect(ticket.title == "on")
  }

  @Test func `an answer does not end an edit that another request may undo`() async throws {
    try await endBesideAnother(Ticket.self)
    try await endBesideAnother(HandTicket.self)
  }

  private func endBesideAnother<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "a"])
    ticket.title = "b"
    try await main.save()
    let sent = try HandSent(ticket, "title", in: store)
    ticket.title = "a"
    try await main.save()
    // The server has not seen the request yet.
    _ = try await store.receive(E.self, ["id": 7, "title": "a"])
    try store.mergeMain()
    try await sent.answer()
    #expect(ticket.title == "a")
    try await expectPending(E.self, ["title: b to a"])
  }

  // MARK: Two requests with one value

  @Test(arguments: [false, true])
  func `a value that the server has changed stays changed`(_ isSaved: Bool) async throws {
    try await normalize(Ticket.self, isSaved)
    try await normalize(HandTicket.self, isSaved)
  }

  private func normalize<E: AnyTicket>(_ type: E.Type, _ isSaved: Bool) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old"])
    ticket.title = " raw "
    if isSaved { try await main.save() }
    let first = try HandSent(ticket, "title", in: store)
    let second = try HandSent(ticket, "title", in: store)
    try await first.answer(["id": 7, "title": "NORMALIZED"])
    try await second.answer()
    #expect(ticket.title == "NORMALIZED")
    #expect(!ticket.hasChanges)
    try await expectPending(E.self, [])
  }

  // MARK: The base of an edit

  @Test(arguments: [nil, ["id": 7, "title": "one"], ["id": 7, "title": "ONE"]] as [JSONValue?])
  func `a save does not conflict with edits of its own context`(_ answer: JSONValue?) async throws {
    try await saveOverOwn(Ticket.self, answer)
    try await saveOverOwn(HandTicket.self, answer)
  }

  private func saveOverOwn<E: AnyTicket>(_ type: E.Type, _ answer: JSONValue?) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old"])
    ticket.title = "one"
    try await main.save()
    let sent = try HandSent(ticket, "title", in: store)
    ticket.title = "two"
    try await main.save()
    ticket.title = "three"
    try await sent.answer(answer)
    try await main.save(conflicts: .fail)
    #expect(ticket.title == "three")
    try await expectPending(E.self, ["title: \(answer?.object?["title"]?.string ?? "one") to three"])
  }

  @Test func `an edit on top of a sent edit is based on the sent value`() async throws {
    try await editOnTop(Ticket.self)
    try await editOnTop(HandTicket.self)
  }

  private func editOnTop<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "a"])
    ticket.title = "b"
    try await main.save()
    let sent = try HandSent(ticket, "title", in: store)
    ticket.title = "a"
    try await main.save()
    try await sent.answer()
    try await expectPending(E.self, ["title: b to a"])
    try await store.pending.discard(ticket.entityID)
    try store.mergeMain()
    #expect(ticket.title == "b")
  }

  @Test func `an unsaved edit that comes back and is saved outlives both answers`() async throws {
    try await comeBackAndSave(Ticket.self)
    try await comeBackAndSave(HandTicket.self)
  }

  private func comeBackAndSave<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "a"])
    ticket.title = "b"
    let first = try HandSent(ticket, "title", in: store)
    ticket.title = "c"
    let second = try HandSent(ticket, "title", in: store)
    ticket.title = "b"
    try await main.save()
    try await first.answer(["id": 7, "title": "b"])
    try await second.answer()
    #expect(ticket.title == "b")
    try await expectPending(E.self, ["title: c to b"])
  }

  /// Two requests carry one value, and a save of another one came between them.
  @Test func `the answer to an earlier request does not end an unsaved edit`() async throws {
    try await endEarlier(Ticket.self)
    try await endEarlier(HandTicket.self)
  }

  private func endEarlier<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "a"])
    ticket.title = "b"
    let first = try HandSent(ticket, "title", in: store)
    ticket.title = "c"
    try await main.save()
    ticket.title = "b"
    let second = try HandSent(ticket, "title", in: store)
    try await first.answer(["id": 7, "title": "b"])
    #expect(ticket.title == "b")
    try await second.answer(["id": 7, "title": "b"])
    #expect(ticket.title == "b" && !ticket.hasChanges)
    try await expectPending(E.self, [])
  }

  @Test func `a value that the server has changed is no edit under a later edit`() async throws {
    try await changeUnderLater(Ticket.self)
    try await changeUnderLater(HandTicket.self)
  }

  private func changeUnderLater<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old"])
    ticket.title = " raw "
    let first = try HandSent(ticket, "title", in: store)
    let second = try HandSent(ticket, "title", in: store)
    try await main.save()
    ticket.title = "later"
    try await first.answer(["id": 7, "title": "raw"])
    try await second.answer()
    try await expectPending(E.self, [])
    try await main.save()
    try await expectPending(E.self, ["title: raw to later"])
  }

  @Test(arguments: [false, true])
  func `an edit that returns to the saved value is not the edit that was sent`(_ isInOrder: Bool) async throws {
    try await comeBackToSaved(Ticket.self, isInOrder)
    try await comeBackToSaved(HandTicket.self, isInOrder)
  }

  private func comeBackToSaved<E: AnyTicket>(_ type: E.Type, _ isInOrder: Bool) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "a"])
    ticket.title = "b"
    try await main.save()
    let first = try HandSent(ticket, "title", in: store)
    ticket.title = "c"
    let second = try HandSent(ticket, "title", in: store)
    // The row has it, so that the save writes nothing.
    ticket.title = "b"
    try await main.save()
    let answers: [(HandSent<E>, JSONValue)] = [(first, ["id": 7, "title": "b"]), (second, ["id": 7, "title": "c"])]
    for (sent, answer) in isInOrder ? answers : answers.reversed() {
      try await sent.answer(answer)
      #expect(ticket.title == "b")
    }
    try await expectPending(E.self, ["title: c to b"])
  }

  @Test func `an answer that an edit holds off becomes the base of the edit`() async throws {
    try await holdOff(Ticket.self)
    try await holdOff(HandTicket.self)
  }

  private func holdOff<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old", "parent": ["id": 8]])
    let (eight, nine) = (ticket.parentUID, try await self.ticket(E.self, ["id": 9]))
    #expect(eight == 8)
    ticket.title = "mine"
    ticket.setParent(nine)
    try await main.save()
    _ = try await store.receive(E.self, ["id": 7, "title": "theirs", "parent": ["id": 10]])
    try await expectPending(E.self, ["title: theirs to mine"])
    try store.mergeMain()
    #expect(ticket.title == "mine")
    #expect(ticket.parentUID == 9)
    try await store.pending.discard(ticket.entityID)
    try store.mergeMain()
    #expect(ticket.title == "theirs")
    #expect(ticket.parentUID == 10)
  }

  @Test func `an answer with the edited value ends the edit`() async throws {
    try await agree(Ticket.self)
    try await agree(HandTicket.self)
  }

  private func agree<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old", "note": "old"])
    (ticket.title, ticket.note) = ("mine", "mine")
    try await main.save()
    _ = try await store.receive(E.self, ["id": 7, "title": "mine", "note": "theirs"])
    try await expectPending(E.self, ["note: theirs to mine"])
    _ = try await store.receive(E.self, ["id": 7, "title": "later"])
    try store.mergeMain()
    #expect(ticket.title == "later")
    #expect(ticket.pendingColumns.names == ["note"])
  }

  @Test func `an older answer moves no base`() async throws {
    try await hearOlder(Ticket.self)
    try await hearOlder(HandTicket.self)
  }

  private func hearOlder<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old"])
    ticket.title = "mine"
    try await main.save()
    let (older, newer) = try (store.core.requests.begin(), store.core.requests.begin())
    _ = try await store.core.upsert(ResponseUpsert<E>(["id": 7, "title": "newer"], sequence: newer))
    try store.core.requests.end(newer)
    for title in ["older", "mine"] as [JSONValue] {
      _ = try await store.core.upsert(ResponseUpsert<E>(["id": 7, "title": title], sequence: older))
    }
    try store.core.requests.end(older)
    try await expectPending(E.self, ["title: newer to mine"])
  }

  // MARK: Sent by hand

  @Test(arguments: [false, true])
  func `a change that was sent by hand does not end a later edit`(_ isInOrder: Bool) async throws {
    let ticket = try await ticket(Ticket.self, ["id": 7, "title": "new"])
    var changes: [PendingChange] = []
    for title in ["on", "off", "on"] {
      ticket.title = title
      try await main.save()
      changes.append(try #require(try await store.pending.changes().first))
    }
    for change in isInOrder ? [changes[0], changes[1]] : [changes[1], changes[0]] {
      try await store.pending.acknowledge(change)
    }
    try await expectPending(Ticket.self, ["title: \(isInOrder ? "off" : "on") to on"])
    try await store.pending.acknowledge(changes[2])
    try await expectPending(Ticket.self, [])
  }
}

extension AnyTicket {
  fileprivate func setParent(_ parent: Self) {
    if let (own, parent) = (self, parent) as? (Ticket, Ticket) { own.parent = parent }
    if let (own, parent) = (self, parent) as? (HandTicket, HandTicket) { own.parent = parent }
  }
}
