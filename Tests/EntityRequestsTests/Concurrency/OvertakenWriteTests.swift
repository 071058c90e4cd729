import EntityClient
import EntityTesting
import Testing

/// Writes whose answers come later than those of requests that were sent after them.
@Suite(.tickets) @MainActor struct OvertakenWriteTests {
  /// Sends `slow`, takes in all of `fast` while it is under way, and then the answer to `slow`.
  private func overtake(
    _ gate: StubGate, _ slow: @escaping @MainActor () async throws -> Void, by fast: () async throws -> Void
  ) async throws {
    let sending = Task { try await slow() }
    await gate.arrival()
    try await fast()
    gate.open()
    try await sending.value
  }

  private func ticket<E: AnyTicket>(_ type: E.Type, _ fields: JSONValue) async throws -> E {
    let response = try await E.upsert(from: fields)
    return try #require(try response.object)
  }

  private func path<E: AnyTicket>(_ type: E.Type, _ uid: Int? = nil) -> String {
    "/\(E.basePath)" + (uid.map { "/\($0)" } ?? "")
  }

  @Test(arguments: [false, true]) func `a POST that a read overtakes gets its uid`(_ isSaved: Bool) async throws {
    try await postAndRead(Ticket.self, isSaved: isSaved)
    try await postAndRead(HandTicket.self, isSaved: isSaved)
  }

