import EntityJSON
import Foundation
import TestSupport
import Testing

@Suite struct JSONWriterTests {
  private func text(_ value: JSONValue, _ format: JSONFormat = .compact) -> String {
    String(decoding: value.data(format: format), as: UTF8.self)
  }

  // MARK: Scalars

  @Test func `numbers that are made`() {
    let doubles: [(Double, String)] = [
      (0, "0"), (-0.0, "-0"), (1, "1"), (-5, "-5"), (0.1, "0.1"), (1.5, "1.5"), (1e15, "1000000000000000"),
      (1e16, "1e+16"),
      (1e300, "1e+300"), (1e-7, "1e-07"), (.leastNonzeroMagnitude, "5e-324"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
      (1 / 3, "0.3333333333333333"), (9_007_199_254_740_992, "9007199254740992"),
    ]
    for (double, text) in doubles {
      #expect(self.text(JSONValue(double)) == text)
      #expect(JSONValue(double).double?.bitPattern == double.bitPattern)
    }
    #expect(JSONValue(Double.nan).isNull)
    #expect(JSONValue(-Double.infinity).isNull)
    for lexeme in [
      "1.10", "0", "-12345678901234567890.12345678901234567", "1e-100", "1e100",
      "340282366920938463463374607431768211455",
    ] {
      let decimal = try? parse(lexeme).decimal
      #expect(decimal.flatMap { JSONValue($0).decimal } == decimal)
      #expect(decimal != nil)
    }
    #expect(JSONValue(Decimal.nan).isNull)
    #expect(text(JSONValue(UInt64.max)) == "18446744073709551615")
  }

  @Test func `numbers that came keep their digits`() throws {
    let source = "[1.0,1E5,-0,0.10,123456789012345678901234567890]"
    #expect(text(try parse(source)) == source)
  }

  @Test func `escapes are written as JSON has them`() throws {
    #expect(text("\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é😀") == #""\"\\/\b\f\n\r\t\u0000\u001f"# + "\u{7f}é😀\"")
    #expect(text("") == #""""#)
    for byte in UInt8(0)..<0x20 {
      let escape = [8: "b", 9: "t", 10: "n", 12: "f", 13: "r"][byte]
      let digits = String(byte, radix: 16)
      #expect(
        text(JSONValue(String(Unicode.Scalar(byte))))
          == "\"\\\(escape ?? "u" + String(repeating: "0", count: 4 - digits.count) + digits)\"")
    }
    #expect(text(try parse(#""\u0061\/\u00e9\ud83d\ude00\u001F""#)) == "\"a/é😀\\u001f\"")
    // Two bytes of the separators begin other characters too.
    let separators = "a\u{2028}b\u{2029}c\u{2027}\u{202A}\u{20AC}\u{1F4A8}"
    #expect(text(JSONValue(separators)) == "\"\(separators)\"")
    let escaped = text(JSONObject([separators: 1]).value, JSONFormat(escapesLineSeparators: true))
    #expect(escaped == "{\"a\\u2028b\\u2029c\u{2027}\u{202A}\u{20AC}\u{1F4A8}\":1}")
    #expect(try parse(escaped).object?.keys == [separators])
  }

  // MARK: Containers

  @Test func `JSON is written compact and pretty`() throws {
    let value = try parse(#" { "b" : [ 1 , { } , [ ] , "x" ] , "a" : { "c" : null } } "#)
    #expect(text(value) == #"{"b":[1,{},[],"x"],"a":{"c":null}}"#)
    #expect(text(value, .sorted) == #"{"a":{"c":null},"b":[1,{},[],"x"]}"#)
    #expect(
      text(value, .pretty)
        == """
        {
          "b": [
            1,
            {},
            [],
            "x"
          ],
          "a": {
            "c": null
          }
        }
        """)
    #expect(text([], .pretty) == "[]")
    #expect(text([:], .pretty) == "{}")
    #expect(text(1, .pretty) == "1")
  }

