import EntityClient
import EntityTesting
import Testing

/// Values that can't be read, in whose place properties keep theirs.
@Suite(.cargos) struct KeepingValuesTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func keep<E: RemoteEntity>(
    _ type: E.Type, _ value: JSONValue, _ others: ResponseOptions<E> = []
  ) async throws -> EntityResponse<E> {
    try await E.upsert(from: value, in: store, options: [.keepingValues, others])
  }

  @Test func `a property with a bad value keeps its value, and the others are written`() async throws {
    try await check(Cargo.self)
    try await check(HandCargo.self)
  }

  private func check<E: AnyCargo>(_ type: E.Type) async throws {
    try await E.upsert(
      from: [["id": 1, "label": "a", "weight": 1, "code": "x", "depot": 5]], in: store)
    let response = try await keep(
      E.self,
      [
        ["id": 1, "label": nil, "weight": 2, "code": "y"],
        ["id": 2, "label": "b", "weight": "heavy", "code": ["z"]],
        ["id": 1, "depot": true],
      ])
    #expect(try await store.lines(E.self) == ["1 a 2 y", "2 b 0"])
    #expect(response.refused.map(\.property) == ["label", "weight", "code", "depot"])
    #expect(response.refused.map(\.position) == [0, 1, 1, 2])
    #expect(response.refused.allSatisfy { $0.entity == E.entityName })
    #expect(response.counts.refused == 0)
    #expect(response.counts.inserted == 1)
    #expect(response.counts.updated == 1)
    #expect(try await store.read { try $0.fetch(E.self, uid: 1)?.depot?.uid } == 5)
  }

  @Test func `without the option to keep values the response fails`() async throws {
    try await Cargo.upsert(from: cargoList([1]), in: store)
    for value in [["id": 1, "label": nil], ["id": 1, "depot": true], ["id": 1, "halts": 7]]
      as [JSONValue]
    {
      let error = try await requestError { try await Cargo.upsert(from: value, in: store) }
      #expect(error.underlying is MappingError)
    }
  }

  @Test func `a list with an element that cannot be read stays whole`() async throws {
    try await Cargo.upsert(
      from: ["id": 1, "label": "a", "weight": 1, "halts": [["id": 1], ["id": 2]]], in: store)
    for list in [[["id": 3], true], "none", ["id": 3]] as [JSONValue] {
      let response = try await keep(Cargo.self, ["id": 1, "halts": list])
      #expect(response.refused.map(\.property) == ["halts"])
      #expect(response.counts.unchanged == 1)
    }
    #expect(try await store.read { try $0.fetch(Halt.self).map(\.uid).sorted() } == [1, 2])
    #expect(try await store.read { try $0.fetch(Cargo.self, uid: 1)?.halts.count } == 2)
  }

  @Test func `a value of a nested object is reported with its path`() async throws {
    let list: JSONValue = [
      [
        "id": 1, "label": "a", "weight": 1, "halts": [["id": 1], ["id": 2, "place": [7]]],
        "depot": ["id": 3, "name": []],
      ]
    ]
    let response = try await keep(Cargo.self, list)
    #expect(Set(response.refused.map(\.key)) == ["halts[1].place", "depot.name"])
    #expect(try await store.read { try $0.fetch(Halt.self).map(\.uid).sorted() } == [1, 2])
    #expect(try await store.read { try $0.fetch(Depot.self).map(\.uid) } == [3])
  }

  @Test func `neither a uid nor a required object keeps its value when the response has a bad one`() async throws {
    for value in [["id": [], "label": "a"], ["id": 1, "cargo": true], ["id": 1, "cargo": nil]]
      as [JSONValue]
    {
      let error = try await requestError { try await keep(Halt.self, [value]) }
      #expect(error.underlying is MappingError)
    }
    let response = try await keep(
      Halt.self,
      [["id": 1, "cargo": true], ["id": 2, "cargo": ["id": 1, "label": [3], "weight": 1]]], .skipping)
    #expect(response.counts.refused == 1)
    #expect(response.refused.map(\.key) == ["cargo", "cargo.label"])
    #expect(try await store.read { try $0.fetch(Halt.self).map(\.uid) } == [2])
    // The row that is there keeps its own.
    #expect(try await keep(Halt.self, [["id": 2, "cargo": nil, "place": "x"]]).counts.updated == 1)
    #expect(try await store.read { try $0.fetch(Halt.self, uid: 2)?.cargo.uid } == 1)
  }

  @Test func `an id of nobody is no bad value`() async throws {
    for uid in ["", nil] as [JSONValue] {
      try await Cargo.upsert(from: ["id": 1, "label": "a", "weight": 1, "depot": 5], in: store)
      try await HandCargo.upsert(from: ["id": 1, "label": "a", "weight": 1, "depot": 5], in: store)
      #expect(try await keep(Cargo.self, ["id": 1, "depot": uid]).refused.isEmpty)
      #expect(try await keep(HandCargo.self, ["id": 1, "depot": uid]).refused.isEmpty)
      #expect(try await store.read { try $0.fetch(Cargo.self, uid: 1)?.depot?.uid } == nil)
      #expect(try await store.read { try $0.fetch(HandCargo.self, uid: 1)?.depot?.uid } == nil)
    }
  }

  @Test func `a kept value ends no local edit`() async throws {
    try await Cargo.upsert(from: cargoList([1]), in: store)
    try await store.background { try $0.fetch(Cargo.self, uid: 1)?.label = "mine" }
    let response = try await keep(
      Cargo.self, ["id": 1, "label": [7], "weight": 5], .localEdits(.overwrite))
    #expect(response.refused.map(\.property) == ["label"])
    #expect(try await store.lines(Cargo.self) == ["1 mine 5"])
    #expect(try await store.read { try $0.fetch(Cargo.self, uid: 1)?.hasLocalEdits } == true)
  }

  @Test func `a relationship that cannot be read stops the deletion of its objects`() async throws {
    try await Cargo.upsert(
      from: ["id": 1, "label": "a", "weight": 1, "depot": ["id": 7]], in: store)
    try await HandCargo.upsert(from: ["id": 1, "label": "a", "weight": 1, "depot": 7], in: store)
    let body: JSONValue = ["cargos": [["id": 1, "depot": "?"]], "depots": []]
    let part = ResponsePart.list(Depot.self, at: "depots", missing: .deleteMissing(in: Depot.all))
    let errors = [
      try await requestError {
        try await keep(Cargo.self, body, [.envelope("cargos"), .parts([part])])
      },
      try await requestError {
        try await keep(HandCargo.self, body, [.envelope("cargos"), .parts([part])])
      },
    ]
    for error in errors { #expect(error.description.contains("does not say which objects it has")) }
    #expect(try await store.read { try $0.fetch(Depot.self).count } == 1)
  }
}
