import EntityClient
import EntityTesting
import Foundation
import Testing

@testable import EntityRequests

/// Raw values that no case of their property's enum has: rows keep them, and results, queries and requests tell them.
@Suite struct UnrecognizedValueTests {
  private func value(_ json: String) throws -> JSONValue { try JSONValue(parsing: Data(json.utf8)) }

  @Test func `unknown raw values are kept and reported`() async throws {
    let ways = try GoodsWays()
    try await ways.upsert(try value(GoodsWays.json))
    let (rows, unrecognized) = try await ways.upsert(
      try value(
        #"[{"id": 1, "rank": "owner", "maybe_rank": "guest", "tier": 99}, {"id": 2, "rank": "owner"}, {"id": 3, "rank": "chief"}]"#
      ))
    #expect(rows[0][0].hasSuffix("member"))
    #expect(rows[0][1] == "nil nil 3")
    #expect(Array(rows[0].suffix(3)) == ["owner", "guest", "99"])
    #expect(try await ways.upsert(["id": 1, "letter": "C"]).rows[0].suffix(3) == rows[0].suffix(3))
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
    let after = try await ways.upsert(["id": 1, "rank": "member", "maybe_rank": nil, "tier": 1])
    #expect(after.unrecognized.isEmpty)
    #expect(Array(after.rows[0].suffix(3)) == ["-", "-", "-1"])
  }

  @Test func `an unknown raw value is sent as it came`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.receive(Goods.self, ["id": 1, "rank": "owner", "tier": 99])
    #expect(
      try await store.read { try #require(try $0.fetch(Goods.self).first).jsonObject(for: \.rank, \.tier) }
        == ["rank": "owner", "tier": 99])
  }

  @Test func `a local edit stays when a response has an unknown raw value`() async throws {
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
      if entity {
        _ = try await store.receive(Goods.self, value)
      } else {
        _ = try await store.receive(HandGoods.self, value)
      }
      let (rank, letter) = try await store.read { context in
        if let goods = try context.fetch(Goods.self).first { return (goods.rank, goods.letter) }
        let goods = try #require(try context.fetch(HandGoods.self).first)
        return (goods.rank, goods.letter)
      }
      #expect(rank == .chief)
      #expect(letter == .chief)
    }
  }

  @Test func `a broken response is reported within bounds`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    let long = String(repeating: "x", count: 1000)
    let objects = (0..<300).map { number -> JSONValue in
      ["id": JSONValue(number), "rank": JSONValue("\(number)\(long)")]
    }
    let unrecognized = try await store.receive(Goods.self, JSONValue(objects)).unrecognized
    #expect(unrecognized.count == 100)
    #expect(unrecognized.allSatisfy { $0.value.count == 200 })
  }

  @Test(.client(entities: [Goods.self], baseURL: "https://api.example.com/"))
  func `the response of a request names unrecognized values`() async throws {
    let response = try await Goods.upsert(from: ["id": 1, "rank": "owner"])
    #expect(response.unrecognized == [UnrecognizedValue(entity: "Goods", property: "rank", value: "owner", count: 1)])
    #expect(try await MainActor.run { try response.object?.unrecognizedValue(of: \.rank) } == "owner")
  }

  @Test func `an unrecognized raw value is found in queries`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self])
    _ = try await store.receive(
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

  @Test func `an unrecognized raw value is found across links`() async throws {
    let store = try EntityStore(.inMemory, entities: [Goods.self, Crate.self])
    _ = try await store.receive(
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
}

@Entity final class Crate: RemoteEntity {
  @UID @Key("id") var uid: Int
  var goods: Goods?
  var all: [Goods]

  static var basePath: String { "crates" }
}
