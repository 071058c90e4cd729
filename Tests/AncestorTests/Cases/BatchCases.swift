import EntityClient
import EntityTesting
import Testing

/// Lists of objects and the rows that are there: NCCCoreDataClient's batch upsert (cases 41-46).
@Suite(.notes) @MainActor struct BatchCases {
  private var store: EntityStore { get throws { try Client.current.store } }
  private var stub: StubAdapter { get throws { try StubAdapter.current } }

  @Test func `Case 41: an empty store has exactly the objects of the response`() async throws {
    let response = try await Contact.upsert(from: contacts(0...5))
    #expect(try await store.contactUIDs() == [0, 1, 2, 3, 4, 5])
    #expect(response.counts.inserted == 6)
  }

  @Test(arguments: [0, 4, 5])
  func `Cases 42-44: exactly the object that the response lacks goes, where that is asked for`(uid: Int) async throws {
    try await Contact.upsert(from: contacts(0...5))
    let rest = (0...5).filter { $0 != uid }
    try await Contact.upsert(from: contacts(rest))
    #expect(try await store.contactUIDs() == [0, 1, 2, 3, 4, 5])
    let response = try await Contact.upsert(from: contacts(rest), options: .deleteMissing(in: Contact.all))
    #expect(try await store.contactUIDs() == rest)
    #expect(response.counts.deleted == 1)
    #expect(response.counts.rowsWritten == 1)
  }

  @Test
  func `Case 46: an object that is there is updated; twice in one response it is one object with the last values`()
    async throws
  {
    try await Contact.upsert(from: contacts(0...5))
    let contact = try #require(try store.main.fetch(Contact.self, uid: 1))
    let response = try await Contact.upsert(
      from: [
        ["id": 1, "display_name": "Grace"], ["id": 3, "display_name": "Once"], ["id": 3, "display_name": "Twice"],
      ])
    #expect(contact.displayName == "Grace")
    #expect(try store.main.fetch(Contact.self, uid: 3)?.displayName == "Twice")
    #expect(response.ids.count == 2)
    #expect(try await store.contactUIDs() == [0, 1, 2, 3, 4, 5])
  }

  @Test
  func `N5†: an empty response deletes nothing, unless that is asked for, and then in its scope alone`() async throws {
    try await Contact.upsert(from: contacts(0...5))
    try await Contact.upsert(from: [])
    #expect(try await store.objectCount() == 6)
    try await Contact.upsert(from: [], options: .deleteMissing(in: Contact.where { $0.uid > 3 }))
    #expect(try await store.contactUIDs() == [0, 1, 2, 3])
  }

  @Test func `N5†: objects that the server never had stay`() async throws {
    let own = try store.main.insert(Contact.self)
    own.displayName = "Not sent yet"
    try await store.main.save()
    let response = try await Contact.upsert(from: [], options: .deleteMissing(in: Contact.all))
    #expect(response.counts.deleted == 0)
    #expect(!own.isDeleted)
  }

  @Test func `N6†: ids are compared as what they are: negative ones, and 10 after 9`() async throws {
    let body = contacts([-10, -9, 9, 10])
    let first = try await Contact.upsert(from: body)
    let again = try await Contact.upsert(from: body, options: .deleteMissing(in: Contact.all))
    #expect(again.ids == first.ids)
    #expect(again.counts.rowsWritten == 0)
    #expect(try await store.contactUIDs() == [-10, -9, 9, 10])
  }

  @Test func `N7†: objects are in the order of the response; one without uid is refused, and the error says where`()
    async throws
  {
    let response = try await Contact.upsert(from: contacts([5, 1, 3]))
    #expect(try response.objects.map(\.uid) == [5, 1, 3])
    let error = try await requestError { try await Contact.upsert(from: [["id": 7], ["display_name": "Nobody"]]) }
    #expect(error.kind == .upsert)
    #expect((error.underlying as? MappingError)?.position == 1)
    #expect(try await store.contactUIDs() == [1, 3, 5])
  }

  @Test func `N4: a POST of one object leaves all others, and gives it its uid`() async throws {
    try stub.on(.post, "/contacts", .json(["id": 9, "display_name": "Ada"], status: 201))
    try await Contact.upsert(from: contacts(0...5))
    let contact = try store.main.insert(Contact.self)
    contact.displayName = "Ada"
    let response = try await contact.post(\.displayName)
    #expect(contact.uid == 9)
    #expect(response.ids == [contact.entityID])
    #expect(try await store.contactUIDs() == [0, 1, 2, 3, 4, 5, 9])
  }

  @Test func `N8: progress has its phases, never goes back, and ends at 1`() async throws {
    try stub.on(.get, "/contacts", .json(contacts(0..<1_000)).chunked(3))
    let reports = Reports()
    try await Contact.get(progress: reports.handler)
    let fractions = reports.all.map(\.fraction)
    #expect(fractions == fractions.sorted())
    #expect(fractions.last == 1)
  }
}