  private func postAndRead<E: AnyTicket>(_ type: E.Type, isSaved: Bool) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let gate = StubGate()
    let answer: JSONValue = ["id": 7, "title": "server", "version": 1]
    stub.on(.post, path(E.self), .json(answer, status: 201).waiting(for: gate))
    stub.on(.get, path(E.self), .json([["id": 7, "title": "server", "note": "n", "version": 1]]))
    let ticket = try main.insert(E.self)
    ticket.title = "mine"
    if isSaved { try await main.save() }
    var other: E?
    try await overtake(gate) {
      try await ticket.post { try $0.setJSON(["title": "mine"] as JSONValue) }
    } by: {
      other = try await E.get().objects.first
    }
    #expect(ticket.uid == 7)
    #expect(ticket.title == "server")
    #expect(ticket.version == 1)
    // The answer has no note, and nobody made one here: the read knows it.
    #expect(ticket.note == "n")
    #expect(other?.isDeleted == true)
    #expect(other?.forwardedTo == ticket.entityID)
    #expect(!main.hasChanges)
    #expect(try main.count(E.all) == 1)
    try await E.get()
    #expect(try main.fetch(E.all).map(\.entityID) == [ticket.entityID])
  }

  @Test func `an answer with the uid alone takes the values of the read`() async throws {
    try await postAndReadMore(Ticket.self)
    try await postAndReadMore(HandTicket.self)
  }

  private func postAndReadMore<E: AnyTicket>(_ type: E.Type) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.post, path(E.self), .json(["id": 7], status: 201).waiting(for: gate))
    stub.on(.get, path(E.self), .json([["id": 7, "title": "other", "note": "server", "version": 3]]))
    let ticket = try main.insert(E.self)
    ticket.title = "mine"
    try await overtake(gate) {
      try await ticket.post { try $0.setJSON(["title": "mine"] as JSONValue) }
    } by: {
      try await E.get()
      // It was not sent, and stays an edit.
      ticket.note = "later"
    }
    #expect(ticket.uid == 7)
    #expect(ticket.title == "mine")
    #expect(ticket.note == "later")
    #expect(ticket.version == 3)
    try await main.save()
    _ = try await E.upsert(from: ["id": 7, "title": "t", "note": "n"])
    #expect(ticket.title == "t")
    #expect(ticket.note == "later")
  }

  @Test func `the list that answers a later POST has the object of an earlier POST`() async throws {
    try await postTwice(Ticket.self)
    try await postTwice(HandTicket.self)
  }

  private func postTwice<E: AnyTicket>(_ type: E.Type) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let gate = StubGate()
    let list: JSONValue = [
      ["id": 7, "title": "T", "note": "n", "version": 4], ["id": 8, "title": "T", "version": 1],
    ]
    stub.on(.post, path(E.self), .json(list, status: 201))
    stub.on(
      .post, path(E.self), query: ["slow": 1],
      .json(["id": 7, "title": "t", "version": 1], status: 201).waiting(for: gate))
    let ticket = try main.insert(E.self)
    ticket.title = "t"
    try await overtake(gate) {
      try await ticket.post(query: ["slow": 1]) { try $0.setJSON(["title": "t"] as JSONValue) }
    } by: {
      _ = try await E.post { try $0.setJSON([["title": "x"]] as JSONValue) }
    }
    // The earlier answer decides about the columns that its request sent, and about no other column of the later one.
    #expect(ticket.uid == 7)
    #expect(ticket.title == "t")
    #expect(ticket.note == "n")
    #expect(ticket.version == 4)
    #expect(try main.fetch(E.all).map(\.uid).sorted() == [7, 8])
    #expect(!main.hasChanges)
  }

  @Test func `a change of the posted object meanwhile holds`() async throws {
    try await postAndPatch(Ticket.self)
    try await postAndPatch(HandTicket.self)
  }

  private func postAndPatch<E: AnyTicket>(_ type: E.Type) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.post, path(E.self), .json(["id": 7, "title": "t", "version": 1], status: 201).waiting(for: gate))
    stub.on(.get, path(E.self), .json([["id": 7, "title": "t", "version": 1]]))
    stub.on(.patch, path(E.self, 7), .json(["id": 7, "title": "u", "version": 2]))
    let ticket = try main.insert(E.self)
    ticket.title = "t"
    try await overtake(gate) {
      try await ticket.post { try $0.setJSON(["title": "t"] as JSONValue) }
    } by: {
      let twin = try #require(try await E.get().objects.first)
      twin.title = "u"
      try await twin.patch { try $0.setJSON(["title": "u"] as JSONValue) }
    }
    #expect(ticket.uid == 7)
    #expect(ticket.title == "u")
    #expect(ticket.version == 2)
    #expect(try main.fetch(E.all).map(\.entityID) == [ticket.entityID])
    #expect(!main.hasChanges)
  }

  @Test func `a posted object that was deleted meanwhile is gone`() async throws {
    try await postAndDelete(Ticket.self)
    try await postAndDelete(HandTicket.self)
  }

  private func postAndDelete<E: AnyTicket>(_ type: E.Type) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(.post, path(E.self), .json(["id": 7, "title": "t"], status: 201).waiting(for: gate))
    stub.on(.get, path(E.self), .json([["id": 7, "title": "t"]]))
    stub.on(.delete, path(E.self, 7), .status(204))
    let ticket = try main.insert(E.self)
    ticket.title = "t"
    try await overtake(gate) {
      try await ticket.post { try $0.setJSON(["title": "t"] as JSONValue) }
    } by: {
      try await E.get().objects.first?.delete()
    }
    #expect(ticket.isDeleted)
    #expect(try main.count(E.all) == 0)
    #expect(!main.hasChanges)
  }

  @Test func `a deletion deletes the row that its row turned out to be`() async throws {
    try await deleteAndPost(Ticket.self)
    try await deleteAndPost(HandTicket.self)
  }

  /// A list has the object that a POST under way makes; its answer makes the two rows one while the DELETE is under way.
  private func deleteAndPost<E: AnyTicket>(_ type: E.Type) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let (posting, deleting) = (StubGate(), StubGate())
    stub.on(.post, path(E.self), .json(["id": 7, "title": "t"], status: 201).waiting(for: posting))
    stub.on(.get, path(E.self), .json([["id": 7, "title": "t"]]))
    stub.on(.delete, path(E.self, 7), .status(204).waiting(for: deleting))
    let ticket = try main.insert(E.self)
    ticket.title = "t"
    try await overtake(posting) {
      try await ticket.post { try $0.setJSON(["title": "t"] as JSONValue) }
    } by: {
      let listed = try #require(try await E.get().objects.first)
      let deletion = Task { try await listed.delete() }
      await deleting.arrival()
      posting.open()
      while try main.fetch(E.all).first?.entityID != ticket.entityID { await Task.yield() }
      deleting.open()
      _ = try await deletion.value
    }
    #expect(ticket.isDeleted)
    #expect(try main.count(E.all) == 0)
    #expect(!main.hasChanges)
  }

  @Test func `the answer to a PUT is for the row that its row turned out to be`() async throws {
    try await putAndPost(Ticket.self)
    try await putAndPost(HandTicket.self)
  }

  private func putAndPost<E: AnyTicket>(_ type: E.Type) async throws {
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let (posting, putting) = (StubGate(), StubGate())
    stub.on(.post, path(E.self), .json(["id": 7, "title": "t", "version": 1], status: 201).waiting(for: posting))
    stub.on(.get, path(E.self), .json([["id": 7, "title": "t", "version": 1]]))
    stub.on(.put, path(E.self, 7), .json(["title": "Mine", "version": 2]).waiting(for: putting))
    let ticket = try main.insert(E.self)
    ticket.title = "t"
    try await overtake(posting) {
      try await ticket.post { try $0.setJSON(["title": "t"] as JSONValue) }
    } by: {
      let listed = try #require(try await E.get().objects.first)
      listed.title = "mine"
      let put = Task { try await listed.put { try $0.setJSON(["title": "mine"] as JSONValue) } }
      await putting.arrival()
      posting.open()
      while try main.fetch(E.all).map(\.entityID) != [ticket.entityID] { await Task.yield() }
      putting.open()
      _ = try await put.value
    }
    #expect(ticket.title == "Mine")
    #expect(ticket.version == 2)
    #expect(!main.hasChanges)
    #expect(try main.count(E.all) == 1)
  }

  @Test func `a PUT that a read overtakes is taken whole`() async throws {
    try await putAndRead(Ticket.self)
    try await putAndRead(HandTicket.self)
  }

  private func putAndRead<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old", "version": 1])
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(
      .put, path(E.self, 7),
      .json(["id": 7, "title": "Mine", "note": "server", "version": 2]).waiting(for: gate))
    stub.on(.get, path(E.self, 7), .json(["id": 7, "title": "old", "note": nil, "version": 1]))
    ticket.title = "mine"
    try await overtake(gate) {
      try await ticket.put { try $0.setJSON(["title": "mine"] as JSONValue) }
    } by: {
      try await ticket.get()
    }
    #expect(ticket.title == "Mine")
    #expect(ticket.note == "server")
    #expect(ticket.version == 2)
  }

  @Test func `the later of two writes holds in each column`() async throws {
    try await writeTwice(Ticket.self)
    try await writeTwice(HandTicket.self)
  }

  private func writeTwice<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old", "note": "old", "version": 1])
    let main = try Client.current.store.main
    let stub = try StubAdapter.current
    let gate = StubGate()
    stub.on(
      .patch, path(E.self, 7), query: ["slow": 1],
      .json(["id": 7, "title": "a", "note": "A", "version": 2]).waiting(for: gate))
    stub.on(.patch, path(E.self, 7), query: ["slow": 0], .json(["id": 7, "title": "b", "note": "A", "version": 3]))
    ticket.title = "a"
    ticket.note = "a"
    try await overtake(gate) {
      try await ticket.patch(query: ["slow": 1]) { try $0.setJSON(ticket.body) }
    } by: {
      ticket.title = "b"
      try await ticket.patch(query: ["slow": 0], options: .atOnce) { try $0.setJSON(["title": "b"] as JSONValue) }
    }
    // The title was sent by the later one; the note by the earlier one alone, whose answer has it as the server keeps
    // it.
    #expect(ticket.title == "b")
    #expect(ticket.note == "A")
    #expect(ticket.version == 3)
    #expect(!main.hasChanges)
    _ = try await E.upsert(from: ["id": 7, "title": "c", "note": "c"])
    #expect(ticket.title == "c")
    #expect(ticket.note == "c")
  }

  @Test func `a later write undoes nothing that only an earlier write sent`() async throws {
    try await writeBeside(Ticket.self)
    try await writeBeside(HandTicket.self)
  }

  private func writeBeside<E: AnyTicket>(_ type: E.Type) async throws {
    let ticket = try await ticket(E.self, ["id": 7, "title": "old", "note": "old", "version": 1])
    let stub = try StubAdapter.current
    let (first, second) = (StubGate(), StubGate())
    stub.on(
      .patch, path(E.self, 7), query: ["number": 1],
      .json(["id": 7, "title": "a", "note": "b", "version": 3]).waiting(for: first))
    // The server worked on the second one first.
    stub.on(
      .patch, path(E.self, 7), query: ["number": 2],
      .json(["id": 7, "title": "old", "note": "b", "version": 2]).waiting(for: second))
    ticket.title = "a"
    let one = Task { try await ticket.patch(query: ["number": 1]) { try $0.setJSON(["title": "a"] as JSONValue) } }
    await first.arrival()
    ticket.note = "b"
    let two = Task {
      try await ticket.patch(query: ["number": 2], options: .atOnce) { try $0.setJSON(["note": "b"] as JSONValue) }
    }
    await second.arrival()
    first.open()
    _ = try await one.value
    #expect(ticket.title == "a")
    #expect(ticket.note == "b")
    second.open()
    _ = try await two.value
    #expect(ticket.title == "a")
    #expect(ticket.note == "b")
    #expect(!ticket.hasChanges)
  }
}
