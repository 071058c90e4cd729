import EntityClient
import EntityTesting
import Testing

/// Objects that do not say of which entity they are, in responses that keep the values of properties.
@Suite struct KeptTypeTests {
  private let store: EntityStore

  init() throws {
    store = try EntityStore(
      .inMemory, entities: feedEntities, busyTimeout: .seconds(60))
  }

  private func upsert(_ fields: JSONObject) async throws -> (refused: [String], uids: [[Int]]) {
    let body = JSONObject(fields: [("id", 1), ("title", "T")] + fields.map { ($0.key, $0.value) }).value
    let response = try await FeedPost.upsert(from: body, in: store, options: .keepingValues)
    let uids = try await store.read { context in
      let post = try #require(try context.fetch(FeedPost.self, uid: 1))
      #expect(post.title == "T")
      return [
        post.snapshots.map(\.uid).sorted(), post.movies.map(\.uid).sorted(),
        [post.leadSnapshot?.uid, post.leadMovie?.uid].compactMap(\.self),
      ]
    }
    return (response.refused.map { "\($0.property) \($0.key)" }.sorted(), uids)
  }

  @Test(
    arguments: [
      [["type": "image", "id": 3], ["id": 4]], [["type": "video", "id": 3], 4], [["type": nil, "id": 4]],
      [["type": ["a": 1], "id": 4]],
    ] as [JSONValue])
  func `a list stays where its format cannot tell it from an element`(_ list: JSONValue) async throws {
    _ = try await upsert(["attachments": [["type": "image", "id": 1], ["type": "video", "id": 2]]])
    let (refused, uids) = try await upsert(["attachments": list])
    #expect(refused == ["movies attachments", "snapshots attachments"])
    #expect(uids == [[1], [2], []])
  }

  @Test(arguments: [["id": 4], 4, ["type": []]] as [JSONValue])
  func `a link whose object has no readable type stays`(_ value: JSONValue) async throws {
    _ = try await upsert(["lead": ["type": "video", "id": 2]])
    let (refused, uids) = try await upsert(["lead": value])
    #expect(refused == ["leadMovie lead", "leadSnapshot lead"])
    #expect(uids == [[], [], [2]])
  }

  /// A type is no value of a property: an object of a list of several entities is refused for a bad one.
  @Test func `a part of several entities refuses an object without a type`() async throws {
    let parts = ResponseOptions<EntityDocument>.parts([.list(of: [Snapshot.self, Movie.self], at: "all")])
    let body: JSONValue = ["all": [["type": "image", "id": 1], ["type": [], "id": 2], ["type": "video", "id": 3]]]
    let error = try await requestError {
      try await EntityDocument.upsert(from: body, in: store, options: [parts, .keepingValues])
    }
    #expect((error.underlying as? MappingError)?.position == 1)
    let response = try await EntityDocument.upsert(
      from: body, in: store, options: [parts, .keepingValues, .skipping])
    #expect(response.refused.map(\.position) == [1])
    #expect(response.items.count == 2)
  }
}
