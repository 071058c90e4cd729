import Foundation

/// A parsed text and its tape. It is immutable, so any number of views in any isolation share one.
@usableFromInline final class JSONDocument: Sendable {
  /// The source, with the scanner's padding behind it.
  let bytes: [UInt8]
  let tape: JSONTape
  /// Whether the source was made from a format without types; see ``JSONValue/untyped``.
  let isUntyped: Bool
  /// The document whose values this one has in another form; see ``JSONShaping``.
  let origin: JSONDocument?
  /// The distance from a place in the bytes of the origin to the same place in these bytes.
  let shift: Int
  /// The values, by tape index, that a path did not find in the origin.
  let faults: [Int: JSONShapeFault]

  convenience init(parsing data: Data, limits: JSONLimits) throws(JSONError) {
    guard data.count <= min(limits.bytes, JSONWord.maximumBytes) else { throw JSONError.tooLarge }
    try self.init(padded: [UInt8](padded: data), limits: limits)
  }

  convenience init(unpadded source: consuming [UInt8], limits: JSONLimits) throws(JSONError) {
    guard source.count <= min(limits.bytes, JSONWord.maximumBytes) else { throw JSONError.tooLarge }
    source.append(contentsOf: repeatElement(0, count: PaddedText.padding))
    try self.init(padded: source, limits: limits)
  }

  private init(padded: [UInt8], limits: JSONLimits) throws(JSONError) {
    tape = try JSONParser.parse(padded: padded, limits: limits)
    tape.seal()
    bytes = padded
    isUntyped = false
    (origin, shift, faults) = (nil, 0, [:])
  }

  init(bytes: [UInt8], tape: JSONTape) {
    tape.seal()
    self.bytes = bytes
    self.tape = tape
    isUntyped = false
    (origin, shift, faults) = (nil, 0, [:])
  }

  /// Values of another document in another form.
  init(bytes: [UInt8], tape: JSONTape, of source: JSONDocument, shift: Int, faults: [Int: JSONShapeFault]) {
    tape.seal()
    self.bytes = bytes
    self.tape = tape
    isUntyped = source.isUntyped
    origin = source.origin ?? source
    self.shift = source.shift + shift
    self.faults = faults
  }

  /// The same text, of a format without types.
  init(untyped other: JSONDocument) {
    bytes = other.bytes
    tape = other.tape
    isUntyped = true
    (origin, shift, faults) = (other.origin, other.shift, other.faults)
  }

  /// A document that exists without a parse that could fail.
  static let null = JSONDocument(
    bytes: Array("null".utf8) + [UInt8](repeating: 0, count: PaddedText.padding),
    tape: JSONTape([JSONWord(.null, offset: 0, extent: 4).bits]))
  static let emptyArray = JSONDocument(
    bytes: Array("[]".utf8) + [UInt8](repeating: 0, count: PaddedText.padding),
    tape: JSONTape([JSONWord(.array, offset: 0, extent: 2).bits, JSONExtent(count: 0, length: 2).bits]))
  static let emptyObject = JSONDocument(
    bytes: Array("{}".utf8) + [UInt8](repeating: 0, count: PaddedText.padding),
    tape: JSONTape([JSONWord(.object, offset: 0, extent: 2).bits, JSONExtent(count: 0, length: 2).bits]))

  // MARK: Nodes

  func word(at index: Int) -> JSONWord { JSONWord(bits: tape[index]) }

  /// The number of elements or fields of a container; duplicate keys count each time.
  func count(at index: Int) -> Int { JSONExtent(bits: tape[index + 1]).count }

  /// The index behind the node and everything inside it.
  func next(after index: Int) -> Int {
    let word = word(at: index)
    return word.isContainer ? word.extent : index + 1
  }

  /// The range of the node in the source, with quotes and brackets.
  func range(at index: Int) -> Range<Int> {
    let word = word(at: index)
    return switch word.tag {
    case .array, .object: word.offset..<word.offset + JSONExtent(bits: tape[index + 1]).length
    case .string, .escapedString: word.offset - 1..<word.offset + word.extent + 1
    default: word.offset..<word.offset + word.extent
    }
  }

  /// The source bytes of a number, or the bytes between a string's quotes.
  func source(of word: JSONWord) -> ArraySlice<UInt8> { bytes[word.range] }

  /// The same as `source(of:)`, lent for the call.
  @inline(__always)
  func withSource<R>(of word: JSONWord, _ body: (LentBytes) throws -> R) rethrows -> R {
    try bytes.lend(word.range, body)
  }

  /// A number's lexeme, lent for the call; nil for a value that is no number. In a format without types, a text may be
  /// a number.
  @inline(__always)
  func withNumber<R>(at index: Int, _ body: (LentBytes) -> R?) -> R? {
    let word = word(at: index)
    return word.tag == .number || (isUntyped && isNumber(word)) ? withSource(of: word, body) : nil
  }

  /// A string's bytes: lent from the source where it has no escapes, else decoded for the call.
  func withString<R>(at index: Int, _ body: (LentBytes) throws -> R) rethrows -> R {
    let word = word(at: index)
    if word.tag == .escapedString {
      let decoded = JSONText.unescape(source(of: word))
      return try decoded.lend(decoded.indices, body)
    }
    return try withSource(of: word, body)
  }

  // MARK: Fields

  /// Each field of the object at `index`: the UTF-8 of its key, lent for the call, and the tape index of the key. The
  /// value stands behind the key.
  @inline(__always)
  func forEachField(in index: Int, _ body: (LentBytes, Int) throws -> Void) rethrows {
    var field = index + 2
    let end = word(at: index).extent
    while field < end {
      let key = word(at: field)
      if key.tag == .escapedString {
        let decoded = JSONText.unescape(source(of: key))
        try decoded.lend(decoded.indices) { try body($0, field) }
      } else {
        try withSource(of: key) { try body($0, field) }
      }
      field = next(after: field + 1)
    }
  }

  /// The value of the last field with `key` in the object at `index`. RFC 8259 §4 leaves the choice open.
  func value(of key: LentBytes, in index: Int) -> Int? {
    var found: Int?
    // The tag and the length are compared as one number: that rules out most other keys.
    let wanted = JSONWord(.string, offset: 0, extent: key.count)
    let end = word(at: index).extent
    var start = index + 2
    while let field = tape.place(ofKeyLike: wanted, from: start, to: end) {
      let name = word(at: field)
      let isFound =
        name.isEscaped
        ? withString(at: field) { $0.isEqual(to: key) } : withSource(of: name) { $0.isEqual(to: key) }
      if isFound { found = field + 1 }
      start = next(after: field + 1)
    }
    return found
  }
}
