import EntityClient
import EntityTesting
import Foundation
import Testing

/// Answers that say little of an object that is to be replaced.
@Suite(.cargos) struct ReplacementTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  @Test(arguments: [Data(), Data("{}".utf8), Data("{\"ok\":true}".utf8)])
  @MainActor func `an answer that says nothing of the object replaces nothing`(_ body: Data) async throws {
    try StubAdapter.current.on(
      .post, "/cargos",
      .data(body, status: 201, headers: ["Location": "/cargos/7", "Content-Type": "application/json"]))
    let cargo = try store.main.insert(Cargo.self)
    cargo.label = "mine"
    cargo.weight = 3
    cargo.code = "x"
    try await store.main.save()
    try await cargo.post(options: .upserting(.replace))
    #expect(cargo.uid == 7)
    #expect(cargo.label == "mine")
    #expect(cargo.weight == 3)
    #expect(cargo.code == "x")
  }
}

/// A replacement, and properties that come from the context.
@Suite(.client(entities: leafletEntities)) struct OriginToleranceTests {
  @Test func `replacing leaves a property whose origin is absent`() async throws {
    try await Leaflet.upsert(from: [["id": 5], ["id": 1, "title": "T", "region": "us"]])
    try await Leaflet.upsert(from: ["id": 1], options: .upserting(.replace))
    let found = try await Client.current.store.read { context in
      try context.fetch(Leaflet.self, uid: 1).map { "\($0.title ?? "-") \($0.rank) \($0.region ?? "-")" }
    }
    #expect(found == "- 1 us")
  }

  @Test func `a value of the context that cannot be read is kept`() async throws {
    try StubAdapter.current.on(
      .get, "/leaflets", .json([["id": 1, "title": "A"], ["id": 2, "title": "B"]], headers: ["X-Copies": "many"]))
    await #expect(throws: RequestError.self) { try await Leaflet.get() }
    let response = try await Leaflet.get(options: .keepingValues)
    #expect(response.refused.map(\.property) == ["copies"])
    #expect(response.counts.inserted == 2)
    let found = try await Client.current.store.read { try $0.fetch(Leaflet.self).map(\.rank).sorted() }
    #expect(found == [0, 1])
  }
}

@Suite(.client(entities: reportEntities)) struct VersionToleranceTests {
  @Test func `a version that cannot be read is kept`() async throws {
    let store = try Client.current.store
    for kind in ReportKind.allCases {
      _ = try await kind.upsert(["id": 1, "title": "A", "revision": 5], in: store)
    }
    let bad: JSONValue = ["id": 1, "title": "B", "revision": "x"]
    await #expect(throws: RequestError.self) { try await Report.upsert(from: bad, in: store) }
    let declared = try await Report.upsert(from: bad, in: store, options: .keepingValues)
    let byHand = try await HandReport.upsert(from: bad, in: store, options: .keepingValues)
    #expect(declared.refused.map(\.property) == ["revision"])
    #expect(byHand.refused.map(\.property) == ["revision"])
    for kind in ReportKind.allCases { #expect(try await kind.read(store) == "B - 5 - [] [] -") }
  }
}
