import EntityJSON
import Foundation

/// JSON, token by token. So JSON lines, events of a stream, broken JSON, JSON that is nested too deep for a parser, and names and texts
/// in other quotes or without any are read as well. Everything that is no secret stays as it was written.
extension RedactionPass {
  private struct Level {
    /// The surrounding key whose values are secrets.
    let secret: String?
    /// The key before the next value.
    var key: String?
    /// The name in `{"name": "password", "value": …}`.
    var label: String?
  }

  mutating func json(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var outer: [Level] = []
    var level = Level(secret: nil)
    var place = 0
    while place < bytes.count {
      let end = Self.end(in: bytes, from: place)
      let token = bytes[place..<end]
      switch bytes[place] {
      case UInt8(ascii: "\""):
        let text = Self.decoded(token)
        if Self.isColonNext(in: bytes, from: end) {
          level.key = text
          result += Self.string(self.text(text), instead: text, token)
        } else if !Self.isEmpty(text), isSecret(level) || isSecret(level, text) {
          note(text)
          result += Self.string(RedactionPass.mark, instead: text, token)
        } else {
          if ["key", "name"].contains(level.key?.lowercased()) { level.label = text }
          result += Self.string(self.value(text), instead: text, token)
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        outer.append(level)
        level = Level(secret: isSecret(level) ? level.secret ?? level.key : nil)
        result += token
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        level = outer.popLast() ?? level
        level.key = nil
        result += token
      case UInt8(ascii: ","):
        level.key = nil
        result += token
      default:
        let text = String(decoding: token, as: UTF8.self)
        let bare = text.trimmingCharacters(in: CharacterSet(charactersIn: "'"))
        if Self.isStructure(bytes[place]) {
          result += token
        } else if Self.isColonNext(in: bytes, from: end) {
          level.key = bare
          result += ArraySlice(self.text(text).utf8)
        } else if Double(text) != nil {
          if isSecret(level, isNumber: true) { note(text) }
          let isKept = !isSecret(level, isNumber: true) && without(text) == text
          if isKept { result += token } else { result.append(UInt8(ascii: "0")) }
        } else if !Self.isEmpty(bare), bare != "null", isSecret(level) || isSecret(level, bare) {
          // A word without quotes may be a piece of a program. It is looked for elsewhere if it seems to be drawn at random.
          if bare.utf8.count >= 16, bare.contains(where: \.isNumber), bare.contains(where: \.isLetter) { note(bare) }
          level.key = nil
          result += text.replacing(bare, with: RedactionPass.mark).utf8
        } else {
          // Most tokens are literals.
          result += token.count < 8 ? token : ArraySlice(self.text(text).utf8)
        }
      }
      place = end
    }
    return result
  }

  private func isSecret(_ level: Level, isNumber: Bool = false) -> Bool {
    names.contain([level.secret, level.key].compactMap { $0 }, isNumber: isNumber)
  }

  /// Whether a text is a secret, though its key says little by itself.
  private func isSecret(_ level: Level, _ text: String) -> Bool {
    guard let key = level.key else { return false }
    if key.lowercased() == "value", let label = level.label { return names.contain([label]) }
    return names.contain(key, text, in: .json)
  }

  /// The end of the token that begins at a place.
  private static func end(in bytes: [UInt8], from start: Int) -> Int {
    var place = start + 1
    guard bytes[start] == UInt8(ascii: "\"") else {
      guard !isStructure(bytes[start]) else { return place }
      if bytes[start] == UInt8(ascii: "'"), let end = endOfQuoted(in: bytes, from: place) { return end }
      while place < bytes.count, bytes[place] != UInt8(ascii: "\""), !isStructure(bytes[place]) { place += 1 }
      return place
    }
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "\""): return place + 1
      // No string goes beyond its line: the next line begins a new token.
      case UInt8(ascii: "\n"): return place
      case UInt8(ascii: "\\"): place += 2
      default: place += 1
      }
    }
    return bytes.count
  }

  /// The place behind a text in single quotes; `nil` where no quote ends it.
  private static func endOfQuoted(in bytes: [UInt8], from start: Int) -> Int? {
    var place = start
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "'"): return place + 1
      case UInt8(ascii: "\""), UInt8(ascii: "\n"): return nil
      case UInt8(ascii: "\\"): place += 2
      default: place += 1
      }
    }
    return nil
  }

  private static func isStructure(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
      UInt8(ascii: ":"):
      true
    default: isSpace(byte)
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D, 0x20].contains(byte) }

  private static func isColonNext(in bytes: [UInt8], from place: Int) -> Bool {
    bytes[place...].first { !isSpace($0) } == UInt8(ascii: ":")
  }

  /// The text of a string, without those of its escapes that are not broken.
  private static func decoded(_ token: ArraySlice<UInt8>) -> String {
    guard token.contains(UInt8(ascii: "\\")) else { return String(decoding: inner(token), as: UTF8.self) }
    if let text = (try? JSONValue(parsing: Data(token)))?.string { return text }
    // At the end of a text that is cut, a string has no quote behind it, and its last escape may be cut: one of two for an emoji.
    var start = token
    for _ in 0..<3 where token.last != UInt8(ascii: "\"") {
      if let text = (try? JSONValue(parsing: Data(start + [UInt8(ascii: "\"")])))?.string { return text }
      guard let escape = start.lastIndex(of: UInt8(ascii: "\\")), token.endIndex - escape <= 12 else { break }
      start = start[..<escape]
    }
    return DecodedView.text(String(decoding: inner(token), as: UTF8.self), undoing: .json)
  }

  private static func inner(_ token: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isEnded = token.count > 1 && token.last == UInt8(ascii: "\"")
    return isEnded ? token.dropFirst().dropLast() : token.dropFirst()
  }

  /// The token of a text that replaces another one. The token stays as it was written if the two texts are equal.
  private static func string(_ text: String, instead old: String, _ token: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    text == old ? token : ArraySlice(JSONValue(text).data(format: .compact))
  }
}
