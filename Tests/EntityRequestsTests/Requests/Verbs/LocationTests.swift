import EntityClient
import EntityTesting
import Foundation
import Testing

/// Its update clears all that the answer lacks.
@Entity private final class LocatedNotice: RemoteEntity {
  @UID @Key("id") var uid: String
  var title: String?

  static var basePath: String { "v1/notices/" }

  func update(with response: ResponseObject) throws { title = try response.value("title") }
}

@Entity private final class LocatedParcel: RemoteEntity {
  @UID var uid: UUID
  var weight: Int?
  /// It has the uid's key.
  @Key("meta") var meta: JSONValue?

  static var basePath: String { "parcels" }
  static var responseUIDKey: String? { "meta.id" }
}

/// A POST whose answer names the new object in its header `Location`.
@Suite(
  .client(
    entities: readingEntities + [Ticket.self, HandTicket.self, LocatedNotice.self, LocatedParcel.self])) @MainActor
struct LocationTests {
  private func new<E: AnyTicket>(_ type: E.Type, isSaved: Bool = false) throws -> E {
    let ticket = try Client.current.store.main.insert(E.self)
    ticket.title = "first"
    ticket.note = "kept"
    if isSaved { try Client.current.store.main.save() }
    return ticket
  }

  private func created(_ location: String, status: Int = 201) -> StubAnswer {
    .data(Data(), status: status, headers: ["Location": location])
  }

