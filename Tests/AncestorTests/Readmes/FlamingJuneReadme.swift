import EntityClient
import EntityTesting
import Foundation
import Testing

// OEGFlamingJune's README, sample by sample, with a stream of posts and with parents and children.

enum Stream {
  @Entity final class Post: RemoteEntity {
    @UID @Key("id") var uid: Int
    var createdAt: Date?
    var text: String?
    var user: User?

    static var basePath: String { "stream/0/posts" }
    static var envelope: Envelope? { "data" }

    static func globalTimeline() async throws -> EntityResponse<Post> { try await get("stream/global") }
  }

  @Entity final class User {
    @UID @Key("id") var uid: Int
    var username: String
    @Relationship(inverse: \Post.user) var posts: [Post]
  }

  static let entities: [any ManagedEntity.Type] = [Post.self, User.self]
}

enum Family {
  @Entity final class Parent: RemoteEntity {
    @UID @Key("id") var uid: Int
    @Transformed(by: Shouted.self) var name: String?
    var homepage: URL?
    var isMember: Bool
    var nicknames: [String]
    var interests: Set<String>
    @Relationship(ordered: true) var children: [Child]

    static var basePath: String { "parents" }
  }

  @Entity final class Child: RemoteEntity {
    @UID @Key("id") var uid: Int
    var name: String
    @Relationship(inverse: \Parent.children) var parents: [Parent]

    static var basePath: String { "children" }
  }

  /// The service has names in capitals.
  enum Shouted: AttributeTransformer {
    static func value(from text: String) -> String { text.capitalized }
    static func source(from name: String) -> String { name.uppercased() }
  }

  static let entities: [any ManagedEntity.Type] = [Parent.self, Child.self]
}

@MainActor struct FlamingJuneReadme {
  private nonisolated static let page: JSONValue = [
    "data": [
      ["id": 1, "text": "Hello", "created_at": "2012-11-13T13:31:36Z", "user": ["id": 7, "username": "ada"]],
      ["id": 2, "text": "Again", "created_at": "2012-11-13T13:32:00Z", "user": ["id": 7, "username": "ada"]],
      ["id": 3, "text": "An id will do", "user": 7],
    ]
  ]

  @Test(
    .client(entities: Stream.entities) {
      $0.on(.get, "/stream/0/posts/stream/global", .json(page))
    })
  func `Finding posts: the global timeline`() async throws {
    let posts = try await Stream.Post.globalTimeline().objects

    #expect(posts.map(\.text) == ["Hello", "Again", "An id will do"])
    #expect(posts[0].createdAt?.timeIntervalSince1970 == 1_352_813_496)
    // One user in memory, also where the post has no more than the id.
    let ada = try #require(posts[0].user)
    #expect(ada.username == "ada")
    #expect(posts[1].user === ada)
    #expect(posts[2].user === ada)
  }

  @Test(.client(entities: Family.entities))
  func `Transformations: a transformer of one's own, URLs, lists, sets and Bools`() async throws {
    let body: JSONValue = [
      "id": 1, "name": "ADA KING", "homepage": "https://example.com/ada", "is_member": true, "nicknames": ["A", "K"],
      "interests": ["engines", "looms"],
    ]
    let parent = try #require(try await Family.Parent.upsert(from: body).object)

    #expect(parent.name == "Ada King")
    #expect(parent.homepage?.host() == "example.com")
    #expect(parent.isMember)
    #expect(parent.nicknames == ["A", "K"])
    #expect(parent.interests == ["looms", "engines"])
    #expect(try parent.jsonObject(for: \.uid, \.name, \.homepage, \.isMember, \.nicknames, \.interests).value == body)
  }

  @Test(.client(entities: Family.entities))
  func `Associations: children as objects, and as ids of objects that came before`() async throws {
    try await Family.Parent.upsert(
      from: ["id": 1, "children": [["id": 12, "name": "Byron"], ["id": 11, "name": "Anne"]]])
    let parent = try #require(try await Family.Parent.upsert(from: ["id": 2, "children": [11, 12]]).object)

    #expect(parent.children.map(\.name) == ["Anne", "Byron"])
    #expect(parent.children[0].parents.map(\.uid) == [1, 2])
  }

  @Test
  func `Persisting the object repository: a file has everything at once; it is counted, and emptied`() async throws {
    try await withStoreFile { file in
      do {
        let store = try EntityStore(.file(file), entities: Stream.entities)
        try await Stream.Post.upsert(from: Self.page, in: store)
      }
      // The next launch.
      let store = try EntityStore(.file(file), entities: Stream.entities)
      #expect(try store.main.count() == 4)
      #expect(try store.main.fetch(Stream.Post.self, uid: 3)?.user?.username == "ada")
      try await store.reset()
      #expect(try store.main.count() == 0)
    }
  }
}
