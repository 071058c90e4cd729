import EntityClient
import EntityTesting
import Foundation
import Testing

/// A part with objects of several entities, and their order.
@Suite(.client(entities: feedEntities)) struct MixedListTests {
  private static let feed: ResponseOptions<EntityDocument> = .parts([.list(of: [Snapshot.self, Movie.self], at: "")])

  @Test @MainActor func `a mixed body keeps its order`() async throws {
    try StubAdapter.current.on(
      .get, "/feed",
      .json([
        ["type": "video", "id": 1], ["type": "image", "id": 1], ["type": "sound", "id": 5], ["type": "video", "id": 2],
        ["type": "image", "id": 1, "caption": "again"],
      ]))
    let response = try await EntityDocument.get("feed", options: Self.feed)
    #expect(response.items.map(\.entityName) == ["Movie", "Snapshot", "Movie"])
    #expect(response.items.compactMap { EntityID<Movie>($0) } == response.ids(of: Movie.self))
    let shown = try response.itemObjects.map { object in
      (object as? Movie).map { "movie \($0.uid)" } ?? (object as? Snapshot).map { "snapshot \($0.uid)" } ?? "?"
    }
    #expect(shown == ["movie 1", "snapshot 1", "movie 2"])
    #expect(try response.objects(of: Snapshot.self).first?.caption == "again")
    #expect(response.counts.inserted == 3)
    #expect(response.unrecognized.map(\.property) == ["type"])
    #expect(response.unrecognized.map(\.value) == ["sound"])
  }

  @Test func `entities may name their type under different keys`() async throws {
    let parts: ResponsePart = .list(of: [Snapshot.self, HandMovie.self], at: "data.items")
    let response = try await EntityDocument.upsert(
      from: [
        "data": [
          "items": [["meta": ["kind": 7], "id": 1], ["type": "photo", "id": 2], ["meta": ["kind": 8], "id": 3]]
        ]
      ], options: .parts([parts]))
    #expect(response.items.map(\.entityName) == ["HandMovie", "Snapshot"])
    #expect(response.unrecognized.map(\.property) == ["data.items.meta.kind"])
  }

  @Test func `a list with a key for the type has items too`() async throws {
    let parts: ResponsePart = .list(typedBy: "t", ["a": Snapshot.self, "b": Movie.self], at: "list")
    let response = try await EntityDocument.upsert(
      from: ["list": [["t": "b", "id": 1], ["t": "a", "id": 2]]], options: .parts([parts]))
    #expect(response.items.map(\.entityName) == ["Movie", "Snapshot"])
    // A list of one entity has none.
    let plain = try await EntityDocument.upsert(
      from: ["list": [["type": "video", "id": 1], ["type": "image", "id": 9]]],
      options: .parts([.list(Movie.self, at: "list")]))
    #expect(plain.items.isEmpty)
    #expect(plain.ids(of: Movie.self).count == 1)
    #expect(plain.unrecognized.map(\.value) == ["image"])
  }

  @Test func `an object without a type is an error with its place`() async throws {
    let error = try await requestError {
      try await EntityDocument.upsert(from: [["type": "image", "id": 1], ["id": 2]], options: Self.feed)
    }
    let mapping = try #require(error.underlying as? MappingError)
    #expect(mapping.position == 1)
    #expect(mapping.part == nil)
    #expect(mapping.description.contains("'Movie or Snapshot' can't be read from 'type' of object 1"), "\(mapping)")
  }

  @Test func `the whole body as a part must be a list`() async throws {
    let error = try await requestError { try await EntityDocument.upsert(from: ["id": 1], options: Self.feed) }
    #expect(error.kind == .envelope)
    #expect(error.description.contains("As the body an array was expected, and there is an object"), "\(error)")
    let object = try await EntityDocument.upsert(
      from: ["type": "video", "id": 1], options: .parts([.object(Movie.self, at: "")]))
    #expect(object.ids(of: Movie.self).count == 1)
  }

  @Test func `a list of several needs discriminators that differ`() async throws {
    for (types, reason) in [
      ([Snapshot.self, FeedPost.self], "'discriminator'"), ([Snapshot.self, Snapshot.self], "a value in common"),
    ] as [([any RemoteEntity.Type], String)] {
      let error = try await requestError {
        try await EntityDocument.upsert(from: ["list": []], options: .parts([.list(of: types, at: "list")]))
      }
      #expect(error.description.contains(reason), "\(error)")
    }
  }

  @Test func `pages add up their items`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/feed", query: ["page": 1], .json([["type": "video", "id": 1], ["type": "image", "id": 1]]))
    stub.on(.get, "/feed", query: ["page": 2], .json([["type": "video", "id": 2], ["type": "video", "id": 1]]))
    stub.on(.get, "/feed", query: ["page": 3], .json([]))
    let all = try await EntityDocument.pages("feed", by: .numbers(), options: Self.feed).all()
    #expect(all.pages == 3)
    #expect(all.items.map(\.entityName) == ["Movie", "Snapshot", "Movie"])
  }

  @Test func `a list item with a deletion key is no item`() async throws {
    let parts: [ResponsePart] = [.list(of: [Gone.self, Movie.self], at: "list")]
    let store = try EntityStore(.inMemory, entities: [Gone.self] + feedEntities)
    let body: JSONValue = [
      "list": [["kind": "gone", "id": 1], ["type": "video", "id": 1], ["kind": "gone", "id": 1, "deleted": true]]
    ]
    let response = try await EntityDocument.upsert(from: body, in: store, options: .parts(parts))
    #expect(response.items.map(\.entityName) == ["Movie"])
  }
}

@Entity final class Gone: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?

  static var basePath: String { "gone" }
  static var deletionKey: String? { "deleted" }
  static var discriminator: Discriminator? { Discriminator("kind", "gone") }
}
