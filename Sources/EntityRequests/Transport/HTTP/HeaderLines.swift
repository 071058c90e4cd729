internal import Foundation

/// The fields of a head as the bytes that came. Only the fields that are read become Strings.
package struct HeaderLines: Sendable {
  private let bytes: [UInt8]

  /// - Parameter bytes: Lines of a name, a colon and a value, each with a line feed. No line continues the line before
  ///   it.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The first value of a field; `nil` when it has none.
  func first(_ name: String) -> String? {
    var value: String?
    each { bytes, field, content in
      guard Self.isEqual(bytes, field, name) else { return true }
      value = Self.text(bytes, content)
      return false
    }
    return value
  }

  /// Every value of a field, in order.
  func values(_ name: String) -> [String] {
    var values: [String] = []
    each { bytes, field, content in
      if Self.isEqual(bytes, field, name) { values.append(Self.text(bytes, content)) }
      return true
    }
    return values
  }

  /// How many values a field has.
  func count(_ name: String) -> Int {
    var count = 0
    each { bytes, field, _ in
      count += Self.isEqual(bytes, field, name) ? 1 : 0
      return true
    }
    return count
  }

  /// How many fields there are.
  var count: Int {
    var count = 0
    each { _, _, _ in
      count += 1
      return true
    }
    return count
  }

  func fields() -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    // Most responses have no more fields. An array that grows is copied each time.
    fields.reserveCapacity(16)
    each { bytes, name, value in
      fields.append((Self.text(bytes, name), Self.text(bytes, value)))
      return true
    }
    return fields
  }

  /// Goes through the names and values, as long as `body` returns `true`.
  private func each(_ body: (UnsafeRawBufferPointer, Range<Int>, Range<Int>) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      var start = 0
      while let colon = Self.place(of: ":", in: bytes, from: start),
        let end = Self.place(of: "\n", in: bytes, from: colon),
        body(bytes, Self.trim(bytes, start..<colon), Self.trim(bytes, (colon + 1)..<end))
      {
        start = end + 1
      }
    }
  }

  private static func place(of byte: Unicode.Scalar, in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(byte.value), bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }

  private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ name: String) -> Bool {
    guard range.count == name.utf8.count else { return false }
    return zip(bytes[range], name.utf8).allSatisfy { HTTPHeaders.lowercased($0) == HTTPHeaders.lowercased($1) }
  }

  /// Without surrounding blanks.
  private static func trim(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
    var (from, to) = (range.lowerBound, range.upperBound)
    while from < to, bytes[from] == 0x20 || bytes[from] == 0x09 { from += 1 }
    while from < to, bytes[to - 1] == 0x20 || bytes[to - 1] == 0x09 { to -= 1 }
    return from..<to
  }

  /// Bytes that are no UTF-8 are read as ISO 8859-1, so none is lost (RFC 9110 §5.5).
  private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[range])
    var all: UInt8 = 0
    for byte in bytes { all |= byte }
    // Most values are ASCII, which one pass finds. `String(validating:)` looks up generic types for each text.
    if all < 0x80 { return String(decoding: bytes, as: UTF8.self) }
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
