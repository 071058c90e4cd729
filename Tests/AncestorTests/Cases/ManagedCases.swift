import EntityClient
import EntityTesting
import Testing

/// Responses that are kept: Overcoat's Core Data parts (cases 31-33).
@Suite(.notes) @MainActor struct ManagedCases {
  private var store: EntityStore { get throws { try Client.current.store } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  @Test func `Case 31: the objects in a container are rows, and the container is none`() async throws {
    try stub.on(.get, "/contacts", .json(["offset": 0, "limit": 20, "objects": contacts([1, 2])]))
    let response = try await Contact.get(options: .envelope("objects"))
    #expect(try await store.contactUIDs() == [1, 2])
    #expect(try response.meta(Int.self, at: "limit") == 20)
    #expect(try await store.objectCount() == 2)
  }

  @Test func `Case 32: a refusal tells no observer of the store`() async throws {
    try stub.on(.get, "/contacts", .json(contacts([1, 2])), .json(["id": 9, "display_name": "Error"], status: 401))
    var commits = try store.commits.makeAsyncIterator()
    try await Contact.get()
    #expect(await commits.next(isolation: #isolation)?.changes(of: Contact.self).inserted.count == 2)
    _ = try await requestError { try await Contact.get() }
    let marker = try await Contact.upsert(from: contacts([3])).ids
    // The next commit that is told is the one after the refusal.
    #expect(await commits.next(isolation: #isolation)?.changes(of: Contact.self).inserted == marker)
  }

  @Test
  func `Case 33: an observer sees exactly the objects of the response, with the main context in use`() async throws {
    try stub.on(.get, "/contacts", .json(contacts([1, 2])))
    #expect(try store.main.fetch(Contact.all).isEmpty)
    var changes = try store.changes(of: Contact.all).makeAsyncIterator()
    #expect(try await changes.next(isolation: #isolation)?.get().ids == [])
    let response = try await Contact.get()
    let change = try #require(try await changes.next(isolation: #isolation)?.get())
    #expect(change.inserted.map(\.id) == response.ids)
    #expect(change.updated.isEmpty)
    // The ids can leave the main actor, and the objects are there already.
    #expect(try response.objects.map(\.displayName) == ["Contact 1", "Contact 2"])
  }

  @Test func `O10: all entities of a response are one commit`() async throws {
    try stub.on(
      .get, "/notes", .json(["notes": [["id": 1, "author": 7]], "people": [["id": 7, "name": "Ada"]], "total": 1]))
    var commits = try store.commits.makeAsyncIterator()
    try await Note.get(options: [.envelope("notes"), .parts([.list(Author.self, at: "people")])])
    #expect(await commits.next(isolation: #isolation)?.entityNames == ["Note", "Author"])
    #expect(try store.main.fetch(Note.self, uid: 1)?.author?.name == "Ada")
  }

  @Test(.client())
  func `O11: without a store values are read as ever; an entity needs one, says so, and sends nothing`() async throws {
    try stub.on(.get, "/people/1", .json(["name": "Ada"]))
    #expect(try await Client.current.get("people/1", as: Person.self).value == Person(name: "Ada"))
    let error = try await requestError { try await Contact.get() }
    #expect(error.kind == .noStore)
    #expect(try stub.requests.count == 1)
  }

  @Test func `O12: keys that are absent leave attributes, links and lists alone`() async throws {
    try await Note.upsert(
      from: ["id": 1, "text": "Hello", "author": ["id": 7, "name": "Ada"], "tags": [["name": "new"]]])
    let note = try #require(try await Note.upsert(from: ["id": 1, "pinned": true]).object)
    #expect(note.text == "Hello")
    #expect(note.author?.name == "Ada")
    #expect(note.tags.map(\.name) == ["new"])
    #expect(note.pinned)
  }
}
