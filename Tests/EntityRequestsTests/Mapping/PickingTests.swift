import EntityClient
import EntityTesting
import Foundation
import Testing

/// Children whose values stand in their parent.
@Suite struct PickingTests {
  @Test func `picking takes the present keys`() {
    let parent: ResponseObject = [
      "id": 7, "a_street": "Main St. 1", "a_city": nil, "n": 1.10, "geo": ["lat": 59.9133301234567890123],
    ]
    #expect(parent.picking("id", "a_city", "nothing") == ["id": 7, "a_city": nil])
    let child = parent.picking(["a_street": "street", "a_city": "city", "a_zip": "zip", "geo.lat": "lat"])
    #expect(child.keys == ["street", "city", "lat"])
    #expect(child["lat"] == parent["geo.lat"])
    #expect(parent.picking("nothing").keys.isEmpty)
  }

  @Test func `numbers stay as they are written`() throws {
    let parent = ResponseObject(
      try JSONObject(parsing: Data(#"{"n": 123456789012345678901234567890.10, "s": "\u00e9"}"#.utf8)))
    let child = parent.picking(["n": "m", "s": "t"])
    #expect(child["m"]?.lexeme == "123456789012345678901234567890.10")
    #expect(child["t"]?.string == "é")
  }

  @Test func `the child is updated and not made again`() async throws {
    let store = try EntityStore(.inMemory, entities: [Poster.self, Cover.self])
    let first = try await Poster.upsert(from: [["id": 1, "front_color": "red", "back_color": "blue"]], in: store)
    #expect(first.counts.inserted == 1)
    let again = try await Poster.upsert(from: [["id": 1, "front_color": "red", "back_color": "blue"]], in: store)
    #expect(again.counts.rowsWritten == 0)
    try await Poster.upsert(from: [["id": 1, "front_color": "green"]], in: store)
    try await Poster.upsert(from: [["id": 1]], in: store)
    try await Poster.upsert(from: [["id": 1, "back_color": nil]], in: store)
    let colors = try await store.read { context in
      let poster = try context.fetch(Poster.self, uid: 1)
      return try [poster?.front?.color, poster?.back?.color, "\(context.count(Cover.all))"]
    }
    #expect(colors == ["green", nil, "2"])
  }

  @Test func `errors name the parent's place`() async throws {
    let store = try EntityStore(.inMemory, entities: [Poster.self, Cover.self])
    let error = try await requestError { try await Poster.upsert(from: [["id": 1, "front_color": [5]]], in: store) }
    #expect(error.description.contains("front.color"))
    #expect(throws: MappingError.self) { try (["color": "a"] as ResponseObject).upsert(Cover.self) }
  }
}

/// Its two covers stand in its own fields.
@Entity final class Poster: RemoteEntity {
  @UID @Key("id") var uid: Int
  var front: Cover?
  var back: Cover?

  static var basePath: String { "posters" }

  func update(with response: ResponseObject) throws {
    try response.picking(["front_color": "color"]).assign(to: &front, for: "front")
    if let back = try response.picking(["back_color": "color"]).upsert(Cover.self, for: "back") { self.back = back }
  }
}
