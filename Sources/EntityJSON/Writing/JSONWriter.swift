package import Foundation

/// Writes JSON: a caller passes the parts of a value to the writer in their order.
///
/// ```swift
/// var writer = JSONWriter(format: .compact)
/// writer.beginObject()
/// writer.key("id")
/// writer.integer(7)
/// writer.endObject()
/// ```
///
/// The writer adds the commas and the line breaks. Keys are written as they come: sorting is up to the caller, who has
/// all keys.
package struct JSONWriter {
  package let format: JSONFormat
  package private(set) var bytes: [UInt8] = []
  private var depth = 0
  /// Whether the innermost container has no member yet.
  private var isEmpty = true
  /// Whether the next part follows a key.
  private var isAfterKey = false

  package init(format: JSONFormat = .compact, capacity: Int = 0) {
    self.format = format
    bytes.reserveCapacity(capacity)
  }

  // MARK: Containers

  package mutating func beginArray() { begin(UInt8(ascii: "[")) }
  package mutating func beginObject() { begin(UInt8(ascii: "{")) }
  package mutating func endArray() { end(UInt8(ascii: "]")) }
  package mutating func endObject() { end(UInt8(ascii: "}")) }

  private mutating func begin(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    depth += 1
    isEmpty = true
  }

  private mutating func end(_ bracket: UInt8) {
    depth -= 1
    if !isEmpty { breakLine() }
    isEmpty = false
    bytes.append(bracket)
  }

  /// Writes the comma and the line break between the last part and the next.
  private mutating func separate() {
    if isAfterKey {
      isAfterKey = false
      return
    }
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    if depth > 0 { breakLine() }
    isEmpty = false
  }

  private mutating func breakLine() {
    guard format.isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
  }

  package mutating func key(_ key: String) {
    key.lend { self.key($0) }
  }

  package mutating func key(_ key: LentBytes) {
    separate()
    JSONEscaping.append(key, to: &bytes, escapingLineSeparators: format.escapesLineSeparators)
    bytes.append(UInt8(ascii: ":"))
    if format.isPretty { bytes.append(UInt8(ascii: " ")) }
    isAfterKey = true
  }

  // MARK: Scalars

  package mutating func null() { literal("null") }
  package mutating func bool(_ bool: Bool) { literal(bool ? "true" : "false") }

  package mutating func integer(_ integer: some FixedWidthInteger) { literal(String(integer)) }

  /// The shortest text that reads back as the same number, `5` for 5.0 and `1e+300` for 1e300. JSON has no NaN and no
  /// infinities (RFC 8259 §6): for these, the function writes nothing and returns false.
  ///
  /// All JSON follows one rule. An encoder (``JSONValueEncoder``, `setJSON`, an attribute that is stored as JSON)
  /// refuses such a number, with its key path. A ``JSONValue`` made from such a number is null, because making it can't
  /// throw.
  package mutating func number(_ number: some BinaryFloatingPoint & LosslessStringConvertible) -> Bool {
    guard let text = Self.text(of: number) else { return false }
    literal(text)
    return true
  }

  static func text(of number: some BinaryFloatingPoint & LosslessStringConvertible) -> String? {
    guard number.isFinite else { return nil }
    let text = number.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// All digits of the number. Returns false, and writes nothing, for NaN.
  package mutating func decimal(_ decimal: Decimal) -> Bool {
    guard let text = Self.text(of: decimal) else { return false }
    literal(text)
    return true
  }

  static func text(of decimal: Decimal) -> String? { decimal.isFinite ? decimal.description : nil }

  package mutating func string(_ string: String) {
    separate()
    JSONEscaping.append(string, to: &bytes, escapingLineSeparators: format.escapesLineSeparators)
  }

  package mutating func string(_ string: LentBytes) {
    separate()
    JSONEscaping.append(string, to: &bytes, escapingLineSeparators: format.escapesLineSeparators)
  }

  /// A text that is JSON, or stands in its place in a description.
  package mutating func literal(_ text: some StringProtocol) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// The bytes of a whole value.
  package mutating func source(_ source: ArraySlice<UInt8>) {
    separate()
    bytes.append(contentsOf: source)
  }
}
