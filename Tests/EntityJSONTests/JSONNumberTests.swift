import EntityJSON
import Foundation
import TestSupport
import Testing

/// Numbers are read exactly from their lexemes.
@Suite struct JSONNumberTests {
  @Test(
    arguments: [
      ("0", 0, 0), ("-0", 0, 0), ("-0.0e5", 0, 0), ("5", 5, 5), ("5.0", 5, 5), ("5e0", 5, 5), ("0.1e1", 1, 1),
      ("50e-1", 5, 5), ("-5.00", -5, nil), ("1e2", 100, 100), ("1.5e1", 15, 15), ("0e999999999999", 0, 0),
      ("0.000e-99999999999999999999999999", 0, 0), ("5.5", nil, nil), ("1e-1", nil, nil), ("1e-400", nil, nil),
      ("9223372036854775807", Int64.max, 9_223_372_036_854_775_807), ("-9223372036854775808", Int64.min, nil),
      ("9223372036854775808", nil, 9_223_372_036_854_775_808), ("-9223372036854775809", nil, nil),
      ("9.223372036854775807e18", Int64.max, 9_223_372_036_854_775_807), ("-9.223372036854775808e18", Int64.min, nil),
      ("18446744073709551615", nil, UInt64.max), ("18446744073709551615.0", nil, UInt64.max),
      ("18446744073709551616", nil, nil), ("1e19", nil, 10_000_000_000_000_000_000),
      ("1e18", 1_000_000_000_000_000_000, 1_000_000_000_000_000_000),
      ("1e20", nil, nil), ("1e400", nil, nil), ("1e999999999999", nil, nil), ("-1e999999999999", nil, nil),
      ("1e-999999999999", nil, nil), ("1e99999999999999999999999999999999", nil, nil),
      ("1e-99999999999999999999999999999999", nil, nil),
      ("9007199254740993", 9_007_199_254_740_993, 9_007_199_254_740_993),
      ("9007199254740993.0", 9_007_199_254_740_993, 9_007_199_254_740_993),
      ("1000000000000000000000e-20", 10, 10), ("0.00000000000000000000000001e26", 1, 1),
      ("123456789012345678", 123_456_789_012_345_678, 123_456_789_012_345_678),
    ] as [(String, Int64?, UInt64?)])
  func `integers are read`(lexeme: String, signed: Int64?, unsigned: UInt64?) throws {
    let value = try parse(lexeme)
    #expect(value.int64 == signed)
    #expect(value.uint64 == unsigned)
    #expect(value.lexeme == lexeme)
  }

  /// An exponent that no machine integer holds, with as many zeros to make up for it as a test can afford.
  @Test func `long lexemes`() throws {
    let zeros = String(repeating: "0", count: 100_000)
    #expect(try parse("1\(zeros)e-100000").int64 == 1)
    #expect(try parse("0.\(zeros)7e100001").int64 == 7)
    #expect(try parse("1\(zeros)").int64 == nil)
    #expect(try parse("1e\(zeros)3").int64 == 1000)
    #expect(try parse("1\(zeros)").double == nil)
    #expect(try parse("1\(zeros)").decimal == nil)
  }

