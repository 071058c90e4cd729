public import Foundation

/// One JSON value of a response: a view of the response's bytes, two words in size. It copies nothing until you ask for
/// it.
///
/// ```swift
/// let value = try JSONValue(parsing: data)
/// let city = value["user.address.city"]?.string
/// ```
///
/// A view keeps the whole response in memory as long as the view exists. Literals make values too: `["id": 7, "tags":
/// []]`. Two values are equal when they mean the same JSON: `5` and `5.0` are equal, and so are objects with the same
/// fields in another order.
public struct JSONValue: Sendable {
  @usableFromInline let document: JSONDocument
  /// The value's first word on the document's tape.
  @usableFromInline let index: Int

  @inlinable init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  /// Reads a JSON text as RFC 8259 defines it. Any value is allowed at the top level (§2).
  ///
  /// - Throws: `JSONError` with the place of the first fault: in the grammar, in UTF-8 (§8.1), a lone surrogate (§8.2),
  ///   or more than 512 nested arrays and objects, 2^30 bytes or 2^28 values; on request, a key that an object has
  ///   twice (§4). A byte order mark is refused unless it is to be skipped.
  public init(
    parsing data: Data, duplicateKeys: JSONDuplicateKeys = .lastWins, byteOrderMark: JSONByteOrderMark = .refused
  ) throws(JSONError) {
    try self.init(parsing: data, limits: JSONLimits(duplicateKeys: duplicateKeys, byteOrderMark: byteOrderMark))
  }

  package init(parsing data: Data, limits: JSONLimits) throws(JSONError) {
    self.init(document: try JSONDocument(parsing: data, limits: limits), index: 0)
  }

  private var word: JSONWord { document.word(at: index) }

  // MARK: Kinds

  public enum Kind: Sendable {
    case null, bool, number, string, array, object
  }

  public var kind: Kind {
    switch word.tag {
    case .null: .null
    case .false, .true: .bool
    case .number: .number
    case .string, .escapedString: .string
    case .array: .array
    case .object: .object
    }
  }

  public var isNull: Bool { word.tag == .null }

  // MARK: Scalars

  /// The value of `true` or `false`; nil for all other values, also for numbers.
  public var bool: Bool? {
    switch word.tag {
    case .true: true
    case .false: false
    default: nil
    }
  }

  /// A string with its escapes decoded; nil for all other kinds.
  public var string: String? { document.string(at: index) }

  /// A number as it was written.
  public var lexeme: String? { document.withNumber(at: index) { String(decoding: $0, as: UTF8.self) } }

  /// A number whose value is an integer in range, whatever its written form: `5`, `5.0`, `0.5e1` and `-0` count. The
  /// value is exact: no number passes through Double.
  public var int: Int? { int64.flatMap { Int(exactly: $0) } }

  /// The same as `int`, in the range of `Int64` on every machine.
  public var int64: Int64? { document.withNumber(at: index, JSONNumber.int64) }

  /// The same as `int`, from 0 up to `UInt64.max`.
  public var uint64: UInt64? { document.withNumber(at: index, JSONNumber.uint64) }

  /// The nearest Double to a number; nil when the result would be an infinity.
  public var double: Double? { document.withNumber(at: index, JSONNumber.double) }

  /// A number's exact value; nil when Decimal cannot hold it exactly.
  public var decimal: Decimal? { document.withNumber(at: index) { JSONNumber(lexeme: $0).decimal } }

  // MARK: Containers

  public var array: JSONArray? {
    word.tag == .array ? JSONArray(document: document, index: index) : nil
  }

  public var object: JSONObject? {
    word.tag == .object ? JSONObject(document: document, index: index) : nil
  }

  /// The value under a key, or under keys separated by dots; nil when there is none, or when this is neither an object nor
  /// an array.
  ///
  /// See ``JSONObject/subscript(_:)``. An array has the key paths that begin with a bracket: `[0].name`, `[].name`.
  public subscript(_ keyPath: String) -> JSONValue? {
    if let object { return object[keyPath] }
    return word.isArray ? shaped(keyPath) : nil
  }

  /// The place of the value. It means nothing after the end of the document.
  package var place: JSONPlace {
    JSONPlace(document: ObjectIdentifier(document.origin ?? document), offset: word.offset - document.shift)
  }

  // MARK: Bytes

  /// Lends a string's UTF-8 for the call, straight from the response if the string has no escapes; nil for other kinds.
  package func withUTF8<R>(_ body: (LentBytes) throws -> R) rethrows -> R? {
    switch word.tag {
    case .string, .escapedString: try document.withString(at: index, body)
    default: nil
    }
  }

  /// The value's source bytes, with the whitespace inside it.
  public var rawBytes: Data { Data(source) }

  package var source: ArraySlice<UInt8> {
    document.origin == nil ? document.bytes[document.range(at: index)] : shapedSource
  }

  /// `source` as a String.
  package var sourceText: String { String(decoding: source, as: UTF8.self) }

  /// Seconds since 1970, if the value is the text of a date; see ``ISO8601``.
  package var secondsOfDate: Double? { withUTF8(\.seconds) ?? nil }

  package var isEmptyString: Bool { withUTF8(\.isEmpty) ?? false }
}

extension JSONValue {
  /// The name of the value's kind, for an error message.
  package var kindName: String {
    switch kind {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

/// The place of a value in a document.
package struct JSONPlace: Hashable {
  fileprivate let document: ObjectIdentifier
  /// Where the value begins in the text.
  fileprivate let offset: Int
}
