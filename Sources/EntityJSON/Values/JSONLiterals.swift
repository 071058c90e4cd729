public import Foundation

/// Values that are made, not received. They are written as JSON and parsed, so that there is one kind of value, and
/// lookups need not distinguish kinds.
extension JSONValue {
  /// A text that the package wrote; null for a text of more than 2^30 bytes, the most that a document can have.
  package init(composed bytes: consuming [UInt8]) {
    self.init(document: (try? JSONDocument(unpadded: bytes, limits: .composed)) ?? .null, index: 0)
  }

  /// The value that `write` writes.
  package init(writing write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    self.init(composed: writer.bytes)
  }

  /// An array of values. Each value is copied.
  public init(_ elements: some Sequence<JSONValue>) {
    self.init { writer in
      writer.beginArray()
      for element in elements { writer.source(element.source) }
      writer.endArray()
    }
  }

  public init(_ string: String) { self.init { $0.string(string) } }

  public init(_ bool: Bool) { self.init { $0.bool(bool) } }

  public init(_ integer: some FixedWidthInteger) { self.init { $0.integer(integer) } }

  /// The shortest text that reads back as the same Double, `5` for 5.0; null for NaN and the infinities, which JSON
  /// does not have (RFC 8259 §6).
  public init(_ double: Double) { self.init { if !$0.number(double) { $0.null() } } }

  /// All digits of the number; null for NaN.
  public init(_ decimal: Decimal) { self.init { if !$0.decimal(decimal) { $0.null() } } }

  public static var null: JSONValue { JSONValue(document: .null, index: 0) }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self.init(value) }
  public init(integerLiteral value: Int64) { self.init(value) }
  public init(floatLiteral value: Double) { self.init(value) }
  public init(stringLiteral value: String) { self.init(value) }
  public init(arrayLiteral elements: JSONValue...) { self.init(elements) }
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self = JSONObject(fields: elements).value }
}

extension JSONArray: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: JSONValue...) { self.init(elements) }

  public init(_ elements: some Sequence<JSONValue>) {
    self = JSONValue(elements).array ?? .empty
  }

  private static let empty = JSONArray(document: .emptyArray, index: 0)
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(fields: elements) }

  /// The object of a dictionary. Its keys are sorted, so that equal dictionaries give equal bytes.
  public init(_ dictionary: [String: JSONValue]) {
    self.init(
      fields: dictionary.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) })
  }

  /// The object of a list of fields in their order. Of fields with the same key, the last one counts.
  public init(fields: some Sequence<(String, JSONValue)>) {
    let value = JSONValue { writer in
      writer.beginObject()
      for (key, value) in fields {
        writer.key(key)
        writer.source(value.source)
      }
      writer.endObject()
    }
    self = value.object ?? .empty
  }

  private static let empty = JSONObject(document: .emptyObject, index: 0)
}
