/// HTML, in which each text is escaped. This is the only place where a text becomes HTML.
///
/// ```swift
/// let row: HTML = "<td>\(name)</td>"      // the name is escaped, and the literal is not
/// ```
///
/// Only a literal can bring markup along. Values of the file, of requests and of errors are interpolated.
struct HTML: ExpressibleByStringInterpolation, Sendable {
  private(set) var text: String

  init() { text = "" }

  init(stringLiteral markup: StaticString) { text = markup.description }

  init(stringInterpolation interpolation: StringInterpolation) { text = interpolation.text }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity * 2) }

    mutating func appendLiteral(_ markup: StaticString) { text += markup.description }

    mutating func appendInterpolation(_ value: String) { text += HTML.escaped(value) }

    mutating func appendInterpolation(_ number: Int) { text += "\(number)" }

    mutating func appendInterpolation(_ number: Int64) { text += "\(number)" }

    mutating func appendInterpolation(_ html: HTML?) { text += html?.text ?? "" }

    mutating func appendInterpolation(_ parts: [HTML]) { for part in parts { text += part.text } }

    mutating func appendInterpolation(_ link: PageLink) { text += HTML.escaped(link.path) }
  }

  static func += (html: inout HTML, more: HTML) { html.text += more.text }

  /// The text for the content of an element, and for the value of an attribute between quotation marks.
  ///
  /// It goes by bytes, as a browser reads: in Swift `<` with an accent is one character that differs from `<`.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      // Control characters are no HTML.
      case 0x09, 0x0A, 0x20...: bytes.append(byte)
      default: bytes += "\u{FFFD}".utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
