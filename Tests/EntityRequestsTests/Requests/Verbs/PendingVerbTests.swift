import EntityClient
import EntityTesting
import TestSchema
import Testing

/// The verbs that send what is pending, and the changes that name who sends them.
@Suite(
  .client(
    entities: Orchard.world,
    baseURL: "https://api.example.com/"))
@MainActor struct PendingVerbTests {
  private let stub: StubAdapter
  private let store: EntityStore
  private let orchard: Orchard

  init() async throws {
    stub = try StubAdapter.current
    store = try Client.current.store
    _ = store.main
    let body: JSONValue = [
      "id": 1, "name": "a", "rows": [["id": 1], ["id": 2], ["id": 3]], "notes": [["text": "x"], ["text": "y"]],
      "shed": ["city": "Oslo", "door": ["color": "pier"]],
    ]
    orchard = try #require(try await Orchard.upsert(from: body).object)
    stub.on(.patch, "/orchards/1", .status(204))
  }

  private func isAllSent() async throws -> Bool {
    try await store.pending.count() == 0 && orchard.pendingColumns.isEmpty && !store.main.hasChanges
  }

  @Test(arguments: [false, true]) func `the order of a list is sent`(_ isSaved: Bool) async throws {
    orchard.rows = [2, 0, 1].map { orchard.rows[$0] }
    if isSaved { try await store.main.save() }
    #expect(try orchard.pendingJSONObject() == ["rows": [3, 1, 2]])
    try await orchard.patchPending()
    #expect(stub.requests.last?.json == ["rows": [3, 1, 2]])
    #expect(try await isAllSent())
    #expect(orchard.rows.map(\.uid) == [3, 1, 2])
  }

  @Test func `an update has no uid in its body`() async throws {
    let made = try store.main.insert(Orchard.self)
    made.uid = 5
    made.name = "new"
    try await store.main.save()
    #expect(try made.pendingJSONObject()["id"] == 5)
    stub.on(.patch, "/orchards/5", .status(204))
    try await made.patchPending()
    #expect(stub.requests.last?.json == ["name": "new"])
    #expect(made.pendingColumns.isEmpty)
    #expect(try await store.pending.count() == 0)
  }

  @Test func `an object with nothing but its uid is sent as an empty update`() async throws {
    let made = try store.main.insert(Orchard.self)
    made.uid = 5
    try await store.main.save()
    stub.on(.patch, "/orchards/5", .status(204))
    #expect(try await made.patchPending() != nil)
    #expect(stub.requests.last?.json == [:])
    #expect(try await store.pending.count() == 0)
    #expect(try await made.patchPending() == nil)
  }

  @Test func `a new object is posted with its uid`() async throws {
    let made = try store.main.insert(Orchard.self)
    made.uid = 5
    made.name = "new"
    stub.on(.post, "/orchards", .json(["id": 5, "name": "new"], status: 201))
    try await made.postPending()
    #expect(stub.requests.last?.json == ["id": 5, "name": "new"])
  }

  @Test(arguments: [false, true]) func `edited embedded objects are sent with their parent`(_ isSaved: Bool)
    async throws
  {
    let note = try #require(orchard.notes.first { $0.text == "y" })
    note.text = "z"
    orchard.shed?.door?.color = "quay"
    if isSaved { try await store.main.save() }
    try await orchard.patchPending()
    let sent = try #require(stub.requests.last?.json?.object)
    #expect(sent["shed"] == ["city": "Oslo", "door": ["color": "quay"]])
    #expect(sent["notes"]?.array.map { Set($0.map { $0["text"]?.string }) } == ["x", "z"])
    #expect(sent["name"] == nil)
    #expect(sent["rows"] == nil)
    #expect(try await isAllSent())
    #expect(try await orchard.patchPending() == nil)
  }

  @Test func `the change of an embedded object names the object that sends it`() async throws {
    let added = try store.main.insert(OrchardNote.self)
    added.text = "new"
    orchard.notes.append(added)
    orchard.shed?.door?.color = "quay"
    orchard.name = "b"
    try await store.main.save()
    let changes = try await store.pending.changes()
    #expect(Set(changes.map(\.entity)) == ["Orchard", "OrchardNote", "ShedDoor"])
    #expect(changes.map { $0.sender(as: Orchard.self) } == [orchard.entityID, orchard.entityID, orchard.entityID])
    #expect(changes.count { $0.parent == nil } == 1)
    // The loop of an app.
    for change in changes {
      let id = try #require(change.sender(as: Orchard.self))
      try await store.main.object(id)?.patchPending()
    }
    #expect(stub.requests.count == 1)
    #expect(try await isAllSent())
    #expect(orchard.notes.count == 3)
  }
}
