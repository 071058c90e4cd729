/// Strings in the form of RFC 8259 §7: quoted, with no more escapes than the RFC requires.
enum JSONEscaping {
  static func append(_ string: String, to bytes: inout [UInt8], escapingLineSeparators: Bool = false) {
    string.lend { append($0, to: &bytes, escapingLineSeparators: escapingLineSeparators) }
  }

  static func append(
    _ text: LentBytes, to bytes: inout [UInt8], escapingLineSeparators: Bool = false
  ) {
    bytes.append(UInt8(ascii: "\""))
    // The text between two escapes is appended at once. There is no iterator: without optimization, as in a user's
    // tests, it takes longer than all the rest.
    var (start, next) = (0, 0)
    while next < text.endIndex {
      let (position, byte) = (next, text[next])
      next += 1
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0xE2 else { continue }
      if byte == 0xE2 {
        guard escapingLineSeparators, position + 2 < text.count, text[position + 1] == 0x80,
          text[position + 2] & 0xFE == 0xA8
        else { continue }
        bytes.append(contentsOf: text.part(start..<position))
        bytes.append(contentsOf: "\\u202".utf8)
        bytes.append(text[position + 2] & 0x0F | 0x30)
        start = position + 3
        continue
      }
      bytes.append(contentsOf: text.part(start..<position))
      append(escaped: byte, to: &bytes)
      start = position + 1
    }
    bytes.append(contentsOf: text.part(start..<text.count))
    bytes.append(UInt8(ascii: "\""))
  }

  private static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      bytes.append(contentsOf: "u00".utf8)
      bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = byte & 0x0F
      bytes.append(digit < 10 ? digit + 0x30 : digit + 0x57)
    }
  }
}
