import EntityJSON
import Foundation
import Testing

/// The grammar of RFC 8259, rule by rule.
@Suite struct JSONGrammarTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "7", "\"\"", "\"a\"", "[]", "{}", " \t\r\n[ \t\r\n] \t\r\n",
    "{ \"a\" : 1 , \"b\":[] }",
    "[1,2]", "[[],{}]", "{\"\":0}", "{\"a\":{\"a\":{}}}", "[[[[[]]]]]", "[null,true,false]",
  ])
  func `valid JSON is accepted`(text: String) throws { _ = try parse(text) }

  @Test(arguments: [
    "0", "-0", "1", "-1", "10", "1.0", "0.0", "-0.5", "1e1", "1E1", "1e+1", "1e-1", "1.25e10", "0e0", "0E+00", "1e01",
    "123456789012345678901234567890", "0.00000000000000000000000000000000000000000000001", "1e999999999999",
  ])
  func `a valid number is accepted`(text: String) throws {
    #expect(try parse(text).lexeme == text)
    #expect(try parse("[\(text)]").array?[0]?.lexeme == text)
    #expect(try parse("{\"n\": \(text) }")["n"]?.lexeme == text)
  }

  @Test(arguments: [
    ("00", JSONError.Kind.invalidNumber), ("01", .invalidNumber), ("-01", .invalidNumber), ("-00.5", .invalidNumber),
    ("-x", .invalidNumber), ("1.x", .invalidNumber), ("1.e1", .invalidNumber), ("1ex", .invalidNumber),
    ("1e+x", .invalidNumber), ("0x10", .trailingContent), ("1_000", .trailingContent), ("1.5.5", .trailingContent),
    ("+1", .unexpectedByte), (".5", .unexpectedByte), ("NaN", .unexpectedByte), ("Infinity", .unexpectedByte),
    ("-Infinity", .invalidNumber), ("--1", .invalidNumber), ("-", .unexpectedEnd), ("1.", .unexpectedEnd),
    ("1e", .unexpectedEnd), ("1e-", .unexpectedEnd), ("1E+", .unexpectedEnd),
  ])
  func `an invalid number is refused`(text: String, kind: JSONError.Kind) { #expect(refusal(text)?.kind == kind) }

  @Test(arguments: [
    ("[1,]", JSONError.Kind.unexpectedByte), ("[,1]", .unexpectedByte), ("[,]", .unexpectedByte),
    ("[1,,2]", .unexpectedByte), ("[1 2]", .unexpectedByte), ("[1}", .unexpectedByte), ("{]", .unexpectedByte),
    ("{\"a\":1,}", .unexpectedByte), ("{,}", .unexpectedByte), ("{\"a\"}", .unexpectedByte),
    ("{\"a\":}", .unexpectedByte),
    ("{\"a\" 1}", .unexpectedByte), ("{\"a\"::1}", .unexpectedByte), ("{\"a\":1 \"b\":2}", .unexpectedByte),
    ("{a:1}", .unexpectedByte), ("{'a':1}", .unexpectedByte), ("{1:1}", .unexpectedByte), ("{null:1}", .unexpectedByte),
    ("{\"a\":1]", .unexpectedByte), ("]", .unexpectedByte), ("}", .unexpectedByte), (",", .unexpectedByte),
    (":", .unexpectedByte), ("'a'", .unexpectedByte), ("[1]]", .trailingContent), ("{}{}", .trailingContent),
    ("1 2", .trailingContent), ("null,", .trailingContent), ("nul", .unexpectedEnd), ("nulL", .unexpectedByte),
    ("Null", .unexpectedByte), ("TRUE", .unexpectedByte), ("truex", .trailingContent), ("undefined", .unexpectedByte),
    ("[", .unexpectedEnd), ("{", .unexpectedEnd), ("[1", .unexpectedEnd), ("[1,", .unexpectedEnd),
    ("{\"a\"", .unexpectedEnd), ("{\"a\":", .unexpectedEnd), ("{\"a\":1", .unexpectedEnd),
    ("{\"a\":1,", .unexpectedEnd),
    ("\"", .unexpectedEnd), ("\"abc", .unexpectedEnd), ("t", .unexpectedEnd),
    ("/* c */ 1", .unexpectedByte), ("// c\n1", .unexpectedByte), ("1 // c", .trailingContent),
    ("# c", .unexpectedByte),
    ("[1 /* c */]", .unexpectedByte),
  ])
  func `invalid JSON is refused`(text: String, kind: JSONError.Kind) { #expect(refusal(text)?.kind == kind) }

  @Test func `empty input has its own error`() {
    #expect(refusal("")?.kind == .emptyInput)
    #expect(refusal("")?.message == "the text is empty")
    #expect(refusal(" \n\t\r ")?.kind == .emptyInput)
    #expect(refusal(" \n\t\r ")?.message == "the text has only whitespace")
  }

  @Test func `byte order marks have their own error`() throws {
    for bytes: [UInt8] in [
      [0xEF, 0xBB, 0xBF, 0x31], [0xFE, 0xFF, 0, 0x31], [0xFF, 0xFE, 0x31, 0], [0xEF, 0xBB, 0xBF],
    ] {
      #expect(refusal(bytes)?.kind == .byteOrderMark)
      #expect(refusal(bytes)?.message.contains("byte order mark") == true)
    }
    // Inside a string it is a character like others.
    #expect(try parse("\"\u{FEFF}\"").string == "\u{FEFF}")
  }

  @Test func `a byte order mark is skipped where the reader asks for that`() throws {
    let limits = JSONLimits(byteOrderMark: .skipped)
    let text = Data("\u{FEFF} {\"a\": 1}".utf8)
    #expect(try JSONValue(parsing: text, byteOrderMark: .skipped)["a"]?.int64 == 1)
    #expect(try JSONObject(parsing: text, byteOrderMark: .skipped)["a"]?.int64 == 1)
    #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(try parse("[1]", limits: limits).array?.count == 1)
    // There is one at most, and places count from the beginning of the bytes.
    #expect(refusal("\u{FEFF}\u{FEFF}1", limits: limits)?.offset == 3)
    #expect(refusal("\u{FEFF}[", limits: limits)?.offset == 4)
    #expect(refusal("\u{FEFF}", limits: limits)?.kind == .emptyInput)
    for bytes: [UInt8] in [[0xFE, 0xFF, 0, 0x31], [0xFF, 0xFE, 0x31, 0]] {
      #expect(refusal(bytes, limits: limits)?.kind == .byteOrderMark)
    }
    // It counts among the bytes.
    #expect(refusal("\u{FEFF}1", limits: JSONLimits(bytes: 3, byteOrderMark: .skipped))?.kind == .tooLarge)
  }

  /// Only the four whitespace bytes of §2 stand between tokens.
  @Test func `whitespace is exact`() {
    for byte in UInt8.min...UInt8.max where byte != 0x22 {  // quotes make it a string
      let bytes: [UInt8] = [0x5B, byte, 0x31, byte, 0x5D]  // [ 1 ]
      let isWhitespace = [0x20, 0x09, 0x0A, 0x0D].contains(byte)
      // A digit before or behind the 1 makes another number.
      let isDigit = (0x31...0x39).contains(byte)
      #expect((refusal(bytes) == nil) == (isWhitespace || isDigit), "byte \(byte)")
    }
    #expect(refusal([0xC2, 0xA0, 0x31])?.kind == .unexpectedByte)  // a no-break space
    #expect(refusal([0xE2, 0x80, 0xA8, 0x31])?.kind == .unexpectedByte)  // a line separator
  }

  @Test func `a zero byte is not the end`() {
    #expect(refusal([0x31, 0])?.kind == .trailingContent)
    #expect(refusal([0])?.kind == .unexpectedByte)
    #expect(refusal([0x22, 0x61, 0, 0x22])?.kind == .controlCharacter)
    #expect(refusal([0x5B, 0, 0x5D])?.kind == .unexpectedByte)
  }

  /// A text cut anywhere is refused, and the bytes behind the cut are not read.
  @Test func `every prefix is refused`() throws {
    let bytes = Array(richDocument.utf8)
    let whole = bytes.count - 1  // the document ends in a line feed
    _ = try parse(bytes)
    for length in 0..<whole - 1 {
      let error = try #require(refusal(Array(bytes[..<length])), "a prefix of \(length) bytes")
      #expect(error.kind == (length == 0 ? .emptyInput : .unexpectedEnd), "a prefix of \(length) bytes")
      #expect(error.offset == length)
    }
  }

  @Test func `values of the rich document`() throws {
    let value = try parse(richDocument)
    #expect(value["users"]?.array?.count == 2)
    let user = try #require(value["users"]?.array?[0])
    #expect(user["id"]?.int64 == 9_007_199_254_740_993)
    #expect(user["name"]?.string == "Zoë é😀 \"q\" \\ / \u{8}\u{C}\n\r\t")
    #expect(user["score"]?.double == -12500)
    #expect(user["ok"]?.bool == true)
    #expect(user["none"]?.isNull == true)
    #expect(user["address.geo.lat"]?.double == 51.75)
    #expect(user["tags"]?.array?.map(\.string) == ["a", "", "日本語", "😀"])
    #expect(user["list"]?.array?.isEmpty == true)
    #expect(user["empty"]?.object?.count == 0)
    #expect(value["a long key, longer than eight bytes"]?.string == "a long value, longer than sixteen bytes")
    #expect(value["a.b"]?.int64 == 1)
  }
}