  private func binds<E: AnyTicket>(
    _ type: E.Type, isSaved: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let ticket = try new(type, isSaved: isSaved)
    let id = ticket.entityID
    try StubAdapter.current.on(.post, "/\(E.basePath)", created("/\(E.basePath)/7"))
    let response = try await ticket.post { try $0.setJSON(ticket.body) }
    #expect(ticket.uid == 7, sourceLocation: sourceLocation)
    #expect(ticket.title == "first", sourceLocation: sourceLocation)
    #expect(ticket.note == "kept", sourceLocation: sourceLocation)
    #expect(!ticket.hasChanges, sourceLocation: sourceLocation)
    #expect(response.ids == [id], sourceLocation: sourceLocation)
    #expect(!response.lacksUID, sourceLocation: sourceLocation)
    #expect(
      response.location == URL(string: "https://api.example.com/\(E.basePath)/7"), sourceLocation: sourceLocation)
    #expect(try Client.current.store.main.fetch(E.self, uid: 7) === ticket, sourceLocation: sourceLocation)
    let pending = try await Client.current.store.pending.count()
    #expect(pending == 0, sourceLocation: sourceLocation)
  }

  /// The path of the request says the reader, and its body does not.
  @Test func `an unsaved object whose required link was not sent is the server's after an answer without a body`()
    async throws
  {
    let store = try Client.current.store
    let reader = try store.main.upsert(Reader.self, uid: 5)
    try await store.main.save()
    let remark = try store.main.insert(Remark.self)
    (remark.text, remark.reader) = ("x", reader)
    try StubAdapter.current.on(.post, "/readers/5/remarks", .status(204))
    try await remark.post(to: "/readers/5/remarks") { try $0.setJSON(["text": "x"]) }
    let changes = try await store.pending.changes().filter { $0.entity == "Remark" }
    #expect(changes.map(\.kind) == [.edit])
    #expect(changes.first?.edits.map(\.property) == ["reader"])
  }

  @Test(arguments: [false, true]) func `the object gets the uid of the location`(_ isSaved: Bool) async throws {
    try await binds(Ticket.self, isSaved: isSaved)
    try await binds(HandTicket.self, isSaved: isSaved)
  }

  @Test(
    arguments: [
      "https://api.example.com/tickets/7", "HTTPS://API.example.com:443/tickets/7/", "/tickets/7/", "tickets/7",
      "//api.example.com/tickets/7", " /tickets/7?fresh=1#top ", "/other/../tickets/%37",
    ])
  func `the location may be written in any form`(_ location: String) async throws {
    let ticket = try new(Ticket.self)
    try StubAdapter.current.on(.post, "/tickets", created(location))
    try await ticket.post(\.title)
    #expect(ticket.uid == 7)
  }

  @Test(
    arguments: [
      "https://other.example.com/tickets/7", "http://api.example.com/tickets/7", "/users/7", "/v2/tickets/7",
      "/tickets/seven", "/tickets/07", "/tickets/7/pages", "/tickets", "/tickets/", "", "http://[", "/tickets/..",
    ])
  func `a location of something else names no uid`(_ location: String) async throws {
    let ticket = try new(Ticket.self)
    try StubAdapter.current.on(.post, "/tickets", created(location))
    let response = try await ticket.post(\.title)
    #expect(response.lacksUID)
    #expect(response.description.contains("no uid came"))
    #expect(ticket.uid == 0)
    #expect(ticket.title == "first")
  }

  @Test(arguments: [(200, true), (204, true), (202, false)])
  func `the status says whether the object exists on the server`(_ status: Int, _ isThere: Bool) async throws {
    let ticket = try new(Ticket.self)
    try StubAdapter.current.on(.post, "/tickets", created("/tickets/7", status: status))
    let response = try await ticket.post(\.title)
    #expect(ticket.uid == (isThere ? 7 : 0))
    #expect(response.lacksUID != isThere)
  }

  /// 202: the server has taken the request and done nothing yet. Its `Location` is that of a task.
  @Test(arguments: [false, true], [nil, ["task": 5]] as [JSONValue?])
  func `an object that is only accepted stays pending`(_ isSaved: Bool, _ body: JSONValue?) async throws {
    let store = try Client.current.store
    let ticket = try new(Ticket.self, isSaved: isSaved)
    let headers: HTTPHeaders = ["Location": "/tasks/5"]
    try StubAdapter.current.on(
      .post, "/tickets", body.map { .json($0, status: 202, headers: headers) } ?? .status(202, headers: headers))
    let response = try await ticket.post { try $0.setJSON(ticket.body) }
    #expect(response.lacksUID)
    #expect(!ticket.isSending)
    #expect(ticket.pendingColumns.names == ["title", "note"])
    try await store.main.save()
    let changes = try await store.pending.changes()
    #expect(changes.map(\.kind) == [.insert])
    #expect(changes.first?.edits.map(\.property) == ["title", "note"])
  }

  @Test func `an update that is only accepted stays pending unless the answer has the object`() async throws {
    let ticket = try #require(try await Ticket.upsert(from: ["id": 7, "title": "a"]).object)
    ticket.title = "b"
    try StubAdapter.current.on(.put, "/tickets/7", .status(202), .json(["id": 7, "title": "b"], status: 202))
    try await ticket.put(\.title)
    #expect(ticket.title == "b")
    #expect(ticket.pendingColumns.names == ["title"])
    try await ticket.put(\.title)
    #expect(ticket.pendingColumns.isEmpty)
  }

  @Test func `an update by hand does not run for a location alone`() async throws {
    let notice = try Client.current.store.main.insert(LocatedNotice.self)
    notice.title = "mine"
    try StubAdapter.current.on(.post, "/v1/notices/", created("/v1/notices/a%2Fb%20c/"))
    try await notice.post(\.title)
    #expect(notice.uid == "a/b c")
    #expect(notice.title == "mine")
  }

  @Test func `the uid may be nested in bodies`() async throws {
    let parcel = try Client.current.store.main.insert(LocatedParcel.self)
    parcel.weight = 3
    parcel.meta = ["color": "red"]
    try StubAdapter.current.on(.post, "/parcels", created("/parcels/6b29fc40-ca47-1067-b31d-00dd010662da"))
    try await parcel.post(\.weight)
    #expect(parcel.uid == UUID(uuidString: "6B29FC40-CA47-1067-B31D-00DD010662DA"))
    #expect(parcel.meta == ["color": "red"])
  }

  @Test func `the uid of the body wins`() async throws {
    let ticket = try new(Ticket.self)
    try StubAdapter.current.on(
      .post, "/tickets", .json(["id": 9, "title": "server"], status: 201, headers: ["Location": "/tickets/7"]))
    try await ticket.post(\.title)
    #expect(ticket.uid == 9)
    #expect(ticket.title == "server")
    #expect(try Client.current.store.main.count(Ticket.all) == 1)
  }

  @Test(arguments: [["title": "server"], ["status": "created"]] as [JSONValue])
  func `a body without a uid leaves the uid to the location`(_ body: JSONValue) async throws {
    let ticket = try new(Ticket.self)
    try StubAdapter.current.on(.post, "/tickets", .json(body, status: 201, headers: ["Location": "/tickets/7"]))
    let response = try await ticket.post(\.title)
    #expect(ticket.uid == 7)
    #expect(ticket.title == (body["title"]?.string ?? "first"))
    #expect(!response.lacksUID)
    #expect(try Client.current.store.main.count(Ticket.all) == 1)
  }

  @Test func `a body without a uid and a location is reported`() async throws {
    let ticket = try new(Ticket.self)
    try StubAdapter.current.on(.post, "/tickets", .json(["title": "server"], status: 201), .status(201), .json([]))
    var response = try await ticket.post(\.title)
    #expect(response.lacksUID)
    #expect(ticket.title == "server")
    // Nothing is sent that the answer could acknowledge.
    response = try await ticket.post()
    #expect(response.lacksUID)
    #expect(response.location == nil)
    // Nor does a list name an object that has no row yet.
    #expect(try await new(Ticket.self).post().lacksUID)
  }

  @Test func `a list answer that is faster than the POST makes no second object`() async throws {
    let ticket = try new(Ticket.self, isSaved: true)
    let gate = StubGate()
    try StubAdapter.current.on(.post, "/tickets", created("/tickets/7").waiting(for: gate))
    try StubAdapter.current.on(.get, "/tickets", .json([["id": 7, "title": "listed", "version": 3]]))
    let task = Task { try await ticket.post { try $0.setJSON(ticket.body) } }
    await gate.arrival()
    let listed = try #require(try await Ticket.get().object)
    gate.open()
    #expect(try await !task.value.lacksUID)
    #expect(ticket.uid == 7)
    #expect(ticket.version == 3)
    #expect(listed.isDeleted)
    #expect(try Client.current.store.main.count(Ticket.all) == 1)
  }

  @Test func `an object that was deleted meanwhile is to be deleted on the server`() async throws {
    let ticket = try new(Ticket.self, isSaved: true)
    let gate = StubGate()
    try StubAdapter.current.on(.post, "/tickets", created("/tickets/7").waiting(for: gate))
    let task = Task { try await ticket.post { try $0.setJSON(ticket.body) } }
    await gate.arrival()
    let store = try Client.current.store
    try store.main.delete(ticket)
    try await store.main.save()
    gate.open()
    let response = try await task.value
    #expect(!response.lacksUID)
    #expect(response.ids.isEmpty)
    let changes = try await store.pending.changes()
    #expect(changes.map(\.uid) == ["7"])
    #expect(changes.map(\.kind) == [.deletion])
  }

  @Test func `the answers to other requests do not lack a uid`() async throws {
    let stub = try StubAdapter.current
    stub.on(.post, "/tickets", created("/tickets/7")).on(.put, "/tickets/1", created("/tickets/7"))
    stub.on(.get, "/tickets", .json([["id": 1]]))
    let response = try await Ticket.post { try $0.setJSON(["title": "first"]) }
    #expect(response.location?.path == "/tickets/7")
    #expect(!response.lacksUID)
    #expect(try Client.current.store.main.count(Ticket.all) == 0)
    let ticket = try #require(try await Ticket.get().object)
    ticket.title = "edited"
    #expect(try await !ticket.put(\.title).lacksUID)
    #expect(ticket.uid == 1)
  }
}
