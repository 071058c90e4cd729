import EntityClient
import Foundation
import Testing

@Entity final class Sketch: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var labels: [Label]
  var series: Series?

  static var basePath: String { "sketches" }
}

/// As `Sketch`, updated by hand.
@Entity final class HandSketch: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var labels: [Label]
  var series: Series?

  static var basePath: String { "hand_sketches" }

  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    try response.assign("labels", to: &labels)
    try response.assign("series", to: &series)
  }
}

/// Nothing but its uid, and lists.
@Entity final class Label: RemoteEntity {
  @UID var name: String
  var related: [Label]
  @Relationship(inverse: \Sketch.labels) var sketches: [Sketch]
  @Relationship(inverse: \HandSketch.labels) var handSketches: [HandSketch]

  static var basePath: String { "labels" }
}

@Entity final class Series: RemoteEntity {
  @UID var name: String
  @Relationship(inverse: \Sketch.series) var sketches: [Sketch]
  @Relationship(inverse: \HandSketch.series) var handSketches: [HandSketch]

  static var basePath: String { "series" }
}

/// References to entities that have nothing but their uid: the row that one makes is the whole object.
struct BareReferenceTests {
  private func sketches() throws -> EntityStore {
    try EntityStore(.inMemory, entities: [Sketch.self, HandSketch.self, Label.self, Series.self])
  }

  private let response: JSONValue = ["id": 1, "labels": ["a", "b"], "series": "s"]

  private func check(_ store: EntityStore) async throws {
    #expect(try await store.read { try $0.fetch(Label.all.sorted(by: \.name)).map(\.name) } == ["a", "b"])
    #expect(try await store.read { try $0.fetch(Series.self, uid: "s")?.isPlaceholder } == false)
    #expect(try await store.read { try $0.count(Label.placeholders) + $0.count(Series.placeholders) } == 0)
    let counts = try await store.receive(Label.self, [["name": "a"], ["name": "d"]]).counts
    #expect(counts.inserted == 1)
    #expect(counts.unchanged == 1)
  }

  @Test func `a reference makes an object`() async throws {
    let store = try sketches()
    _ = try await store.receive(Sketch.self, response)
    try await check(store)
    #expect(try await store.read { try $0.fetch(Label.self, uid: "a")?.sketches.map(\.uid) } == [1])
  }

  @Test func `a reference in an update by hand makes an object`() async throws {
    let store = try sketches()
    _ = try await store.receive(HandSketch.self, response)
    try await check(store)
  }

  @Test @MainActor func `an unsaved reference is an object`() async throws {
    let store = try sketches()
    let sketch = try store.main.upsert(Sketch.self, from: ["id": 1, "labels": ["a"], "series": "s"])
    #expect(try store.main.fetch(Label.all).map(\.name) == ["a"])
    #expect(sketch.labels.allSatisfy { !$0.isPlaceholder })
    #expect(sketch.series?.isPlaceholder == false)
    try await store.main.save()
    #expect(try await store.read { try $0.count(Label.all) + $0.count(Series.all) } == 2)
  }

  @Test func `an object made by a reference counts as inserted`() async throws {
    let store = try sketches()
    let counts = try await store.receive(Label.self, [["name": "a", "related": ["b", "c"]], ["name": "b"]]).counts
    #expect(counts.inserted == 2)
    #expect(counts.unchanged == 0)
    #expect(try await store.read { try $0.fetch(Label.all.sorted(by: \.name)).map(\.name) } == ["a", "b", "c"])
  }

  @Test func `missing objects are fetched by their uids`() async throws {
    let store = try library()
    _ = try await store.receive(
      Chapter.self, [["id": 1, "book": 7], ["id": 2, "book": 8], ["id": 3, "book": ["id": 9]]])
    let missing = try await store.read { try $0.fetch(Book.placeholders).map(\.uid) }
    #expect(missing == [7, 8])
    _ = try await store.receive(Book.self, [["id": 7, "title": "T"]])
    #expect(try await store.read { try $0.fetch(Book.placeholders).map(\.uid) } == [8])
  }
}
