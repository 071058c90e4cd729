import EntityClient
import Foundation
import TestSupport
import Testing

/// Declared mapping, update by hand, and objects of the main context: the same payloads end in the same rows.
@Suite struct TwinTests {
  /// How many seeds a block takes; `ENTITYCLIENT_SEEDS=40` takes all 2,000.
  private static var seeds: UInt64 {
    min(
      40, ProcessInfo.processInfo.environment["ENTITYCLIENT_SEEDS"].flatMap(UInt64.init) ?? (Seeds.isSanitized ? 1 : 2))
  }

  @Test(arguments: 0..<50) func `random payloads end in equal rows`(_ block: UInt64) async throws {
    for seed in block * 40..<block * 40 + Self.seeds {
      var random = PayloadRandom(seed)
      let bytes = try twins()
      let hand = try twins()
      let main = try twins()
      for step in 0..<6 {
        let payload = random.list()
        let comment = Comment(
          rawValue: "seed \(seed), step \(step): \(String(decoding: payload.rawBytes, as: UTF8.self))")
        let stated = try await bytes.receive(Stated.self, payload)
        let handed = try await hand.receive(Handed.self, payload)
        try await Self.upsertOnMain(main, payload)
        let rows = try await bytes.read { try Self.rows($0) }
        #expect(try await hand.read { try Self.handRows($0) } == rows, comment)
        let mainRows = try await main.read { try Self.rows($0) }
        #expect(mainRows == rows, comment)
        #expect(stated.counts.inserted == handed.counts.inserted, comment)
        #expect(stated.ids.count == handed.ids.count, comment)
        // Once more: nothing is left to do, unless the list says two things of one object.
        let again = try await bytes.receive(Stated.self, payload)
        let handAgain = try await hand.receive(Handed.self, payload)
        #expect(again.counts.inserted == 0, comment)
        #expect(handAgain.counts.inserted == 0, comment)
        if again.counts.rowsWritten == 0 {
          #expect(handAgain.counts.rowsWritten == 0, comment)
          #expect(again.counts.updated == 0, comment)
        }
        try await Self.upsertOnMain(main, payload)
        let rowsAgain = try await bytes.read { try Self.rows($0) }
        #expect(try await hand.read { try Self.handRows($0) } == rowsAgain, comment)
        #expect(try await main.read { try Self.rows($0) } == rowsAgain, comment)
      }
    }
  }

  @Test func `an object that is nested in its own parent has one embedded object`() async throws {
    let payload: JSONValue = [
      [
        "data": ["id": 3],
        "parent": ["data": ["id": 2], "children": [["data": ["id": 3], "part": ["color": "red"]]]],
        "part": ["size": 5],
      ]
    ]
    let (bytes, hand, main) = try (twins(), twins(), twins())
    _ = try await bytes.receive(Stated.self, payload)
    _ = try await hand.receive(Handed.self, payload)
    try await Self.upsertOnMain(main, payload)
    let rows = try await bytes.read { try Self.rows($0) }
    let handRows = try await hand.read { try Self.handRows($0) }
    let mainRows = try await main.read { try Self.rows($0) }
    #expect(rows.last == "- 5 -")
    #expect(rows.count == 3)
    #expect(handRows == rows)
    #expect(mainRows == rows)
  }

  @MainActor private static func upsertOnMain(_ store: EntityStore, _ payload: JSONValue) async throws {
    for element in payload.array ?? [] {
      guard let object = element.object else { continue }
      try store.main.upsert(Stated.self, from: object)
    }
    try await store.main.save()
  }

  private static func rows(_ context: EntityContext) throws -> [String] {
    let parts = try context.fetch(StatedPart.self).map {
      "\($0.color ?? "-") \($0.size) \($0.owner.map { "\($0.uid)" } ?? "-")"
    }
    let all = try context.fetch(Stated.self).map {
      """
      \($0.uid) \($0.name ?? "-") \($0.rating) \($0.isOpen) \($0.seenAt?.timeIntervalSince1970.description ?? "-") \
      \($0.city ?? "-") \($0.parent.map { "\($0.uid) \($0.isPlaceholder)" } ?? "-") \($0.children.map(\.uid).sorted()) \
      \($0.part?.color ?? "-") \($0.part?.size ?? -1) \($0.parts.count)
      """
    }
    return all.sorted() + parts.sorted()
  }

  private static func handRows(_ context: EntityContext) throws -> [String] {
    let parts = try context.fetch(HandedPart.self).map {
      "\($0.color ?? "-") \($0.size) \($0.owner.map { "\($0.uid)" } ?? "-")"
    }
    let all = try context.fetch(Handed.self).map {
      """
      \($0.uid) \($0.name ?? "-") \($0.rating) \($0.isOpen) \($0.seenAt?.timeIntervalSince1970.description ?? "-") \
      \($0.city ?? "-") \($0.parent.map { "\($0.uid) \($0.isPlaceholder)" } ?? "-") \($0.children.map(\.uid).sorted()) \
      \($0.part?.color ?? "-") \($0.part?.size ?? -1) \($0.parts.count)
      """
    }
    return all.sorted() + parts.sorted()
  }
}

/// Random payloads.
struct PayloadRandom {
  private var random: SeededRandom

  init(_ seed: UInt64) { random = SeededRandom(state: seed &* SeededRandom.step &+ 1) }

  mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

  mutating func one<T>(_ values: [T]) -> T { values[below(values.count)] }

  mutating func list() -> JSONValue { JSONValue((0..<below(4) + 1).map { _ in object(3) }) }

  /// An id in one of its forms; some name nobody.
  mutating func id() -> JSONValue {
    let id = below(6) - 1
    return one([JSONValue(id), JSONValue("\(id)"), JSONValue(Double(id))])
  }

  mutating func object(_ depth: Int) -> JSONValue {
    var fields: [(String, JSONValue)] = [("data", ["id": id()])]
    if below(3) == 0 { fields.append(("name", one([nil, "a", "b", 5, 5.0]))) }
    if below(3) == 0 { fields.append(("rating", one([0, -0.0, 1.5, "2.5", 1e300]))) }
    if below(3) == 0 { fields.append(("is_open", one([true, false, 0, 1, "true"]))) }
    if below(3) == 0 {
      fields.append(
        ("seen_at", one([nil, "1970-01-01T00:00:00.1Z", 0.1, 1_700_000_000.123, "2024-03-01T12:00:00.987Z"])))
    }
    if below(3) == 0 { fields.append(("parent", link(depth))) }
    if below(4) == 0 { fields.append(("part", one([nil, part(), part()]))) }
    if below(3) == 0 { fields.append(("place", one([nil, ["city": nil], ["city": "Oslo"], [:], "nowhere"]))) }
    if below(4) == 0 {
      fields.append(("children", one([nil, JSONValue((0..<below(4)).map { _ in link(depth) })])))
    }
    if below(4) == 0 {
      fields.append(("parts", JSONValue((0..<below(4)).map { _ in below(5) == 0 ? nil : part() })))
    }
    return JSONObject(fields: fields).value
  }

  private mutating func link(_ depth: Int) -> JSONValue {
    let choice = below(8)
    if choice == 0 { return nil }
    if choice == 1 { return "" }
    return depth > 0 && choice < 5 ? object(depth - 1) : id()
  }

  private mutating func part() -> JSONValue {
    one([["color": "red"], ["color": nil, "size": 2], ["size": "3"], [:]])
  }
}
