import EntityJSON
import Foundation

/// The `application/x-www-form-urlencoded` format (WHATWG URL Standard §5, https://url.spec.whatwg.org/#application/x-www-form-urlencoded).
enum FormEncoding {
  static let mediaType = "application/x-www-form-urlencoded"

  /// §5.2: the fields in their order, UTF-8.
  static func bytes(of fields: QueryParameters) -> Data {
    var bytes: [UInt8] = []
    for item in fields.items {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      append(item.name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      append(item.value ?? "", to: &bytes)
    }
    return Data(bytes)
  }

  /// §1.3, the percent-encode set of this format, with a space as a plus sign.
  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        bytes.append(byte)
      case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }

  /// §5.1: the names, and the values as bytes, because the encoding of a value may be unknown.
  static func fields(of body: Data) -> [(name: String, value: Data)] {
    body.split(separator: UInt8(ascii: "&")).map { field in
      let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      return (String(decoding: decoded(parts[0]), as: UTF8.self), parts.count > 1 ? decoded(parts[1]) : Data())
    }
  }

  private static func decoded(_ bytes: Data) -> Data {
    var result = Data(capacity: bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = JSONText.hexDigit(bytes[index + 1]),
        let low = JSONText.hexDigit(bytes[index + 2])
      {
        result.append(high << 4 | low)
        index += 3
      } else {
        result.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    return result
  }
}
