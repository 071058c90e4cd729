import EntityClient
import EntityTesting
import Foundation
import Testing

// MARK: WordPress

/// As WordPress answers with `_embed`, and as plugins of it write "nothing".
@Entity final class Dispatch: RemoteEntity {
  enum Format: String, AttributeValue, Codable, Sendable { case standard, aside }

  @UID @Key("id") var uid: Int
  @Key("title.rendered") var title: String?
  @Key("_embedded.author[0]") var author: Columnist?
  @Key("_embedded.author[0].name") var byline: String?
  var photo: Thumbnail?
  var rating: Double?
  var published: Date?
  var link: URL?
  var format: Format?
  var subtitle: String?
  @Key("sticky") var isSticky: Bool?
  var options: [String: String]?
  var numbers: [Int]?
  @Key("parent_id") var parent: Dispatch?
  @Key("tags") var tags: [Thumbnail]
  var words: Int

  static var basePath: String { "posts" }
  static var nothing: NothingValues? { [.emptyText, .booleanFalse, .emptyList, .zeroID] }
}

@Entity final class Columnist: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "authors" }
}

@Entity final class Thumbnail: RemoteEntity {
  @UID @Key("id") var uid: Int
  var url: URL?
  var size: Int?

  static var basePath: String { "media" }
  static var nothing: NothingValues? { .emptyText }
  static var nothingByProperty: [PartialKeyPath<Thumbnail>: NothingValues] { [\.size: .booleanFalse] }
}

/// The same with an update by hand.
@Entity final class HandDispatch: RemoteEntity {
  @UID @Key("id") var uid: Int
  var author: Columnist?
  var photo: Thumbnail?
  var rating: Double?
  var format: Dispatch.Format?
  var subtitle: String?
  var parent: HandDispatch?
  var tags: [Thumbnail]

  static var basePath: String { "hand-posts" }
  static var nothing: NothingValues? { [.emptyText, .booleanFalse, .emptyList, .zeroID] }

  func update(with response: ResponseObject) throws {
    try response.assign("_embedded.author[0]", to: &author)
    try response.assign("photo", to: &photo)
    try response.assign("rating", to: &rating)
    try response.assign("format", to: &format)
    try response.assign("subtitle", to: &subtitle)
    try response.assign("parent", to: &parent)
    try response.assign("tags", to: &tags)
  }
}

private let dispatches: [any ManagedEntity.Type] = [Dispatch.self, Columnist.self, Thumbnail.self, HandDispatch.self]

