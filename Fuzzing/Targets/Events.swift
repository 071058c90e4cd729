@testable import EntityJSON

/// A value as a line of events, byte for byte the form of reference.cpp: one letter for each event, with its length
/// and bytes for numbers, strings and keys, and with the count behind the end of an array or object. Keys stand in
/// their order and as often as in the text.
struct Events {
  private(set) var bytes: [UInt8] = []

  private let emptied: Int?

  /// - Parameter array: one inside `value` that is to have no elements.
  init(of value: JSONValue, emptying array: JSONValue? = nil) {
    emptied = array?.index
    read(value)
  }

  private mutating func read(_ value: JSONValue) {
    switch value.kind {
    case .null: add("n")
    case .bool: add(value.bool == true ? "t" : "f")
    case .number: add("#", Array((value.lexeme ?? "").utf8))
    case .string: add("\"", value.withUTF8 { Array($0) } ?? [])
    case .array:
      add("[")
      let elements = value.index == emptied ? [] : value.array.map(Array.init) ?? []
      elements.forEach { read($0) }
      add("]")
      append(elements.count)
    case .object:
      add("{")
      var count = 0
      value.object?.forEachField { key, value in
        add("k", Array(key))
        read(value)
        count += 1
      }
      add("}")
      append(count)
    }
  }

  private mutating func add(_ letter: Unicode.Scalar) { bytes.append(UInt8(ascii: letter)) }

  private mutating func add(_ letter: Unicode.Scalar, _ content: [UInt8]) {
    add(letter)
    append(content.count)
    bytes.append(contentsOf: content)
  }

  private mutating func append(_ number: Int) {
    withUnsafeBytes(of: UInt64(truncatingIfNeeded: number)) { bytes.append(contentsOf: $0) }
  }
}
