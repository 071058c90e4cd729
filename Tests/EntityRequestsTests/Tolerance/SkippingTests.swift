import EntityClient
import EntityTesting
import Synchronization
import Testing

/// Responses of which the objects that can't be taken in are skipped, and the others are taken in.
@Suite(.cargos) struct SkippingTests {
  private var store: EntityStore { get throws { try Client.current.store } }

  private func skip<E: RemoteEntity>(
    _ type: E.Type, _ list: JSONValue, _ others: ResponseOptions<E>...
  ) async throws -> EntityResponse<E> {
    var options: ResponseOptions<E> = [.skipping]
    for other in others { options = [options, other] }
    return try await E.upsert(from: list, in: store, options: options)
  }

  private static let list: JSONValue = [
    ["id": 1, "label": "a", "weight": 1],
    ["id": 2, "label": "b", "weight": "heavy"],
    ["id": 3, "label": nil, "weight": 3],
    ["label": "d", "weight": 4],
    7,
    ["id": 6, "label": "f", "weight": 6],
  ]

  // MARK: Places and reasons

  @Test func `the good objects are taken in, and the others are reported`() async throws {
    try await check(Cargo.self)
    try await check(HandCargo.self)
  }

  private func check<E: AnyCargo>(_ type: E.Type) async throws {
    let response = try await skip(E.self, Self.list)
    #expect(try await store.lines(E.self) == ["1 a 1", "6 f 6"])
    #expect(response.ids.count == 2)
    #expect(response.counts.inserted == 2)
    #expect(response.counts.refused == 4)
    #expect(response.refused.map(\.position) == [1, 2, 3, 4])
    #expect(response.refused.map(\.property) == ["weight", "label", "uid", ""])
    #expect(response.refused.first?.reason.contains("integer") == true)
    #expect(response.refused.description.split(separator: "\n").count == 4)
    #expect(response.description.contains("4 refused"))
  }

  @Test func `without the skipping option nothing is taken in`() async throws {
    for options in [[], .failing, [.skipping, .failing]] as [ResponseOptions<Cargo>] {
      let error = try await requestError {
        try await Cargo.upsert(from: Self.list, in: store, options: options)
      }
      #expect((error.underlying as? MappingError)?.position == 1)
    }
    #expect(try await store.lines(Cargo.self) == [])
    #expect(try await skip(Cargo.self, Self.list, .failing, .skipping).counts.refused == 4)
  }

  @Test func `a response without bad objects skips none`() async throws {
    let response = try await skip(Cargo.self, cargoList(1...3))
    #expect(response.refused.isEmpty)
    #expect(response.refused.total == 0)
    #expect(response.counts.refused == 0)
    #expect(response.counts.inserted == 3)
  }

  @Test func `a bad object that is the whole response fails it`() async throws {
    let error = try await requestError { try await skip(Cargo.self, ["id": 1, "weight": "x"]) }
    #expect(error.kind == .upsert)
    #expect((error.underlying as? MappingError)?.property == "weight")
  }

  // MARK: Objects that belong together

  @Test func `a bad nested object spoils the object that it is in`() async throws {
    let response = try await skip(
      Cargo.self,
      [
        ["id": 1, "label": "a", "weight": 1, "halts": [["id": 10], ["id": 11, "place": "x"]]],
        ["id": 2, "label": "b", "weight": 1, "halts": [["id": 20], ["id": "?"]]],
        ["id": 3, "label": "c", "weight": 1, "wrap": ["color": nil]],
      ])
    #expect(try await store.lines(Cargo.self) == ["1 a 1"])
    #expect(try await store.read { try $0.fetch(Halt.self).map(\.uid) } == [10, 11])
    #expect(try await store.read { try $0.fetch(Wrap.self).count } == 0)
    #expect(response.refused.map(\.key) == ["halts[1].id", "wrap.color"])
    #expect(response.refused.map(\.position) == [1, 2])
  }

  @Test func `the later of two objects with one unique value is skipped`() async throws {
    try await checkUnique(Cargo.self)
    try await checkUnique(HandCargo.self)
  }

  private func checkUnique<E: AnyCargo>(_ type: E.Type) async throws {
    let list = JSONValue(
      (1...40).map { ["id": JSONValue($0), "label": "a", "weight": 1, "code": JSONValue("c\($0 % 20)")] as JSONValue })
    let response = try await skip(E.self, list)
    #expect(response.counts.inserted == 20)
    #expect(response.refused.map(\.position) == Array(20..<40))
    #expect(response.refused.allSatisfy { $0.entity == E.entityName && $0.reason.contains("unique") })
    #expect(try await store.lines(E.self).last == "20 a 1 c0")
  }

