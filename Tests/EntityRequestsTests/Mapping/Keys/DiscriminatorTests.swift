import EntityClient
import EntityTesting
import Foundation
import Testing

/// Objects of several entities in one place, told apart by a key of theirs.
@Suite(.client(entities: feedEntities)) struct DiscriminatorTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func uids() async throws -> (snapshots: [Int], movies: [Int]) {
    try await store.read { context in
      (
        try context.fetch(Snapshot.all.sorted(by: \.uid)).map(\.uid),
        try context.fetch(Movie.all.sorted(by: \.uid)).map(\.uid)
      )
    }
  }

  private func posts<T: Sendable>(_ value: @Sendable @escaping (FeedPost) -> T) async throws -> T {
    try await store.read { context in value(try #require(try context.fetch(FeedPost.self, uid: 1))) }
  }

  private func told(_ values: [UnrecognizedValue]) -> [String] {
    values.map { "\($0.entity) \($0.property) \($0.value) \($0.count)" }
  }

  // MARK: Own objects

  @Test func `own objects of another type are passed over`() async throws {
    let response = try await Snapshot.upsert(
      from: [
        ["type": "image", "id": 1], ["type": "video", "id": 2], ["type": "photo", "id": 3], ["type": "video"],
        ["id": 4],
      ])
    #expect(try await uids().snapshots == [1, 3, 4])
    #expect(response.ids.count == 3)
    #expect(response.counts.inserted == 3)
    #expect(told(response.unrecognized) == ["Snapshot type video 2"])
  }

  @Test func `a single object of another type is passed over`() async throws {
    let response = try await Movie.upsert(from: ["type": "image", "id": 1])
    #expect(response.ids.isEmpty)
    #expect(told(response.unrecognized) == ["Movie type image 1"])
    #expect(try await uids().movies.isEmpty)
  }

  @Test func `an update by hand runs for its type alone`() async throws {
    let response = try await HandMovie.upsert(
      from: [["id": 1, "meta": ["kind": 7], "caption": "a"], ["id": 2, "meta": ["kind": 8]]])
    #expect(response.ids.count == 1)
    #expect(told(response.unrecognized) == ["HandMovie meta.kind 8 1"])
  }

  @Test func `an upsert in a context refuses another type`() async throws {
    await #expect(throws: MappingError.self) {
      try await store.background { _ = try $0.upsert(Snapshot.self, from: ["type": "video", "id": 1]) }
    }
    try await store.background { _ = try $0.upsert(Snapshot.self, from: ["type": "photo", "id": 1]) }
    #expect(try await uids().snapshots == [1])
  }

  // MARK: Nested objects

  @Test func `several relationships divide a list`() async throws {
    func upsert(_ attachments: JSONValue) async throws -> EntityResponse<FeedPost> {
      try await FeedPost.upsert(from: ["id": 1, "attachments": attachments])
    }
    let response = try await upsert([
      ["type": "image", "id": 1], ["type": "video", "id": 1, "caption": "v"], nil, ["type": "photo", "id": 2],
      ["type": "sound", "id": 9],
    ])
    // The position is that in the list which they share.
    let first = try await posts { ($0.snapshots.map { "\($0.uid)@\($0.place ?? -1)" }, $0.movies.map(\.caption)) }
    #expect(first.0.sorted() == ["1@0", "2@3"])
    #expect(first.1 == ["v"])
    // The type that nobody takes is told, and told once.
    #expect(told(response.unrecognized) == ["FeedPost attachments.type sound 1"])
    let again = try await upsert([["type": "photo", "id": 2], ["type": "video", "id": 3]])
    let second = try await posts { ($0.snapshots.map(\.uid), $0.movies.map(\.uid)) }
    #expect(second.0 == [2])
    #expect(second.1 == [3])
    #expect(again.unrecognized.isEmpty)
  }

  @Test func `a link of another type becomes nil`() async throws {
    func upsert(_ lead: JSONValue) async throws -> [Int?] {
      let response = try await FeedPost.upsert(from: ["id": 1, "lead": lead])
      #expect(response.unrecognized.isEmpty)
      return try await posts { [$0.leadSnapshot?.uid, $0.leadMovie?.uid] }
    }
    #expect(try await upsert(["type": "image", "id": 1]) == [1, nil])
    #expect(try await upsert(["type": "video", "id": 2]) == [nil, 2])
    #expect(try await upsert(nil) == [nil, nil])
  }

  /// A relationship that shares its key with none tells a type that is not its own.
  @Test func `a relationship that shares its key with none reports another type`() async throws {
    let response = try await FeedPost.upsert(
      from: ["id": 1, "thumb": ["type": "video", "id": 1], "stills": [["type": "sound", "id": 2], ["id": 3], 4]])
    #expect(told(response.unrecognized).sorted() == ["FeedPost stills.type sound 1", "FeedPost thumb.type video 1"])
    let found = try await posts { ($0.thumb?.uid, $0.stills.count) }
    #expect(found.0 == nil)
    // Without a type, and by its id alone, an object can only be a snapshot.
    #expect(found.1 == 2)
  }

  @Test(
    arguments: [
      ["attachments": [["id": 1]]], ["attachments": [5]], ["lead": ["id": 1]], ["lead": 5], ["lead": ["type": nil]],
    ] as [JSONObject])
  func `the type is needed where several entities are meant`(_ object: JSONObject) async throws {
    let key = try #require(object.keys.first)
    let body = JSONObject(fields: [("id", 1), (key, try #require(object[key]))]).value
    let error = try await requestError { try await FeedPost.upsert(from: body) }
    let mapping = try #require(error.underlying as? MappingError)
    #expect(mapping.key.hasPrefix(key))
    #expect(mapping.reason.contains("have the key both"), "\(mapping)")
    #expect(mapping.reason.contains("'type'"), "\(mapping)")
    #expect(try await store.read { try $0.count(FeedPost.all) } == 0)
  }

  /// Objects without uid are matched by their place among those of their type.
  @Test func `embedded objects keep their rows`() async throws {
    func upsert(_ blocks: JSONValue) async throws -> EntityCounts {
      try await FeedPost.upsert(from: ["id": 1, "blocks": blocks]).counts
    }
    _ = try await upsert([
      ["kind": "text", "text": "a"], ["kind": "quote", "quote": "q"], ["kind": "text", "text": "b"],
    ])
    let texts = try await posts { $0.texts.map { ($0.entityID, $0.text) } }
    #expect(texts.map(\.1) == ["a", "b"])
    // A quote comes before them: the texts are the same rows, and unchanged.
    let counts = try await upsert([
      ["kind": "quote", "quote": "q"], ["kind": "quote", "quote": "r"], ["kind": "text", "text": "a"],
      ["kind": "text", "text": "b"],
    ])
    #expect(counts.rowsWritten == 1)
    #expect(try await posts { $0.texts.map(\.entityID) } == texts.map(\.0))
    #expect(try await posts { $0.quotes.map(\.quote) } == ["q", "r"])
  }

  @Test func `an update by hand takes the objects of a type from a list`() async throws {
    _ = try await HandPost.upsert(
      from: [
        "id": 1, "attachments": [["type": "image", "id": 1], ["type": "video", "id": 2]],
        "lead": ["type": "video", "id": 3], "cover": ["type": "photo", "id": 4],
      ])
    let found = try await store.read { context in
      let post = try #require(try context.fetch(HandPost.self, uid: 1))
      return (post.snapshots.map(\.uid), post.movies.map(\.uid), post.lead?.uid)
    }
    #expect(found.0 == [1])
    #expect(found.1 == [2])
    #expect(found.2 == nil)
    let error = try await requestError {
      try await HandPost.upsert(from: ["id": 2, "cover": ["type": "video", "id": 4]])
    }
    #expect(error.description.contains("the relationship is required, and there is an object of another type"))
  }
}
