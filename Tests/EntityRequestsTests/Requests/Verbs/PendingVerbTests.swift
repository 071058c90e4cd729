import EntityClient
import EntityTesting
import Testing

@Entity private final class PlannedTour: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(inverse: \PlannedStop.tour, ordered: true) var stops: [PlannedStop]
  @Relationship(inverse: \PlannedNote.tour) var notes: [PlannedNote]
  var start: PlannedPlace?

  static var basePath: String { "tours" }
}

@Entity private final class PlannedStop: RemoteEntity {
  @UID @Key("id") var uid: Int
  var tour: PlannedTour?

  static var basePath: String { "stops" }
}

@Entity private final class PlannedNote {
  var text: String?
  var tour: PlannedTour?
}

@Entity private final class PlannedPlace {
  var city: String?
  var spot: PlannedSpot?
}

@Entity private final class PlannedSpot {
  var name: String?
}

/// The verbs that send what is pending, and the changes that name who sends them.
@Suite(
  .client(
    entities: [PlannedTour.self, PlannedStop.self, PlannedNote.self, PlannedPlace.self, PlannedSpot.self],
    baseURL: "https://api.example.com/"))
@MainActor struct PendingVerbTests {
  private let stub: StubAdapter
  private let store: EntityStore
  private let tour: PlannedTour

  init() async throws {
    stub = try StubAdapter.current
    store = try Client.current.store
    _ = store.main
    let body: JSONValue = [
      "id": 1, "title": "a", "stops": [["id": 1], ["id": 2], ["id": 3]], "notes": [["text": "x"], ["text": "y"]],
      "start": ["city": "Oslo", "spot": ["name": "pier"]],
    ]
    tour = try #require(try await PlannedTour.upsert(from: body).object)
    stub.on(.patch, "/tours/1", .status(204))
  }

  private func isAllSent() async throws -> Bool {
    try await store.pending.count() == 0 && tour.pendingColumns.isEmpty && !store.main.hasChanges
  }

  @Test(arguments: [false, true]) func `the order of a list is sent`(_ isSaved: Bool) async throws {
    tour.stops = [2, 0, 1].map { tour.stops[$0] }
    if isSaved { try await store.main.save() }
    #expect(try tour.pendingJSONObject() == ["stops": [3, 1, 2]])
    try await tour.patchPending()
    #expect(stub.requests.last?.json == ["stops": [3, 1, 2]])
    #expect(try await isAllSent())
    #expect(tour.stops.map(\.uid) == [3, 1, 2])
  }

  @Test func `an update has no uid in its body`() async throws {
    let made = try store.main.insert(PlannedTour.self)
    made.uid = 5
    made.title = "new"
    try await store.main.save()
    #expect(try made.pendingJSONObject()["id"] == 5)
    stub.on(.patch, "/tours/5", .status(204))
    try await made.patchPending()
    #expect(stub.requests.last?.json == ["title": "new"])
    #expect(made.pendingColumns.isEmpty)
    #expect(try await store.pending.count() == 0)
  }

  @Test func `an object with nothing but its uid is sent as an empty update`() async throws {
    let made = try store.main.insert(PlannedTour.self)
    made.uid = 5
    try await store.main.save()
    stub.on(.patch, "/tours/5", .status(204))
    #expect(try await made.patchPending() != nil)
    #expect(stub.requests.last?.json == [:])
    #expect(try await store.pending.count() == 0)
    #expect(try await made.patchPending() == nil)
  }

  @Test func `a new object is posted with its uid`() async throws {
    let made = try store.main.insert(PlannedTour.self)
    made.uid = 5
    made.title = "new"
    stub.on(.post, "/tours", .json(["id": 5, "title": "new"], status: 201))
    try await made.postPending()
    #expect(stub.requests.last?.json == ["id": 5, "title": "new"])
  }

  @Test(arguments: [false, true]) func `edited embedded objects are sent with their parent`(_ isSaved: Bool)
    async throws
  {
    let note = try #require(tour.notes.first { $0.text == "y" })
    note.text = "z"
    tour.start?.spot?.name = "quay"
    if isSaved { try await store.main.save() }
    try await tour.patchPending()
    let sent = try #require(stub.requests.last?.json?.object)
    #expect(sent["start"] == ["city": "Oslo", "spot": ["name": "quay"]])
    #expect(sent["notes"]?.array.map { Set($0.map { $0["text"]?.string }) } == ["x", "z"])
    #expect(sent["title"] == nil)
    #expect(sent["stops"] == nil)
    #expect(try await isAllSent())
    #expect(try await tour.patchPending() == nil)
  }

  @Test func `the change of an embedded object names the object that sends it`() async throws {
    let added = try store.main.insert(PlannedNote.self)
    added.text = "new"
    tour.notes.append(added)
    tour.start?.spot?.name = "quay"
    tour.title = "b"
    try await store.main.save()
    let changes = try await store.pending.changes()
    #expect(Set(changes.map(\.entity)) == ["PlannedNote", "PlannedSpot", "PlannedTour"])
    #expect(changes.map { $0.sender(as: PlannedTour.self) } == [tour.entityID, tour.entityID, tour.entityID])
    #expect(changes.count { $0.parent == nil } == 1)
    // The loop of an app.
    for change in changes {
      let id = try #require(change.sender(as: PlannedTour.self))
      try await store.main.object(id)?.patchPending()
    }
    #expect(stub.requests.count == 1)
    #expect(try await isAllSent())
    #expect(tour.notes.count == 3)
  }
}