  @Test func `keys are sorted by their bytes`() throws {
    let value = try parse(
      #"{"b":1,"a":2,"é":3,"":4,"B":5,"\n":6,"a\u0000":7,"\ud83d\ude00":8,"\uffff":9,"10":10,"9":11}"#)
    #expect(
      try parse(text(value, .sorted)).object?.keys == ["", "\n", "10", "9", "B", "a", "a\0", "b", "é", "\u{ffff}", "😀"])
  }

  @Test func `the last of duplicate keys is written where keys are sorted`() throws {
    let value = try parse(#"{"a":1,"b":2,"\u0061":3}"#)
    #expect(text(value, .sorted) == #"{"a":3,"b":2}"#)
    #expect(try parse(text(value)) == value)
  }

  @Test func `nesting costs no stack`() {
    var text = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    var value = (try? parse(text)) ?? nil
    for _ in 0..<200 { value = [value] }
    text = String(repeating: "[", count: 700) + String(repeating: "]", count: 700)
    #expect(self.text(value) == text)
    #expect(self.text(value, .sorted) == text)
  }

  // MARK: Random values

  private static let texts = [
    "", "a", "key", "é", "e\u{301}", "😀", "\"", "\\", "/", "\n", "\u{1}", "\u{7f}", "\u{2028}", "a b", "日本語", "10", "9",
    "B", "_",
  ]

  indirect enum Sample: Encodable, Equatable {
    case null, bool(Bool), integer(Int64), unsigned(UInt64), double(Double), string(String), array([Sample]), object(
      [String: Sample])

    static func random(_ generator: inout SeededRandom, depth: Int = 0) -> Sample {
      switch Int.random(in: 0..<(depth > 4 ? 6 : 10), using: &generator) {
      case 0: return .null
      case 1: return .bool(.random(using: &generator))
      case 2:
        let bits = Int.random(in: 0..<64, using: &generator)
        return .integer(Int64.random(in: .min ... .max, using: &generator) >> bits)
      case 3: return .unsigned(UInt64.random(in: 0 ... .max, using: &generator))
      case 4:
        let double = Double(bitPattern: generator.next())
        return .double(double.isFinite ? double : 0.5)
      case 5, 6: return .string(text(&generator))
      case 7, 8:
        return .array((0..<Int.random(in: 0..<5, using: &generator)).map { _ in random(&generator, depth: depth + 1) })
      default:
        return .object(
          (0..<Int.random(in: 0..<6, using: &generator)).reduce(into: [:]) { fields, _ in
            fields[text(&generator)] = random(&generator, depth: depth + 1)
          })
      }
    }

    private static func text(_ generator: inout SeededRandom) -> String {
      (0..<Int.random(in: 0..<4, using: &generator)).map { _ in texts.randomElement(using: &generator) ?? "" }.joined()
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .bool(let value): try container.encode(value)
      case .integer(let value): try container.encode(value)
      case .unsigned(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .array(let value): try container.encode(value)
      case .object(let value): try container.encode(value)
      }
    }

    var value: JSONValue {
      switch self {
      case .null: .null
      case .bool(let value): JSONValue(value)
      case .integer(let value): JSONValue(value)
      case .unsigned(let value): JSONValue(value)
      case .double(let value): JSONValue(value)
      case .string(let value): JSONValue(value)
      case .array(let values): JSONValue(values.map(\.value))
      case .object(let values): JSONObject(values.mapValues(\.value)).value
      }
    }
  }

  @Test func `a written text reads back the same`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededRandom(state: seed)
    for _ in 0..<1000 {
      let value = Sample.random(&generator).value
      for sortsKeys in [false, true] {
        for isPretty in [false, true] {
          for escapes in [false, true] {
            let format = JSONFormat(sortsKeys: sortsKeys, isPretty: isPretty, escapesLineSeparators: escapes)
            let data = value.data(format: format)
            let read = try JSONValue(parsing: data)
            #expect(read == value, "seed \(seed)")
            #expect(read.data(format: format) == data, "seed \(seed)")
          }
        }
      }
    }
  }

  @Test func `bytes are those of JSONEncoder`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededRandom(state: seed)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for _ in 0..<2000 {
      let sample = Sample.random(&generator)
      let theirs = try encoder.encode(sample)
      #expect(text(sample.value, .sorted) == String(decoding: theirs, as: UTF8.self), "seed \(seed)")
    }
  }
}
