import EntityClient
import EntityTesting
import Testing

/// Objects of which a response says that they were deleted, while others hold them or the response has them again.
@Suite(.client(entities: [Ship.self, Harbour.self, HandShip.self, HandPort.self, Knot.self])) @MainActor
struct DeletionOrderTests {
  private func store() throws -> EntityStore { try Client.current.store }

  // MARK: Held rows

  @Test func `a held object stays and the rest of the list is taken in`() async throws {
    try await Harbour.upsert(from: ["id": 7, "name": "old", "boats": [["id": 1]]])
    let list: JSONValue = [["id": 7, "deleted": true], ["id": 8, "name": "new"]]
    let response = try await Harbour.upsert(from: list)
    #expect(response.counts.denied == 1)
    #expect(response.counts.deleted == 0)
    #expect(response.counts.inserted == 1)
    #expect(try store().main.fetch(Harbour.self, uid: 7)?.name == "old")
    // It goes when it is said again, and nothing holds it any more.
    try await HandShip.upsert(from: [["id": 1, "harbour": 8]])
    #expect(try await Harbour.upsert(from: list).counts.deleted == 1)
    #expect(try store().main.fetch(Harbour.all).map(\.uid) == [8])
  }

  @Test func `an object that the response lacks holds no other object`() async throws {
    try await Harbour.upsert(from: ["id": 7, "boats": [["id": 1]]])
    let parts: [ResponsePart] = [
      .list(Harbour.self, at: "harbours"), .list(HandShip.self, at: "boats", missing: .deleteMissing(in: HandShip.all)),
    ]
    let response = try await EntityDocument.upsert(
      from: ["harbours": [["id": 7, "deleted": true]], "boats": []], options: .parts(parts))
    #expect(response.counts.deleted == 2)
    #expect(response.counts.denied == 0)
    #expect(try store().main.count(HandShip.all) == 0)
    #expect(try store().main.count(Harbour.all) == 0)
  }

  @Test func `an object that is missing and said to be deleted counts once`() async throws {
    try await Ship.upsert(from: [["id": 1], ["id": 2]])
    let response = try await Ship.upsert(from: [["id": 1, "deleted": true]], options: .deleteMissing(in: Ship.all))
    #expect(response.counts.deleted == 2)
    #expect(response.counts.rowsWritten == 2)
  }

  @Test(arguments: [false, true]) func `a holder with an update by hand makes no difference`(_ isNested: Bool)
    async throws
  {
    try await Harbour.upsert(from: ["id": 7, "boats": [["id": 1]]])
    let parts: [ResponsePart] = [
      .list(HandPort.self, at: "ports"), .list(Harbour.self, at: "harbours"), .list(HandShip.self, at: "boats"),
    ]
    let gone: JSONValue = ["id": 7, "deleted": true]
    let boats: JSONValue = [["id": 1, "deleted": true]]
    let body: JSONValue =
      isNested ? ["ports": [["id": 1, "harbour": gone]], "boats": boats] : ["harbours": [gone], "boats": boats]
    let response = try await EntityDocument.upsert(from: body, options: .parts(parts))
    #expect(response.counts(of: Harbour.self).deleted == 1)
    #expect(response.counts(of: HandShip.self).deleted == 1)
    #expect(try store().main.count(Harbour.all) == 0)
  }

  /// Each knot holds the one before it, and the response still has the last.
  @Test(arguments: [3, 40, 2_000]) func `a chain of holders is deleted to its end`(_ length: Int) async throws {
    let knots = (1...length).map { uid -> JSONValue in
      uid == 1 ? ["id": 1] : ["id": .init(uid), "before": .init(uid - 1)]
    }
    try await Knot.upsert(from: JSONValue(knots + [["id": 9_000], ["id": 9_001]]))
    let response = try await Knot.upsert(from: [["id": .init(length)]], options: .deleteMissing(in: Knot.all))
    #expect(response.counts.deleted == 2)
    #expect(response.counts.denied == length - 1)
    #expect(response.counts.rowsWritten == 2)
    #expect(try store().main.count(Knot.all) == length)
  }

  // MARK: The last word

  @Test(arguments: ["ships", "ports", "hands"]) func `an object that the response has after all stays`(_ part: String)
    async throws
  {
    try await Ship.upsert(from: [["id": 1, "name": "a"]])
    let parts: [ResponsePart] = [
      .list(Ship.self, at: "gone"), .list(Ship.self, at: "ships"), .list(HandPort.self, at: "hands"),
      .list(Knot.self, at: "ports"),
    ]
    let back: JSONValue = ["id": 1, "name": "back"]
    let again: JSONValue = part == "ships" ? back : ["id": 1, "ship": back]
    let gone: JSONValue = [["id": 1, "deleted": true]]
    let all: [(String, JSONValue)] = [("gone", gone), (part, [again] as JSONValue)]
    let body = JSONObject(fields: all).value
    let response = try await EntityDocument.upsert(from: body, options: .parts(parts))
    #expect(response.counts.deleted == 0)
    #expect(try store().main.fetch(Ship.all).map(\.name) == ["back"])
  }

