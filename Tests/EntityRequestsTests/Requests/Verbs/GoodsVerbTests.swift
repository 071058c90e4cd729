import EntityClient
import EntityTesting
import Foundation
import Testing

/// Local edits of attributes that are stored as something else, on their way to a server and back.
@Suite(.client(entities: [Goods.self], baseURL: "https://api.example.com/")) @MainActor struct GoodsVerbTests {
  private func goods() async throws -> Goods {
    let value: JSONValue = [
      "id": 1, "rank": "owner", "price": 1999, "place": ["city": "Oslo", "zip": ["code": 7, "area": "N"]],
    ]
    return try #require(try await Goods.upsert(from: value).object)
  }

  private func edit(_ goods: Goods) async throws {
    goods.city = "Rome"
    goods.zip = 8
    goods.setup = Setup(isDark: true)
    goods.price = 5
    goods.name = "Ada L"
    goods.decimal = Decimal(string: "1.10")
    goods.tags = ["a"]
    goods.rank = .chief
    try await goods.entityContext?.save()
  }

  private static let serverValues: JSONValue = [
    "id": 1, "rank": "member", "price": 1, "name": nil, "decimal": 0, "tags": [],
    "setup": ["isDark": false, "limits": []],
    "place": ["city": "Bern", "zip": ["code": 9]],
  ]

  private func expectEdited(_ goods: Goods, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(goods.city == "Rome", sourceLocation: sourceLocation)
    #expect(goods.zip == 8, sourceLocation: sourceLocation)
    #expect(goods.setup.isDark, sourceLocation: sourceLocation)
    #expect(goods.price == 5, sourceLocation: sourceLocation)
    #expect(goods.name == "Ada L", sourceLocation: sourceLocation)
    #expect(goods.decimal == Decimal(string: "1.1"), sourceLocation: sourceLocation)
    #expect(goods.tags == ["a"], sourceLocation: sourceLocation)
    #expect(goods.rank == .chief, sourceLocation: sourceLocation)
  }

  /// The order of a list of values is a part of it, unlike that of a relationship.
  @Test func `a list in another order is not the edited list`() async throws {
    let goods = try await goods()
    goods.tags = ["a", "b"]
    try await goods.entityContext?.save()
    try StubAdapter.current.on(.put, "/goods/1", .json(["id": 1]))
    try await goods.put { try $0.setJSON(["tags": ["b", "a"]]) }
    try await Goods.upsert(from: Self.serverValues)
    #expect(goods.tags == ["a", "b"])
    try await goods.put { try $0.setJSON(["tags": ["a", "b"]]) }
    try await Goods.upsert(from: Self.serverValues)
    #expect(goods.tags == [])
  }

  @Test func `edits stay until they are sent`() async throws {
    let goods = try await goods()
    try await edit(goods)
    try await Goods.upsert(from: Self.serverValues)
    expectEdited(goods)
    try StubAdapter.current.on(.put, "/goods/1", .json(["id": 1]))
    try await goods.put {
      try $0.setJSON(
        goods.jsonObject(for: \.city, \.zip, \.setup, \.price, \.name, \.decimal, \.tags, \.rank))
    }
    let request = try #require(try StubAdapter.current.requests.last)
    #expect(
      request.json == [
        "place": ["city": "Rome", "zip": ["code": 8]], "setup": ["isDark": true, "limits": []], "price": 500,
        "name": ["first": "Ada", "last": "L"], "decimal": 1.1, "tags": ["a"], "rank": "chief",
      ])
    expectEdited(goods)
    // Acknowledged: the server's next values count.
    try await Goods.upsert(from: Self.serverValues)
    #expect(goods.city == "Bern")
    #expect(goods.zip == 9)
    #expect(!goods.setup.isDark)
    #expect(goods.price == Decimal(string: "0.01"))
    #expect(goods.name == nil)
    #expect(goods.decimal == 0)
    #expect(goods.tags == [])
    #expect(goods.rank == .member)
  }

  @Test func `an edit that was not sent stays`() async throws {
    let goods = try await goods()
    try await edit(goods)
    try StubAdapter.current.on(.patch, "/goods/1", .json(["id": 1]))
    try await goods.patch { try $0.setJSON(goods.jsonObject(for: \.city, \.setup)) }
    try await Goods.upsert(from: Self.serverValues)
    #expect(goods.city == "Bern")
    #expect(!goods.setup.isDark)
    #expect(goods.zip == 8)
    #expect(goods.price == 5)
    #expect(goods.rank == .chief)
    #expect(goods.tags == ["a"])
  }

  @Test func `an edit made while the request is under way stays`() async throws {
    let goods = try await goods()
    try await edit(goods)
    try StubAdapter.current.on(.put, "/goods/1", .json(["id": 1]))
    try await goods.put {
      try $0.setJSON(goods.jsonObject(for: \.setup, \.rank))
      goods.setup.limits = [.init(name: "new", most: 1)]
    }
    try await Goods.upsert(from: Self.serverValues)
    #expect(goods.setup.limits.count == 1)
    #expect(goods.rank == .member)
  }
}
