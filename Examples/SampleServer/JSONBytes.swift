/// JSON text under construction.
///
/// A hundred thousand users are made for one answer, so their bytes are put together directly: by way of `Codable` it
/// would take many seconds in a debug build.
struct JSONBytes: Sendable {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// Appends text as it is; the contents of JSON strings in it are escaped already.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ more: [UInt8]) {
    bytes.append(contentsOf: more)
  }

  /// Appends a number, or null.
  mutating func append(_ number: Int?) {
    if let number { append(number, width: 1) } else { append("null") }
  }

  /// Appends a number that is not negative, filled with zeros on the left up to `width` digits.
  mutating func append(_ number: Int, width: Int = 1) {
    // The digits come last to first, so they pass through a word of eight on their way.
    var rest = UInt(max(0, number))
    var digits: UInt64 = 0
    var count = 0
    while count < 8, rest > 0 || count < width {
      digits = digits << 8 | UInt64(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      count += 1
    }
    if rest > 0 { append(Int(rest)) }
    while count > 0 {
      bytes.append(UInt8(truncatingIfNeeded: digits))
      digits >>= 8
      count -= 1
    }
  }
}
