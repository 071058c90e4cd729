import EntityJSON
import Foundation
import TestSupport
import Testing

/// Texts that arrive in pieces: the elements, the rest of the text, and the errors are those of the whole.
@Suite struct JSONElementReaderTests {
  // MARK: Elements

  @Test func `elements are handed out as soon as each is complete`() throws {
    var reader = JSONElementReader(elementsAt: "data.users")
    #expect(
      try reader.append(Data("{\"page\": 1, \"data\": {\"users\": [{\"id\": 1}, {\"i".utf8)).map(\.description) == [
        "{\"id\":1}"
      ])
    #expect(try reader.append(Data("d\": 2".utf8)).isEmpty)
    #expect(try reader.append(Data("}".utf8)).map { $0["id"]?.int64 } == [2])
    // A number may go on in the next piece.
    #expect(try reader.append(Data(", 12".utf8)).isEmpty)
    #expect(try reader.append(Data("3, \"é".utf8)).map(\.int64) == [123])
    #expect(try reader.append(Data("\"]}, \"total\": 4}".utf8)).map(\.string) == ["é"])
    let rest = try reader.finish()
    #expect(rest.target == .array)
    #expect(rest.envelope == ["page": 1, "data": ["users": []], "total": 4])
  }

  @Test(arguments: ["[]", " [ ] ", "[1]", "[[], {}, [[1]], \"a\", null, true, -0.5e3]", richArray])
  func `the top level array`(text: String) throws {
    let whole = try parse(text)
    for length in [1, 2, 3, 7, 1000] {
      let read = try Reading(Array(text.utf8), at: nil, pieces: { length }).get()
      #expect(read.elements == Array(whole.array ?? []))
      #expect(read.rest.envelope == [])
      #expect(read.rest.target == .array)
    }
  }

  @Test(arguments: [
    ("{\"a\": 1}", "b", JSONElementReader.Target.nothing), ("{\"a\": 1}", "a", .other(.number)),
    ("{\"a\": {\"b\": null}}", "a.b", .other(.null)), ("{\"a\": [1]}", "a.b", .nothing), ("{}", "a", .nothing),
    ("5", "a", .nothing), ("[1, 2]", "a", .nothing), ("{\"b\": {\"a\": [1]}}", "a", .nothing),
    ("{\"a\": {}}", "a", .other(.object)), ("{\"a\": \"x\"}", "a", .other(.string)),
    ("{\"a\": true}", "a", .other(.bool)), ("{\"a\": {\"b\": [1]}}", "a-b", .nothing),
    ("{\"a\": {\".c\": [1]}}", "ab.c", .nothing),
  ])
  func `a value that is no array is named and kept`(text: String, keyPath: String, target: JSONElementReader.Target)
    throws
  {
    for length in [1, 3, 1000] {
      let read = try Reading(Array(text.utf8), at: keyPath, pieces: { length }).get()
      #expect(read.elements.isEmpty)
      #expect(read.rest.target == target)
      #expect(try read.rest.envelope == parse(text))
    }
  }

  @Test(arguments: [("5", .number), ("{\"a\": 1}", .object), ("null", .null)] as [(String, JSONValue.Kind)])
  func `a top level that is no array is read as a whole`(text: String, kind: JSONValue.Kind) throws {
    let read = try Reading(Array(text.utf8), at: nil, pieces: { 1 }).get()
    #expect(read.rest.target == .other(kind))
    #expect(try read.rest.envelope == parse(text))
  }

  // MARK: The same as whole

  private static let bad = [
    "", " ", "[", "[1", "[1,", "[1 2]", "[1,]", "]", "[}", "[1}", "{\"users\"", "{\"users\" 1",
    "{\"users\": [1, {\"a\" 2}]}",
    "{\"users\": [1, 2}", "{\"users\": [1, 2]", "{\"users\": [1]}}", "{\"users\": [1],}",
    "{\"users\": [], \"x\": [01]}",
    "{\"users\": [{\"address\": {\"city\": 01}}]}", "{\"users\": [\"\\ud800\"]}", "{\"users\": [\"\\ud83d\\u0041\"]}",
    "{\"users\": [\"\u{1}\"]}", "{\"users\": [-]}", "{\"users\": [1.]}", "{\"users\": [1e]}", "{\"users\": [tru]}",
    "{\"users\": [[1,\r\n 2,\r\n x]]}", "[1,\r\n2,\r\n\r\n x]", "{\"users\": [1,\r\n2\r\n,\r\rx",
    "{\"users\": [\"é日😀\", x]}", "{\"users\": [1]} x", "[1] x", "1 2", "trUe",
    "nul",
    "{\"users\": [1]\r\n,\r\n\r x}", "{\"a\": {\"b\": x}, \"users\": [1]}", "[\"a\\", "[\"a\\u12", "\u{FEFF}[1]",
  ]

  @Test(arguments: bad) func `errors are those of the whole text wherever it is cut`(text: String) {
    for keyPath in [nil, "users"] {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        expectWholeText(bytes, at: keyPath, pieces: pieces([cut, bytes.count]))
      }
      expectWholeText(bytes, at: keyPath, pieces: { 1 })
    }
  }

  @Test(
    arguments: [
      [0xEF, 0xBB, 0xBF, 0x5B, 0x5D], [0xFF, 0xFE, 0x5B], [0xFE, 0xFF], [0xEF, 0xBB], [0xEF], [0x5B, 0x22, 0xC3, 0x22],
      [0x5B, 0x22, 0xE0, 0x80, 0x80], [0x5B, 0x22, 0xF4, 0x90, 0x80, 0x80], [0x5B, 0x22, 0xED, 0xA0, 0x80],
      [0x5B, 0x22, 0xF0],
      [0x5B, 0x00, 0x5D], [0x5B, 0x22, 0x00, 0x22],
    ] as [[UInt8]]) func `bytes that are no text are refused as in the whole body`(bytes: [UInt8])
  {
    for cut in 0...bytes.count { expectWholeText(bytes, at: nil, pieces: pieces([cut, bytes.count])) }
    expectWholeText(bytes, at: nil, pieces: { 1 })
  }

  @Test func `a text of all constructs cut anywhere`() {
    let bytes = Array(richDocument.utf8)
    for keyPath in ["users", "users.address", nil, "nothing", "a.b"] {
      for cut in 0...bytes.count { expectWholeText(bytes, at: keyPath, pieces: pieces([cut, bytes.count])) }
      for cut in 0..<bytes.count { expectWholeText(Array(bytes[..<cut]), at: keyPath, pieces: { 5 }) }
    }
  }

  /// A string or number that goes on keeps its state when elements before it go out.
  @Test func `a string or number that goes on`() {
    let bytes = Array(#"[1, "\u00e9a\n", 2, {"k\n": "\tx", "n": -1.5e+3}, "plain", "\\", -0.25E-1, "é"]"#.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        expectWholeText(bytes, at: nil, pieces: pieces([first, second, bytes.count]))
      }
    }
  }

  @Test func `damaged texts in random pieces give the errors of the whole text`() {
    var generator = SeededRandom(state: 40)
    let seeds = [
      richDocument, richArray, "{\"a\": 1, \"users\": [1, [2], {\"b\": [\"é\"]}], \"users2\": {}}", "[1,2,3]",
    ].map { Array($0.utf8) }
    for round in 0..<1500 {
      var bytes = seeds[round % seeds.count]
      JSONMutationTests.damage(&bytes, &generator)
      var lengths = SeededRandom(state: UInt64(round))
      expectWholeText(
        bytes, at: [nil, "users", "a"][round % 3], pieces: { Int.random(in: 1...9, using: &lengths) })
    }
  }

  @Test func `after a fault every call throws the same error`() throws {
    var reader = JSONElementReader()
    // Elements that are complete before the fault are handed out first.
    #expect(try reader.append(Data("[1, 2, x".utf8)).count == 2)
    let first = #expect(throws: JSONError.self) { try reader.append(Data(" 3]".utf8)) }
    let second = #expect(throws: JSONError.self) { try reader.append(Data()) }
    #expect(first == refusal("[1, 2, x 3]"))
    #expect(first == second)
    do throws(JSONError) {
      _ = try reader.finish()
      Issue.record("the text ends without a fault")
    } catch {
      #expect(error == first)
    }
  }

  @Test func `a byte order mark is skipped in pieces too`() {
    let skipping = JSONLimits(byteOrderMark: .skipped)
    for text in [
      "\u{FEFF}[1, 2]", "\u{FEFF} {\"users\": [1]}", "\u{FEFF}", "\u{FEFF}\u{FEFF}[]", "\u{FE00}[]", "[\"\u{FEFF}\"]",
    ] {
      for limits in [skipping, .standard] {
        for length in [1, 2, 3, 4, 100] {
          for keyPath in [nil, "users"] {
            expectWholeText(Array(text.utf8), at: keyPath, limits: limits, pieces: { length })
          }
        }
      }
    }
  }

  // MARK: Limits

  @Test func `depth and values count as in the whole`() {
    let limits = JSONLimits(depth: 3, nodes: 9)
    for text in [
      "{\"users\": [[1]]}", "{\"users\": [[[1]]]}", "{\"users\": [1, 2, 3, 4, 5, 6, 7, 8]}",
      "{\"users\": [1, 2, 3, 4, 5, 6, 7]}",
      "{\"a\": [[[0]]], \"users\": []}", "{\"users\": [1, 2, 3], \"b\": [1, 2, 3]}",
      "{\"users\": [1, 2, 3], \"b\": [1, 2, 3, 4]}",
    ] {
      expectWholeText(Array(text.utf8), at: "users", limits: limits, pieces: { 1 })
      expectWholeText(Array(text.utf8), at: "users", limits: limits, pieces: { 100 })
    }
  }

  @Test func `the array itself counts for the limits`() {
    for text in ["[]", "[1]", "{\"users\": []}", "{\"users\": [1]}", "{\"a\": 1, \"users\": [{}]}"] {
      for limits in (0...3).map({ JSONLimits(depth: $0) }) + (0...4).map({ JSONLimits(nodes: $0) }) {
        for keyPath in [nil, "users"] {
          for length in [1, 100] {
            expectWholeText(Array(text.utf8), at: keyPath, limits: limits, pieces: { length })
          }
        }
      }
    }
  }

  /// Else a text without end would be kept without bound.
  @Test(arguments: ["\"", "\"\\n", "1", "0.", "[", "{\"a\": \"", "[[1, "])
  func `an element that is too long is refused before it ends`(beginning: String) throws {
    var reader = JSONElementReader(limits: JSONLimits(bytes: 30))
    _ = try reader.append(Data("[7, \(beginning)".utf8))
    var pieces = 0
    let piece = Data((beginning.last == "[" || beginning.last == " " ? "1, 1, " : "111111").utf8)
    let error = #expect(throws: JSONError.self) {
      while pieces < 100 {
        _ = try reader.append(piece)
        pieces += 1
      }
    }
    #expect(error?.kind == .tooLarge)
    #expect(error?.keyPath == "[1]")
    #expect(error?.offset == 4)
    #expect(pieces <= 5)
  }

  @Test func `an element may be as long as a text and all together are longer`() throws {
    let limits = JSONLimits(bytes: 30)
    func text(_ length: Int) -> [UInt8] {
      Array(
        "{\"users\": [\(Array(repeating: "1", count: 100).joined(separator: ", ")), \"\(String(repeating: "x", count: length))\"]}"
          .utf8)
    }
    for piece in [1, 16, 1000] {
      #expect(try Reading(text(28), at: "users", limits: limits, pieces: { piece }).get().elements.count == 101)
      let error = #expect(throws: JSONError.self) {
        try Reading(text(29), at: "users", limits: limits, pieces: { piece }).get()
      }
      #expect(error?.kind == .tooLarge)
      #expect(error?.keyPath == "users[100]")
      #expect(error?.offset == 311)
      // The rest of the text has its own bound.
      let envelope = Array("{\"users\": [1], \"b\": \"\(String(repeating: "x", count: 30))\"}".utf8)
      #expect(Reading(envelope, at: "users", limits: limits, pieces: { piece }).error?.kind == .tooLarge)
    }
  }

  @Test func `an element that is too long is the same error in any pieces`() {
    let text = Array("[\"0123456789\", 1]".utf8)
    for ends in [[text.count], [14, text.count], Array(1...text.count)] {
      let error = Reading(text, at: nil, limits: JSONLimits(bytes: 8), pieces: pieces(ends)).error
      #expect(error?.kind == .tooLarge)
      #expect(error?.keyPath == "[0]")
    }
  }

  @Test func `a fault in an element that is too long does not depend on the pieces`() {
    for text in [
      "[1, \"123456\\x\", 2]", "[[1, 2, 3, x], 4]",
      "[123456789, 1.x]",
      "[1,          2, [          3], \"12345\u{1}\"]", "[\"1234567", "[12345678", "[1] x",
    ] {
      for bytes in 1...20 {
        for keyPath in [nil, "users"] {
          func error(_ length: Int) -> JSONError? {
            Reading(Array(text.utf8), at: keyPath, limits: JSONLimits(bytes: bytes), pieces: { length }).error
          }
          // The rest of the text is judged by the bytes that are there.
          guard let expected = error(1), expected.keyPath.contains("[") else { continue }
          for length in [2, 3, 7, 100] { #expect(error(length) == expected, "\(text), \(bytes) bytes") }
        }
      }
    }
  }

  @Test func `a fault beyond the limit of the rest does not depend on the pieces`() {
    let text = Array("{\"x\": \"aaaaaaaaaa\", !}".utf8)
    for bytes in 1...text.count {
      func error(_ length: Int) -> JSONError? {
        Reading(text, at: "q", limits: JSONLimits(bytes: bytes), pieces: { length }).error
      }
      #expect(error(1) != nil)
      for length in [2, 3, 10, 1000] { #expect(error(length) == error(1), "\(bytes) bytes") }
    }
  }

  @Test func `limits of bytes are exact`() {
    for length in [1, 2, 100] {
      func error(_ text: String, _ bytes: Int, at keyPath: String? = nil) -> JSONError.Kind? {
        Reading(Array(text.utf8), at: keyPath, limits: JSONLimits(bytes: bytes), pieces: { length }).error?.kind
      }
      for element in ["12345678", "\"123456\"", "[1,2,34]"] {
        #expect(error("[\(element),1]", 8) == nil)
        #expect(error("[\(element)]", 7) == .tooLarge)
      }
      // Space between elements is none of them.
      #expect(error("[1,\(String(repeating: " ", count: 50))2]", 8) == nil)
      #expect(error("{\"users\":[],\"b\":1}", 18, at: "users") == nil)
      #expect(error("{\"users\":[],\"b\":1}", 17, at: "users") == .tooLarge)
    }
  }

  @Test func `the bytes of all pieces together have a limit`() {
    #expect(Reading(Array("[1, 2, 3]".utf8), at: nil, total: 9, pieces: { 2 }).error == nil)
    #expect(Reading(Array("[1, 2, 3] ".utf8), at: nil, total: 9, pieces: { 2 }).error?.kind == .tooLarge)
    // Elements that are complete within it are handed out, however the text is cut.
    for length in [1, 2, 5, 100] {
      let read = Reading(Array("[1, 2, 3, 4]".utf8), at: nil, total: 6, pieces: { length })
      #expect(read.elements == [1, 2])
      #expect(read.error?.kind == .tooLarge)
    }
  }

  // MARK: Cost

  @Test func `memory is that of an element and a piece`() throws {
    var reader = JSONElementReader(elementsAt: "users")
    _ = try reader.append(Data("{\"users\": [".utf8))
    let element =
      "{\"id\": 123456789, \"name\": \"Zoë\", \"tags\": [\"a\", \"b\"], \"bio\": \"\(String(repeating: "x", count: 900))\"}, "
    let piece = Data(String(repeating: element, count: 61).utf8)
    var count = 0
    for _ in 0..<500 { count += try reader.append(piece).count }
    // The last one goes on: it ends with the array.
    count += try reader.append(Data("{}]}".utf8)).count
    #expect(count == 500 * 61 + 1)
    // 32 MB went through.
    #expect(reader.peakMemory < 300_000)
    let rest = try reader.finish()
    #expect(rest.envelope == ["users": []])
  }

  /// Were anything read again for each byte, this would take hours.
  @Test func `long elements are read byte by byte without repetition`() throws {
    let long = String(repeating: "é\\n😀 plain text ", count: 4_000)
    for text in [
      "[\"\(long)\"]",
      "{\"users\": [{\"\(long)\": [\(Array(repeating: "12345", count: 6_000).joined(separator: ","))]}]}",
    ] {
      let read = try Reading(Array(text.utf8), at: text.hasPrefix("{") ? "users" : nil, pieces: { 1 }).get()
      #expect(try read.elements == Array((text.hasPrefix("{") ? parse(text)["users"] : parse(text))?.array ?? []))
    }
  }
}
