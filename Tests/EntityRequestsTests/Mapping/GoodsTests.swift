import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import EntityRequests

/// Attributes of types that are stored as something else: on both ways from a response, and into a request.
@Suite struct GoodsTests {
  private static let json = #"""
    {"id": 1, "float": "0.1", "decimal": 12345678901234567890.12345678901234567, "url": "https://example.com/ä b",
     "rank": "chief", "maybe_rank": "member", "tier": 10, "grants": 3,
     "setup": {"limits": [{"most": 5.0, "name": "x"}], "isDark": true, "since": 1.5, "unknown": 1},
     "maybe_setup": {"isDark": false, "limits": [], "since": "2024-03-01T12:00:00Z", "blob": "AP8="},
     "tags": ["b", "a"], "price": "1999", "name": {"first": "Ada", "last": "L", "more": 1}, "day": "29.02.2024",
     "note": "", "letter": "C", "place": {"city": "Oslo", "zip": {"code": 7, "area": "N"}}}
    """#

  private func value(_ json: String) throws -> JSONValue { try JSONValue(parsing: Data(json.utf8)) }

  /// Everything an object of either entity has, as text.
  private static func text(_ goods: Goods) -> [String] {
    [
      "\(goods.uid) \(goods.float) \(goods.decimal ?? -1) \(goods.url?.absoluteString ?? "-") \(goods.rank)",
      "\(String(describing: goods.maybeRank)) \(String(describing: goods.tier)) \(goods.grants.rawValue)",
      "\(goods.setup) \(String(describing: goods.maybeSetup)) \(goods.tags) \(goods.price) \(goods.name ?? "-")",
      "\(goods.day?.timeIntervalSince1970 ?? -1) \(goods.note ?? "-") \(goods.letter) \(goods.city ?? "-")",
      "\(goods.zip) \(goods.area ?? "-")", goods.unrecognizedValue(of: \.rank) ?? "-",
      goods.unrecognizedValue(of: \.maybeRank) ?? "-", "\(goods.unrecognizedValue(of: \.tier) ?? -1)",
    ]
  }

  private static func text(_ goods: HandGoods) -> [String] {
    [
      "\(goods.uid) \(goods.float) \(goods.decimal ?? -1) \(goods.url?.absoluteString ?? "-") \(goods.rank)",
      "\(String(describing: goods.maybeRank)) \(String(describing: goods.tier)) \(goods.grants.rawValue)",
      "\(goods.setup) \(String(describing: goods.maybeSetup)) \(goods.tags) \(goods.price) \(goods.name ?? "-")",
      "\(goods.day?.timeIntervalSince1970 ?? -1) \(goods.note ?? "-") \(goods.letter) \(goods.city ?? "-")",
      "\(goods.zip) \(goods.area ?? "-")", goods.unrecognizedValue(of: \.rank) ?? "-",
      goods.unrecognizedValue(of: \.maybeRank) ?? "-", "\(goods.unrecognizedValue(of: \.tier) ?? -1)",
    ]
  }

  /// Three stores take the same: by the declared mapping, by hand, and through objects of the main context.
  private struct Ways: Sendable {
    let bytes: EntityStore
    let hand: EntityStore
    let main: EntityStore

    init() throws {
      bytes = try EntityStore(.inMemory, entities: [Goods.self])
      hand = try EntityStore(.inMemory, entities: [HandGoods.self])
      main = try EntityStore(.inMemory, entities: [Goods.self])
    }

    /// - Returns: The rows, which are the same in all three.
    @discardableResult
    func take(_ value: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) async throws
      -> (rows: [[String]], unrecognized: [UnrecognizedValue])
    {
      try await expectEqual(after: value, sourceLocation: sourceLocation)
      let rows = try await bytes.read { try $0.fetch(Goods.self).map(GoodsTests.text) }
      let outcome = try await bytes.take(Goods.self, value)
      return (rows, outcome.unrecognized)
    }

    /// Expects the same rows in all three, and that a second time leaves nothing to do.
    func expectEqual(
      after value: JSONValue, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
      let outcome = try await bytes.take(Goods.self, value)
      let handed = try await hand.take(HandGoods.self, value)
      try await upsertOnMain(value)
      let rows = try await bytes.read { try $0.fetch(Goods.self).map(GoodsTests.text) }
      let handRows = try await hand.read { try $0.fetch(HandGoods.self).map(GoodsTests.text) }
      let mainRows = try await main.read { try $0.fetch(Goods.self).map(GoodsTests.text) }
      let again = try await bytes.take(Goods.self, value).counts.rowsWritten
      let handAgain = try await hand.take(HandGoods.self, value).counts.rowsWritten
      #expect(rows == handRows, comment, sourceLocation: sourceLocation)
      #expect(rows == mainRows, comment, sourceLocation: sourceLocation)
      #expect(again == 0, comment, sourceLocation: sourceLocation)
      #expect(handAgain == 0, comment, sourceLocation: sourceLocation)
      #expect(told(handed.unrecognized) == told(outcome.unrecognized), comment, sourceLocation: sourceLocation)
    }

    private func told(_ values: [UnrecognizedValue]) -> Set<[String]> {
      Set(values.map { [$0.property, $0.value, "\($0.count)"] })
    }

    @MainActor private func upsertOnMain(_ value: JSONValue) async throws {
      for object in value.array?.compactMap(\.object) ?? [value.object].compactMap(\.self) {
        try main.main.upsert(Goods.self, from: object)
      }
      try await main.main.save()
    }

    /// The error, which is the same on all three.
    func error(_ value: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) async throws -> MappingError {
      let error = await #expect(throws: MappingError.self, sourceLocation: sourceLocation) {
        try await bytes.take(Goods.self, value)
      }
      let handed = await #expect(throws: MappingError.self, sourceLocation: sourceLocation) {
        try await hand.take(HandGoods.self, value)
      }
      let main = await #expect(throws: MappingError.self, sourceLocation: sourceLocation) {
        try await upsertOnMain(value)
      }
      #expect(error?.reason == handed?.reason, sourceLocation: sourceLocation)
      #expect(error?.reason == main?.reason, sourceLocation: sourceLocation)
      #expect(error?.property == handed?.property, sourceLocation: sourceLocation)
      #expect(error?.key == handed?.key, sourceLocation: sourceLocation)
      return try #require(error)
    }
  }

  @Test func eachReachesItsProperty() async throws {
    let (rows, unrecognized) = try await Ways().take(try value(Self.json))
    #expect(unrecognized.isEmpty)
    let setup = Setup(isDark: true, limits: [.init(name: "x", most: 5)], since: Date(timeIntervalSince1970: 1.5))
    let other = Setup(since: Date(timeIntervalSince1970: 1_709_294_400), blob: Data([0, 255]))
    #expect(
      rows == [
        [
          "1 0.1 12345678901234567890.12345678901234567 https://example.com/%C3%A4%20b chief",
          "\(String(describing: Rank?.some(.member))) \(String(describing: Tier?.some(.high))) 3",
          #"\#(setup) \#(String(describing: Setup?.some(other))) ["b", "a"] 19.99 Ada L"#,
          "1709164800.0 - chief Oslo", "7 N", "-", "-", "-1",
        ]
      ])
  }

  @Test func anUnrecognizedRawValueIsFoundInQueries() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.take(
      Goods.self,
      [
        ["id": 1, "rank": "boss", "tier": 1], ["id": 2, "rank": "chief", "tier": 7],
        ["id": 3, "rank": "member", "tier": nil],
      ])
    try await store.read { context throws in
      func uids(_ query: EntityQuery<Goods>) throws -> [Int] { try context.fetch(query).map(\.uid) }
      #expect(try context.fetch(Goods.self).map(\.rank) == [.member, .chief, .member])
      #expect(try uids(Goods.where { $0.rank == .member }) == [3])
      #expect(try uids(Goods.where { $0.rank.isUnrecognized }) == [1])
      #expect(try uids(Goods.where { $0.rank == .member || $0.rank.isUnrecognized }) == [1, 3])
      #expect(try uids(Goods.where { $0.tier.isUnrecognized }) == [2])
      #expect(try uids(Goods.where { !$0.tier.isUnrecognized }) == [1, 3])
    }
  }

  @Test func anUnrecognizedRawValueIsFoundAcrossLinks() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self, Crate.self])
    _ = try await store.take(
      Crate.self,
      [
        ["id": 1, "goods": ["id": 1, "rank": "boss", "tier": 7]], ["id": 2, "goods": ["id": 2, "rank": "chief"]],
        ["id": 3], ["id": 4, "all": [["id": 1], ["id": 2]]], ["id": 5, "all": [["id": 2]]],
      ])
    try await store.read { context throws in
      func uids(_ query: EntityQuery<Crate>) throws -> [Int] { try context.fetch(query).map(\.uid) }
      #expect(try uids(Crate.where { $0.goods.rank.isUnrecognized }) == [1])
      #expect(try uids(Crate.where { $0.goods.tier.isUnrecognized }) == [1])
      #expect(try uids(Crate.where { $0.all.any { $0.rank.isUnrecognized } }) == [4])
    }
  }

  @Test func aLocalWriteOfTheSameValueChangesNothing() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.take(Goods.self, try value(Self.json))
    try await store.background { context in
      let goods = try #require(try context.fetch(Goods.self).first)
      goods.setup = Setup(isDark: true, limits: [.init(name: "x", most: 5)], since: Date(timeIntervalSince1970: 1.5))
      goods.decimal = Decimal(string: "12345678901234567890.12345678901234567")
      goods.float = 0.1
      goods.url = URL(string: "https://example.com/ä b")
      goods.tags = ["b", "a"]
      #expect(!context.hasChanges)
    }
  }

  @Test func aRequestSendsThemBack() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.take(Goods.self, try value(Self.json))
    let sent = try await store.read { context in
      try #require(try context.fetch(Goods.self).first).jsonObject(
        for: \.uid, \.float, \.decimal, \.url, \.rank, \.maybeRank, \.tier, \.grants, \.setup, \.maybeSetup, \.tags,
        \.price,
        \.name, \.day, \.note, \.letter, \.city, \.zip, \.area)
    }
    let expected = try value(
      #"""
      {"id": 1, "float": 0.1, "decimal": 12345678901234567890.12345678901234567, "url": "https://example.com/%C3%A4%20b",
       "rank": "chief", "maybe_rank": "member", "tier": 10, "grants": 3,
       "setup": {"limits": [{"most": 5, "name": "x"}], "isDark": true, "since": "1970-01-01T00:00:01.5Z"},
       "maybe_setup": {"isDark": false, "limits": [], "since": "2024-03-01T12:00:00Z", "blob": "AP8="},
       "tags": ["b", "a"], "price": 1999, "name": {"first": "Ada", "last": "L"}, "day": "29.02.2024",
       "note": null, "letter": "C", "place": {"city": "Oslo", "zip": {"code": 7, "area": "N"}}}
      """#)
    #expect(sent.value == expected)
    let again = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await again.take(Goods.self, sent.value)
    #expect(
      try await again.read { try $0.fetch(Goods.self).map(Self.text) }
        == store.read { try $0.fetch(Goods.self).map(Self.text) })
  }

  @Test func aValueThatATransformerCantTurnBackIsAnError() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    let error = try await store.background { context in
      let goods = try context.insert(Goods.self)
      goods.name = "one"
      return #expect(throws: RequestError.self) { try goods.jsonObject(for: \.name) }
    }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("'Goods.name' can't be sent: two words") == true)
  }

  @Test func nullIsNothingAndAbsentIsUntouched() async throws {
    let ways = try Ways()
    let before = try await ways.take(try value(Self.json)).rows
    #expect(try await ways.take(["id": 1]).rows == before)
    let rows = try await ways.take(
      try value(
        #"{"id": 1, "decimal": null, "url": null, "maybe_rank": null, "tier": null, "maybe_setup": null, "name": null, "day": null}"#
      )
    ).rows
    #expect(rows[0][1] == "nil nil 3")
    #expect(rows[0][2].contains("nil"))
    #expect(rows[0][2].hasSuffix("19.99 -"))
    for key in ["rank", "setup", "tags", "price", "letter", "grants", "float"] {
      let error = try await ways.error(try value(#"{"id": 1, "\#(key)": null}"#))
      #expect(error.reason == "the property is not optional, and there is null", Comment(rawValue: key))
    }
  }

  @Test(arguments: [
    (#""float": 1e39"#, "a number was expected"), (#""float": "0x1p3""#, "a number was expected"),
    (#""decimal": 1e200"#, "a number of at most 38 digits"), (#""decimal": "1,5""#, "a number of at most 38 digits"),
    (#""decimal": "1.""#, "a number of at most 38 digits"), (#""decimal": true"#, "a number of at most 38 digits"),
    (#""url": 5"#, "a URL was expected"), (#""url": "http://[""#, "a URL was expected"),
    (#""rank": {"a": 1}"#, "a string or a number"), (#""tier": "hunter2""#, "an integer of 64 bits"),
    (#""setup": {"isDark": true, "limits": [{"name": "hunter2"}]}"#, "the key 'most' is missing at 'limits[0]'"),
    (#""setup": {"isDark": "hunter2", "limits": []}"#, "'Bool' was expected at 'isDark'"),
    (#""setup": {"isDark": true, "limits": [], "since": "hunter2"}"#, "the value at 'since' is none of its type's"),
    (#""setup": "hunter2""#, "was expected"),
    (#""tags": ["a", null]"#, "'String' was expected at '[1]', and there is null"),
    (#""tags": {"a": 1}"#, "was expected"), (#""price": "hunter2""#, "an integer of 64 bits"),
    (#""name": {"first": "hunter2"}"#, "the key 'last' is missing"), (#""day": "hunter2""#, "a date as 'dd.MM.yyyy'"),
    (#""letter": "hunter2""#, "C or M was expected"), (#""letter": 1"#, "C or M was expected"),
  ]) func anErrorForAValueThatDoesNotFitHasNotTheValue(_ field: String, _ reason: String) async throws {
    let error = try await Ways().error(try value("{\"id\": 1, \(field)}"))
    #expect(error.reason.contains(reason), "\(error)")
    #expect(!"\(error)".contains("hunter2"), "\(error)")
  }

  @Test(arguments: [
    ("1.50", "1.5"), ("\"1.50\"", "1.5"), ("\"-0012.5e1\"", "-125"), ("0", "0"), ("-0.0", "0"), ("1e-128", nil),
    ("0.1", "0.1"), ("\"99999999999999999999999999999999999999\"", "99999999999999999999999999999999999999"),
  ]) func decimalsAreExact(_ json: String, _ expected: String?) async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.take(Goods.self, try value(#"{"id": 1, "decimal": \#(json)}"#))
    let decimal = try await store.read { try $0.fetch(Goods.self).first?.decimal }
    #expect(decimal == Decimal(string: expected ?? json))
    #expect(try await store.take(Goods.self, try value(#"{"id": 1, "decimal": \#(json)}"#)).counts.rowsWritten == 0)
  }

  // MARK: Raw values that no case has

  @Test func unknownRawValuesAreKeptAndTold() async throws {
    let ways = try Ways()
    try await ways.take(try value(Self.json))
    let (rows, unrecognized) = try await ways.take(
      try value(
        #"[{"id": 1, "rank": "owner", "maybe_rank": "guest", "tier": 99}, {"id": 2, "rank": "owner"}, {"id": 3, "rank": "chief"}]"#
      ))
    #expect(rows[0][0].hasSuffix("member"))
    #expect(rows[0][1] == "nil nil 3")
    #expect(Array(rows[0].suffix(3)) == ["owner", "guest", "99"])
    #expect(try await ways.take(["id": 1, "letter": "C"]).rows[0].suffix(3) == rows[0].suffix(3))
    #expect(rows[1][5] == "owner")
    #expect(rows[2][5] == "-")
    #expect(rows[2][0].hasSuffix("chief"))
    #expect(
      Set(unrecognized) == [
        UnrecognizedValue(entity: "Goods", property: "rank", value: "owner", count: 2),
        UnrecognizedValue(entity: "Goods", property: "maybeRank", value: "guest", count: 1),
        UnrecognizedValue(entity: "Goods", property: "tier", value: "99", count: 1),
      ])
    // A known one takes its place again.
    let after = try await ways.take(["id": 1, "rank": "member", "maybe_rank": nil, "tier": 1])
    #expect(after.unrecognized.isEmpty)
    #expect(Array(after.rows[0].suffix(3)) == ["-", "-", "-1"])
  }

  @Test func anUnknownRawValueIsSentAsItCame() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.take(Goods.self, ["id": 1, "rank": "owner", "tier": 99])
    #expect(
      try await store.read { try #require(try $0.fetch(Goods.self).first).jsonObject(for: \.rank, \.tier) }
        == ["rank": "owner", "tier": 99])
  }

  @Test func aLocalEditStaysBeforeAnUnknownRawValue() async throws {
    for entity in [true, false] {
      let store = try EntityStore(.inMemory, entities: [Goods.self, HandGoods.self])
      try await store.background { context in
        if entity {
          let goods = try context.insert(Goods.self)
          goods.uid = 1
          goods.rank = .chief
        } else {
          let goods = try context.insert(HandGoods.self)
          goods.uid = 1
          goods.rank = .chief
        }
      }
      let value: JSONValue = ["id": 1, "rank": "owner", "letter": "C"]
      if entity { _ = try await store.take(Goods.self, value) } else { _ = try await store.take(HandGoods.self, value) }
      let (rank, letter) = try await store.read { context in
        if let goods = try context.fetch(Goods.self).first { return (goods.rank, goods.letter) }
        let goods = try #require(try context.fetch(HandGoods.self).first)
        return (goods.rank, goods.letter)
      }
      #expect(rank == .chief)
      #expect(letter == .chief)
    }
  }

  @Test func aBrokenResponseIsToldInBounds() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    let long = String(repeating: "x", count: 1000)
    let objects = (0..<300).map { number -> JSONValue in
      ["id": JSONValue(number), "rank": JSONValue("\(number)\(long)")]
    }
    let unrecognized = try await store.take(Goods.self, JSONValue(objects)).unrecognized
    #expect(unrecognized.count == 100)
    #expect(unrecognized.allSatisfy { $0.value.count == 200 })
  }

  @Test(.client(entities: [Goods.self], baseURL: "https://api.example.com/")) func theResponseOfARequestTells()
    async throws
  {
    let response = try await Goods.upsert(from: ["id": 1, "rank": "owner"])
    #expect(response.unrecognized == [UnrecognizedValue(entity: "Goods", property: "rank", value: "owner", count: 1)])
    #expect(try await MainActor.run { try response.object?.unrecognizedValue(of: \.rank) } == "owner")
  }

  @Test func valuesAreReadByHand() throws {
    let object = ResponseObject(try #require(try value(Self.json).object))
    #expect(try object.value("rank", as: Rank.self) == .chief)
    #expect(try object.value("tier") == Tier.high)
    #expect(try object.value("setup", as: Setup.self)?.isDark == true)
    #expect(try object.value("tags", as: [String].self) == ["b", "a"])
    #expect(try object.value("none", as: Setup.self) == nil)
    #expect(try object.value("note", as: Rank.self) == nil)
    #expect(try object.value("price", transformer: CentsTransformer.self) == Decimal(string: "19.99"))
    #expect(throws: MappingError.self) { try object.value("rank", transformer: RankTransformer.self) }
    var rank: Rank? = .member
    var decimal = Decimal(0)
    var setup = Setup()
    try object.assign("rank", to: &rank)
    try object.assign("decimal", to: &decimal)
    try object.assign("setup", to: &setup)
    #expect(rank == .chief)
    #expect(decimal == Decimal(string: "12345678901234567890.12345678901234567"))
    #expect(setup.isDark)
  }

  // MARK: Nested keys

  @Test(arguments: [
    (#"{"id": 1, "place": {"city": "Rome"}}"#, "Rome 7 N"), (#"{"id": 1, "place": {"city": null}}"#, "- 7 N"),
    (#"{"id": 1, "place": {}}"#, "Oslo 7 N"), (#"{"id": 1}"#, "Oslo 7 N"), (#"{"id": 1, "place": 5}"#, "Oslo 7 N"),
    (#"{"id": 1, "place": {"zip": {"code": 8}}}"#, "Oslo 8 N"),
    (#"{"id": 1, "place": {"zip": {"area": null}}}"#, "Oslo 7 -"),
    (#"{"id": 1, "place.city": "Rome"}"#, "Rome 7 N"), (#"{"id": 1, "place": {"zip.code": 9}}"#, "Oslo 9 N"),
    (#"{"id": 1, "place.zip": {"code": 9, "area": "S"}, "place": {"city": "Rome"}}"#, "Rome 9 S"),
    (#"{"id": 1, "place": {"city": "Rome", "city": "Bern"}}"#, "Bern 7 N"),
  ]) func nestedKeysAreFound(_ json: String, _ expected: String) async throws {
    let ways = try Ways()
    try await ways.take(try value(Self.json))
    let row = try await ways.take(try value(json)).rows[0]
    #expect("\(row[3].split(separator: " ")[3]) \(row[4])" == expected)
  }

  @Test func aNullParentIsNullForItsKeys() async throws {
    let ways = try Ways()
    try await ways.take(try value(Self.json))
    for json in [#"{"id": 1, "place": null}"#, #"{"id": 1, "place": {"zip": null}}"#] {
      let error = try await ways.error(try value(json))
      #expect(error.property == "zip")
      #expect(error.reason == "the property is not optional, and there is null")
    }
    let store = try EntityStore(.inMemory, entities: [Specimen.self])
    _ = try await store.take(Specimen.self, ["id": "a", "place": ["city": "Oslo", "street": "Gate"]])
    _ = try await store.take(Specimen.self, ["id": "a", "place": nil])
    try await store.read { context in
      let specimen = try #require(try context.fetch(Specimen.self).first)
      #expect(specimen.city == nil)
      #expect(specimen.street == nil)
    }
  }

  // MARK: Any payload

  /// The three ways agree on every value: the same rows, or the same property refused.
  @Test(arguments: 0..<20) func randomPayloadsEndInEqualRows(_ block: UInt64) async throws {
    for seed in block * 5..<block * 5 + 5 {
      var random = PayloadRandom(seed &+ 1_000_000)
      let ways = try Ways()
      for _ in 0..<8 {
        let payload = random.goods()
        try await ways.expectEqual(after: payload, "seed \(seed): \(String(decoding: payload.rawBytes, as: UTF8.self))")
      }
    }
  }
}

extension PayloadRandom {
  /// A list of goods, each key there or not, with values in each of their forms.
  fileprivate mutating func goods() -> JSONValue {
    JSONValue(
      (0..<below(3) + 1).map { id in
        var fields: [(String, JSONValue)] = [("id", JSONValue(id))]
        func add(_ key: String, _ values: [JSONValue]) { if below(3) == 0 { fields.append((key, one(values))) } }
        add("float", [0, 0.1, "1.5", -0.0, 16_777_217])
        add("decimal", [nil, 0, 0.1, "0.10", "-1e10", 100, 99.99])
        add("url", [nil, "", "a b", "https://example.com/ä"])
        add("rank", ["chief", "member", "owner", "", "Chief"])
        add("maybe_rank", [nil, "chief", "owner", 5])
        add("tier", [nil, 1, "10", 10.0, 99])
        add("grants", [0, 1, "3", 255, -1])
        add(
          "setup",
          [["isDark": true, "limits": []], ["isDark": false, "limits": [["name": "x", "most": 1.0]], "more": 1]])
        add("maybe_setup", [nil, ["isDark": true, "limits": [], "since": 1.5]])
        add("tags", [[], ["a"], ["b", "a"]])
        add("price", [0, "1999", 1])
        add("name", [nil, ["first": "A", "last": "B"]])
        add("day", [nil, "29.02.2024"])
        add("note", [nil, "", "x"])
        add("letter", ["C", "M"])
        add("place", [[:], ["city": nil], ["city": "Oslo", "zip": ["code": "5"]], ["zip": ["area": nil]], 5])
        return JSONObject(fields: fields).value
      })
  }
}

@Entity final class Crate: RemoteEntity {
  @UID @Key("id") var uid: Int
  var goods: Goods?
  var all: [Goods]

  static var basePath: String { "crates" }
}
