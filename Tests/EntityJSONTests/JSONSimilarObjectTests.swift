import EntityJSON
import Foundation
import TestSupport
import Testing

/// Objects in an array are read with the one before as a model. Each comes out as it does when it is read alone.
@Suite struct JSONSimilarObjectTests {
  private static let keys = ["id", "a", "name", "a longer key than eight bytes", "é", "k\\u0041", "q\\\"", "", "sub"]
  private static let values = [
    "1", "-2.5", "\"\"", "\"x\"", "\"a string, longer than sixteen bytes\"", "\"\\n\"", "null", "true", "false", "[]",
    "[1,2]", "{}", "{\"a\":1}", "{\"a\":1,\"b\":[{\"x\":1},{\"x\":2}]}", "[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4}]",
    "[{\"a\":1},{\"a\" :3}, {\"b\":1 }]", "123456789012345678901234567890", "1e5",
  ]

  private static func object(
    _ keys: [String], space: (String, String, String), _ generator: inout SeededRandom
  ) -> String {
    let fields = keys.map { "\"\($0)\"\(space.0):\(space.1)\(values.randomElement(using: &generator) ?? "0")" }
    return "{" + space.2 + fields.joined(separator: "," + space.2) + space.2 + "}"
  }

  @Test func `similar objects are read as they are alone`() throws {
    var generator = SeededRandom(state: 40)
    let spaces = [("", "", ""), ("", " ", "\n    "), (" ", " ", " "), ("", "\t", "\r\n\t")]
    for _ in 0..<2000 {
      var keys = (0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in
        Self.keys.randomElement(using: &generator)
      }
      let space = spaces.randomElement(using: &generator) ?? ("", "", "")
      var objects: [String] = []
      for _ in 0..<Int.random(in: 2...6, using: &generator) {
        // Mostly the same keys, at times others or others' space.
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: keys.append("more")
        case 1: keys.shuffle(using: &generator)
        case 2: keys = Array(keys.dropLast())
        case 3: keys = Array(keys.dropFirst())
        default: break
        }
        let other = Int.random(in: 0..<8, using: &generator) == 0 ? ("", " ", "") : space
        objects.append(Self.object(keys, space: other, &generator))
      }
      let text = "[" + objects.joined(separator: space.2 + "," + space.1) + "]"
      let array = try #require(try parse(text).array)
      #expect(array.count == objects.count)
      for (element, object) in zip(array, objects) {
        let alone = try parse(object)
        #expect(element == alone)
        #expect(String(decoding: element.rawBytes, as: UTF8.self) == object)
        #expect(element.description == alone.description)
        #expect(element.object?.keys == alone.object?.keys)
      }
    }
  }

  /// A key that differs from the model's in one byte, of all lengths that are compared in one way or another.
  @Test func `a key that differs in one byte is another key`() throws {
    for length in 1...40 {
      let key = String(repeating: "k", count: length)
      for place in 0..<length {
        let other = String(key.prefix(place) + "x" + key.suffix(length - place - 1))
        let text = "[{\"a\":1,\"\(key)\":2},{\"a\":1,\"\(other)\":3}]"
        #expect(try parse(text).array?.map { $0.object?.keys } == [["a", key], ["a", other]])
        // A byte that no key may have is refused in a similar key too.
        for byte: UInt8 in [0x01, 0x22, 0x5C, 0x80] {
          var bytes = Array(text.utf8)
          let offset = bytes.count - 5 - length + place
          bytes[offset] = byte
          #expect(refusal(bytes).map { offset...offset + 6 ~= $0.offset } == true)
        }
      }
    }
  }

  /// A fault behind a part that is like the model has its own place.
  @Test(arguments: [
    (#"[{"a":1,"b":2},{"a":1,"b":x}]"#, 26, "[1].b"), (#"[{"a":1,"b":2},{"a":1,"b" 2}]"#, 26, "[1].b"),
    (#"[{"a":1,"b":2},{"a":1,"b":2,}]"#, 28, "[1].b"), (#"[{"a":1},{"a":1,"b"}]"#, 19, "[1].b"),
    (#"[{"a":1,"b":2},{"a":1,"b":"#, 26, "[1].b"), (#"[{"a":1,"b":2},{"a":1,"b"#, 24, "[1].a"),
    (#"[{"a":{"c":1}},{"a":{"c":x}}]"#, 25, "[1].a.c"), (#"[{"a":[{"c":1}]},{"a":[{"c":x}]}]"#, 28, "[1].a[0].c"),
  ])
  func `faults are the same for similar objects`(text: String, offset: Int, keyPath: String) {
    #expect(refusal(text)?.offset == offset)
    #expect(refusal(text)?.keyPath == keyPath)
  }

  /// Each position of the 16 and 64 bytes that are looked at together.
  @Test func `long strings of all kinds`() throws {
    let parts = ["a", "é", "日", "😀", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10FFFF}", "\\n"]
    for length in 0..<140 {
      for part in parts {
        let body = String(repeating: "x", count: length) + part + String(repeating: "yz", count: length % 40) + part
        let expected = body.replacingOccurrences(of: "\\n", with: "\n")
        #expect(try parse("[\"\(body)\",1]").array?[0]?.string == expected)
      }
      var wrong = Array("[\"\(String(repeating: "é", count: 80))\"]".utf8)
      wrong[2 + length] = 0x41
      #expect(refusal(wrong)?.kind == .invalidUTF8)
      #expect(refusal(wrong)?.offset == (length % 2 == 0 ? 2 + length + 1 : 2 + length))
    }
  }
}
