/// Converts strings between their written and their decoded form, RFC 8259 §7.
package enum JSONText {
  package static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// The string of a string word.
  static func decode(_ bytes: [UInt8], _ word: JSONWord) -> String {
    let source = bytes[word.range]
    return word.tag == .escapedString
      ? String(decoding: unescape(source), as: UTF8.self) : String(decoding: source, as: UTF8.self)
  }

  /// The UTF-8 of the text between the quotes. The scanner has accepted the text, so each escape is complete. The rest
  /// of an incomplete escape would be dropped.
  static func unescape(_ source: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(source.count)
    var index = source.startIndex
    while index < source.endIndex {
      let backslash = source[index...].firstIndex(of: UInt8(ascii: "\\")) ?? source.endIndex
      decoded.append(contentsOf: source[index..<backslash])
      index = backslash + 1
      guard index < source.endIndex else { break }
      let name = source[index]
      index += 1
      switch name {
      case UInt8(ascii: "b"): decoded.append(0x08)
      case UInt8(ascii: "f"): decoded.append(0x0C)
      case UInt8(ascii: "n"): decoded.append(0x0A)
      case UInt8(ascii: "r"): decoded.append(0x0D)
      case UInt8(ascii: "t"): decoded.append(0x09)
      case UInt8(ascii: "u"):
        var scalar = hex4(source, at: index)
        index += 4
        if scalar & 0xFC00 == 0xD800 {
          let second = hex4(source, at: index + 2)
          index += 6
          scalar = 0x10000 + (scalar & 0x3FF) << 10 + second & 0x3FF
        }
        if let scalar = Unicode.Scalar(scalar) { decoded.append(contentsOf: UTF8.encode(scalar) ?? .init()) }
      default: decoded.append(name)
      }
    }
    return decoded
  }

  private static func hex4(_ source: ArraySlice<UInt8>, at index: Int) -> UInt32 {
    source.dropFirst(index - source.startIndex).prefix(4)
      .reduce(0) { $0 << 4 | UInt32(hexDigit($1) ?? 0) }
  }
}
