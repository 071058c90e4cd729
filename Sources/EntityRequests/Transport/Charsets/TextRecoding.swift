package import Foundation

/// Turns text of another charset into UTF-8, piece by piece: a piece may end within a character.
///
/// A body of UTF-8 needs none. All of JSON's reading then has the bytes as they came.
package struct TextRecoding: Sendable {
  private let label: String
  private var charset: Charset
  /// The bytes of a character that has not arrived as a whole.
  private var rest = Data()
  /// How many bytes came before the rest.
  private var offset = 0
  private var isAtStart = true

  /// - Parameter start: The first bytes of the body: a byte order mark says more than a label.
  /// - Returns: `nil` for UTF-8.
  init?(contentType: String?, start: Data) {
    let mark = Charset(mark: start)
    // Most content types have no parameter, and some have another one: `application/json;odata.metadata=minimal`.
    let hasParameter = contentType?.utf8.contains(UInt8(ascii: ";")) == true
    let named = hasParameter ? contentType.flatMap { ContentType($0).charset } : nil
    guard mark != nil || named != nil else { return nil }
    label = named ?? "utf-16"
    charset = mark ?? Charset(label: label)
    if charset == .utf8 || start.starts(with: Self.utf8Mark) { return nil }
  }

  private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The whole body as UTF-8.
  ///
  /// - Throws: ``CharsetError``.
  package static func utf8(_ body: Data, contentType: String?) throws -> Data {
    guard var recoding = TextRecoding(contentType: contentType, start: body) else { return body }
    let text = try recoding.add(body)
    try recoding.finish()
    return text
  }

  /// A text in the charset of a body from which it was read; `nil` where the charset lacks one of its characters.
  package static func bytes(of text: String, as body: Data, contentType: String?) -> Data? {
    guard let recoding = TextRecoding(contentType: contentType, start: body) else { return Data(text.utf8) }
    switch recoding.charset {
    case .utf8: return Data(text.utf8)
    case .single(let encoding), .several(let encoding): return text.data(using: encoding)
    case .utf16(let isBigEndian):
      let isBigEndian = isBigEndian ?? (body.first == 0)
      let units = (Charset(mark: body) == nil ? [] : [0xFEFF]) + Array(text.utf16)
      return Data(
        units.flatMap { unit in
          let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
          return isBigEndian ? bytes : bytes.reversed()
        })
    }
  }

  /// The text of a piece, with the rest of the piece before.
  ///
  /// - Throws: ``CharsetError``.
  mutating func add(_ piece: Data) throws -> Data {
    var bytes = rest
    bytes.append(piece)
    let (text, count) = try text(of: bytes)
    rest = Data(bytes.dropFirst(count))
    offset += count
    if count > 0 { isAtStart = false }
    return text
  }

  /// - Throws: ``CharsetError`` where the body ends within a character.
  func finish() throws { if !rest.isEmpty { throw fault } }

  private var fault: CharsetError { CharsetError(label: label, offset: offset) }

  /// - Returns: The text, and the number of bytes that it has.
  private mutating func text(of bytes: Data) throws -> (Data, Int) {
    switch charset {
    case .utf8: return (bytes, bytes.count)
    case .single(let encoding):
      if bytes.allSatisfy({ $0 < 0x80 }) { return (bytes, bytes.count) }
      // One by one only if there is a byte without a character: the standard reads it as the control with its number.
      if let text = String(data: bytes, encoding: encoding) { return (Data(text.utf8), bytes.count) }
      let texts = bytes.map { byte in
        String(data: Data([byte]), encoding: encoding) ?? String(Unicode.Scalar(byte))
      }
      return (Data(texts.joined().utf8), bytes.count)
    case .several(let encoding):
      for length in stride(from: bytes.count, through: max(0, bytes.count - 3), by: -1) {
        if length == 0 { return (Data(), 0) }
        if let text = String(data: bytes.prefix(length), encoding: encoding) { return (Data(text.utf8), length) }
      }
      throw fault
    case .utf16(let isBigEndian): return try utf16(bytes, isBigEndian)
    }
  }

  private mutating func utf16(_ bytes: Data, _ isBigEndian: Bool?) throws -> (Data, Int) {
    guard bytes.count >= 2 else { return (Data(), 0) }
    var units: [UInt16] = []
    // JSON begins with a character of ASCII, whose upper half is zero.
    let isBigEndian = isBigEndian ?? (bytes[bytes.startIndex] == 0)
    charset = .utf16(isBigEndian: isBigEndian)
    units.reserveCapacity(bytes.count / 2)
    bytes.withUnsafeBytes { source in
      for index in stride(from: 0, to: source.count - 1, by: 2) {
        let (first, second) = (UInt16(source[index]), UInt16(source[index + 1]))
        units.append(isBigEndian ? first << 8 | second : second << 8 | first)
      }
    }
    if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
    let count = units.count * 2
    if isAtStart, units.first == 0xFEFF { units.removeFirst() }
    guard let text = String(validating: units, as: UTF16.self) else { throw fault }
    return (Data(text.utf8), count)
  }
}

extension Charset {
  /// The charset that a byte order mark names (Encoding standard §6.1); `nil` without a mark of UTF-16.
  fileprivate init?(mark bytes: Data) {
    switch Array(bytes.prefix(2)) {
    case [0xFE, 0xFF]: self = .utf16(isBigEndian: true)
    case [0xFF, 0xFE]: self = .utf16(isBigEndian: false)
    default: return nil
    }
  }
}
