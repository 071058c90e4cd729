import EntityClient
import EntityTesting
import Testing

/// Modes of an upsert together with other options.
@Suite(.cargos) struct ModeDeletionTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  @Test func `updating refuses an object without uid`() async throws {
    try await checkUnnamed(Cargo.self)
    try await checkUnnamed(HandCargo.self)
  }

  private func checkUnnamed<E: AnyCargo>(_ type: E.Type) async throws {
    let list: JSONValue = [["label": "a", "weight": 1], ["id": "", "label": "b"]]
    let error = try await requestError {
      try await E.upsert(from: list, in: store, options: .upserting(.updateOnly))
    }
    #expect((error.underlying as? MappingError)?.position == 0)
    let response = try await E.upsert(from: list, in: store, options: [.upserting(.updateOnly), .skipping])
    #expect(response.refused.map(\.position) == [0, 1])
    // Where such objects are wanted, they are none that the store has.
    let wanted = try await E.upsert(
      from: list, in: store, options: [.upserting(.updateOnly), .withoutUID(.insert)])
    #expect(wanted.counts.inserted == 0)
  }

  @Test(arguments: [true, false])
  func `objects in an object that is passed over are not missing`(_ inserts: Bool) async throws {
    try await Depot.upsert(
      from: [["id": 7, "name": "D"], ["id": 8, "name": "E"], ["id": 9, "name": "F"]], in: store)
    try await Cargo.upsert(from: ["id": 1, "label": "a", "weight": 1], in: store)
    let known = inserts ? 1 : 2
    let part = ResponsePart.list(Depot.self, at: "depots", missing: .deleteMissing(in: Depot.all))
    let options: ResponseOptions<Cargo> = [
      .envelope("cargos"), .parts([part]), .upserting(inserts ? .insertOnly : .updateOnly),
    ]
    let cargos: JSONValue = [
      ["id": JSONValue(known), "label": "x", "depot": ["id": 7]], ["id": JSONValue(known), "label": "x", "depot": 8],
    ]
    try await Cargo.upsert(from: ["cargos": cargos, "depots": []], in: store, options: options)
    #expect(try await store.read { try $0.fetch(Depot.self).map(\.uid).sorted() } == [7, 8])
    // Nothing says which one this is.
    let doubtful: JSONValue = [["id": JSONValue(known), "label": "x", "depot": ["name": "?"]]]
    let error = try await requestError {
      try await Cargo.upsert(from: ["cargos": doubtful, "depots": []], in: store, options: options)
    }
    #expect(error.description.contains("does not say which objects it has"))
    #expect(try await store.read { try $0.fetch(Depot.self).count } == 2)
  }

  /// The search for all such objects reads each by itself.
  @Test func `all bad objects that others nest are found at once`() async throws {
    let numbers = Array(1...12)
    let halts = numbers.map {
      ["id": JSONValue($0), "cargo": ["id": JSONValue($0), "label": "a", "weight": 1]] as JSONValue
    }
    let cargos = numbers.map { ["id": JSONValue($0), "weight": "heavy"] as JSONValue }
    let response = try await Halt.upsert(
      from: ["halts": JSONValue(halts), "cargos": JSONValue(cargos)], in: store,
      options: [
        .envelope("halts"), .parts([.list(Cargo.self, at: "cargos")]), .upserting(.insertOnly), .skipping,
      ])
    #expect(response.counts.refused == 12)
    #expect(try await store.uids(Cargo.self) == numbers)
  }
}

@Suite(.client(entities: feedEntities)) struct PartToleranceTests {
  @Test func `an object of another entity does not count as doubtful`() async throws {
    let store = try Client.current.store
    try await Snapshot.upsert(from: [["id": 8, "type": "image"], ["id": 9, "type": "image"]], in: store)
    let items: JSONValue = [["id": [], "type": "video"], ["id": 2, "type": "video"], ["id": 8, "type": "image"]]
    let parts: [ResponsePart] = [
      .list(Snapshot.self, at: "items", missing: .deleteMissing(in: Snapshot.all)), .list(Movie.self, at: "items"),
    ]
    let response = try await EntityDocument.upsert(
      from: ["items": items], in: store, options: [.parts(parts), .skipping])
    #expect(response.refused.map(\.position) == [0])
    #expect(try await store.read { try $0.fetch(Movie.self).map(\.uid) } == [2])
    #expect(try await store.read { try $0.fetch(Snapshot.self).map(\.uid) } == [8])
    let own = try await Snapshot.upsert(
      from: ["own": [["id": 8, "type": "image"], ["id": 3, "type": "video"]], "items": items], in: store,
      options: [
        .envelope("own"), .parts([.list(Movie.self, at: "items")]), .skipping, .deleteMissing(in: Snapshot.all),
      ])
    #expect(own.refused.map(\.position) == [0])
  }
}
