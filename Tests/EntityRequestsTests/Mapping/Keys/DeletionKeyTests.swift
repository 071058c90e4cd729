import EntityClient
import EntityTesting
import Foundation
import Testing

/// Objects of which a response says that they were deleted.
@Suite(.client(entities: [Ship.self, Harbour.self, HandShip.self])) @MainActor struct DeletionKeyTests {
  private func store() throws -> EntityStore { try Client.current.store }

  private func ships() throws -> [Int] { try store().main.fetch(Ship.all.sorted(by: \.uid)).map(\.uid) }

  private func threeShips() async throws {
    try await Ship.upsert(from: [["id": 1, "harbour": 7], ["id": 2, "harbour": 7], ["id": 3]])
    try await Harbour.upsert(from: ["id": 7, "name": "H"])
  }

  @Test func `the row of a deleted object goes, and the other objects are taken in`() async throws {
    try await threeShips()
    let gone = try #require(try store().main.fetch(Ship.self, uid: 2))
    let response = try await Ship.upsert(from: [["id": 2, "deleted": true], ["id": 4], ["id": 9, "deleted": true]])
    #expect(response.ids.count == 1)
    #expect(response.counts.deleted == 1)
    #expect(response.counts.inserted == 1)
    #expect(gone.isDeleted)
    #expect(try ships() == [1, 3, 4])
    #expect(try await Ship.upsert(from: [["id": 2, "deleted": true]]).counts == EntityCounts())
  }

  @Test(arguments: [nil, false, 0, "", 0.0, "false", "False", "no", "0", [], [:]] as [JSONValue])
  func `a deletion key that says no is no deletion`(_ value: JSONValue) async throws {
    #expect(try await Ship.upsert(from: [["id": 1, "deleted": value]]).counts.inserted == 1)
  }

  @Test(arguments: [true, 1, "2026-05-01", ["by": 4]] as [JSONValue])
  func `a time or a number is a deletion key too`(_ value: JSONValue) async throws {
    try await threeShips()
    #expect(try await Ship.upsert(from: ["id": 1, "deleted": value]).counts.deleted == 1)
    #expect(try ships() == [2, 3])
  }

  @Test func `the last word of a response counts`() async throws {
    try await threeShips()
    let back = try await Ship.upsert(from: [["id": 1, "deleted": true], ["id": 1, "name": "back"]])
    #expect(back.counts.deleted == 0)
    #expect(back.counts.updated == 1)
    #expect(back.ids.count == 1)
    let gone = try await Ship.upsert(from: [["id": 4, "name": "short"], ["id": 4, "deleted": true]])
    #expect(gone.counts.deleted == 1)
    #expect(gone.counts.inserted == 0)
    #expect(gone.ids.isEmpty)
    #expect(try ships() == [1, 2, 3])
  }

  @Test func `a nested object with a deletion key is deleted and not linked`() async throws {
    try await threeShips()
    try await Ship.upsert(from: ["id": 1, "harbour": ["id": 7, "deleted": true]])
    #expect(try store().main.count(Harbour.all) == 0)
    #expect(try store().main.fetch(Ship.all).allSatisfy { $0.harbour == nil })
  }

  @Test func `an object that requires a deleted object may be deleted later`() async throws {
    try await Harbour.upsert(from: ["id": 7, "boats": [["id": 1], ["id": 2]]])
    #expect(try await Harbour.upsert(from: [["id": 7, "deleted": true]]).counts.denied == 1)
    #expect(try store().main.count(HandShip.all) == 2)
    let boats: JSONValue = [["id": 1, "deleted": true], ["id": 2, "deleted": true]]
    let response = try await Harbour.upsert(from: [["id": 8, "boats": boats], ["id": 7, "deleted": true]])
    #expect(response.counts.deleted == 3)
    #expect(try store().main.count(HandShip.all) == 0)
  }

  @Test func `an update by hand is not asked about a deletion`() async throws {
    try await HandShip.upsert(from: [["id": 1, "harbour": 7], ["id": 2, "harbour": 7]])
    #expect(try await HandShip.upsert(from: [["id": 1, "deleted": true]]).counts.deleted == 1)
    #expect(try store().main.fetch(HandShip.all).map(\.uid) == [2])
    let context = try store().main
    #expect(throws: MappingError.self) { try context.upsert(HandShip.self, from: ["id": 2, "deleted": true]) }
    try await context.save()
    #expect(try context.count(HandShip.all) == 0)
  }

  @Test func `an edit keeps an object that the server deleted until the server has the edit`() async throws {
    try await threeShips()
    let ship = try #require(try store().main.fetch(Ship.self, uid: 1))
    ship.name = "edited"
    try await store().main.save()
    #expect(try await Ship.upsert(from: [["id": 1, "deleted": true]]).skipped.map(\.reason) == [.deletedThere])
    #expect(!ship.isDeleted)
    try await store().pending.acknowledgeAll()
    ship.name = "and again"
    try await Ship.upsert(from: [["id": 1, "deleted": true]])
    #expect(ship.isDeleted)
    #expect(try ships() == [2, 3])
  }

  @Test func `an older answer neither deletes an object nor brings it back`() async throws {
    try await threeShips()
    let stub = try StubAdapter.current
    let old = StubGate()
    stub.on(.get, "/ships", .json([["id": 1, "deleted": true], ["id": 2, "name": "old"]]).waiting(for: old))
    let reading = Task { try await Ship.get() }
    await old.arrival()
    stub.on(.get, "/ships/1", .json(["id": 1, "name": "new"]))
    stub.on(.get, "/ships/2", .json(["id": 2, "deleted": true]))
    try await Ship.get("1")
    try await Ship.get("2")
    old.open()
    let late = try await reading.value
    #expect(late.counts.deleted == 0)
    #expect(late.counts.rowsWritten == 0)
    #expect(try ships() == [1, 3])
  }

  @Test func `parts have deletion keys too`() async throws {
    try await threeShips()
    let parts: [ResponsePart] = [.list(Ship.self, at: "ships"), .list(HandShip.self, at: "boats")]
    let body: JSONValue = [
      "ships": [["id": 2, "deleted": true], ["id": 3, "name": "three", "harbour": ["id": 7, "deleted": true]]],
      "boats": [["id": 1, "deleted": true]],
    ]
    let response = try await EntityDocument.upsert(from: body, options: .parts(parts))
    #expect(response.counts(of: Ship.self).deleted == 1)
    #expect(response.ids(of: Ship.self).count == 1)
    #expect(response.counts(of: HandShip.self) == EntityCounts())
    // The harbour has no part, and counts for the whole alone.
    #expect(response.counts.deleted == 2)
    #expect(response.counts.updated == 1)
    #expect(try ships() == [1, 3])
    #expect(try store().main.count(Harbour.all) == 0)
    #expect(try await EntityDocument.upsert(from: body, options: .parts(parts)).counts.rowsWritten == 0)
  }
}

@Entity final class Ship {
  @UID @Key("id") var uid: Int
  var name: String?
  var harbour: Harbour?
}

@Entity final class Harbour {
  @UID @Key("id") var uid: Int
  var name: String?
  @Relationship(inverse: \HandShip.harbour) var boats: [HandShip]
}

@Entity final class HandShip {
  @UID @Key("id") var uid: Int
  var name: String?
  var harbour: Harbour
}

extension Ship: RemoteEntity {
  static var basePath: String { "ships" }
  static var deletionKey: String? { "deleted" }
}

extension Harbour: RemoteEntity {
  static var basePath: String { "harbours" }
  static var deletionKey: String? { "deleted" }
}

extension HandShip: RemoteEntity {
  static var basePath: String { "boats" }
  static var deletionKey: String? { "deleted" }
  func update(with response: ResponseObject) throws {
    try response.assign("name", to: &name)
    try response.assign("harbour", to: &harbour)
  }
}
