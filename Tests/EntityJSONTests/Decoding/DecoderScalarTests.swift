import EntityJSON
import Foundation
import Testing

/// `JSONValueDecoder` held against `JSONDecoder`: every primitive with every kind of value, at its borders and beyond.
@Suite struct DecoderScalarTests {
  static let integers = [
    "0", "-0", "1", "-1", "5.0", "5.50", "-5.0", "0.0", "1e2", "1E+2", "1.5e1", "15e-1", "10e-1", "100e-2", "1e-1",
    "127", "128", "-128", "-129", "255", "256", "32767", "32768", "-32768", "-32769", "65535", "65536", "2147483647",
    "2147483648", "-2147483648", "-2147483649", "4294967295", "4294967296", "9007199254740991", "9007199254740992",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e18", "123456789012345678",
  ]
  static let huge = [
    "9223372036854775808", "-9223372036854775809", "18446744073709551616", "1e19", "1e30", "1e308",
    "170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
    "-170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
    "340282366920938463463374607431768211455", "340282366920938463463374607431768211456",
    "100000000000000000000000000000000000000000",
  ]
  static let fractions = [
    "0.1", "0.2", "0.3", "1.1", "-2.5", "3.141592653589793", "2.718281828459045235360287", "1e-5",
    "1.7976931348623157e308",
    "2.2250738585072014e-308", "4.9e-324", "5e-324", "1e-323", "3.4028234663852886e38", "1.17549435e-38", "1.4e-45",
    "16777217", "16777217.0000001", "0.1e1", "123456.789e3", "1.0000000596046447753906251",
    "1.0000000596046447753906249",
    "9007199254740993", "9007199254740992.9999999", "0.000001", "12345678901234567890.5", "1.7976931348623158e308",
  ]
  static let outOfRange = [
    "1e309", "-1e309", "1e400", "-1e400", "1e9999", "1e-400", "-1e-400", "2e-324", "1e-46", "0e-400", "-0.0e9999",
  ]
  static let others = [
    "null", "true", "false", "\"\"", "\"a\"", "\"é😀\"", "\"a\\u00e9\\n\\ud83d\\ude00\"", "\"12\"", "\"true\"", "[]",
    "{}",
    "[1]", "[null]", "{\"a\":1}", "[[]]", " 1 ", "\n\"x\"\t", "\"NaN\"", "\"inf\"",
  ]
  static let everything = integers + huge + fractions + others

  @Test func `texts of every kind as every primitive`() {
    let small = Self.integers + Self.others + ["0.1", "1e-5", "3.5e38"]
    expectLikeFoundation(Bool.self, Self.everything)
    expectLikeFoundation(String.self, Self.everything)
    expectLikeFoundation(Int8.self, small)
    expectLikeFoundation(Int16.self, small)
    expectLikeFoundation(Int32.self, small)
    expectLikeFoundation(Int64.self, Self.everything)
    expectLikeFoundation(Int.self, Self.everything)
    // Foundation takes numbers with an exponent through Double.
    expectLikeFoundation(Int128.self, Self.everything, differing: ["1e30"])
    expectLikeFoundation(UInt8.self, small)
    expectLikeFoundation(UInt16.self, small)
    expectLikeFoundation(UInt32.self, small)
    expectLikeFoundation(UInt64.self, Self.everything)
    expectLikeFoundation(UInt.self, Self.everything)
    expectLikeFoundation(UInt128.self, Self.everything, differing: ["1e30", "3.4028234663852886e38"])
    expectLikeFoundation(Double.self, Self.everything + Self.outOfRange)
    expectLikeFoundation(Float.self, Self.everything + Self.outOfRange)
    // Foundation cuts off digits that a Decimal can't hold, and refuses some zeros.
    expectLikeFoundation(
      Decimal.self, Self.everything + Self.outOfRange,
      differing: ["340282366920938463463374607431768211456", "0e-400", "-0.0e9999"])
    expectLikeFoundation(Date.self, Self.everything)
    expectLikeFoundation(Data.self, Self.everything)
    expectLikeFoundation(URL.self, Self.everything)
    expectLikeFoundation(UUID.self, Self.everything)
  }

  @Test func `scalars are decoded as by Foundation in optionals, arrays and objects`() {
    func wrapped<T: Codable & Equatable>(_ type: T.Type) {
      let texts = Self.integers + Self.others + ["0.1", "1e-5"]
      expectLikeFoundation(T?.self, texts)
      expectLikeFoundation(T??.self, texts)
      expectLikeFoundation([T].self, texts + texts.map { "[\($0)]" } + texts.map { "[1,\"a\",true,null,\($0)]" })
      expectLikeFoundation([T?].self, texts.map { "[\($0)]" } + ["[null,null]"])
      expectLikeFoundation([[T]].self, texts.map { "[[],[\($0)]]" } + texts)
      expectLikeFoundation([String: T].self, texts.map { "{\"k\":\($0)}" } + texts)
      expectLikeFoundation([String: T?].self, texts.map { "{\"k\":\($0)}" } + texts)
      expectLikeFoundation([String: [T]].self, texts.map { "{\"k\":[\($0)]}" } + texts)
      expectLikeFoundation(Field<T>.self, texts.map { "{\"v\":\($0)}" } + texts + ["{\"w\":1}"])
      expectLikeFoundation(OptionalField<T>.self, texts.map { "{\"v\":\($0)}" } + texts + ["{\"w\":1}"])
      expectLikeFoundation([Field<T>].self, texts.map { "[{\"v\":\($0)}]" } + texts)
      expectLikeFoundation([OptionalField<T>].self, texts.map { "[{},{\"w\":[{}],\"v\":\($0)}]" })
      expectLikeFoundation(
        Field<Field<T>>.self, texts.map { "{\"v\":{\"v\":\($0)}}" } + ["{\"v\":null}", "{\"v\":{}}"])
      expectLikeFoundation(ByHand<T>.self, texts.map { "[\($0)]" } + texts.map { "[1,\($0)]" } + texts)
    }
    wrapped(Bool.self)
    wrapped(String.self)
    wrapped(Int.self)
    wrapped(Int8.self)
    wrapped(Int16.self)
    wrapped(Int32.self)
    wrapped(Int64.self)
    wrapped(UInt.self)
    wrapped(UInt8.self)
    wrapped(UInt16.self)
    wrapped(UInt32.self)
    wrapped(UInt64.self)
    wrapped(Double.self)
    wrapped(Float.self)
    wrapped(Decimal.self)
    wrapped(Date.self)
    wrapped(Data.self)
    wrapped(URL.self)
    wrapped(UUID.self)
    wrapped(Kind.self)
  }

  struct Field<T: Codable & Equatable>: Codable, Equatable { var v: T }
  struct OptionalField<T: Codable & Equatable>: Codable, Equatable { var v: T? }
  enum Kind: String, Codable { case a, empty = "" }

  /// Reads elements through the container by hand, a second time after an error.
  struct ByHand<T: Decodable & Equatable>: Decodable, Equatable {
    var first: String
    var second: T?
    var rest: Int
    var atEnd: String

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      let before = container.currentIndex
      do { first = "\(try container.decode(T.self))" } catch let error as DecodingError {
        first = "\(describe(error)), at \(before) then \(container.currentIndex)"
      }
      second = try container.isAtEnd ? nil : container.decodeIfPresent(T.self)
      rest = (container.count ?? -1) - container.currentIndex
      if container.isAtEnd {
        atEnd =
          Outcome { "\(try container.decodeNil())" }.error + Outcome { try container.decodeIfPresent(T.self) }.error
      } else {
        atEnd = "no"
      }
    }
  }
}