@Suite(.client(entities: dispatches)) struct WordPressShapeTests {
  private func get(_ body: String, _ options: ResponseOptions<Dispatch> = []) async throws -> EntityResponse<Dispatch> {
    try StubAdapter.current.on(.get, "/posts", .text(body))
    return try await Dispatch.get(options: options)
  }

  private func read<T: Sendable>(_ uid: Int, _ body: @Sendable (Dispatch) throws -> T) async throws -> T {
    try await Client.current.store.read { context in
      try body(try #require(try context.fetch(Dispatch.where { $0.uid == uid }).first))
    }
  }

  private static let full = #"""
    [{"id": 1, "title": {"rendered": "One"}, "_embedded": {"author": [{"id": 5, "name": "Ada"}]}, "photo": {"id": 3, "url":
      "https://example.com/3"}, "rating": 4.5, "published": "2026-05-01T10:00:00Z", "link": "https://example.com", "format":
      "aside", "subtitle": "s", "sticky": true, "options": {"a": "b"}, "numbers": [1], "parent_id": 9, "tags": [{"id": 4}],
      "words": 3}]
    """#
  private static let nothing = #"""
    [{"id": 1, "title": {"rendered": ""}, "photo": false, "rating": "", "published": false, "link": "", "format": "",
      "subtitle": "", "sticky": false, "options": [], "numbers": [], "parent_id": 0, "tags": false, "words": 3}]
    """#

  @Test func `an element of an embedded list is read by its index`() async throws {
    #expect(try await get(Self.full).counts.inserted == 1)
    #expect(try await read(1) { [$0.author?.name, $0.byline, $0.title] } == ["Ada", "Ada", "One"])
    #expect(try await get(Self.full).counts.rowsWritten == 0)
    // An absent list leaves the properties alone, and a list that is too short clears them.
    _ = try await get(#"[{"id": 1, "_embedded": {}, "words": 4}]"#)
    #expect(try await read(1) { [$0.author?.name, $0.byline] } == ["Ada", "Ada"])
    _ = try await get(#"[{"id": 1, "_embedded": {"author": []}, "words": 4}]"#)
    #expect(try await read(1) { [$0.author?.name, $0.byline] } == [nil, nil])
  }

  @Test func `declared values mean nothing where the property can't have them`() async throws {
    _ = try await get(Self.full)
    _ = try await get(Self.nothing)
    try await read(1) { post in
      #expect(post.photo == nil)
      #expect(post.rating == nil)
      #expect(post.published == nil)
      #expect(post.link == nil)
      #expect(post.format == nil)
      #expect(post.parent == nil)
      #expect(post.tags.isEmpty)
      #expect(post.options == nil)
      // These the properties can have.
      #expect(post.subtitle == "")
      #expect(post.title == "")
      #expect(post.isSticky == false)
      #expect(post.numbers == [])
      #expect(post.author?.uid == 5)
    }
    #expect(try await get(Self.nothing).counts.rowsWritten == 0)
  }

  @Test func `many objects by batch mean the same`() async throws {
    let objects = (0..<300).map { number in
      #"{"id": \#(number), "rating": "", "photo": false, "format": "", "parent_id": 0, "link": "", "options": [], "words": 1}"#
    }
    let body = "[" + objects.joined(separator: ",") + "]"
    #expect(try await get(body).counts.inserted == 300)
    #expect(try await get(body).counts.rowsWritten == 0)
    try await read(250) { post in
      #expect(post.rating == nil && post.photo == nil && post.format == nil && post.parent == nil)
    }
    #expect(try await Client.current.store.read { try $0.count(Dispatch.all) } == 300)
  }

  @Test func `nothing is an error in a property that is not optional, and the old data stay`() async throws {
    _ = try await get(Self.full)
    let error = try await requestError { try await get(#"[{"id": 1, "rating": 1, "words": ""}]"#) }
    #expect(error.description.contains("'Dispatch.words' can't be read from 'words'"), "\(error)")
    #expect(try await read(1) { $0.rating } == 4.5)
  }

  @Test func `without a declaration such a value is an error, and a property's own comes first`() async throws {
    for body in [#"{"id": 5, "name": false}"#, #"{"id": 5, "name": []}"#] {
      let error = try await requestError { try await Columnist.upsert(from: Data(body.utf8)) }
      #expect(error.description.contains("Columnist.name"), "\(error)")
    }
    _ = try await Thumbnail.upsert(from: ["id": 1, "url": "", "size": false])
    let error = try await requestError { try await Thumbnail.upsert(from: ["id": 1, "size": ""]) }
    #expect(error.description.contains("Thumbnail.size"), "\(error)")
  }

  @Test func `an error object in place of an author is skipped by itself, and the post is taken`() async throws {
    _ = try await get(Self.full)
    let bad = #"""
      [{"id": 1, "title": {"rendered": "New"}, "words": 3, "_embedded": {"author":
        [{"code": "rest_user_cannot_view", "message": "Sorry", "data": {"status": 401}}]}}]
      """#
    let error = try await requestError { try await get(bad) }
    #expect(error.description.contains("_embedded.author[0]"), "\(error)")
    #expect(try await read(1) { $0.title } == "One")
    let response = try await get(bad, .skipping)
    #expect(response.refused.map(\.key) == ["_embedded.author[0].id"])
    #expect(response.refused.first?.position == 0)
    #expect(response.counts.refused == 0)
    #expect(try await read(1) { [$0.title, $0.author?.name] } == ["New", "Ada"])
  }

  @Test func `an update by hand means the same`() async throws {
    func get(_ body: String, _ options: ResponseOptions<HandDispatch> = []) async throws -> EntityResponse<HandDispatch>
    {
      try StubAdapter.current.on(.get, "/hand-posts", .text(body))
      return try await HandDispatch.get(options: options)
    }
    let full = #"""
      [{"id": 1, "_embedded": {"author": [{"id": 5, "name": "Ada"}]}, "photo": {"id": 3}, "rating": 1, "format": "aside",
        "subtitle": "s", "parent": 9, "tags": [3]}]
      """#
    _ = try await get(full)
    _ = try await get(#"[{"id": 1, "_embedded": {"author": [{"code": "x"}]}, "subtitle": "t"}]"#, .skipping)
    let nothing = #"[{"id": 1, "photo": false, "rating": "", "format": "", "subtitle": "", "parent": "0", "tags": ""}]"#
    _ = try await get(nothing)
    try await Client.current.store.read { context in
      let post = try #require(try context.fetch(HandDispatch.where { $0.uid == 1 }).first)
      #expect(post.author?.name == "Ada")
      #expect(post.photo == nil && post.rating == nil && post.format == nil && post.parent == nil && post.tags.isEmpty)
      #expect(post.subtitle == "")
    }
    #expect(try await get(nothing).counts.rowsWritten == 0)
  }
}

/// The values of a client, for entities that declare none.
@Suite struct ClientNothingTests {
  @Test func `a client's values count for entities without their own`() async throws {
    let store = try EntityStore(.inMemory, entities: [Columnist.self], busyTimeout: .seconds(60))
    let client = try Client(
      adapter: StubAdapter(), store: store, baseURL: "https://api.example.com/", nothing: [.booleanFalse])
    try await Client.withClient(client) {
      _ = try await Columnist.upsert(from: ["id": 1, "name": "Ada"])
      _ = try await Columnist.upsert(from: ["id": 1, "name": false])
      let names = try await store.read { try $0.fetch(Columnist.all).map(\.name) }
      #expect(names == [nil])
    }
  }
}
