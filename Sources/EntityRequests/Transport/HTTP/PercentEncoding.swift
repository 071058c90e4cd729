import EntityJSON
import Foundation

/// Percent-encoding (RFC 3986 §2).
package enum PercentEncoding {
  /// Encodes all but unreserved characters, so that nothing in `text` has a meaning in a URL.
  package static func component(_ text: String) -> String { encode(text.utf8) { isUnreserved($0) } }

  /// A path as it may stand in a URL. Encoded bytes stay: `%20` does not become `%2520`. A `%` that begins no encoded
  /// byte becomes `%25`.
  static func path(_ text: some StringProtocol) -> String { keepingEncoded(text) { isPathCharacter($0) } }

  /// A query as it may stand in a URL, encoded as by `path`.
  static func query(_ text: some StringProtocol) -> String {
    keepingEncoded(text) { isPathCharacter($0) || $0 == UInt8(ascii: "?") }
  }

  /// The decoded text; the text itself when the decoded bytes are not UTF-8.
  ///
  /// Foundation's decoding takes thousands of instructions, and most texts have nothing to decode.
  static func decoded(_ text: Substring) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
    return text.removingPercentEncoding ?? String(text)
  }

  private static func keepingEncoded(_ text: some StringProtocol, _ isAllowed: (UInt8) -> Bool) -> String {
    // Most texts need no encoding.
    if text.utf8.allSatisfy(isAllowed) { return String(text) }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    for (index, byte) in bytes.enumerated() {
      let isEncoded =
        byte == UInt8(ascii: "%") && index + 2 < bytes.count && JSONText.hexDigit(bytes[index + 1]) != nil
        && JSONText.hexDigit(bytes[index + 2]) != nil
      if isEncoded || isAllowed(byte) { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func encode(_ bytes: some Sequence<UInt8>, _ isAllowed: (UInt8) -> Bool) -> String {
    var result: [UInt8] = []
    for byte in bytes {
      if isAllowed(byte) { result.append(byte) } else { append(byte, to: &result) }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func append(_ byte: UInt8, to result: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }

  /// RFC 3986 §2.3.
  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// `pchar` and `/` (RFC 3986 §3.3).
  private static func isPathCharacter(_ byte: UInt8) -> Bool {
    isUnreserved(byte) || "!$&'()*+,;=:@/".utf8.contains(byte)
  }
}
