import EntityJSON
import Foundation
import TestSupport
import Testing

/// The encoder against Foundation's, with the settings that rows and bodies had with that one.
@Suite struct JSONValueEncoderTests {
  private static let ours = JSONValueEncoder(format: .sorted, dateEncodingStrategy: .iso8601OrSeconds)

  private static var foundations: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { date, encoder in
      var container = encoder.singleValueContainer()
      if let text = ISO8601Text.text(of: date) {
        try container.encode(text)
      } else {
        try container.encode(date.timeIntervalSince1970)
      }
    }
    return encoder
  }

  private func text(_ value: some Encodable) throws -> String {
    String(decoding: try Self.ours.encode(value), as: UTF8.self)
  }

  private func theirs(_ value: some Encodable) throws -> String {
    String(decoding: try Self.foundations.encode(value), as: UTF8.self)
  }

  @Test func `random values are written as Foundation writes them`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededRandom(state: seed)
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .iso8601OrSeconds
    for _ in 0..<300 {
      let value = Mixed.random(&generator, depth: 3)
      let theirs = try theirs(value)
      #expect(try text(value) == theirs, "seed \(seed)")
      let read = try decoder.decode(Mixed.self, from: Data(theirs.utf8))
      #expect(read == value, "seed \(seed)")
    }
  }

  @Test func `each type is written as Foundation writes it`() throws {
    func check(_ value: some Encodable) throws { #expect(try text(value) == theirs(value)) }
    try check([Int8.min])
    try check([UInt64.max])
    try check([Int64.min])
    try check([Float(0.1), 1e10, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude])
    try check([0.1, 1e300, -0.0, .leastNonzeroMagnitude, 5])
    try check([Decimal(string: "-12345678901234567890.123456789012345678"), nil, 0])
    try check(try #require(URL(string: "https://h/a b?q=1#f")))
    try check(Data([0, 255, 254]))
    try check(UUID())
    try check("a/\u{2028}\u{0}\u{1F}\u{7F}\"\\\n😀e\u{301}")
    try check([1: "a", -2: "b", 10: "c"])
    try check(["b": [1: 2]])
    try check([Key.one: 1])
    try check([Double?.none, 1])
    try check([[Int]](repeating: [], count: 2))
    try check([String: Int]())
    try check(Int?.none)
    try check(true)
    try check(Date(timeIntervalSince1970: 1e12))
    try check([Date(timeIntervalSince1970: 0.25), Date(timeIntervalSince1970: -62_167_219_200)])
    try check(0..<5)
    try check(Locale(identifier: "de_DE"))
    try check(DateComponents(year: 2024, month: 5))
  }

  @Test func `containers that are nested by hand are the same`() throws {
    #expect(try text(Derived()) == theirs(Derived()))
    #expect(try text(ByHand()) == theirs(ByHand()))
    #expect(try text([ByHand()]) == theirs([ByHand()]))
  }

  @Test func `keys keep their order unless they are sorted`() throws {
    let encoder = JSONValueEncoder()
    #expect(String(decoding: try encoder.encode(ByHand.Twice()), as: UTF8.self) == #"{"b":3,"a":2}"#)
    #expect(try text(ByHand.Twice()) == #"{"a":2,"b":3}"#)
  }

  @Test func `errors have the coding path of Foundation's`() throws {
    struct Item: Encodable { var ratios = ["a": [1, Double.nan]] }
    struct Floats: Encodable { var inner = [Item()] }
    for value in [Item(), Floats(), [Float.infinity], ["k": [-Double.infinity]]] as [any Encodable] {
      let (mine, its) = (path { try text(value) }, path { try theirs(value) })
      #expect(mine != nil)
      #expect(mine == its)
    }
    #expect(path { try text(["d": [Decimal.nan]]) } == "d/Index 0")
    let strict = JSONValueEncoder()
    #expect(path { _ = try strict.encode(["t": Date(timeIntervalSince1970: 1e12)]) } == "t")
  }

  @Test func `a type's own error is passed on`() {
    struct Refusing: Encodable {
      struct Stop: Error {}
      func encode(to encoder: any Encoder) throws { throw Stop() }
    }
    #expect(throws: Refusing.Stop.self) { try text(["a": Refusing()]) }
  }

  @Test func `a type that encodes nothing is an empty object in another`() throws {
    struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
    #expect(throws: EncodingError.self) { try text(Nothing()) }
    #expect(try text([Nothing()]) == theirs([Nothing()]))
  }

  @Test func `a second encoded value is an error`() {
    struct Two: Encodable {
      func encode(to encoder: any Encoder) throws {
        var first = encoder.singleValueContainer()
        try first.encode(1)
        var second = encoder.singleValueContainer()
        try second.encode(2)
      }
    }
    struct Kinds: Encodable {
      func encode(to encoder: any Encoder) throws {
        var array = encoder.unkeyedContainer()
        try array.encode(1)
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(1, forKey: .one)
      }
    }
    #expect(throws: EncodingError.self) { try text([Two()]) }
    #expect(throws: EncodingError.self) { try text(Kinds()) }
  }

  @Test func `the depth is limited as in the reader`() async throws {
    struct Nest: Encodable {
      var rest: Int
      func encode(to encoder: any Encoder) throws {
        var array = encoder.unkeyedContainer()
        if rest > 1 { try array.encode(Nest(rest: rest - 1)) }
      }
    }
    try await onThread(stackSize: 64 << 20) {
      _ = try JSONValue(parsing: Self.ours.encode(Nest(rest: 512)))
      #expect(throws: EncodingError.self) { try text(Nest(rest: 513)) }
      #expect(throws: EncodingError.self) { try text(Nest(rest: 20_000)) }
    }
  }

  private func path(_ encode: () throws -> Void) -> String? {
    do { try encode() } catch EncodingError.invalidValue(_, let context) {
      return context.codingPath.map(\.stringValue).joined(separator: "/")
    } catch {}
    return nil
  }

  private func path(_ encode: () throws -> String) -> String? { path { _ = try encode() } }
}

private enum Key: String, Codable, CodingKey, CodingKeyRepresentable { case one, two }

/// A superclass in a `super` key, and containers inside one another.
private class Base: Encodable {
  var base = 1
}

private final class Derived: Base {
  var own = "x"

  private enum CodingKeys: String, CodingKey { case own, list, more }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(own, forKey: .own)
    try super.encode(to: container.superEncoder())
    var list = container.nestedUnkeyedContainer(forKey: .list)
    try super.encode(to: list.superEncoder())
    try list.encode(2)
    try super.encode(to: container.superEncoder(forKey: .more))
  }
}

private struct ByHand: Encodable {
  enum CodingKeys: String, CodingKey { case a, b, c }

  func encode(to encoder: any Encoder) throws {
    var outer = encoder.container(keyedBy: CodingKeys.self)
    var inner = outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .c)
    try inner.encode(UInt8.max, forKey: .b)
    var again = outer.nestedContainer(keyedBy: CodingKeys.self, forKey: .c)
    try again.encodeNil(forKey: .a)
    var list = outer.nestedUnkeyedContainer(forKey: .b)
    try list.encode(contentsOf: [1, 2])
    try list.encodeNil()
    var nested = list.nestedContainer(keyedBy: CodingKeys.self)
    try nested.encode(["x": 1], forKey: .a)
    var deep = list.nestedUnkeyedContainer()
    try deep.encode(Int16(-1))
    try outer.encodeIfPresent(Int?.none, forKey: .a)
  }

  struct Twice: Encodable {
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(1, forKey: .b)
      try container.encode(2, forKey: .a)
      var again = encoder.container(keyedBy: CodingKeys.self)
      try again.encode(3, forKey: .b)
    }
  }
}
