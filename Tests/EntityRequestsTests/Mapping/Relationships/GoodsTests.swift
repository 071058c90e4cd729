import EntityClient
import EntityTesting
import Foundation
import TestSupport
import Testing

@testable import EntityRequests
@testable import EntityStore

/// Attributes of types that are stored as something else: on both ways from a response, and into a request.
@Suite struct GoodsTests {
  private func value(_ json: String) throws -> JSONValue { try JSONValue(parsing: Data(json.utf8)) }

  @Test func `each value reaches its property`() async throws {
    let (rows, unrecognized) = try await GoodsWays().upsert(try value(GoodsWays.json))
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

  @Test func `a local write of the same value changes nothing`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.receive(Goods.self, try value(GoodsWays.json))
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

  /// A change in place of such a value is refused, and an update by hand is none, though it passes the property `inout`.
  @Test func `a response replaces a value that cannot be read`() async throws {
    func tags<E: RemoteEntity>(
      _ type: E.Type, _ tags: @escaping @Sendable (E) -> [String]
    ) async throws -> [[String]] {
      let store = try EntityStore(.inMemory, entities: [type])
      _ = try await store.receive(type, try value(#"{"id": 1, "tags": ["a"]}"#))
      try await store.core.unit { try $0.connection.execute("UPDATE \(E.entityName) SET tags = '[{}]'") }
      var found: [[String]] = []
      for answer in [#"{"id": 1, "float": 2}"#, #"{"id": 1, "tags": ["b"]}"#] {
        _ = try await store.receive(type, try value(answer))
        found.append(try await store.read { tags(try #require(try $0.fetch(E.self).first)) })
      }
      return found
    }
    #expect(try await tags(Goods.self) { $0.tags } == [[], ["b"]])
    #expect(try await tags(HandGoods.self) { $0.tags } == [[], ["b"]])
  }

  @Test func `a request sends the values back as they came`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.receive(Goods.self, try value(GoodsWays.json))
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
    _ = try await again.receive(Goods.self, sent.value)
    #expect(
      try await again.read { try $0.fetch(Goods.self).map(GoodsWays.text) }
        == store.read { try $0.fetch(Goods.self).map(GoodsWays.text) })
  }

  @Test func `a value that a transformer cannot turn back is an error`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    let error = try await store.background { context in
      let goods = try context.insert(Goods.self)
      goods.name = "one"
      return #expect(throws: RequestError.self) { try goods.jsonObject(for: \.name) }
    }
    #expect(error?.kind == .invalidRequest)
    #expect(error?.message.contains("'Goods.name' can't be sent: two words") == true)
  }

  @Test func `null clears a value, and an absent key leaves it`() async throws {
    let ways = try GoodsWays()
    let before = try await ways.upsert(try value(GoodsWays.json)).rows
    #expect(try await ways.upsert(["id": 1]).rows == before)
    let rows = try await ways.upsert(
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
  ]) func `an error for a value that does not fit does not show the value`(_ field: String, _ reason: String)
    async throws
  {
    let error = try await GoodsWays().error(try value("{\"id\": 1, \(field)}"))
    #expect(error.reason.contains(reason), "\(error)")
    #expect(!"\(error)".contains("hunter2"), "\(error)")
  }

  @Test(arguments: [
    ("1.50", "1.5"), ("\"1.50\"", "1.5"), ("\"-0012.5e1\"", "-125"), ("0", "0"), ("-0.0", "0"), ("1e-128", nil),
    ("0.1", "0.1"), ("\"99999999999999999999999999999999999999\"", "99999999999999999999999999999999999999"),
  ]) func `decimals are exact`(_ json: String, _ expected: String?) async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.receive(Goods.self, try value(#"{"id": 1, "decimal": \#(json)}"#))
    let decimal = try await store.read { try $0.fetch(Goods.self).first?.decimal }
    #expect(decimal == Decimal(string: expected ?? json))
    #expect(try await store.receive(Goods.self, try value(#"{"id": 1, "decimal": \#(json)}"#)).counts.rowsWritten == 0)
  }

  @Test func `values are read by hand`() throws {
    let object = ResponseObject(try #require(try value(GoodsWays.json).object))
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

  /// The three ways agree on every value: the same rows, or the same property refused.
  @Test(arguments: 0..<20) func `random payloads end in equal rows`(_ block: UInt64) async throws {
    for seed in block * 5..<block * 5 + (Seeds.isSanitized ? 1 : 5) {
      var random = PayloadRandom(seed &+ 1_000_000)
      let ways = try GoodsWays()
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
