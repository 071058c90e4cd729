import EntityClient
import EntityTesting
import Foundation
import Testing

/// Properties that are filled from the context of their object.
@Suite(.client(entities: leafletEntities)) struct OriginTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func titles(_ value: @Sendable @escaping (Leaflet) -> String?) async throws -> [Int: String] {
    try await store.read { context in
      try context.fetch(Leaflet.all).reduce(into: [:]) { $0[$1.uid] = value($1) }
    }
  }

  @Test func `each origin fills its property`() async throws {
    try StubAdapter.current.on(
      .get, "/dossiers",
      .json(
        [
          "data": [["id": 1, "name": "One", "leaflets": [["id": 10], ["id": 11]]], ["id": 2, "cover": ["id": 12]]],
          "meta": ["region": "eu"],
        ], headers: ["X-Copies": "3"]))
    func get() async throws -> EntityResponse<Dossier> {
      try await Dossier.get(query: ["page": 2], options: .envelope("data"))
    }
    let response = try await get()
    let found = try await titles {
      "\($0.rank) \($0.dossierName ?? "-") \($0.region ?? "-") \($0.copies ?? 0) \($0.page ?? 0) \($0.owner ?? "-")"
    }
    // The parent of the last one lacks the key, and a single object has no position.
    #expect(found == [10: "0 One eu 3 2 -", 11: "1 One eu 3 2 -", 12: "-1 - eu 3 2 -"])
    #expect(response.counts.rowsWritten == 5)
    // An equal answer writes nothing.
    #expect(try await get().counts.rowsWritten == 0)
  }

  @Test func `a route's parameter is an origin`() async throws {
    _ = try await store.receive(Leaflet.self, [["id": 1]]) {
      $0.context = ResponseContext(parameters: ["owner": "ada"])
    }
    #expect(try await titles { $0.owner } == [1: "ada"])
  }

  /// The context wins over the object's own key; what the context lacks, the key gives.
  @Test func `an origin wins over the key`() async throws {
    _ = try await Leaflet.upsert(from: [["id": 1], ["id": 2, "rank": 9, "region": "us", "dossier_name": "Own"]])
    #expect(try await titles { "\($0.rank) \($0.region ?? "-") \($0.dossierName ?? "-")" }[2] == "1 us Own")
  }

  @Test func `an absent origin leaves the value, and a null clears it`() async throws {
    func upsert(_ dossier: JSONObject) async throws -> String? {
      _ = try await Dossier.upsert(from: dossier.value)
      return try await titles { $0.dossierName }[10]
    }
    #expect(try await upsert(["id": 1, "name": "One", "leaflets": [["id": 10]]]) == "One")
    #expect(try await upsert(["id": 1, "leaflets": [["id": 10]]]) == "One")
    #expect(try await upsert(["id": 1, "name": nil, "leaflets": [["id": 10]]]) == nil)
    #expect(try await titles { "\($0.rank)" }[10] == "0")
    // By itself it stands in no list of a dossier.
    _ = try await Leaflet.upsert(from: ["id": 10])
    #expect(try await titles { "\($0.rank)" }[10] == "0")
  }

  @Test func `a local edit stays`() async throws {
    _ = try await Leaflet.upsert(from: [["id": 1], ["id": 2]])
    try await store.background { try $0.fetch(Leaflet.self, uid: 2)?.rank = 50 }
    let response = try await Leaflet.upsert(from: [["id": 1], ["id": 3], ["id": 2]])
    #expect(try await titles { "\($0.rank)" } == [1: "0", 2: "50", 3: "1"])
    #expect(response.skipped.map(\.properties) == [["rank"]])
  }

  @Test func `an embedded object is nested in its parent`() async throws {
    _ = try await Leaflet.upsert(from: [["id": 1, "title": "T", "stamp": ["text": "x"]]])
    let title = try await store.read { try $0.fetch(Leaflet.self, uid: 1)?.stamp?.leafletTitle }
    #expect(title == "T")
  }

  @Test func `an update by hand takes the origins with the declared properties`() async throws {
    _ = try await HandLeaflet.upsert(from: [["id": 1], ["id": 2, "declares": true]])
    let ranks = try await store.read { try $0.fetch(HandLeaflet.all.sorted(by: \.uid)).map(\.rank) }
    #expect(ranks == [-1, 1])
  }

  @Test func `pages begin anew`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/leaflets", query: ["page": 1], .json([["id": 1], ["id": 2]], headers: ["X-Copies": "1"]))
    stub.on(.get, "/leaflets", query: ["page": 2], .json([["id": 3]], headers: ["X-Copies": "2"]))
    stub.on(.get, "/leaflets", query: ["page": 3], .json([]))
    _ = try await Leaflet.pages(by: .numbers()).all()
    #expect(
      try await titles { "\($0.rank) \($0.copies ?? 0) \($0.page ?? 0)" } == [1: "0 1 1", 2: "1 1 1", 3: "0 2 2"])
  }

  @Test func `a value of another type names its origin`() async throws {
    let body = Data(#"[{"id": 1, "title": "T"}]"#.utf8)
    let error = try await requestError {
      try await Leaflet.upsert(from: HTTPResponse(status: 200, headers: ["X-Copies": "many"], body: body))
    }
    let mapping = try #require(error.underlying as? MappingError)
    #expect(mapping.property == "copies")
    #expect(mapping.position == 0)
    #expect(mapping.reason.hasPrefix("from the header 'X-Copies': an integer of 64 bits was expected"), "\(mapping)")
    #expect(!mapping.description.contains("many"))
    #expect(try await titles { $0.title }.isEmpty)
  }

  @Test func `a declaration without meaning is an error`() async throws {
    let store = try EntityStore(.inMemory, entities: [MistakenLeaflet.self, MistakenUIDLeaflet.self])
    let computed = try await requestError { try await MistakenLeaflet.upsert(from: ["id": 1], in: store) }
    #expect(computed.description.contains("fills from its position is no attribute that a response has"), "\(computed)")
    let uid = try await requestError { try await MistakenUIDLeaflet.upsert(from: ["id": 1], in: store) }
    #expect(uid.description.contains("can't fill the uid"), "\(uid)")
  }
}

@Entity final class MistakenLeaflet: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var length: Int { title?.count ?? 0 }

  static var basePath: String { "mistaken" }
  static var origins: [ValueOrigin<MistakenLeaflet>] { [.position(\.length)] }
}

@Entity final class MistakenUIDLeaflet: RemoteEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "mistakenuid" }
  static var origins: [ValueOrigin<MistakenUIDLeaflet>] { [.position(\.uid)] }
}
