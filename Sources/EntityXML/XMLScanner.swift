import Foundation

/// The bytes of a document, and a place among them.
struct XMLScanner {
  /// The document, with a byte behind it that no document has.
  let bytes: [UInt8]
  let end: Int
  var place = 0

  init(_ document: Data) {
    var bytes = [UInt8]()
    bytes.reserveCapacity(document.count + 1)
    bytes.append(contentsOf: document)
    bytes.append(0)
    self.bytes = bytes
    end = document.count
  }

  /// 0 at the end.
  var next: UInt8 { bytes[place] }

  var isAtEnd: Bool { place >= end }

  func fault(_ kind: XMLError.Kind, _ message: String, at offset: Int? = nil) -> XMLFault {
    XMLFault(kind: kind, message: message, offset: offset ?? place)
  }

  /// The fault of a text that is not there.
  func expected(_ text: String) -> XMLFault {
    isAtEnd
      ? fault(.unexpectedEnd, "expected \(text), found the end of the document") : fault(.malformed, "expected \(text)")
  }

  // MARK: Texts

  func begins(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard end - place >= count else { return false }
    return text.withUTF8Buffer { wanted in
      for index in 0..<count where bytes[place + index] != wanted[index] { return false }
      return true
    }
  }

  /// - Returns: Whether the text stood here.
  mutating func skip(_ text: StaticString) -> Bool {
    guard begins(with: text) else { return false }
    place += text.utf8CodeUnitCount
    return true
  }

  /// - Returns: Whether there was any whitespace (XML 1.0 §2.3).
  @discardableResult
  mutating func skipWhitespace() -> Bool {
    let start = place
    while Self.isWhitespace(next) { place += 1 }
    return place > start
  }

  /// Goes to the place behind the text.
  ///
  /// - Parameter markup: The markup that the text ends, for errors.
  mutating func skip(past text: StaticString, of markup: String) throws(XMLFault) {
    let first = text.withUTF8Buffer { $0[0] }
    while !isAtEnd {
      if next == first, skip(text) { return }
      place += 1
    }
    throw fault(.unexpectedEnd, "\(markup) has no '\(text)'")
  }

  static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  // MARK: Names

  /// A name (XML 1.0 §2.3).
  mutating func name(_ role: String) throws(XMLFault) -> Range<Int> {
    let start = place
    guard let first = scalar(), XMLCharacters.isNameStart(first.value) else { throw expected(role) }
    place += first.length
    while let scalar = scalar(), XMLCharacters.isName(scalar.value) { place += scalar.length }
    return start..<place
  }

  /// The scalar at the place, in bytes that were found to be UTF-8.
  private func scalar() -> (value: UInt32, length: Int)? {
    let lead = next
    guard place < end else { return nil }
    if lead < 0x80 { return (UInt32(lead), 1) }
    let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    guard end - place >= length else { return nil }
    var value = UInt32(lead) & (0x7F >> UInt32(length))
    for index in 1..<length { value = value << 6 | UInt32(bytes[place + index] & 0x3F) }
    return (value, length)
  }

  // MARK: Characters

  /// Checks all bytes from here to the end: UTF-8 (RFC 3629 §4), of characters that XML has.
  func checkCharacters() throws(XMLFault) {
    var index = place
    while index < end {
      let lead = bytes[index]
      if lead < 0x80 {
        if lead < 0x20, !Self.isWhitespace(lead) {
          throw fault(.invalidCharacter, "a control character, which XML does not allow", at: index)
        }
        index += 1
        continue
      }
      let length = Self.length(bytes[index], bytes[index + 1])
      // Behind the end is a byte that continues nothing.
      guard length > 0, (2..<max(length, 2)).allSatisfy({ index + $0 < end && bytes[index + $0] & 0xC0 == 0x80 }) else {
        throw fault(.invalidUTF8, "bytes that are not UTF-8", at: index)
      }
      if lead == 0xEF, bytes[index + 1] == 0xBF, bytes[index + 2] >= 0xBE {
        throw fault(.invalidCharacter, "a character that XML does not allow", at: index)
      }
      index += length
    }
  }

  /// How many bytes a character of several has, by its first two; 0 for none.
  private static func length(_ first: UInt8, _ second: UInt8) -> Int {
    guard second & 0xC0 == 0x80 else { return 0 }
    switch first {
    case 0xC2...0xDF: return 2
    case 0xE0: return second >= 0xA0 ? 3 : 0
    case 0xED: return second < 0xA0 ? 3 : 0
    case 0xE1...0xEF: return 3
    case 0xF0: return second >= 0x90 ? 4 : 0
    case 0xF1...0xF3: return 4
    case 0xF4: return second < 0x90 ? 4 : 0
    default: return 0
    }
  }
}

/// The classes of characters in XML 1.0, fifth edition.
enum XMLCharacters {
  /// §2.3, `NameStartChar`.
  static func isNameStart(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x61...0x7A, 0x41...0x5A, 0x5F, 0x3A: true
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
      0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
      true
    default: false
    }
  }

  /// §2.3, `NameChar`.
  static func isName(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x30...0x39, 0x2D, 0x2E, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isNameStart(scalar)
    }
  }

  /// §2.2, `Char`.
  static func isCharacter(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }
}