  @Test func `an object that requires a skipped object is skipped`() async throws {
    let body: JSONValue = [
      "halts": [["id": 1, "cargo": ["id": 5, "label": "x", "weight": "?"]], ["id": 2, "cargo": 6], ["id": 3]],
      "cargos": [
        ["id": 6, "label": "b", "weight": 1],
        ["id": 7, "label": "c", "weight": 1, "halts": [["id": 3]]],
        ["id": 8, "label": "d", "weight": "?", "halts": [["id": 4]]],
      ],
      "late": [["id": 4, "place": "y"], ["id": 3, "place": "z"]],
    ]
    let response = try await EntityDocument.upsert(
      from: body, in: store,
      options: [
        .skipping,
        .parts([
          .list(Halt.self, at: "halts"), .list(Cargo.self, at: "cargos"), .list(Halt.self, at: "late"),
        ]),
      ])
    #expect(try await store.lines(Cargo.self) == ["6 b 1", "7 c 1"])
    #expect(try await store.read { try $0.fetch(Halt.self).map(\.uid).sorted() } == [2, 3])
    #expect(response.refused.map { "\($0.part ?? "") \($0.position ?? -1)" } == ["halts 0", "cargos 2", "late 0"])
    #expect(response.counts.refused == 3)
    #expect(response.ids(of: Cargo.self).count == 2)
  }

  /// All of them are found in one attempt, however many they are.
  @Test func `objects that await a skipped object are found together`() async throws {
    let uids = 1...40
    let halts = JSONValue(uids.map { ["id": JSONValue($0)] as JSONValue })
    let cargos = JSONValue(
      uids.map { uid -> JSONValue in
        ["id": JSONValue(uid), "label": "a", "weight": uid > 2 ? "?" : 1, "halts": [["id": JSONValue(uid)]]]
      })
    let response = try await EntityDocument.upsert(
      from: ["halts": halts, "cargos": cargos], in: store,
      options: [.skipping, .parts([.list(Halt.self, at: "halts"), .list(Cargo.self, at: "cargos")])])
    #expect(response.counts.refused == 76)
    #expect(try await store.uids(Cargo.self) == [1, 2])
    #expect(try await store.read { try $0.fetch(Halt.self).map(\.uid).sorted() } == [1, 2])
  }

  @Test func `a bad part that is one object is skipped`() async throws {
    let response = try await EntityDocument.upsert(
      from: ["cargos": cargoList([1]), "depot": ["id": [], "name": "D"]], in: store,
      options: [.skipping, .parts([.list(Cargo.self, at: "cargos"), .object(Depot.self, at: "depot")])])
    #expect(response.refused.map(\.part) == ["depot"])
    #expect(try await store.uids(Cargo.self) == [1])
  }

  // MARK: The other rules

  @Test func `a skipped object keeps what it was`() async throws {
    try await Cargo.upsert(from: cargoList(1...3), in: store)
    try await store.background { try $0.fetch(Cargo.self, uid: 1)?.label = "mine" }
    let response = try await skip(
      Cargo.self, [["id": 1, "label": "theirs", "weight": 9], ["id": 2, "label": "new", "weight": []]])
    #expect(try await store.lines(Cargo.self) == ["1 mine 9", "2 p2 1", "3 p3 1"])
    #expect(response.skipped.map(\.reason) == [.locallyEdited])
    #expect(response.counts.updated == 1)
  }

  @Test @MainActor func `only the last attempt is committed`() async throws {
    let store = try store
    let live = LiveQuery(Cargo.all, in: store)
    let before = try await store.read { $0.news.mergedGeneration }
    let response = try await skip(Cargo.self, Self.list)
    #expect(try await store.read { $0.news.mergedGeneration } == before + 1)
    #expect(live.objects.map(\.uid) == [1, 6])
    #expect(try response.objects.map(\.uid) == [1, 6])
  }

  @Test func `a dry run skips as the real run does`() async throws {
    try await Cargo.upsert(from: cargoList([9]), in: store)
    let options: ResponseOptions<Cargo> = [
      .skipping, .deleteMissing(in: Cargo.where { $0.uid > 8 }),
    ]
    let list: JSONValue = [["id": 1, "label": "a", "weight": 1], ["id": 2, "label": "b", "weight": "heavy"]]
    let trial = try await Cargo.upsert(from: list, in: store, options: [options, .dryRun])
    #expect(trial.counts.refused == 1)
    #expect(trial.wouldDelete.map(\.description) == ["Cargo 9"])
    #expect(try await store.uids(Cargo.self) == [9])
    let real = try await Cargo.upsert(from: list, in: store, options: options)
    #expect(real.counts == trial.counts)
    #expect(try await store.uids(Cargo.self) == [1])
  }

