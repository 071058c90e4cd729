import EntityClient
import EntityTesting
import HTTPFoundation
import Testing

@testable import EntityOutbox

@Entity final class Essay: OutboxEntity {
  @UID @Key("id") var uid: Int
  @Key("attributes.title") var title: String
  @Key("attributes.pages") var pages: Int?
  @Key("relationships.author.data.id") var author: Essayist?
  @Key("relationships.editor.data.id") var editor: Essayist?

  static var basePath: String { "essays" }
  static var envelope: Envelope? { "data" }
  static var headers: HTTPHeaders { .jsonAPI }
  static var outbox: OutboxRules<Essay> { [.rest, .jsonAPI("essays")] }
}

@Entity final class Essayist: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Key("attributes.name") var name: String?

  static var basePath: String { "api/people" }
  static var envelope: Envelope? { "data" }
}

@Entity final class Memo: OutboxEntity {
  @UID @Key("id") var uid: String
  var text: String
  @Key("last_modified") var lastModified: Int?

  static var basePath: String { "collections/memos/records" }
  static var envelope: Envelope? { "data" }
  static var outbox: OutboxRules<Memo> { .kinto }
}

/// Lacks the attribute that Kinto's versions stand in.
@Entity final class Scrap: OutboxEntity {
  @UID @Key("id") var uid: String

  static var basePath: String { "scraps" }
  static var outbox: OutboxRules<Scrap> { .kinto }
}

/// The rules for kinds of services.
@Suite struct PresetTests {
  private let stub = StubAdapter()

  private func outbox(_ base: String, _ entities: any ManagedEntity.Type...) throws -> (EntityStore, Outbox) {
    let store = try EntityStore(.inMemory, entities: entities)
    let client = try Client(
      adapter: stub, store: store, baseURL: base, headers: ["Authorization": "Bearer secret"])
    return (store, try Outbox(client, time: OutboxTime(VirtualClock()), width: 1))
  }

  // MARK: JSON:API

