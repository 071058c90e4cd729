import Foundation
import TestSupport
import Testing

@testable import EntityStore

/// Decimals as text that sorts.
struct DecimalTextTests {
  private static let ascending = [
    "-34028236692093846346337460743176821145e127",
    "-1e127", "-100", "-99.99", "-20", "-12.51", "-12.5", "-12", "-10", "-9.5", "-1.01", "-1", "-0.99", "-0.5", "-0.25",
    "-0.1", "-0.05", "-1e-128", "0", "1e-128", "0.05", "0.1", "0.25", "0.5", "0.99", "1", "1.01", "1.1", "2", "9.5",
    "10",
    "12", "12.005", "12.05", "12.5", "12.51", "20", "99.99", "100", "123456789012345678901234567890.12345678", "9e127",
  ]

  @Test func `text sorts as the numbers do`() throws {
    let texts = try Self.ascending.map { number -> [UInt8] in
      let decimal = try #require(Decimal(string: number))
      let stored = decimal.storedValue
      #expect(Decimal(storedValue: stored) == decimal, Comment(rawValue: number))
      guard case .text(let text) = stored else { throw CocoaError(.coderInvalidValue) }
      return Array(text.utf8)
    }
    for (left, right) in zip(texts, texts.dropFirst()) {
      #expect(left.lexicographicallyPrecedes(right), "\(String(decoding: left, as: UTF8.self))")
    }
  }

  @Test func `one number is one text`() {
    for spellings in [["1.50", "1.5", "15e-1", "0001.5"], ["100", "1e2", "100.000"], ["0", "-0", "0.00", "0e5"]] {
      let texts = spellings.map { Decimal(string: $0)?.storedValue }
      #expect(Set(texts).count == 1, "\(texts)")
    }
    #expect(Decimal(string: "12.5")?.storedValue == .text("002=12.5"))
    #expect(Decimal(string: "-12.5")?.storedValue == .text("-997 87.4=-12.5"))
    #expect(Decimal(0).storedValue == .text("000=0"))
    #expect(Decimal(string: "-0.5")?.storedValue == .text("-999 9.4=-0.5"))
    #expect(Decimal.nan.storedValue == .null)
  }

  @Test func `other texts are no decimals`() {
    for text in ["", "12.5", "002=", "002=abc", "002=1e5", "002=1 2", "=0x1"] {
      #expect(Decimal(storedValue: .text(text)) == nil, Comment(rawValue: text))
    }
    #expect(Decimal(storedValue: .integer(1)) == nil)
    #expect(Decimal(storedValue: .null) == nil)
  }

  @Test func `random numbers sort and read back`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(state: seed)
    var numbers: [(decimal: Decimal, text: [UInt8])] = []
    for _ in 0..<2000 {
      let exponent =
        Bool.random(using: &random) ? Int.random(in: -4...3, using: &random) : .random(in: -128...100, using: &random)
      var decimal = Decimal(
        sign: Bool.random(using: &random) ? .plus : .minus, exponent: exponent,
        significand: Decimal(UInt64.random(in: 0...(1 << UInt64.random(in: 0...63, using: &random)), using: &random)))
      if decimal == 0 { decimal = 0 }
      guard case .text(let text) = decimal.storedValue else {
        Issue.record("seed \(seed): \(decimal) has no text")
        continue
      }
      #expect(Decimal(storedValue: .text(text)) == decimal, "seed \(seed): \(decimal)")
      numbers.append((decimal, Array(text.utf8)))
    }
    let byText = numbers.sorted { $0.text.lexicographicallyPrecedes($1.text) }
    for (left, right) in zip(byText, byText.dropFirst()) {
      #expect(left.decimal <= right.decimal, "seed \(seed): \(left.decimal), \(right.decimal)")
      #expect((left.text == right.text) == (left.decimal == right.decimal), "seed \(seed): \(left.decimal)")
    }
  }
}
