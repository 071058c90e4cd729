import EntityClient
import EntityTesting
import Testing

/// Objects that do not say of which entity they are, in responses that keep the values of properties.
@Suite struct KeptTypeTests {
  private let store: EntityStore

  init() throws {
    store = try EntityStore(
      .inMemory, entities: [StillShot.self, ReelShot.self, Album.self], busyTimeout: .seconds(60))
  }

  private func upsert(_ fields: JSONObject) async throws -> (refused: [String], uids: [[Int]]) {
    let body = JSONObject(fields: [("id", 1), ("title", "T")] + fields.map { ($0.key, $0.value) }).value
    let response = try await Album.upsert(from: body, in: store, options: .keepingValues)
    let uids = try await store.read { context in
      let album = try #require(try context.fetch(Album.self, uid: 1))
      #expect(album.title == "T")
      return [
        album.stills.map(\.uid).sorted(), album.reels.map(\.uid).sorted(),
        [album.leadStill?.uid, album.leadReel?.uid].compactMap(\.self),
      ]
    }
    return (response.refused.map { "\($0.property) \($0.key)" }.sorted(), uids)
  }

  @Test(
    arguments: [
      [["type": "still", "id": 3], ["id": 4]], [["type": "reel", "id": 3], 4], [["type": nil, "id": 4]],
      [["type": ["a": 1], "id": 4]],
    ] as [JSONValue])
  func `a list stays where its format cannot tell it from an element`(_ list: JSONValue) async throws {
    _ = try await upsert(["shots": [["type": "still", "id": 1], ["type": "reel", "id": 2]]])
    let (refused, uids) = try await upsert(["shots": list])
    #expect(refused == ["reels shots", "stills shots"])
    #expect(uids == [[1], [2], []])
  }

  @Test(arguments: [["id": 4], 4, ["type": []]] as [JSONValue])
  func `a link whose object has no readable type stays`(_ value: JSONValue) async throws {
    _ = try await upsert(["lead": ["type": "reel", "id": 2]])
    let (refused, uids) = try await upsert(["lead": value])
    #expect(refused == ["leadReel lead", "leadStill lead"])
    #expect(uids == [[], [], [2]])
  }

  /// A type is no value of a property: an object of a list of several entities is refused for a bad one.
  @Test func `a part of several entities refuses an object without a type`() async throws {
    let parts = ResponseOptions<EntityDocument>.parts([.list(of: [StillShot.self, ReelShot.self], at: "all")])
    let body: JSONValue = ["all": [["type": "still", "id": 1], ["type": [], "id": 2], ["type": "reel", "id": 3]]]
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

@Entity final class Album: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  @Relationship(inverse: \StillShot.album) @Key("shots") var stills: [StillShot]
  @Relationship(inverse: \ReelShot.album) @Key("shots") var reels: [ReelShot]
  @Relationship @Key("lead") var leadStill: StillShot?
  @Relationship @Key("lead") var leadReel: ReelShot?

  static var basePath: String { "albums" }
}

@Entity final class StillShot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var album: Album?

  static var basePath: String { "stillshots" }
  static var discriminator: Discriminator? { Discriminator("type", "still") }
}

@Entity final class ReelShot: RemoteEntity {
  @UID @Key("id") var uid: Int
  var album: Album?

  static var basePath: String { "reelshots" }
  static var discriminator: Discriminator? { Discriminator("type", "reel") }
}
