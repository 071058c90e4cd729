import EntityClient
import EntityTesting
import Testing

/// Responses that only insert, only update, or replace; and objects without uid.
@Suite(.cargos) struct UpsertModeTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private static let list: JSONValue = [
    ["id": 1, "label": "new", "weight": 9, "depot": ["id": 1, "name": "N"]],
    ["id": 2, "label": "new", "weight": 9, "depot": ["id": 2, "name": "N"]],
  ]

  private func depots() async throws -> [String] {
    try await store.read { try $0.fetch(Depot.self).map { "\($0.uid) \($0.name ?? "")" }.sorted() }
  }

  // MARK: Insert only, update only

  @Test func `inserting leaves known objects alone`() async throws {
    try await checkInserting(Cargo.self)
    try await checkInserting(HandCargo.self)
  }

  private func checkInserting<E: AnyCargo>(_ type: E.Type) async throws {
    try await E.upsert(from: ["id": 1, "label": "old", "weight": 1], in: store)
    let response = try await E.upsert(from: Self.list, in: store, options: .upserting(.insertOnly))
    #expect(try await store.lines(E.self) == ["1 old 1", "2 new 9"])
    #expect(response.ids.count == 2)
    #expect(response.counts.inserted == 1)
    #expect(response.counts.unchanged == 1)
    // Nor is anything nested in them.
    #expect(try await depots() == ["2 N"])
  }

  @Test func `updating inserts none`() async throws {
    try await checkUpdating(Cargo.self)
    try await checkUpdating(HandCargo.self)
  }

  private func checkUpdating<E: AnyCargo>(_ type: E.Type) async throws {
    try await E.upsert(from: ["id": 1, "label": "old", "weight": 1], in: store)
    let response = try await E.upsert(from: Self.list, in: store, options: .upserting(.updateOnly))
    #expect(try await store.lines(E.self) == ["1 new 9"])
    #expect(response.ids.count == 1)
    #expect(response.counts.updated == 1)
    #expect(response.counts.inserted == 0)
    #expect(
      response.skipped.map(\.description)
        == ["\(E.entityName) 2: the store does not have it, and the request was to insert none"])
    #expect(response.skipped.first?.reason == .unknown)
    #expect(response.skipped.first?.id == nil)
    #expect(try await depots() == ["1 N"])
  }

  @Test func `a placeholder counts as an object that the store does not have`() async throws {
    try await Cargo.upsert(from: ["id": 1, "label": "a", "weight": 1, "depot": 5], in: store)
    let depot: JSONValue = [["id": 5, "name": "D"]]
    let updated = try await Depot.upsert(from: depot, in: store, options: .upserting(.updateOnly))
    #expect(updated.skipped.map(\.reason) == [.unknown])
    #expect(try await depots() == [])
    #expect(
      try await Depot.upsert(from: depot, in: store, options: .upserting(.insertOnly)).counts
        .inserted == 1)
    #expect(try await depots() == ["5 D"])
  }

  @Test func `the upsert mode is that of parts too, and missing objects are deleted in any mode`() async throws {
    try await Depot.upsert(from: [["id": 1, "name": "old"], ["id": 3, "name": "old"]], in: store)
    let part = ResponsePart.list(Depot.self, at: "depots", missing: .deleteMissing(in: Depot.all))
    let body: JSONValue = ["depots": [["id": 1, "name": "new"], ["id": 2, "name": "new"]]]
    let response = try await EntityDocument.upsert(
      from: body, in: store, options: [.upserting(.insertOnly), .parts([part])])
    #expect(try await depots() == ["1 old", "2 new"])
    #expect(response.counts(of: Depot.self).deleted == 1)
    try await EntityDocument.upsert(
      from: body, in: store, options: [.upserting(.updateOnly), .parts([part])])
    #expect(try await depots() == ["1 new", "2 new"])
  }

  /// A part may have more of an object that another one nests.
  @Test func `an object that the response itself nests is new`() async throws {
    let body: JSONValue = [
      "cargos": [["id": 1, "label": "a", "weight": 1, "depot": ["id": 4]]],
      "depots": [["id": 4, "name": "D"]],
    ]
    try await Cargo.upsert(
      from: body, in: store,
      options: [
        .envelope("cargos"), .parts([.list(Depot.self, at: "depots")]), .upserting(.insertOnly),
      ])
    #expect(try await depots() == ["4 D"])
  }

  @Test @MainActor func `the answer to a POST of an object is taken in`() async throws {
    let stub = try StubAdapter.current
    stub.on(.post, "/cargos", .json(["id": 7, "label": "made", "weight": 2], status: 201))
    let cargo = try store.main.insert(Cargo.self)
    cargo.label = "mine"
    try await store.main.save()
    try await cargo.post(options: .upserting(.updateOnly))
    #expect(cargo.uid == 7)
  }

  // MARK: Replace

  @Test func `replacing clears what the response lacks`() async throws {
    let full: JSONValue = [
      "id": 1, "label": "a", "weight": 3, "code": "x", "is_pinned": true,
      "depot": ["id": 1, "name": "N"],
      "wrap": ["color": "red"], "halts": [["id": 1, "place": "P"]],
    ]
    try await Cargo.upsert(from: full, in: store)
    let response = try await Cargo.upsert(
      from: [["id": 1, "label": "b", "depot": ["id": 2]]], in: store, options: .upserting(.replace))
    #expect(response.counts.updated == 1)
    try await store.read { context in
      let cargo = try #require(try context.fetch(Cargo.self, uid: 1))
      #expect(cargo.label == "b")
      #expect(cargo.weight == 0)
      #expect(cargo.code == nil)
      #expect(cargo.isPinned == nil)
      #expect(cargo.depot?.uid == 2)
      #expect(cargo.wrap == nil)
      #expect(cargo.halts.map(\.uid) == [1])
      #expect(try context.fetch(Wrap.self).isEmpty)
    }
    // Nested objects are upserted as ever.
    try await Depot.upsert(from: ["id": 2, "name": "D"], in: store)
    try await Cargo.upsert(
      from: ["id": 1, "label": "b", "depot": ["id": 2]], in: store, options: .upserting(.replace))
    #expect(try await depots() == ["1 N", "2 D"])
    let again = try await Cargo.upsert(
      from: ["id": 1, "label": "b", "depot": ["id": 2]], in: store, options: .upserting(.replace))
    #expect(again.counts.rowsWritten == 0)
    // A required link stays.
    try await Halt.upsert(from: ["id": 1], in: store, options: .upserting(.replace))
    #expect(try await store.read { try $0.fetch(Halt.self, uid: 1)?.cargo.uid } == 1)
    #expect(try await store.read { try $0.fetch(Halt.self, uid: 1)?.place } == nil)
  }

  @Test func `replacing leaves local edits`() async throws {
    try await Cargo.upsert(from: ["id": 1, "label": "a", "weight": 3, "code": "x"], in: store)
    try await store.background { try $0.fetch(Cargo.self, uid: 1)?.code = "mine" }
    let response = try await Cargo.upsert(
      from: ["id": 1, "label": "b"], in: store, options: .upserting(.replace))
    #expect(try await store.lines(Cargo.self) == ["1 b 0 mine"])
    #expect(response.skipped.map(\.properties) == [["code"]])
  }

  @Test func `an entity that updates by hand refuses to be replaced`() async throws {
    let stub = try StubAdapter.current
    let error = try await requestError { try await HandCargo.get(options: .upserting(.replace)) }
    #expect(error.kind == .invalidRequest)
    let parts = ResponseOptions<EntityDocument>.parts([.list(HandCargo.self, at: "a")])
    let other = try await requestError {
      try await EntityDocument.upsert(
        from: ["a": []], in: store, options: [parts, .upserting(.replace)])
    }
    #expect(other.kind == .invalidRequest)
    #expect(stub.requests.isEmpty)
  }

  // MARK: Objects without uid

  @Test func `objects without uid are inserted where that is asked`() async throws {
    let list: JSONValue = [
      ["label": "a", "weight": 1], ["id": 2, "label": "b", "weight": 2], ["id": nil, "label": "c"],
    ]
    let error = try await requestError { try await Cargo.upsert(from: list, in: store) }
    #expect((error.underlying as? MappingError)?.position == 0)
    for round in 1...2 {
      let response = try await Cargo.upsert(from: list, in: store, options: .withoutUID(.insert))
      #expect(response.counts.inserted == (round == 1 ? 3 : 2))
      let labels = try await store.read { context in
        try response.ids.map { try context.object($0)?.label }
      }
      #expect(labels == ["a", "b", "c"])
      #expect(try await store.read { try $0.fetch(Cargo.self).count } == 1 + 2 * round)
    }
    let parts = ResponseOptions<EntityDocument>.parts([.list(HandCargo.self, at: "all")])
    let response = try await EntityDocument.upsert(
      from: ["all": list], in: store, options: [parts, .withoutUID(.insert)])
    #expect(response.counts(of: HandCargo.self).inserted == 3)
    let own = try await Cargo.upsert(
      from: ["cargos": list, "depots": []], in: store,
      options: [.envelope("cargos"), .parts([.list(Depot.self, at: "depots")]), .withoutUID(.insert)])
    #expect(own.counts.inserted == 2)
    // They are the server's: nothing waits to be sent.
    #expect(try await store.read { try $0.pendingCount() } == 0)
  }

  @Test func `inserting objects without a uid excludes the deletion of missing objects`() async throws {
    let stub = try StubAdapter.current
    let options: ResponseOptions<Cargo> = [.withoutUID(.insert), .deleteMissing(in: Cargo.all)]
    let error = try await requestError { try await Cargo.get(options: options) }
    #expect(error.kind == .invalidRequest)
    #expect(stub.requests.isEmpty)
    #expect(
      try await requestError { try await Cargo.upsert(from: [], in: store, options: options) }.kind
        == .invalidRequest)
  }
}
