import EntityClient
import Foundation
import Testing

@testable import EntityRequests

/// Three stores take the same: by the declared mapping, by hand, and through objects of the main context.
struct GoodsWays: Sendable {
  static let json = #"""
    {"id": 1, "float": "0.1", "decimal": 12345678901234567890.12345678901234567, "url": "https://example.com/ä b",
     "rank": "chief", "maybe_rank": "member", "tier": 10, "grants": 3,
     "setup": {"limits": [{"most": 5.0, "name": "x"}], "isDark": true, "since": 1.5, "unknown": 1},
     "maybe_setup": {"isDark": false, "limits": [], "since": "2024-03-01T12:00:00Z", "blob": "AP8="},
     "tags": ["b", "a"], "price": "1999", "name": {"first": "Ada", "last": "L", "more": 1}, "day": "29.02.2024",
     "note": "", "letter": "C", "place": {"city": "Oslo", "zip": {"code": 7, "area": "N"}}}
    """#

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
  func upsert(_ value: JSONValue, sourceLocation: SourceLocation = #_sourceLocation) async throws
    -> (rows: [[String]], unrecognized: [UnrecognizedValue])
  {
    try await expectEqual(after: value, sourceLocation: sourceLocation)
    let rows = try await bytes.read { try $0.fetch(Goods.self).map(Self.text) }
    let outcome = try await bytes.receive(Goods.self, value)
    return (rows, outcome.unrecognized)
  }

  /// Expects the same rows in all three, and that a second time leaves nothing to do.
  func expectEqual(
    after value: JSONValue, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await bytes.receive(Goods.self, value)
    let handed = try await hand.receive(HandGoods.self, value)
    try await upsertOnMain(value)
    let rows = try await bytes.read { try $0.fetch(Goods.self).map(Self.text) }
    let handRows = try await hand.read { try $0.fetch(HandGoods.self).map(Self.text) }
    let mainRows = try await main.read { try $0.fetch(Goods.self).map(Self.text) }
    let again = try await bytes.receive(Goods.self, value).counts.rowsWritten
    let handAgain = try await hand.receive(HandGoods.self, value).counts.rowsWritten
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
      try await bytes.receive(Goods.self, value)
    }
    let handed = await #expect(throws: MappingError.self, sourceLocation: sourceLocation) {
      try await hand.receive(HandGoods.self, value)
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

// MARK: Rows as text

extension GoodsWays {
  /// Everything an object of either entity has, as text.
  static func text(_ goods: Goods) -> [String] {
    [
      "\(goods.uid) \(goods.float) \(goods.decimal ?? -1) \(goods.url?.absoluteString ?? "-") \(goods.rank)",
      "\(String(describing: goods.maybeRank)) \(String(describing: goods.tier)) \(goods.grants.rawValue)",
      "\(goods.setup) \(String(describing: goods.maybeSetup)) \(goods.tags) \(goods.price) \(goods.name ?? "-")",
      "\(goods.day?.timeIntervalSince1970 ?? -1) \(goods.note ?? "-") \(goods.letter) \(goods.city ?? "-")",
      "\(goods.zip) \(goods.area ?? "-")", goods.unrecognizedValue(of: \.rank) ?? "-",
      goods.unrecognizedValue(of: \.maybeRank) ?? "-", "\(goods.unrecognizedValue(of: \.tier) ?? -1)",
    ]
  }

  static func text(_ goods: HandGoods) -> [String] {
    [
      "\(goods.uid) \(goods.float) \(goods.decimal ?? -1) \(goods.url?.absoluteString ?? "-") \(goods.rank)",
      "\(String(describing: goods.maybeRank)) \(String(describing: goods.tier)) \(goods.grants.rawValue)",
      "\(goods.setup) \(String(describing: goods.maybeSetup)) \(goods.tags) \(goods.price) \(goods.name ?? "-")",
      "\(goods.day?.timeIntervalSince1970 ?? -1) \(goods.note ?? "-") \(goods.letter) \(goods.city ?? "-")",
      "\(goods.zip) \(goods.area ?? "-")", goods.unrecognizedValue(of: \.rank) ?? "-",
      goods.unrecognizedValue(of: \.maybeRank) ?? "-", "\(goods.unrecognizedValue(of: \.tier) ?? -1)",
    ]
  }
}
