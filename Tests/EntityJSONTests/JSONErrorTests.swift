import EntityJSON
import Foundation
import Testing

/// The place that an error names.
@Suite struct JSONErrorTests {
  @Test(arguments: [
    ("[1,\n 2,\n x]", 3, 2, 9, "[2]"), ("[1,\r\n 2,\r\n x]", 3, 2, 11, "[2]"), ("[1,\r 2,\r x]", 3, 2, 9, "[2]"),
    ("x", 1, 1, 0, ""), ("", 1, 1, 0, ""), ("{\"a\": [{\"b\": nope}]}", 1, 15, 14, "a[0].b"),
    ("{\"users\": [1, 2, 3, {\"address\": {\"city\": 01}}]}", 1, 43, 42, "users[3].address.city"),
    ("[\"é日😀\", x]", 1, 9, 14, "[1]"), ("{\"a\": 1, \"b\" 2}", 1, 14, 13, "b"), ("{\"a\": 1, 2}", 1, 10, 9, "a"),
    ("{\"a.b\": {\"\": {\"c[0]\": [x", 1, 24, 23, "[\"a.b\"][\"\"][\"c[0]\"][0]"),
    ("[[],[[],[x", 1, 10, 9, "[1][1][0]"),
    ("{\"a\": {\"b\": 1}, \"c\": {\"d\": [2, {}], \"e\": x", 1, 42, 41, "c.e"), ("{\"k\\u0041\": x", 1, 13, 12, "kA"),
    ("{x", 1, 2, 1, ""), ("[1] x", 1, 5, 4, ""), ("{\"q\\\"\\n\": x", 1, 11, 10, "[\"q\\\"\\n\"]"),
    ("{\"\u{7F}\": x", 1, 7, 6, "[\"\u{7F}\"]"),
  ])
  func `an error has its place`(text: String, line: Int, column: Int, offset: Int, keyPath: String) throws {
    let error = try #require(refusal(text))
    #expect(error.line == line)
    #expect(error.column == column)
    #expect(error.offset == offset)
    #expect(error.keyPath == keyPath)
  }

