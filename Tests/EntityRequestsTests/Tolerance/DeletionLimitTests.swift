import EntityClient
import EntityTesting
import Testing

/// Deletions of missing objects with a limit, and objects that stay when they are missing.
@Suite(.cargos) struct DeletionLimitTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func tooMany(_ error: RequestError) throws -> TooManyMissing {
    #expect(error.kind == .upsert)
    return try #require(error.underlying as? TooManyMissing)
  }

  // MARK: Limits

  @Test func `a list that lacks more than the limit changes nothing`() async throws {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...10), in: store)
    let list: JSONValue = [["id": 1, "label": "new", "weight": 2], ["id": 11, "label": "p", "weight": 1]]
    let error = try await requestError {
      try await Cargo.upsert(from: list, in: store, options: .deleteMissing(in: Cargo.all, atMost: 8))
    }
    let reason = try tooMany(error)
    #expect(reason.count == 9)
    #expect(reason.ids.count == 9)
    #expect(reason.scopeCount == 11)
    #expect(reason.limit == 8)
    #expect(error.description.contains("lacks 9 of 11 objects of 'Cargo', and may delete at most 8"))
    #expect(try await store.uids(Cargo.self) == Array(1...10))
    #expect(try await store.lines(Cargo.self).first == "1 p1 1")
    let done = try await Cargo.upsert(from: list, in: store, options: .deleteMissing(in: Cargo.all, atMost: 9))
    #expect(done.counts.deleted == 9)
    #expect(try await store.uids(Cargo.self) == [1, 11])
  }

  @Test func `an empty list is stopped`() async throws {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...3), in: store)
    let error = try await requestError {
      try await Cargo.upsert(from: [], in: store, options: .deleteMissing(in: Cargo.all, atMost: .share(0.5)))
    }
    #expect(try tooMany(error).count == 3)
    #expect(try await store.uids(Cargo.self) == [1, 2, 3])
  }

  @Test(arguments: [(29, 0.29, true), (30, 0.29, false), (0, 0, true), (1, 0, false), (100, 1, true), (1, -1, false)])
  func `a deletion limit by share counts the objects in the scope`(missing: Int, share: Double, isAllowed: Bool)
    async throws
  {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...100), in: store)
    // Not of the scope.
    try await Cargo.upsert(from: cargoList(1_001...1_100), in: store)
    let scope = Cargo.where { $0.uid < 1_000 }
    let list = cargoList((1...100).dropFirst(missing))
    let options = ResponseOptions<Cargo>.deleteMissing(in: scope, atMost: .share(share))
    if isAllowed {
      #expect(try await Cargo.upsert(from: list, in: store, options: options).counts.deleted == missing)
    } else {
      let error = try await requestError { try await Cargo.upsert(from: list, in: store, options: options) }
      #expect(try tooMany(error).count == missing)
      #expect(try tooMany(error).scopeCount == 100)
    }
  }

  @Test func `objects that stay do not count for the deletion limit`() async throws {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...4), in: store)
    try await store.background { context in
      try context.fetch(Cargo.self, uid: 1)?.label = "mine"
      try context.fetch(Cargo.self, uid: 2)?.isPinned = true
    }
    try await Cargo.upsert(
      from: ["id": 2, "is_pinned": true], in: store, options: .localEdits(.overwrite))
    let response = try await Cargo.upsert(
      from: cargoList([4]), in: store, options: .deleteMissing(in: Cargo.all, atMost: 1))
    #expect(response.counts.deleted == 1)
    #expect(try await store.uids(Cargo.self) == [1, 2, 4])
  }

  @Test func `a part has a limit of its own`() async throws {
    let store = try store
    try await Depot.upsert(from: [["id": 1], ["id": 2], ["id": 3]], in: store)
    try await Cargo.upsert(from: cargoList(1...3), in: store)
    let body: JSONValue = ["cargos": cargoList([1]), "depots": [["id": 1]]]
    func take(_ depots: DeletionLimit) async throws -> EntityResponse<Cargo> {
      let part = ResponsePart.list(
        Depot.self, at: "depots", missing: .deleteMissing(in: Depot.all, atMost: depots))
      return try await Cargo.upsert(
        from: body, in: store,
        options: [.envelope("cargos"), .parts([part]), .deleteMissing(in: Cargo.all, atMost: 2)])
    }
    let error = try await requestError { try await take(1) }
    #expect(try tooMany(error).ids.first?.entityName == "Depot")
    #expect(try await store.uids(Cargo.self) == [1, 2, 3])
    let response = try await take(2)
    #expect(response.counts.deleted == 2)
    #expect(response.counts(of: Depot.self).deleted == 2)
  }

  @Test func `a walk is stopped with its last page`() async throws {
    try await Cargo.upsert(from: cargoList(1...6))
    let stub = try StubAdapter.current
    stub.on(.get, "/cargos", query: ["page": 1], .json(cargoList([1, 7])))
    stub.on(.get, "/cargos", query: ["page": 2], .json(cargoList([8])))
    stub.on(.get, "/cargos", query: ["page": 3], .json([]))
    func walk(_ limit: DeletionLimit) async throws -> EntityPages<Cargo>.Summary {
      try await Cargo.pages(by: .numbers(size: 2), options: .deleteMissing(in: Cargo.all, atMost: limit)).all()
    }
    let error = try await requestError { try await walk(4) }
    #expect(try tooMany(error).count == 5)
    #expect(error.page == 3)
    // The pages before the last are in the store.
    #expect(try await store.uids(Cargo.self) == Array(1...8))
    #expect(try await walk(5).counts.deleted == 5)
    #expect(try await store.uids(Cargo.self) == [1, 7, 8])
  }

  // MARK: Rows that stay

  @Test func `a row that its entity keeps stays and is reported`() async throws {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...3), in: store)
    try await Cargo.upsert(from: [["id": 2, "is_pinned": true], ["id": 3, "is_pinned": false]], in: store)
    let response = try await Cargo.upsert(
      from: cargoList([1]), in: store, options: .deleteMissing(in: Cargo.all))
    #expect(response.counts.deleted == 1)
    #expect(
      response.skipped.map(\.description)
        == ["Cargo 2: it is missing from the response, and stays because its entity says so"])
    #expect(response.skipped.first?.reason == .kept)
    #expect(try await store.uids(Cargo.self) == [1, 2])
    try await Cargo.upsert(from: ["id": 2, "is_pinned": false], in: store)
    try await Cargo.upsert(from: cargoList([1]), in: store, options: .deleteMissing(in: Cargo.all))
    #expect(try await store.uids(Cargo.self) == [1])
  }

  @Test func `a part keeps the rows that its entity keeps too`() async throws {
    let store = try store
    try await Cargo.upsert(from: cargoList(1...3), in: store)
    try await Cargo.upsert(from: ["id": 3, "is_pinned": true], in: store)
    let part = ResponsePart.list(Cargo.self, at: "cargos", missing: .deleteMissing(in: Cargo.all))
    let response = try await EntityDocument.upsert(
      from: ["cargos": cargoList([1])], in: store, options: .parts([part]))
    #expect(response.counts(of: Cargo.self).deleted == 1)
    #expect(response.skipped.map(\.reason) == [.kept])
    #expect(try await store.uids(Cargo.self) == [1, 3])
  }
}
