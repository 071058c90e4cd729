import EntityJSON
import Foundation
import TestSupport
import Testing

/// Random damage to good documents: nothing traps, and Foundation agrees on which texts are JSON.
@Suite struct JSONMutationTests {
  private static let seeds = [
    richDocument, "[]", "{\"a\":1}", "[1,2.5,-3e4,\"x\",true,false,null]", "\"\\ud83d\\ude00é日😀\\u0000\"", "-0.1e-10",
    "{\"a\":{\"b\":[{},[],\"\"]},\"a\":\"\\\"\"}", " [ 0 , -1 ] ",
  ].map { Array($0.utf8) }

  /// Bytes that matter to the grammar, so that more of the damage is subtle.
  private static let tokens =
    Array("{}[]:,\"\\/utrfnEe+-.0123459 \t\r\n".utf8) + [0, 0x1F, 0x7F, 0x80, 0xBF, 0xC3, 0xED, 0xF4]

  static func damage(_ bytes: inout [UInt8], _ generator: inout SeededRandom) {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let place = Int.random(in: 0...bytes.count, using: &generator)
      let byte =
        Bool.random(using: &generator)
        ? tokens.randomElement(using: &generator) ?? 0 : UInt8.random(in: 0...255, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0 where place < bytes.count: bytes[place] = byte
      case 1: bytes.insert(byte, at: place)
      case 2 where place < bytes.count: bytes.remove(at: place)
      default:
        let end = Int.random(in: place...min(bytes.count, place + 8), using: &generator)
        bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
      }
    }
  }

  /// Where Foundation is known to read texts that RFC 8259 refuses, or to refuse texts that it allows.
  private static func isKnownDifference(_ bytes: [UInt8], _ error: JSONError?) -> Bool {
    guard let error else {
      // It refuses numbers that no Double holds.
      return hasHugeNumber(bytes)
    }
    // It skips a byte order mark, and guesses at UTF-16 and UTF-32 from zero bytes near the start.
    if error.kind == .byteOrderMark || bytes.prefix(4).contains(0) { return true }
    // It allows a comma before a closing bracket. Without it the text must be good, or else differ in a known way.
    guard error.kind == .unexpectedByte, [0x5D, 0x7D].contains(bytes[error.offset]),
      let last = bytes[..<error.offset].lastIndex(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      bytes[last] == 0x2C
    else { return false }
    var rest = bytes
    rest.remove(at: last)
    let restError = refusal(rest)
    return restError == nil || isKnownDifference(rest, restError)
  }

  private static func hasHugeNumber(_ bytes: [UInt8]) -> Bool {
    var pending = (try? [parse(bytes)]) ?? []
    while let value = pending.popLast() {
      if value.kind == .number, value.double == nil { return true }
      if let array = value.array { pending.append(contentsOf: array) }
      // Every field, the earlier ones of duplicate keys included.
      value.object?.forEachField { pending.append($1) }
    }
    return false
  }

  @Test func `agrees with Foundation`() {
    var generator = SeededRandom(state: 20)
    var accepted = 0
    for round in 0..<20_000 {
      var bytes = Self.seeds[round % Self.seeds.count]
      Self.damage(&bytes, &generator)
      let error = refusal(bytes)
      if let error {
        #expect(error.offset <= bytes.count)
        #expect(error.line >= 1)
        #expect(error.column >= 1)
      } else {
        accepted += 1
      }
      let isFoundations = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
      if isFoundations != (error == nil), !Self.isKnownDifference(bytes, error) {
        Issue.record(
          "Foundation \(isFoundations ? "accepts" : "refuses") \(String(decoding: bytes, as: UTF8.self)): \(error?.description ?? "accepted")"
        )
      }
    }
    // The damage must leave both kinds, or nothing is compared.
    #expect(accepted > 1000)
    #expect(accepted < 19_000)
  }

  /// All accessors of a view, on every text that was accepted.
  @Test func `accepted texts cause no trap`() {
    var generator = SeededRandom(state: 30)
    for round in 0..<5000 {
      var bytes = Self.seeds[round % Self.seeds.count]
      Self.damage(&bytes, &generator)
      guard let value = try? parse(bytes) else { continue }
      var pending = [value]
      while let value = pending.popLast() {
        _ = (value.kind, value.bool, value.string, value.lexeme, value.int64, value.uint64, value.double, value.decimal)
        _ = (value.description, value.rawBytes, value["users.x"], value == value)
        if let array = value.array { pending.append(contentsOf: array) }
        if let object = value.object { pending.append(contentsOf: object.map(\.value)) }
        #expect((try? JSONValue(parsing: value.rawBytes)) == value)
      }
    }
  }
}
