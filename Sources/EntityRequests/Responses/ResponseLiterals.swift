/// Values that are made, not received. They are written as JSON and parsed, so that there is one kind of value and
/// nothing for a lookup to tell apart.
extension ResponseValue {
  /// A text that the package wrote; null for one of more than 2^30 bytes, the most a document can have.
  init(composed bytes: consuming [UInt8]) {
    self.init(document: (try? JSONDocument(unpadded: bytes, limits: .composed)) ?? .null, index: 0)
  }

  init(composed text: String) { self.init(composed: Array(text.utf8)) }

  /// An array of values; each is copied.
  public init(_ elements: some Sequence<ResponseValue>) {
    var bytes = [UInt8(ascii: "[")]
    for element in elements {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: element.source)
    }
    bytes.append(UInt8(ascii: "]"))
    self.init(composed: bytes)
  }

  public init(_ string: String) {
    var bytes: [UInt8] = []
    JSONText.append(quoted: string, to: &bytes)
    self.init(composed: bytes)
  }

  public init(_ bool: Bool) { self.init(composed: bool ? "true" : "false") }

  public init(_ integer: some FixedWidthInteger) { self.init(composed: String(integer)) }

  /// The shortest text that reads back as the same Double; null for NaN and the infinities, which JSON has not
  /// (RFC 8259 §6).
  public init(_ double: Double) { self.init(composed: double.isFinite ? "\(double)" : "null") }

  public static var null: ResponseValue { ResponseValue(document: .null, index: 0) }
}

extension ResponseValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(nilLiteral: ()) { self = .null }
  public init(booleanLiteral value: Bool) { self.init(value) }
  public init(integerLiteral value: Int64) { self.init(value) }
  public init(floatLiteral value: Double) { self.init(value) }
  public init(stringLiteral value: String) { self.init(value) }
  public init(arrayLiteral elements: ResponseValue...) { self.init(elements) }
  public init(dictionaryLiteral elements: (String, ResponseValue)...) { self = ResponseObject(fields: elements).value }
}

extension ResponseArray: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: ResponseValue...) { self.init(elements) }

  public init(_ elements: some Sequence<ResponseValue>) {
    self = ResponseValue(elements).array ?? .empty
  }

  private static let empty = ResponseArray(document: .emptyArray, index: 0)
}

extension ResponseObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, ResponseValue)...) { self.init(fields: elements) }

  /// The object of a dictionary, its keys sorted so that equal dictionaries give equal bytes.
  public init(_ dictionary: [String: ResponseValue]) {
    self.init(fields: dictionary.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
  }

  /// The object of a list of fields in their order. Of fields with the same key the last counts.
  public init(fields: some Sequence<(String, ResponseValue)>) {
    var bytes = [UInt8(ascii: "{")]
    for (key, value) in fields {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      JSONText.append(quoted: key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes.append(contentsOf: value.source)
    }
    bytes.append(UInt8(ascii: "}"))
    self = ResponseValue(composed: bytes).object ?? .empty
  }

  private static let empty = ResponseObject(document: .emptyObject, index: 0)
}
