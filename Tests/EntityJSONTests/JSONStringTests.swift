import EntityJSON
import Foundation
import TestSupport
import Testing

/// Strings: RFC 8259 §7 and §8, RFC 3629.
@Suite struct JSONStringTests {
  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u00E9\u20AC""#, "Aéé€"),
    (#""\uD83D\uDE00""#, "😀"), (#""\ud800\udc00""#, "\u{10000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
    (#""\u0000""#, "\u{0}"), (#""\u001f""#, "\u{1F}"), (#""\uFFFF\uFFFE""#, "\u{FFFF}\u{FFFE}"),
    (#""a\nb\u0063d""#, "a\nbcd"), (#""\ud7ff\ue000""#, "\u{D7FF}\u{E000}"), (#""\\u0041""#, "\\u0041"),
    (#""12345678\t12345678\u00df""#, "12345678\t12345678ß"), ("\"\u{7F}\"", "\u{7F}"), ("\"\u{2028}\"", "\u{2028}"),
  ])
  func `strings are decoded`(text: String, string: String) throws {
    #expect(try parse(text).string == string)
    #expect(try parse("{\(text): 1}").object?.keys == [string])
    #expect(try parse("{\(text): 1}").object?[key: string]?.int64 == 1)
  }

  @Test(arguments: [
    (#""\x""#, JSONError.Kind.invalidEscape, 2), (#""\U0041""#, .invalidEscape, 2), (#""\'""#, .invalidEscape, 2),
    (#""\u004""#, .invalidEscape, 6), (#""\u004g""#, .invalidEscape, 6), (#""\u+041""#, .invalidEscape, 3),
    (#""\ud800""#, .loneSurrogate, 1), (#""a\udc00""#, .loneSurrogate, 2), (#""\ud800\ud800""#, .loneSurrogate, 1),
    (#""\ud800\n""#, .loneSurrogate, 1), (#""\ud800x""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1),
    (#""\udc00\ud800""#, .loneSurrogate, 1), ("\"a\nb\"", .controlCharacter, 2), ("\"\t\"", .controlCharacter, 1),
    (#""\"#, .unexpectedEnd, 2), (#""\u"#, .unexpectedEnd, 3), (#""\ud800\u"#, .unexpectedEnd, 9),
    (#""\ud800"#, .unexpectedEnd, 7),
  ])
  func `invalid JSON is refused`(text: String, kind: JSONError.Kind, offset: Int) {
    #expect(refusal(text)?.kind == kind)
    #expect(refusal(text)?.offset == offset)
  }

  @Test func `every byte behind a backslash`() {
    for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "u") {
      let error = refusal([0x22, 0x5C, byte, 0x61, 0x22])
      if "\"\\/bfnrt".utf8.contains(byte) {
        #expect(error == nil, "byte \(byte)")
      } else {
        #expect(error?.kind == .invalidEscape, "byte \(byte)")
        #expect(error?.offset == 2, "byte \(byte)")
      }
    }
  }

  @Test func `every byte in an escape of four digits`() {
    for position in 0..<4 {
      for byte in UInt8.min...UInt8.max {
        var bytes = Array(#""\u00e9""#.utf8)
        bytes[3 + position] = byte
        let error = refusal(bytes)
        if Character(Unicode.Scalar(byte)).isHexDigit, byte < 0x80 {
          // D8 to DF begin surrogates: here the second digit is 0.
          #expect(error == nil, "byte \(byte)")
        } else {
          #expect(error?.kind == .invalidEscape, "byte \(byte) at \(position)")
          #expect(error?.offset == 3 + position, "byte \(byte) at \(position)")
        }
      }
    }
  }

  @Test func `every scalar of four digits`() throws {
    var text = "["
    var expected: [[UInt8]?] = []
    for value in UInt16.min...UInt16.max {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let digits = String(value, radix: 16, uppercase: value % 3 == 0)
      text += (expected.isEmpty ? "" : ",") + "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + "\""
      expected.append(Array(String(Character(scalar)).utf8))
    }
    let found = try #require(try parse(text + "]").array?.map { $0.string.map { Array($0.utf8) } })
    #expect(found == expected)
    for value in 0xD800...0xDFFF {
      #expect(refusal("\"\\u\(String(value, radix: 16))\"")?.kind == .loneSurrogate)
    }
  }

  @Test func `every control character must be escaped`() {
    for byte in UInt8(0)..<0x20 {
      // Each position of an eight-byte word, and behind it.
      for position in 0..<20 {
        var bytes = [UInt8](repeating: 0x61, count: 22)
        (bytes[0], bytes[21], bytes[position + 1]) = (0x22, 0x22, byte)
        let error = refusal(bytes)
        #expect(error?.kind == .controlCharacter)
        #expect(error?.offset == position + 1)
      }
    }
  }

  @Test func `control characters among characters outside ASCII are refused`() {
    for byte in UInt8(0)..<0x20 {
      for position in 0..<40 {
        var bytes = Array("\"\(String(repeating: "é", count: 30))\"".utf8)
        bytes.insert(byte, at: 1 + position / 2 * 2)
        let error = refusal(bytes)
        #expect(error?.kind == .controlCharacter, "byte \(byte)")
        #expect(error?.offset == 1 + position / 2 * 2, "byte \(byte)")
      }
    }
  }

  /// All scalars, the edges of the encoding's lengths among them, as they are.
  @Test func `accepts all of Unicode`() throws {
    for start in stride(from: 0x20, to: 0x110000, by: 0x800) where start != 0xD800 {
      let string = String(
        String.UnicodeScalarView(
          (max(start, 0x20)..<start + 0x7FF).compactMap { Unicode.Scalar($0) }.filter { $0 != "\"" && $0 != "\\" }))
      #expect(try parse("\"\(string)\"").string == string)
    }
  }

  @Test(
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
      [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
      [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x28, 0x8C, 0xBC], [0xF0, 0x90, 0x28, 0xBC], [0xF0, 0x90, 0x8C, 0x28],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80],
      [0xFE], [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x90, 0x8C],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are refused in strings`(bytes: [UInt8]) {
    for lead in [0, 3, 7, 8, 9] {
      let plain = [UInt8](repeating: 0x61, count: lead)
      #expect(refusal([0x22] + plain + bytes + [0x22])?.kind == .invalidUTF8)
      #expect(refusal([0x7B, 0x22] + plain + bytes + [0x22, 0x3A, 0x31, 0x7D])?.kind == .invalidUTF8)
    }
  }

  /// Every first byte, with the edges of each range behind it, against the standard library.
  @Test func `agrees with the standard library on UTF-8`() {
    let edges: [UInt8] = [0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xFF]
    for first in UInt8(0x80)...0xFF {
      for second in edges {
        for third in edges {
          for fourth: UInt8 in [0x61, 0x80, 0xBF, 0xC2] {
            let bytes = [first, second, third, fourth]
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            if (refusal([0x22] + bytes + [0x22]) == nil) != isValid {
              Issue.record("\(bytes): \(isValid ? "is" : "is not") UTF-8")
            }
          }
        }
      }
    }
  }

  /// Characters of all lengths behind each other, and bytes that are wrong at any place among them.
  @Test func `agrees with the standard library on long texts`() {
    var generator = SeededRandom(state: 3)
    let characters = ["a", " ", "é", "ß", "日", "ࠀ", "\u{FFFF}", "퟿", "한", "\u{E000}", "😀", "\u{10FFFF}", "\u{10000}"]
    let edges: [UInt8] = [
      0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF,
    ]
    for round in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0...30, using: &generator) {
        bytes += Array((characters.randomElement(using: &generator) ?? "").utf8)
      }
      if round % 4 > 0, !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch round % 4 {
        case 1: bytes[place] = edges.randomElement(using: &generator) ?? 0
        case 2: bytes.insert(edges.randomElement(using: &generator) ?? 0, at: place)
        default: bytes.remove(at: place)
        }
      }
      let string = String(validating: bytes, as: UTF8.self)
      let found = try? parse([0x22] + bytes + [0x22]).string
      if found.map({ Array($0.utf8) }) != (string == nil ? nil : bytes) {
        Issue.record("\(bytes): \(string == nil ? "is not" : "is") UTF-8")
      }
    }
  }

  @Test func `lends bytes`() throws {
    let data = Data(#"["plain", "esc\u0061ped", 1, ""]"#.utf8)
    let array = try #require(try JSONValue(parsing: data).array)
    #expect(array[0]?.withUTF8 { Array($0) } == Array("plain".utf8))
    #expect(array[1]?.withUTF8 { Array($0) } == Array("escaped".utf8))
    #expect(array[2]?.withUTF8 { _ in true } == nil)
    #expect(array[3]?.withUTF8 { $0.count } == 0)
    #expect(array[1].map { String(decoding: $0.rawBytes, as: UTF8.self) } == #""esc\u0061ped""#)
  }
}