  @Test(arguments: [
    ("[1 2]", "expected ',' or ']', found '2'"), ("{\"a\" 1}", "expected ':' after the key, found '1'"),
    ("{\"a\":1 ", "expected ',' or '}', found the end of the text"), ("[1,]", "expected a value, found ']'"),
    ("{\"a\":1,}", "expected a key in quotes after ',', found '}'"),
    ("{1", "expected a key in quotes or '}', found '1'"),
    ("trUe", "expected true, found 'U'"), ("01", "a number does not begin with 0 and another digit"),
    ("-", "expected a digit after '-', found the end of the text"), ("[\u{1}]", "expected a value, found byte 0x01"),
    ("['a']", "expected a value, found \"'\""), ("\"\\q\"", "expected one of \"\\/bfnrtu after '\\', found 'q'"),
    ("1 2", "expected nothing more after the value, found '2'"),
  ])
  func `a message is clear`(text: String, message: String) { #expect(refusal(text)?.message == message) }

  @Test func `the description of an error has the place, the kind and the text that was found`() {
    #expect(
      refusal("{\"users\": [\n{\"id\": 1,}]}")?.description
        == "JSON line 2, column 10 (byte 21), at users[0].id: expected a key in quotes after ',', found '}'")
    #expect(
      refusal("[1")?.description
        == "JSON line 1, column 3 (byte 2), at [0]: expected ',' or ']', found the end of the text")
    #expect(refusal("")?.description == "JSON line 1, column 1 (byte 0): the text is empty")
  }

  @Test func `description is bounded`() throws {
    let secret = String(repeating: "s3cret", count: 10000)
    let longKey = try #require(refusal("{\"\(secret)\": [\"\(secret)\" x"))
    #expect(longKey.description.count < 300)
    let nested = String(repeating: "{\"someKey\": [", count: 200)
    let deep = try #require(refusal(nested + "x"))
    #expect(deep.keyPath.count == 200)
    #expect(deep.keyPath.hasPrefix("someKey[0].someKey[0]"))
    #expect(deep.keyPath.hasSuffix(".someKey[0]"))
    #expect(deep.description.count < 400)
    let body = try #require(refusal("[\"\(secret)\" x"))
    #expect(!body.description.contains("s3cret"))
  }

  // MARK: Long texts

  /// Lines and columns are counted in blocks; a line break or a character may be split between two.
  @Test func `lines and columns of long texts`() throws {
    for edge in [16, 4080, 8160] {
      for ending in ["\n", "\r", "\r\n", "\n\r", "\r\r\n\n"] {
        for start in edge - 4...edge + 2 {
          for rest in [0, 3, 5000] {
            expectPlace(
              "[" + String(repeating: " ", count: start - 1) + ending + String(repeating: "\t", count: rest) + "x")
          }
        }
      }
      // A character of three bytes over the edge.
      for start in edge - 4...edge + 2 {
        expectPlace("[\n\"" + String(repeating: "a", count: start - 3) + "日é\", x")
      }
    }
    for filling in ["\n", "\r", "\r\n", " \r\n", "\n\r\n"] {
      for count in [5000, 8193] { expectPlace("[" + String(repeating: filling, count: count) + " x") }
    }
    expectPlace("[\"" + String(repeating: "é", count: 10_000) + "\", x")
  }

  /// Expects the place of the last byte of a text, which is wrong there.
  private func expectPlace(_ text: String, _ location: SourceLocation = #_sourceLocation) {
    var (line, column) = (1, 1)
    var previous: Unicode.Scalar = " "
    for scalar in text.unicodeScalars.dropLast() {
      if scalar == "\n", previous == "\r" {
        // Counted with the CR.
      } else if scalar == "\n" || scalar == "\r" {
        (line, column) = (line + 1, 1)
      } else {
        column += 1
      }
      previous = scalar
    }
    let error = refusal(text)
    #expect(error?.offset == text.utf8.count - 1, sourceLocation: location)
    #expect(error?.line == line, sourceLocation: location)
    #expect(error?.column == column, sourceLocation: location)
  }

  // MARK: Limits

  @Test func `the depth is limited`() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    _ = try parse(nested(512))
    let error = try #require(refusal(nested(513)))
    #expect(error.kind == .tooDeep)
    #expect(error.offset == 512)
    #expect(refusal("[{\"a\": []}]", limits: JSONLimits(depth: 2))?.keyPath == "[0].a")
    #expect(refusal("[{\"a\": 1}]", limits: JSONLimits(depth: 2)) == nil)
    #expect(refusal("1", limits: JSONLimits(depth: 0)) == nil)
    #expect(refusal("[]", limits: JSONLimits(depth: 0))?.kind == .tooDeep)
    // Depth counts open containers, not closed ones.
    _ = try parse("[" + String(repeating: "[[]],", count: 1000) + "1]", limits: JSONLimits(depth: 3))
  }

  @Test func `a million brackets are refused without recursion`() {
    #expect(refusal([UInt8](repeating: 0x5B, count: 1_000_000))?.kind == .tooDeep)
    #expect(refusal(String(repeating: "{\"a\":", count: 1_000_000))?.kind == .tooDeep)
  }

  @Test func `an allowed depth of a hundred thousand works`() throws {
    let depth = 100_000
    let bytes = [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
    let limits = JSONLimits(depth: .max)
    let value = try JSONValue(parsing: Data(bytes), limits: limits)
    let again = try JSONValue(parsing: Data(bytes), limits: limits)
    #expect(value == again)
    #expect(value.description == String(repeating: "[", count: 500) + "…")
    #expect(refusal(Array(bytes.dropLast()), limits: limits)?.kind == .unexpectedEnd)
  }

  @Test func `bytes that are not UTF-8 are an error`() {
    #expect(refusal("[1,2]", limits: JSONLimits(bytes: 5)) == nil)
    #expect(refusal("[1,2] ", limits: JSONLimits(bytes: 5))?.kind == .tooLarge)
  }

  @Test func `the number of nodes is limited`() {
    #expect(refusal("{\"a\": [1, 2]}", limits: JSONLimits(nodes: 4)) == nil)
    #expect(refusal("{\"a\": [1, 2, 3]}", limits: JSONLimits(nodes: 4))?.kind == .tooManyNodes)
    #expect(refusal("{\"a\": [1, 2, 3]}", limits: JSONLimits(nodes: 4))?.keyPath == "a[2]")
  }

  @Test func `a top level that is no object is an error`() throws {
    #expect(try JSONObject(parsing: Data("{\"a\": 1}".utf8))["a"]?.int64 == 1)
    for (text, offset) in [(" [1]", 1), ("\n\n\"s\"", 2), ("5", 0)] {
      let error = #expect(throws: JSONError.self) { try JSONObject(parsing: Data(text.utf8)) }
      #expect(error?.kind == .notAnObject)
      #expect(error?.offset == offset)
    }
    let error = #expect(throws: JSONError.self) { try JSONObject(parsing: Data("[1]".utf8)) }
    #expect(error?.message == "expected an object at the top level, found '['")
  }

  @Test func `an object with a key twice is refused where asked`() throws {
    let data = Data("{\"a\": 1, \"a\": 2}".utf8)
    #expect(try JSONObject(parsing: data)["a"]?.int64 == 2)
    let error = #expect(throws: JSONError.self) { try JSONObject(parsing: data, duplicateKeys: .refused) }
    #expect(error?.kind == .duplicateKey)
    #expect(error?.offset == 9)
  }

  @Test func `a slice of data is read from its own start`() throws {
    let data = Data("xxxx[1, 2]yy".utf8)
    #expect(try JSONValue(parsing: data[4..<10]).array?.count == 2)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: data[4..<11]) }
    #expect(error?.offset == 6)
  }
}