  @Test func `an object that is deleted in the end is not in the result`() async throws {
    try await Ship.upsert(from: [["id": 1, "name": "a"]])
    let parts: [ResponsePart] = [.list(Ship.self, at: "ships"), .list(HandPort.self, at: "hands")]
    let body: JSONValue = [
      "ships": [["id": 1, "name": "x"], ["id": 2]],
      "hands": [["id": 1, "ship": ["id": 1, "deleted": true]], ["id": 2, "ship": ["id": 2, "deleted": true]]],
    ]
    let response = try await EntityDocument.upsert(from: body, options: .parts(parts))
    #expect(try store().main.count(Ship.all) == 0)
    #expect(response.ids(of: Ship.self).isEmpty)
    let counts = response.counts(of: Ship.self)
    #expect(counts.inserted == 0)
    #expect(counts.updated == 0)
    #expect(counts.deleted == 2)
    #expect(response.counts(of: HandPort.self).deleted == 0)
  }

  @Test func `an object that deletes itself later is not in the result`() async throws {
    let store = try unruly()
    let outcome = try await store.receive(
      Unruly.self, [["id": 1, "name": "a"], ["id": 2], ["id": 1, "do": "delete"]])
    #expect(outcome.ids.count == 1)
    #expect(outcome.counts.inserted == 1)
    #expect(outcome.counts.deleted == 1)
  }

  @Test(arguments: [false, true]) func `an older answer may name an object that came back`(_ isHeld: Bool) async throws
  {
    try await Harbour.upsert(from: ["id": 7, "name": "a", "boats": isHeld ? [["id": 1]] : []])
    let stub = try StubAdapter.current
    let old = StubGate()
    stub.on(.get, "/ships", .json([["id": 1, "harbour": 7]]).waiting(for: old))
    let reading = Task { try await Ship.get() }
    await old.arrival()
    let gone: JSONValue = ["id": 7, "deleted": true]
    stub.on(.get, "/harbours", .json(isHeld ? [gone] : [gone, ["id": 7, "name": "back"]]))
    try await Harbour.get()
    #expect(try store().main.count(Harbour.all) == 1)
    old.open()
    _ = try await reading.value
    #expect(try store().main.fetch(Ship.all).map { $0.harbour?.uid } == [7])
  }

  // MARK: Counts

  @Test func `each list counts its own`() async throws {
    try await Ship.upsert(from: [["id": 1], ["id": 2], ["id": 3]])
    let response = try await Ship.upsert(
      from: ["own": [["id": 1, "deleted": true]], "more": [["id": 2, "name": "x"]]],
      options: [.envelope("own"), .parts([.list(Ship.self, at: "more")])])
    #expect(response.counts.deleted == 1)
    #expect(response.counts(of: Ship.self).deleted == 0)
    #expect(response.counts(of: Ship.self).updated == 1)
    let document = try await EntityDocument.upsert(
      from: ["ships": [["id": 3, "deleted": true]]], options: .parts([.list(Ship.self, at: "ships")]))
    #expect(document.counts(of: Ship.self).deleted == 1)
    #expect(document.counts(of: Ship.self).rowsWritten == 1)
  }

  // MARK: The answer to a request on an object

  @Test func `the answer about an object need not name the object`() async throws {
    try await Ship.upsert(from: [["id": 1], ["id": 2]])
    let ship = try #require(try store().main.fetch(Ship.self, uid: 1))
    let stub = try StubAdapter.current
    stub.on(.get, "/ships/1", .json(["deleted": false]))
    #expect(try await ship.get().counts == EntityCounts())
    #expect(!ship.isDeleted)
    stub.on(.get, "/ships/1", .json(["deleted": true]))
    #expect(try await ship.get().counts.deleted == 1)
    #expect(ship.isDeleted)
    #expect(try store().main.fetch(Ship.all).map(\.uid) == [2])
    await #expect(throws: RequestError.self) { try await Ship.upsert(from: [["deleted": true]]) }
  }
}

/// Updated by hand, and holds nothing that it requires.
@Entity final class HandPort: RemoteEntity {
  @UID @Key("id") var uid: Int
  var ship: Ship?
  var harbour: Harbour?
  static var basePath: String { "ports" }
  func update(with response: ResponseObject) throws {
    if response.contains("ship") { ship = try response.upsert(Ship.self, from: "ship") }
    if response.contains("harbour") { harbour = try response.upsert(Harbour.self, from: "harbour") }
  }
}

@Entity final class Knot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var ship: Ship?
  var before: Knot?
  @Relationship(inverse: \Knot.before, onDelete: .deny) var after: [Knot]
  static var basePath: String { "knots" }
}
