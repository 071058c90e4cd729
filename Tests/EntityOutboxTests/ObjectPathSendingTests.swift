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

/// Changes of objects whose URLs are not the base path and the uid.
@Suite(.client(entities: [FilterTag.self, NumberedBug.self])) struct ObjectPathSendingTests {
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
    // The row is gone, and with it the number: a person sees that the deletion was not sent.
    try await client.store.background { context in
      try context.delete(#require(try context.fetch(NumberedBug.self, uid: 1)))
    }
    #expect(try await outbox.send().sent == 0)
    #expect(stub.requests.count == 1)
    #expect(try await outbox.items().count == 1)
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