  @Test func `pages add up their refusals`() async throws {
    let stub = try StubAdapter.current
    stub.on(.get, "/cargos", query: ["page": 1], .json(Self.list))
    stub.on(.get, "/cargos", query: ["page": 2], .json([["id": 8, "label": "h", "weight": false]]))
    let all = try await Cargo.pages(by: .numbers(size: 6), options: .skipping).all()
    #expect(all.counts.refused == 5)
    #expect(all.refused.map(\.position) == [1, 2, 3, 4, 0])
    #expect(all.ids.count == 2)
  }

  // MARK: Deletions

  @Test func `a skipped object is not missing`() async throws {
    try await Cargo.upsert(from: cargoList(1...4), in: store)
    try await Depot.upsert(from: [["id": 1], ["id": 2], ["id": 3]], in: store)
    let body: JSONValue = [
      "cargos": [
        ["id": 1, "label": "new", "weight": 2], ["id": 2, "label": "b", "weight": "?", "depot": ["id": 2]],
        ["id": 3, "label": "c", "weight": "?", "depot": 3],
      ],
      "depots": [],
    ]
    let response = try await skip(
      Cargo.self, body, .envelope("cargos"), .deleteMissing(in: Cargo.all),
      .parts([.list(Depot.self, at: "depots", missing: .deleteMissing(in: Depot.all))]))
    #expect(response.counts.deleted == 1)
    #expect(response.counts(of: Depot.self).deleted == 1)
    #expect(try await store.lines(Cargo.self) == ["1 new 2", "2 p2 1", "3 p3 1"])
    #expect(try await store.read { try $0.fetch(Depot.self).map(\.uid).sorted() } == [2, 3])
  }

  @Test func `an object that does not say which object it is stops the deletion`() async throws {
    try await Cargo.upsert(from: cargoList(1...3), in: store)
    for bad in [["label": "x"], ["id": [], "label": "x"], 7] as [JSONValue] {
      let error = try await requestError {
        try await skip(Cargo.self, [["id": 1, "label": "new", "weight": 1], bad], .deleteMissing(in: Cargo.all))
      }
      #expect(error.kind == .upsert)
      #expect(error.description.contains("Object 1 of the response"))
      #expect(error.description.contains("does not say which objects it has"))
    }
    #expect(try await store.lines(Cargo.self).first == "1 p1 1")
    #expect(try await store.uids(Cargo.self) == [1, 2, 3])
  }

  /// An update by hand may find objects under any key.
  @Test func `an object by hand may name others under any key`() async throws {
    try await HandCargo.upsert(from: cargoList(1...3), in: store)
    try await Depot.upsert(from: [["id": 1]], in: store)
    let bad: JSONValue = [["id": 2, "label": "b", "weight": "?"]]
    let response = try await skip(HandCargo.self, bad, .deleteMissing(in: HandCargo.all))
    #expect(response.counts.deleted == 2)
    let error = try await requestError {
      try await skip(
        HandCargo.self, ["cargos": bad, "depots": []], .envelope("cargos"),
        .parts([.list(Depot.self, at: "depots", missing: .deleteMissing(in: Depot.all))]))
    }
    #expect(error.description.contains("does not say which objects it has"))
    #expect(try await store.read { try $0.fetch(Depot.self).count } == 1)
  }

  // MARK: Cost

  @Test(.client(entities: [Counted.self]))
  func `many bad objects cost three attempts`() async throws {
    let list = JSONValue((1...5_000).map { ["id": JSONValue($0), "weight": $0 % 10 == 0 ? "?" : 1] as JSONValue })
    let response = try await skip(Counted.self, list)
    #expect(response.counts.inserted == 4_500)
    #expect(response.counts.refused == 500)
    #expect(response.refused.map(\.position).prefix(3) == [9, 19, 29])
    #expect(Counted.updates.withLock(\.self) == 10 + 5_000 + 4_500)
  }
}

/// Counts how often objects of it are updated.
@Entity final class Counted: RemoteEntity {
  @UID @Key("id") var uid: Int
  var weight: Int

  static var basePath: String { "counted" }
  static let updates = Mutex(0)

  func update(with response: ResponseObject) throws {
    Self.updates.withLock { $0 += 1 }
    try response.assign("weight", to: &weight)
  }
}
