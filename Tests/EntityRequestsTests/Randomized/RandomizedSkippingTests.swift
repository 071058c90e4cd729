import EntityClient
import EntityTesting
import TestSupport
import Testing

/// A spoiled list of which the bad objects are skipped does what the list of the good ones does.
@Suite struct RandomizedSkippingTests {
  @Test(arguments: 1...(Seeds.isSanitized ? 4 : 24)) func `skipping is as if the bad objects were not there`(
    seed: UInt64
  )
    async throws
  {
    var random = SeededRandom(seed)
    try await run(Cargo.self, &random)
    try await run(HandCargo.self, &random)
  }

  private func run<E: AnyCargo>(_ type: E.Type, _ random: inout SeededRandom) async throws {
    let (skipping, plain) = (try cargos(), try cargos())
    for round in 1...4 {
      if round == 3 {
        let uid = Int.random(in: 1...20, using: &random)
        for store in [skipping, plain] {
          try await store.background { try $0.fetch(E.self, uid: uid)?.label = "mine" }
        }
      }
      var good: [JSONValue] = []
      var all: [JSONValue] = []
      var bad: [Int] = []
      for position in 0..<Int.random(in: 1...30, using: &random) {
        let object = object(&random)
        if Int.random(in: 0..<4, using: &random) == 0 {
          all.append(spoiled(object, &random))
          bad.append(position)
        } else {
          all.append(object)
          good.append(object)
        }
      }
      let one = try await E.upsert(from: JSONValue(all), in: skipping, options: .skipping)
      let other = try await E.upsert(from: JSONValue(good), in: plain)
      #expect(one.refused.map(\.position) == bad)
      var counts = one.counts
      #expect(counts.refused == bad.count)
      counts.refused = 0
      #expect(counts == other.counts)
      #expect(one.skipped.map(\.description) == other.skipped.map(\.description))
      #expect(try await content(skipping, E.self) == content(plain, E.self))
    }
  }

  private func content<E: AnyCargo>(_ store: EntityStore, _ type: E.Type) async throws -> [String] {
    try await store.lines(E.self)
      + store.read { context in
        try context.fetch(Halt.self).map { "halt \($0.uid) \($0.place ?? "") \($0.cargo.uid)" }.sorted()
          + context.fetch(Depot.all.including(.placeholders)).map { "depot \($0.uid) \($0.name ?? "")" }.sorted()
          + context.fetch(Wrap.self).map { "wrap \($0.color)" }.sorted()
          + context.fetch(E.self).map { "\($0.uid) in \($0.depot?.uid ?? 0)" }.sorted()
      }
  }

  private func object(_ random: inout SeededRandom) -> JSONValue {
    func number(_ range: ClosedRange<Int>) -> JSONValue { JSONValue(Int.random(in: range, using: &random)) }
    var fields: [(String, JSONValue)] = [
      ("id", number(1...20)), ("label", JSONValue("l\(Int.random(in: 1...3, using: &random))")),
      ("weight", number(1...3)),
    ]
    if Bool.random(using: &random) { fields.append(("depot", ["id": number(1...4), "name": "d"])) }
    if Bool.random(using: &random) { fields.append(("depot", number(5...6))) }
    if Bool.random(using: &random) { fields.append(("halts", [["id": number(1...30), "place": "x"]])) }
    if Bool.random(using: &random) { fields.append(("wrap", ["color": "red"])) }
    return JSONObject(fields: fields).value
  }

  /// The object with a mistake that each kind of mapping meets.
  private func spoiled(_ object: JSONValue, _ random: inout SeededRandom) -> JSONValue {
    var fields = (object.object?.map { ($0.key, $0.value) } ?? []).filter { $0.0 != "id" || random.next() % 5 != 0 }
    guard fields.contains(where: { $0.0 == "id" }) else { return JSONObject(fields: fields).value }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: fields.append(("weight", "heavy"))
    case 1: fields.append(("label", nil))
    case 2: fields.append(("depot", ["id": "?", "name": "d"]))
    case 3: fields.append(("depot", true))
    default: return 7
    }
    return JSONObject(fields: fields).value
  }
}
