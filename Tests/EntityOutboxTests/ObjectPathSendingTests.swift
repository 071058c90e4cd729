import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import EntityOutbox

@Entity final class FilterTag: OutboxEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "tags" }
  static var objectPath: String? { "tags?id=eq.{uid}" }
}

@Entity final class NumberedBug: OutboxEntity {
  @UID @Key("id") var uid: Int
  var number: Int?
  var title: String?

  static var basePath: String { "bugs" }
  static var objectPath: String? { "bugs/{number}.json" }
  static var outbox: OutboxRules<NumberedBug> { [.rest, .attachment("photo", .put("photos/a%20b?size=full"))] }
}

@Entity final class KeyedSeal: OutboxEntity {
  @UID @Key("id") var uid: Int
  var key: UUID?
  var number: UInt64?
  var color: String?

  static var basePath: String { "seals" }
  static var objectPath: String? { "seals/{key}/{number}" }
}

/// Changes of objects whose URLs are not the base path and the uid.
@Suite(.client(entities: [FilterTag.self, NumberedBug.self, KeyedSeal.self])) struct ObjectPathSendingTests {
  private func tag(_ context: EntityContext, _ uid: Int) throws -> FilterTag {
    try #require(try context.fetch(FilterTag.self, uid: uid))
  }

  @Test func `an edit and a deletion go to the filter of the object`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    _ = try await FilterTag.upsert(from: JSONValue([["id": 7, "name": "a"], ["id": 8, "name": "b"]]).rawBytes)
    stub.on(.patch, "/tags?id=eq.7", .json([["id": 7, "name": "A"]]))
    stub.on(.delete, "/tags?id=eq.8", .status(204))
    try await client.store.background { context in
      try tag(context, 7).name = "A"
      try context.delete(tag(context, 8))
    }
    #expect(try await outbox.send().sent == 2)
    #expect(try await client.store.pending.changes().isEmpty)
    #expect(
      stub.requests.map { "\($0.method) \($0.url.absoluteString)" }.sorted() == [
        "DELETE https://api.example.com/tags?id=eq.8", "PATCH https://api.example.com/tags?id=eq.7",
      ])
  }

  @Test func `an edit that no row matches is not taken for sent`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    _ = try await FilterTag.upsert(from: JSONValue([["id": 7, "name": "a"]]).rawBytes)
    stub.on(.patch, "/tags?id=eq.7", .json([]))
    try await client.store.background { try tag($0, 7).name = "A" }
    #expect(try await outbox.send().sent == 0)
    #expect(try await outbox.items().count == 1)
  }

  @Test func `an edit goes to the number that the server has`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    _ = try await NumberedBug.upsert(from: JSONValue([["id": 1, "number": 5]]).rawBytes)
    stub.on(.patch, "/bugs/5.json", .json(["id": 1, "number": 6, "title": "x"]))
    try await client.store.background { context in
      let bug = try #require(try context.fetch(NumberedBug.self, uid: 1))
      bug.number = 6
      bug.title = "x"
    }
    #expect(try await outbox.send().sent == 1)
    #expect(stub.requests.count == 1)
  }

  /// - Returns: A bug with the number 5 on the server, and 6 here.
  private func bug(_ client: Client) async throws -> EntityID<NumberedBug> {
    _ = try await NumberedBug.upsert(from: JSONValue([["id": 1, "number": 5]]).rawBytes)
    return try await client.store.background { context in
      let bug = try #require(try context.fetch(NumberedBug.self, uid: 1))
      bug.number = 6
      return bug.entityID
    }
  }

  @Test func `a deletion goes to the number that the server had, though the row is gone`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    let id = try await bug(client)
    stub.on(.delete, "/bugs/5.json", .status(204))
    try await client.store.background { try $0.delete(#require(try $0.object(id))) }
    #expect(try await outbox.send().sent == 1)
    #expect(stub.requests.map { $0.url.path() } == ["/bugs/5.json"])
    #expect(try await client.store.pending.changes().isEmpty)
    #expect(try await outbox.items().isEmpty)
  }

  @Test func `a deletion goes to the URL that an edit goes to`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    let key = UUID()
    let seal: JSONValue = ["id": 1, "key": JSONValue(key.uuidString), "number": JSONValue(UInt64.max)]
    _ = try await KeyedSeal.upsert(from: seal.rawBytes)
    let path = "/seals/\(key.uuidString.lowercased())/18446744073709551615"
    stub.on(.patch, path, .json(seal))
    stub.on(.delete, path, .status(204))
    try await client.store.background { try #require(try $0.fetch(KeyedSeal.self, uid: 1)).color = "red" }
    #expect(try await outbox.send().sent == 1)
    try await client.store.background { try $0.delete(#require(try $0.fetch(KeyedSeal.self, uid: 1))) }
    #expect(try await outbox.send().sent == 1)
    #expect(stub.requests.map { $0.url.path() } == [path, path])
    #expect(try await client.store.pending.changes().isEmpty)
  }

  @Test @MainActor func `the number is kept by an undo and its redo, and by an archive`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let id = try await bug(client)
    let undo = try client.store.main.undoManager
    undo.limit = .saves(10)
    try client.store.main.delete(#require(try client.store.main.object(id)))
    try await client.store.main.save()
    try await undo.undo()
    #expect(try client.store.main.count(NumberedBug.all) == 1)
    try await undo.redo()
    let archive = try await client.store.archive()
    try await client.store.restore(from: archive, discardsPending: true)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    stub.on(.delete, "/bugs/5.json", .status(204))
    #expect(try await outbox.send().sent == 1)
    #expect(try await client.store.pending.changes().isEmpty)
  }

  @Test func `a deletion whose number is not known waits for a person`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    _ = try await NumberedBug.upsert(from: JSONValue([["id": 1]]).rawBytes)
    try await client.store.background { try $0.delete(#require(try $0.fetch(NumberedBug.self, uid: 1))) }
    #expect(try await outbox.send().sent == 0)
    #expect(stub.requests.isEmpty)
    #expect(try await outbox.items().first?.reason?.contains("'number' is not known") == true)
  }

  @Test func `a DELETE by hand ends the deletion that waits`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    let id = try await bug(client)
    try await client.store.background { try $0.delete(#require(try $0.object(id))) }
    // Both sides agree about an object that is gone.
    stub.on(.delete, "/bugs/5.json", .status(404))
    try await NumberedBug.delete("5.json")
    #expect(try await client.store.pending.changes().isEmpty)
    #expect(try await outbox.send().sent == 0)
    #expect(stub.requests.count == 1)
  }

  @Test func `a file goes below the object, before the extension of its URL`() async throws {
    let (stub, client) = try (StubAdapter.current, Client.current)
    let folder = try TestFolder()
    let outbox = try Outbox(client, time: OutboxTime(VirtualClock()))
    _ = try await NumberedBug.upsert(from: JSONValue([["id": 1, "number": 5]]).rawBytes)
    let id = try await client.store.read { try #require(try $0.fetch(NumberedBug.self, uid: 1)).entityID }
    try Data([1, 2, 3]).write(to: folder.file("photo"))
    try await outbox.attach(folder.file("photo"), as: "photo", to: id)
    stub.on(.put, "/bugs/5/photos/a b.json?size=full", .status(204))
    #expect(try await outbox.send().sent == 1)
    #expect(
      stub.requests.map(\.url.absoluteString) == ["https://api.example.com/bugs/5/photos/a%20b.json?size=full"])
  }
}