  @Test func `a body of JSON API has its type, its id and the types of related objects`() async throws {
    let (store, outbox) = try outbox("https://api.example.com/", Essay.self, Essayist.self)
    let made: JSONValue = ["data": ["type": "essays", "id": "5", "attributes": ["title": "On ice"]]]
    stub.on(.post, "/essays", .json(made, status: 201))
    stub.on(.patch, "/essays/5", .json(made))
    try await Essayist.upsert(from: ["data": ["id": "9", "attributes": ["name": "Ada"]]] as JSONValue, in: store)
    let id = try await store.background { context in
      try context.make(Essay.self) { essay in
        essay.title = "On ice"
        essay.author = try? context.fetch(Essayist.all).first
      }.entityID
    }
    #expect(try await outbox.send().sent == 1)
    try await store.background { context in
      let essay = try context.known(id)
      essay.pages = 12
      essay.author = nil
    }
    #expect(try await outbox.send().sent == 1)
    let bodies = stub.requests.map(\.json)
    #expect(
      bodies == [
        [
          "data": [
            "type": "essays", "attributes": ["title": "On ice"],
            "relationships": ["author": ["data": ["type": "people", "id": "9"]]],
          ]
        ],
        [
          "data": [
            "type": "essays", "id": "5", "attributes": ["pages": 12], "relationships": ["author": ["data": nil]],
          ]
        ],
      ])
    #expect(stub.requests.allSatisfy { $0.headers["Content-Type"] == "application/vnd.api+json" })
    #expect(try await store.pending.changes().isEmpty)
  }

  // MARK: Kinto

  private static func record(_ id: String, _ text: String, _ version: Int) -> JSONValue {
    ["data": ["id": JSONValue(id), "text": JSONValue(text), "last_modified": JSONValue(version)]]
  }

  @Test func `a record of Kinto is put where the server has none, and changed at its version`() async throws {
    let (store, outbox) = try outbox("https://api.example.com/v1/buckets/b/", Memo.self)
    let path = "/v1/buckets/b/collections/memos/records/m1"
    stub.on(.put, path, .json(Self.record("m1", "a", 10), status: 201))
    stub.on(.patch, path, .json(Self.record("m1", "b", 11)))
    stub.on(.delete, path, .json(["data": ["id": "m1", "deleted": true, "last_modified": 12]]))
    let id = try await store.background { context in
      try context.make(Memo.self) {
        $0.uid = "m1"
        $0.text = "a"
      }.entityID
    }
    #expect(try await outbox.send().sent == 1)
    try await store.background { try $0.known(id).text = "b" }
    #expect(try await outbox.send().sent == 1)
    try await store.background { try $0.delete($0.known(id)) }
    #expect(try await outbox.send().sent == 1)
    #expect(stub.requests.map { $0.headers["If-None-Match"] } == ["*", nil, nil])
    #expect(stub.requests.map { $0.headers["If-Match"] } == [nil, "\"10\"", "\"11\""])
    #expect(stub.requests.map { $0.json?["data.text"]?.string } == ["a", "b", nil])
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `a deletion of an older version reads the object, and holds for its new version`() async throws {
    let (store, outbox) = try outbox("https://api.example.com/v1/buckets/b/", Memo.self)
    let path = "/v1/buckets/b/collections/memos/records/m1"
    stub.on(.delete, path, .status(412), .json(["data": ["id": "m1", "deleted": true, "last_modified": 30]]))
    stub.on(.get, path, .json(Self.record("m1", "theirs", 20)))
    try await Memo.upsert(from: Self.record("m1", "a", 10), in: store)
    try await store.background { try $0.delete(#require(try $0.fetch(Memo.all).first)) }
    #expect(try await outbox.send().sent == 1)
    #expect(stub.requests.map { $0.headers["If-Match"] } == ["\"10\"", nil, "\"20\""])
    #expect(try await store.pending.changes().isEmpty)
    #expect(try await store.read { try $0.count(Memo.all) } == 0)
  }

  @Test func `a create of a record that the server has becomes an update at its version`() async throws {
    let (store, outbox) = try outbox("https://api.example.com/v1/buckets/b/", Memo.self)
    let path = "/v1/buckets/b/collections/memos/records/m1"
    stub.on(.put, path, .status(412))
    stub.on(.get, path, .json(Self.record("m1", "theirs", 20)))
    stub.on(.patch, path, .json(Self.record("m1", "mine", 21)))
    _ = try await store.background { context in
      try context.make(Memo.self) {
        $0.uid = "m1"
        $0.text = "mine"
      }
      .entityID
    }
    #expect(try await outbox.send().sent == 1)
    #expect(stub.requests.map(\.method) == [.put, .get, .patch])
    #expect(stub.requests.last?.headers["If-Match"] == "\"20\"")
    #expect(try await store.pending.changes().isEmpty)
  }

  @Test func `a create of a record that the server has with equal values is done`() async throws {
    let (store, outbox) = try outbox("https://api.example.com/v1/buckets/b/", Memo.self)
    let path = "/v1/buckets/b/collections/memos/records/m1"
    stub.on(.put, path, .status(412))
    stub.on(.get, path, .json(Self.record("m1", "mine", 20)))
    _ = try await store.background { context in
      try context.make(Memo.self) {
        $0.uid = "m1"
        $0.text = "mine"
      }
      .entityID
    }
    let pass = try await outbox.send()
    #expect((pass.refused, pass.left) == (0, 0))
    #expect(stub.requests.map(\.method) == [.put, .get])
  }

  @Test func `a batch of Kinto has paths below the version, and the parts have no credentials`() async throws {
    let (store, outbox) = try outbox("https://api.example.com/base/v1/buckets/b/", Memo.self)
    stub.on(
      .post, "/base/v1/batch",
      .json([
        "responses": [
          [
            "status": 201, "path": "/v1/buckets/b/collections/memos/records/m1",
            "headers": ["ETag": "\"10\"", "Content-Type": "application/json", "Content-Length": "7"],
            "body": Self.record("m1", "a", 10),
          ],
          [
            "status": 403, "path": "/v1/buckets/b/collections/memos/records/m2",
            "headers": ["Content-Type": "application/json"], "body": ["code": 403, "message": "no"],
          ],
        ]
      ]))
    try await store.background { context in
      for uid in ["m1", "m2"] {
        _ = try context.make(Memo.self) {
          $0.uid = uid
          $0.text = "a"
        }
      }
    }
    let pass = try await outbox.send()
    #expect((pass.sent, pass.refused) == (1, 1))
    let batch = try #require(stub.requests.first)
    #expect(batch.headers["Authorization"] == "Bearer secret")
    let parts = try #require(batch.json?["requests"]?.array)
    #expect(
      parts.map { $0["path"]?.string } == [
        "/buckets/b/collections/memos/records/m1", "/buckets/b/collections/memos/records/m2",
      ])
    #expect(parts.map { $0["method"]?.string } == ["PUT", "PUT"])
    #expect(parts.map { $0["headers"]?["If-None-Match"]?.string } == ["*", "*"])
    #expect(parts.allSatisfy { $0["headers"]?["Authorization"] == nil })
    #expect(try await outbox.items().map(\.status) == [403])
    #expect(try await store.read { try $0.fetch(Memo.where { $0.uid == "m1" }).first?.lastModified } == 10)
  }

  @Test func `an entity of Kinto without last_modified is refused with words`() throws {
    let error = #expect(throws: RequestError.self) {
      _ = try outbox("https://api.example.com/v1/", Scrap.self)
    }
    #expect(error?.message.contains("last_modified") == true)
  }
}
