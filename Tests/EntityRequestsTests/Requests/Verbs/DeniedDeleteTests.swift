import EntityClient
import EntityTesting
import TestSchema
import Testing

/// A DELETE that the server has done, of an object that a delete rule holds here, or that another object requires.
@Suite(
  .client(
    entities: [Film.self, Player.self, Studio.self, Shelf.self, Jar.self, Gardener.self],
    baseURL: "https://api.example.com/"
  ))
@MainActor struct DeniedDeleteTests {
  private var stub: StubAdapter { get throws { try StubAdapter.current } }
  private var store: EntityStore { get throws { try Client.current.store } }

  private func studio() async throws -> Studio {
    _ = try await Film.upsert(from: [["id": 1, "studio": ["id": 1, "name": "A"]]])
    return try #require(try store.main.fetch(Studio.self, uid: 1))
  }

  private func expectDenied<E: RemoteEntity>(
    _ response: EntityResponse<E>, _ name: String, uid: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(response.counts.denied == 1, sourceLocation: sourceLocation)
    #expect(response.counts.deleted == 0, sourceLocation: sourceLocation)
    #expect(response.counts.rowsWritten == 0, sourceLocation: sourceLocation)
    #expect(response.skipped.map(\.reason) == [.denied], sourceLocation: sourceLocation)
    #expect(response.skipped.first?.entity == name, sourceLocation: sourceLocation)
    #expect(response.skipped.first?.uid == uid, sourceLocation: sourceLocation)
  }

  @Test(arguments: [200, 204, 410]) func `a denied DELETE is a success`(_ status: Int) async throws {
    let studio = try await studio()
    try stub.on(.delete, "/studios/1", .status(status))
    let response = try await studio.delete()
    #expect(response.status == status)
    expectDenied(response, "Studio", uid: "1")
    #expect(response.skipped.of(studio.entityID).count == 1)
    expectDenied(try await Studio.delete("1"), "Studio", uid: "1")
    #expect(!studio.isDeleted)
    #expect(studio.name == "A")
    #expect(try await store.pending.count() == 0)
    #expect(!(try store.main.hasChanges))
  }

  @Test func `a denied DELETE with a 404 is a success by choice`() async throws {
    let studio = try await studio()
    try stub.on(.delete, "/studios/1", .status(404))
    expectDenied(try await studio.delete(deletesOn404: true), "Studio", uid: "1")
    // A 404 says by itself no more than before.
    let error = try await requestError { try await studio.delete() }
    #expect(error.kind == .status)
  }

  @Test func `a deny rule keeps all objects that would have gone`() async throws {
    _ = try await Shelf.upsert(from: [
      ["id": 1, "jars": [["id": 10, "gardener": ["id": 100]], ["id": 11]]], ["id": 2, "jars": [["id": 20]]],
    ])
    try stub.on(.delete, "/shelves/*", .status(204))
    let shelves = try store.main.fetch(Shelf.all)
    expectDenied(try await shelves[0].delete(), "Shelf", uid: "1")
    #expect(try store.main.count(Jar.all) == 3)
    let other = try await shelves[1].delete()
    #expect(other.counts.deleted == 1)
    #expect(other.counts.denied == 0)
    #expect(other.counts.rowsWritten == 2)
    #expect(other.skipped.isEmpty)
    // Once nothing is in the way, an answer that lacks the object deletes it.
    try await store.background(as: .server) { try $0.fetch(Jar.self, uid: 10)?.gardener = nil }
    try stub.on(.get, "/shelves", .json([]))
    #expect(try await Shelf.get(options: .deleteMissing(in: Shelf.all)).counts.deleted == 1)
    #expect(try store.main.count(Jar.all) == 0)
  }

  /// The object stays, and so an answer from before the DELETE may tell of it, and of others that refer to it.
  @Test func `an answer from before a denied DELETE is taken`() async throws {
    let studio = try await studio()
    let gate = StubGate()
    try stub.on(.get, "/films", .json([["id": 2, "studio": ["id": 1, "name": "B"]]]).waiting(for: gate))
    try stub.on(.delete, "/studios/1", .status(204))
    let reading = Task { @MainActor in try await Film.get() }
    await gate.arrival()
    expectDenied(try await studio.delete(), "Studio", uid: "1")
    gate.open()
    let response = try await reading.value
    #expect(response.counts.inserted == 1)
    #expect(response.skipped.isEmpty)
    #expect(studio.name == "B")
    #expect(try response.object?.studio === studio)
  }

  @Test func `local edits and a deletion that is not saved stay`() async throws {
    let studio = try await studio()
    try stub.on(.delete, "/studios/1", .status(204))
    studio.name = "edited"
    try await store.main.save()
    try store.main.delete(studio)
    expectDenied(try await studio.delete(), "Studio", uid: "1")
    #expect(studio.isDeleted)
    let error = await #expect(throws: StoreError.self) { try await store.main.save() }
    #expect(error?.kind == .deleteDenied)
    try store.main.rollback()
    #expect(studio.name == "edited")
    #expect(try await store.pending.changes().map(\.uid) == ["1"])
  }

  /// The film goes by its own deletion here. The studio that it held is the server's to delete then.
  @Test func `the deletion that was pending ends`() async throws {
    let studio = try await studio()
    let main = try store.main
    try stub.on(.delete, "/studios/1", .status(204))
    try main.delete(Film.self, uid: 1)
    try main.delete(studio)
    try await main.save()
    #expect(try await store.pending.count() == 2)
    let response = try await studio.delete()
    #expect(response.counts.denied == 0)
    #expect(response.skipped.isEmpty)
    #expect(try await store.pending.changes().map(\.id.pk) != [studio.entityID.pk])
    #expect(try await store.pending.count() == 1)
  }

  /// Nobody knew a placeholder as an object.
  @Test func `a placeholder that is held is not reported`() async throws {
    _ = try await Film.upsert(from: [["id": 1, "studio": 7]])
    try stub.on(.delete, "/studios/7", .status(204))
    let response = try await Studio.delete("7")
    #expect(response.counts == EntityCounts())
    #expect(response.skipped.isEmpty)
    #expect(try store.main.fetch(Film.self, uid: 1)?.studio.uid == 7)
  }
}

@Entity final class Shelf: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \Jar.shelf, onDelete: .cascade) var jars: [Jar]
  static var basePath: String { "shelves" }
}

@Entity final class Jar: RemoteEntity {
  @UID @Key("id") var uid: Int
  var shelf: Shelf?
  @Relationship(onDelete: .deny) var gardener: Gardener?
  static var basePath: String { "jars" }
}