  @Test(
    arguments: [
      ("0", 0.0), ("5", 5), ("0.1", 0.1), ("0.3", 0.3), ("-12.5e+3", -12500),
      ("9007199254740993", 9_007_199_254_740_992),
      ("9007199254740992", 9_007_199_254_740_992), ("1e-400", 0), ("4.9e-324", .leastNonzeroMagnitude),
      ("2.5e-324", .leastNonzeroMagnitude),
      ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
      ("1.7976931348623158e308", Double.greatestFiniteMagnitude),
      ("1e309", nil), ("-1e309", nil), ("1e400", nil), ("1e999999999999", nil), ("1e-999999999999", 0),
      ("1e99999999999999999999999", nil), ("1e22", 1e22), ("1e23", 1e23), ("8.5e-5", 8.5e-5),
      ("2.2250738585072011e-308", Double(bitPattern: 0xF_FFFF_FFFF_FFFF)), ("0.000000000000000001", 1e-18),
      ("179769313486231580793e289", nil), ("18446744073709551616", 0x1p64), ("36893488147419103232.0e-1", 0x1p65 / 10),
    ] as [(String, Double?)])
  func `doubles are read`(lexeme: String, double: Double?) throws { #expect(try parse(lexeme).double == double) }

  @Test func `negative zero keeps its sign in a Double`() throws {
    #expect(try parse("-0").double?.sign == .minus)
    #expect(try parse("-0.0e5").double?.sign == .minus)
    #expect(try parse("-1e-400").double?.sign == .minus)
  }

  /// The fast path rounds as the standard library does.
  @Test func `doubles are correctly rounded`() throws {
    var generator = SeededRandom(state: 1)
    for _ in 0..<5000 {
      var digits = String(UInt64.random(in: 0...(1 << UInt64.random(in: 1...62)), using: &generator))
      let point = Int.random(in: 0...digits.count, using: &generator)
      if point > 0, point < digits.count { digits.insert(".", at: digits.index(digits.startIndex, offsetBy: point)) }
      #expect(try parse(digits).double == Double(digits))
    }
  }

  @Test func `doubles with exponents are correctly rounded`() throws {
    var generator = SeededRandom(state: 4)
    for _ in 0..<20_000 {
      let digits = UInt64.random(in: 1 ... .max, using: &generator) >> UInt64.random(in: 0..<60, using: &generator)
      let lexeme = "\(digits)e\(Int.random(in: -64...64, using: &generator))"
      #expect(try parse(lexeme).double == Double(lexeme), "\(lexeme)")
    }
    // In the middle between two Doubles, and beside it.
    for _ in 0..<2000 {
      let middle = UInt64.random(in: 1 << 53..<1 << 54, using: &generator) | 1
      for shift in UInt64(0)...3 {
        let fraction = ["", ".0", ".5", ".25", ".125"][Int(shift) + 1]
        let whole = "\(middle >> shift)" + (shift == 0 || middle & (1 << shift - 1) == 1 ? fraction : ".75")
        for lexeme in [whole, whole + "0000000000000001", "\(middle)e\(shift)", "\(middle)e-\(shift)"] {
          #expect(try parse(lexeme).double == Double(lexeme), "\(lexeme)")
        }
      }
    }
  }

  /// Numbers just above the middle between two Doubles, after one step and after two, whose error is still in doubt.
  @Test(arguments: [
    "8364556835725646903e16", "5114402519175503556e9", "2657593390988643980e-12", "8757351686054583297e-15",
    "5199661639078797348e-38", "9983309851365271707e-45", "4426279363852601533e34", "6321087076253015511e42",
    "9840233776409297534e-50", "6604297135506410120e-34", "2008899110617671040e52", "7063664832579338373e53",
    "9665970427616173708e-46", "7408126676144928013e-32", "1049134401678901389e46", "7074837293925589425e-39",
  ])
  func `doubles above the middle are rounded up`(lexeme: String) throws {
    #expect(try parse(lexeme).double == Double(lexeme))
    #expect(try parse("-\(lexeme)").double == Double("-\(lexeme)"))
  }

  @Test(arguments: [
    "0", "1", "-1", "0.1", "-0.30", "123456789.123456789", "1e127", "1e-128", "100e-130", "9007199254740993",
    "18446744073709551615", "18446744073709551616", "-18446744073709551617.5", "12345678901234567890123456789012345678",
    "340282366920938463463374607431768211455", "0.00000000000000000000000000000000000001", "5.0", "25e-2", "1e20",
    "99999999999999999999999999999999999999e89", "1234567890123456789012345678901234567890",
  ])
  func `decimals are exact`(lexeme: String) throws {
    let decimal = try #require(try parse(lexeme).decimal)
    // Foundation writes a Decimal in full.
    #expect(try parse(decimal.description) == parse(lexeme), "\(decimal)")
    #expect(decimal.isFinite)
  }

  @Test(arguments: [
    "1e-129", "1e400", "1e-400", "1e999999999999", "340282366920938463463374607431768211456",
    "12345678901234567890123456789012345678901", "1e128", "34e164", "0.3333333333333333333333333333333333333333333",
    "1.5e-128",
    "1e99999999999999999999999999",
  ])
  func `decimals that are not exact are refused`(lexeme: String) throws { #expect(try parse(lexeme).decimal == nil) }

  @Test func `decimals at random`() throws {
    var generator = SeededRandom(state: 2)
    for _ in 0..<2000 {
      let high = UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0..<64, using: &generator)
      let magnitude = UInt128(high) << 64 | UInt128(UInt64.random(in: 0...UInt64.max, using: &generator))
      let lexeme = "\(magnitude)e\(Int.random(in: -80...80, using: &generator))"
      let decimal = try #require(try parse(lexeme).decimal)
      #expect(try parse(decimal.description) == parse(lexeme))
    }
  }

  @Test func `JSON of other kinds is no number`() throws {
    for text in ["\"5\"", "true", "null", "[5]", "{}"] {
      let value = try parse(text)
      #expect(value.int64 == nil)
      #expect(value.uint64 == nil)
      #expect(value.double == nil)
      #expect(value.decimal == nil)
      #expect(value.lexeme == nil)
    }
    #expect(try parse("1").bool == nil)
    #expect(try parse("1").string == nil)
  }

  @Test(arguments: [
    ("5", "5.0", true), ("5", "0.5e1", true), ("0", "-0", true), ("0", "0e99999999999999999999999", true),
    ("1", "-1", false), ("1", "10", false), ("1e400", "10e399", true), ("1e400", "1e401", false),
    ("9007199254740993", "9007199254740992", false), ("1e99999999999999999999", "1e99999999999999999999", true),
    ("10e9223372036854775807", "0.1e-9223372036854775807", false),
    ("1e99999999999999999999", "1e99999999999999999998", false), ("0.1", "0.10", true),
  ])
  func `numbers are equal where their values are`(left: String, right: String, isEqual: Bool) throws {
    #expect((try parse(left) == parse(right)) == isEqual)
  }
}
