import EntityClient
import Foundation
import Observation
import Testing

/// "Never loaded" is not nil.
@Suite struct CoverageTests {
  @Test func `null is loaded and an absent key is not`() async throws {
    let store = try Tour.store()
    _ = try await store.receive(TourSinger.self, [["id": 1, "name": "Ada"], ["id": 2, "name": "Bo", "bio": nil]])
    #expect(
      try await store.missing(TourSinger.self) == [1: ["bio", "age", "hall", "tracks"], 2: ["age", "hall", "tracks"]])
    let found = try await store.read { context in
      try context.fetch(TourSinger.where { $0.isLoaded(\.bio) }).map(\.id)
        + context.fetch(TourSinger.where { !$0.isLoaded(\.tracks) && !$0.isLoaded(\.hall) }).map { $0.id * 10 }
    }
    #expect(found == [2, 10, 20])
  }

  @Test func `an answer with null for what was missing is the only write of equal values`() async throws {
    let store = try Tour.store()
    let short: JSONValue = [["id": 1, "name": "Ada"]]
    let long: JSONValue = [["id": 1, "name": "Ada", "bio": nil, "age": 0, "hall": nil, "tracks": []]]
    #expect(try await store.receive(TourSinger.self, short).counts.rowsWritten == 1)
    #expect(try await store.receive(TourSinger.self, short).counts.rowsWritten == 0)
    #expect(try await store.receive(TourSinger.self, long).counts.rowsWritten == 1)
    #expect(try await store.missing(TourSinger.self) == [1: []])
    for again in [long, short] { #expect(try await store.receive(TourSinger.self, again).counts.rowsWritten == 0) }
    #expect(try await store.missing(TourSinger.self) == [1: []])
  }

  @Test func `an update by hand loads the keys that it reads`() async throws {
    let store = try Tour.store()
    _ = try await store.receive(TourTrack.self, [["id": 1, "title": "A"], ["id": 2, "words": nil, "singer": nil]])
    #expect(try await store.missing(TourTrack.self) == [1: ["words", "singer"], 2: ["title"]])
    _ = try await store.receive(TourTrack.self, [["id": 1, "words": nil], ["id": 2, "title": nil]])
    #expect(try await store.missing(TourTrack.self) == [1: ["singer"], 2: []])
    #expect(try await store.receive(TourTrack.self, [["id": 1, "words": nil]]).counts.rowsWritten == 0)
  }

  @Test func `nested objects, members and placeholders lack what the answer does not have`() async throws {
    let store = try Tour.store()
    _ = try await store.receive(
      TourSinger.self,
      [
        ["id": 1, "hall": ["id": 7, "rooms": [["id": 3, "size": 4], 4]], "tracks": [["id": 5, "title": "T"]]],
        ["id": 2, "hall": 8],
      ])
    #expect(
      try await store.missing(TourSinger.self) == [1: ["name", "bio", "age"], 2: ["name", "bio", "age", "tracks"]])
    #expect(try await store.missing(TourHall.self) == [7: ["place", "rent"], 8: ["place", "rent", "rooms"]])
    #expect(try await store.missing(TourRoom.self) == [3: [], 4: ["size"]])
    // The place in the list says whose track it is.
    #expect(try await store.missing(TourTrack.self) == [5: ["words"]])
    _ = try await store.receive(TourHall.self, ["id": 8, "rent": 2.5])
    #expect(try await store.missing(TourHall.self)[8] == ["place", "rooms"])
  }

  @Test @MainActor func `what is made and set here is loaded`() async throws {
    let store = try Tour.store()
    let own = try store.main.insert(TourSinger.self)
    #expect(own.loaded.areAll)
    _ = try await store.receive(TourSinger.self, [["id": 1, "name": "Ada"]])
    let ada = try #require(try store.main.fetch(TourSinger.self, uid: 1))
    #expect(!ada.loaded.contains(\.bio) && ada.loaded.contains(\.name) && ada.loaded.contains(\.id))
    ada.bio = "mine"
    #expect(ada.loaded.contains(\.bio))
    store.main.rollback()
    #expect(!ada.loaded.contains(\.bio))
    ada.bio = "mine"
    #expect(try store.main.count(TourSinger.where { $0.isLoaded(\.bio) }) == 1)
    try await store.main.save()
    #expect(ada.loaded.contains(\.bio) && !ada.loaded.contains(\.age))
    #expect(try await store.missing(TourSinger.self)[1] == ["age", "hall", "tracks"])
    #expect(ada.snapshot.loaded == ada.loaded)
    _ = try await store.receive(TourSinger.self, [["id": 1, "age": 3]])
    #expect(ada.loaded.contains(\.age) && ada.bio == "mine")
  }

  @Test @MainActor func `an undo takes the knowledge of its edit back and no other`() async throws {
    let store = try Tour.store()
    _ = try await store.receive(TourSinger.self, [["id": 1, "name": "Ada"]])
    let ada = try #require(try store.main.fetch(TourSinger.self, uid: 1))
    let undo = store.main.undoManager
    undo.limit = .saves(5)
    ada.bio = "mine"
    try await store.main.save()
    _ = try await store.receive(TourSinger.self, [["id": 1, "age": 3]])
    try await undo.undo()
    #expect(ada.bio == nil && ada.age == 3)
    #expect(ada.loaded.missingNames == ["bio", "hall", "tracks"])
  }

  @Test @MainActor func `a screen hears of what is loaded`() async throws {
    let store = try Tour.store()
    _ = try await store.receive(TourSinger.self, [["id": 1, "name": "Ada"]])
    let ada = try #require(try store.main.fetch(TourSinger.self, uid: 1))
    let heard = Recorder<Bool>()
    withObservationTracking {
      _ = ada.loaded
    } onChange: {
      heard.add(true)
    }
    let query = LiveQuery(TourSinger.where { !$0.isLoaded(\.bio) }, in: store)
    #expect(query.objects.map(\.id) == [1])
    _ = try await store.receive(TourSinger.self, [["id": 1, "bio": nil]])
    try store.mergeMain()
    #expect(heard.all == [true])
    #expect(query.objects.isEmpty)
  }

  @Test func `a backup and an archive keep it, with edits and without`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coverage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try Tour.store()
    _ = try await store.receive(TourSinger.self, [["id": 1, "name": "Ada", "hall": 4], ["id": 2, "bio": nil]])
    try await store.background { try $0.fetch(TourSinger.self, uid: 1)?.age = 5 }
    let (singers, halls) = (try await store.missing(TourSinger.self), try await store.missing(TourHall.self))
    try await store.backup(to: folder.appendingPathComponent("b"))
    let copy = try Tour.store(.file(folder.appendingPathComponent("b")))
    #expect(try await copy.missing(TourSinger.self) == singers)
    try await store.archive(to: folder.appendingPathComponent("a"))
    let other = try Tour.store()
    try await other.restore(from: folder.appendingPathComponent("a"))
    #expect(try await other.missing(TourSinger.self) == singers)
    #expect(try await other.missing(TourHall.self) == halls)
    #expect(try await other.check(.full).isEmpty)
  }

  @Test func `an answer that is not newer loads nothing anew, and a kept edit is loaded`() async throws {
    let store = try Tour.store()
    _ = try await store.receive(TourSinger.self, [["id": 1, "name": "Ada"]])
    try await store.background { try $0.fetch(TourSinger.self, uid: 1)?.name = "mine" }
    let outcome = try await store.receive(TourSinger.self, [["id": 1, "name": "theirs", "bio": "x"]])
    #expect(outcome.counts.updated == 1)
    #expect(try await store.missing(TourSinger.self)[1] == ["age", "hall", "tracks"])
    #expect(try await store.read { try $0.fetch(TourSinger.self, uid: 1)?.name } == "mine")
  }

  @Test func `many rows of a unit of the server lack what the unit does not set`() async throws {
    let store = try Tour.store()
    try await store.background(as: .server) { context in
      for id in 1...20 { try context.upsert(TourSinger.self, uid: id).name = "n\(id)" }
    }
    let missing = try await store.missing(TourSinger.self)
    #expect(missing.count == 20 && Set(missing.values) == [["bio", "age", "hall", "tracks"]])
    try await store.background { context in
      for id in 1...20 { try context.fetch(TourSinger.self, uid: id)?.bio = "b" }
    }
    #expect(Set(try await store.missing(TourSinger.self).values) == [["age", "hall", "tracks"]])
  }
}
