import EntityJSON
import Foundation

/// The charset of a body, by the label of its content type. The labels are those of the WHATWG's Encoding standard (§4.2)
/// for the charsets that Foundation reads on every platform.
enum Charset: Sendable, Equatable {
  case utf8
  /// Each byte is a character; the bytes below 128 are those of ASCII.
  case single(String.Encoding)
  /// A character has one to four bytes.
  case several(String.Encoding)
  /// The order of the bytes; `nil` where the text itself tells it.
  case utf16(isBigEndian: Bool?)

  /// The charset with a label, in any case; UTF-8 for a label that no charset here has.
  ///
  /// RFC 8259 §11 gives JSON no such parameter, so a label that nobody knows changes nothing. If the body is no UTF-8, the
  /// error of its parsing shows the content type with the label.
  init(label: String) {
    let label = label.lowercased()
    self = Self.labels[label] ?? .utf8
  }

  private static let labels: [String: Charset] = {
    var labels: [String: Charset] = [
      "utf-16": .utf16(isBigEndian: nil), "utf-16be": .utf16(isBigEndian: true), "utf-16le": .utf16(isBigEndian: false),
      "ucs-2": .utf16(isBigEndian: nil), "unicode": .utf16(isBigEndian: nil),
    ]
    func add(_ charset: Charset, _ names: String) {
      for name in names.split(separator: " ") { labels[String(name)] = charset }
    }
    // Where Latin-1 has controls that no text uses, Windows-1252 has characters: the standard reads both as the latter.
    add(.single(.windowsCP1252), "iso-8859-1 iso8859-1 iso_8859-1 latin1 latin-1 l1 cp1252 windows-1252 x-cp1252")
    add(.single(.isoLatin2), "iso-8859-2 iso8859-2 latin2")
    add(.single(.ofCoreFoundation(0x0205)), "iso-8859-5 iso8859-5")
    add(.single(.windowsCP1254), "iso-8859-9 iso8859-9 latin5 windows-1254 cp1254")
    add(.single(.ofCoreFoundation(0x020F)), "iso-8859-15 iso8859-15 latin9")
    add(.single(.windowsCP1250), "windows-1250 cp1250")
    add(.single(.windowsCP1251), "windows-1251 cp1251")
    add(.single(.windowsCP1253), "windows-1253 cp1253")
    add(.single(.ofCoreFoundation(0x0A02)), "koi8-r")
    add(.several(.shiftJIS), "shift_jis shift-jis sjis windows-31j")
    add(.several(.ofCoreFoundation(0x0632)), "gb18030 gbk gb2312")
    add(.several(.ofCoreFoundation(0x0A03)), "big5")
    add(.several(.ofCoreFoundation(0x0940)), "euc-kr")
    return labels
  }()
}

extension String.Encoding {
  /// An encoding by its number in Core Foundation (CFStringEncodingExt.h).
  fileprivate static func ofCoreFoundation(_ number: UInt) -> String.Encoding {
    String.Encoding(rawValue: 0x8000_0000 | number)
  }
}

/// A body that is not text in its charset.
struct CharsetError: LoggableError {
  let label: String
  /// The number of bytes before the fault, or a little less.
  let offset: Int

  var description: String { "from byte \(offset) on it is no text in the charset '\(label.prefix(100).escaped)'" }
}
