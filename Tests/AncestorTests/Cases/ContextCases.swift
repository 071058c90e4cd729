import EntityClient
import EntityTesting
import Testing

/// Contexts, scratch objects and deletions, which NCCCoreDataClient has and does not test.
@Suite(.notes) @MainActor struct ContextCases {
  private var store: EntityStore { get throws { try Client.current.store } }

  @Test func `N10: what a unit of work saves is there for the main context, and what throws is not`() async throws {
    struct Stop: Error {}
    let store = try store
    let id = try await store.background { context in
      let contact = try context.insert(Contact.self)
      contact.displayName = "Ada"
      return contact.entityID
    }
    let contact = try #require(try store.main.object(id))
    #expect(contact.displayName == "Ada")
    await #expect(throws: Stop.self) {
      try await store.background { context in
        try context.object(id)?.displayName = "Grace"
        throw Stop()
      }
    }
    #expect(contact.displayName == "Ada")
    try await store.main.save()  // without changes: no error
  }

  @Test func `N11: an object in no context, until it is inserted`() async throws {
    let contact = Contact()
    contact.displayName = "Ada"
    #expect(try store.main.fetch(Contact.all).isEmpty)
    try store.main.insert(contact)
    try await store.main.save()
    #expect(try await store.read { try $0.fetch(Contact.all).map(\.displayName) } == ["Ada"])
  }

  @Test func `N11: a copy to edit: saving takes it over, and dropping it leaves nothing`() async throws {
    let main = try store.main
    let contact = try #require(try await Contact.upsert(from: contact(1)).object)
    do {
      let dropped = try main.edit(contact)
      dropped.object.displayName = "Dropped"
    }
    #expect(contact.displayName == "Contact 1")
    #expect(!contact.hasChanges)
    let draft = try main.edit(contact)
    draft.object.displayName = "Ada"
    #expect(contact.displayName == "Contact 1")
    try draft.save()
    #expect(contact.displayName == "Ada")
  }

  @Test func `N11: a payload for a child: the response comes while a draft is open, and the draft keeps its edits`()
    async throws
  {
    let main = try store.main
    let contact = try #require(try await Contact.upsert(from: contact(1)).object)
    let draft = try main.edit(contact)
    draft.object.displayName = "Ada"
    try await Contact.upsert(from: ["id": 1, "phone": "7"])
    #expect(draft.object.phone == "7")
    #expect(draft.object.displayName == "Ada")
  }

  @Test
  func `N12: objects by id and all of them; deletion of one, of a set, of all that a query finds, by id`() async throws
  {
    try await Contact.upsert(from: contacts(0...5))
    let main = try store.main
    let one = try #require(try main.fetch(Contact.self, uid: 1))
    try main.delete(one)
    try main.delete(main.fetch(Contact.where { $0.uid.isIn([2, 3]) }))
    #expect(try main.delete(Contact.self, uid: 4))
    #expect(try !main.delete(Contact.self, uid: 99))
    #expect(try main.delete(Contact.where { $0.displayName == "Contact 5" }) == 1)
    #expect(try main.fetch(Contact.all).map(\.uid) == [0])
    main.rollback()
    #expect(try main.fetch(Contact.all).count == 6)
  }
}
