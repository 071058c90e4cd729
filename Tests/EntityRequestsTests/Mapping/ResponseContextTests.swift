import EntityClient
import EntityTesting
import Foundation
import Testing

/// The response that an object came with, and its place there, as an update by hand reads them.
@Suite(.client(entities: leafletEntities)) struct ResponseContextTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func leaflets() async throws -> [Int: (way: String?, facts: String?, rank: Int)] {
    try await store.read { context in
      Dictionary(uniqueKeysWithValues: try context.fetch(HandLeaflet.all).map { ($0.uid, ($0.way, $0.facts, $0.rank)) })
    }
  }

  @Test func `an object knows its response`() async throws {
    try StubAdapter.current.on(
      .get, "/handleaflets/new",
      .json(["data": [["id": 1]], "meta": ["region": "eu"]], status: 203, headers: ["x-copies": "3"]))
    _ = try await HandLeaflet.get("new", query: ["page": 2], options: .envelope("data"))
    let facts = try await leaflets()[1]?.facts
    #expect(facts == "203 3 https://api.example.com/handleaflets/new?page=2 eu - -")
  }

  /// Siblings, nulls between them, objects around objects, and one level that asks for nothing itself.
  @Test func `an object knows its place and the objects around it`() async throws {
    _ = try await HandDossier.upsert(
      from: [
        [
          "id": 1,
          "leaflets": [["id": 10], nil, ["id": 11, "inner": [["id": 12, "inner": [["id": 13]]], ["id": 14]]]],
        ],
        ["id": 2, "cover": ["id": 20], "binder": ["id": 7, "leaflet": ["id": 21]], "leaflets": [["id": 22]]],
      ])
    let ways = try await leaflets().mapValues(\.way)
    #expect(
      ways == [
        10: "1@0/10@0", 11: "1@0/11@2", 12: "1@0/11@2/12@0", 13: "1@0/11@2/12@0/13@0", 14: "1@0/11@2/14@1",
        20: "2@1/20@-", 21: "2@1/7@-/21@-", 22: "2@1/22@0",
      ])
  }

  @Test func `a single object has no position`() async throws {
    _ = try await HandLeaflet.upsert(from: ["id": 1])
    #expect(try await leaflets()[1]?.way == "1@-")
  }

  @Test func `an object of a part names the part`() async throws {
    let parts: [ResponsePart] = [.list(HandDossier.self, at: "sync.dossiers"), .list(HandLeaflet.self, at: "leaflets")]
    _ = try await EntityDocument.upsert(
      from: [
        "sync": ["dossiers": [["id": 1, "leaflets": [["id": 10]]]]], "leaflets": [["id": 11], ["id": 12]],
      ], options: .parts(parts))
    let found = try await leaflets()
    #expect(found[10]?.facts?.hasSuffix(" sync.dossiers") == true)
    #expect(found[12]?.facts?.hasSuffix(" leaflets") == true)
    #expect(found[12]?.way == "12@1")
  }

  /// No server gave a status.
  @Test func `delivered data has no status`() async throws {
    _ = try await HandLeaflet.upsert(from: Data(#"[{"id": 1}]"#.utf8))
    #expect(try await leaflets()[1]?.facts == "- - - - - -")
    let url = try #require(URL(string: "https://h/leaflets?page=3"))
    let response = HTTPResponse(status: 201, headers: ["X-Copies": "4"], url: url, body: Data(#"[{"id": 1}]"#.utf8))
    _ = try await HandLeaflet.upsert(from: response)
    #expect(try await leaflets()[1]?.facts == "201 4 https://h/leaflets?page=3 - - -")
  }

  @Test func `an upsert in a context has no response context`() async throws {
    let found = try await store.background { context in
      let object = try context.upsert(
        HandDossier.self, from: ["id": 1, "leaflets": [["id": 10, "declares": true]], "cover": ["id": 11]])
      return (object.leaflets.first?.way, object.leaflets.first?.facts, object.leaflets.first?.rank, object.cover?.way)
    }
    // Its place among the objects that were given is known.
    #expect(found.0 == "1@-/10@0")
    #expect(found.1 == "- - - - - -")
    #expect(found.2 == 0)
    #expect(found.3 == "1@-/11@-")
  }

  /// An update can be called in a test with a context of the test's own.
  @Test func `a response context can be made`() throws {
    let parent = ResponseObject(["id": 5], context: ResponseContext(position: 3))
    let context = ResponseContext(
      status: 200, headers: ["X-Copies": "1"], url: URL(string: "https://h/"), root: ["meta": ["region": "us"]],
      parameters: ["owner": "ada"], position: 2, parent: parent)
    let leaflet = HandLeaflet()
    _ = try leaflet.update(with: ResponseObject(["id": 9], context: context))
    #expect(leaflet.way == "5@3/9@2")
    #expect(leaflet.facts == "200 1 https://h/ us ada -")
    #expect(ResponseObject([:]).context.parent == nil)
    #expect(ResponseObject([:]).context.status == nil)
  }

  /// A copy of an object outlives the update, on any thread.
  @Test func `a context outlives its update`() async throws {
    _ = try await KeptLeaflet.upsert(
      from: [["id": 1, "inner": [["id": 2], ["id": 3]]]], in: EntityStore(.inMemory, entities: [KeptLeaflet.self]))
    let kept = KeptLeaflet.kept.all
    #expect(kept.compactMap { $0["id"]?.int64 } == [2, 3, 1])
    #expect(kept.map(\.context.position) == [0, 1, 0])
    #expect(kept.first?.context.parent?["id"] == 1)
    #expect(kept.first?.context.parent?.context.position == 0)
  }
}

@Entity final class KeptLeaflet: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Relationship(inverse: \KeptLeaflet.outer) var inner: [KeptLeaflet]
  var outer: KeptLeaflet?

  static var basePath: String { "keptleaflets" }
  static let kept = Recorder<ResponseObject>()

  func update(with response: ResponseObject) throws {
    try response.assign("inner", to: &inner)
    Self.kept.add(response)
  }
}
