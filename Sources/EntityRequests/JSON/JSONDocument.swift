import Foundation

/// A parsed text and its tape. Immutable, so any number of views in any isolation share one.
final class JSONDocument: Sendable {
  /// The source, with the scanner's padding behind it.
  let bytes: [UInt8]
  let tape: JSONTape

  convenience init(parsing data: Data, limits: JSONLimits) throws(JSONError) {
    guard data.count <= min(limits.bytes, JSONWord.maximumBytes) else { throw JSONError.tooLarge }
    let padded = [UInt8](unsafeUninitializedCapacity: data.count + JSONScanner.padding) { buffer, count in
      JSONMemory.expectUse(of: UnsafeMutableRawBufferPointer(buffer))
      count = data.copyBytes(to: buffer)
      for index in count..<count + JSONScanner.padding { buffer[index] = 0 }
      count += JSONScanner.padding
    }
    try self.init(padded: padded, limits: limits)
  }

  convenience init(unpadded source: consuming [UInt8], limits: JSONLimits) throws(JSONError) {
    guard source.count <= min(limits.bytes, JSONWord.maximumBytes) else { throw JSONError.tooLarge }
    source.append(contentsOf: repeatElement(0, count: JSONScanner.padding))
    try self.init(padded: source, limits: limits)
  }

  private init(padded: [UInt8], limits: JSONLimits) throws(JSONError) {
    tape = try JSONParser.parse(padded: padded, limits: limits)
    bytes = padded
  }

  init(bytes: [UInt8], tape: JSONTape) {
    self.bytes = bytes
    self.tape = tape
  }

  /// Documents that are there without a parse that could fail.
  static let null = JSONDocument(
    bytes: Array("null".utf8) + [UInt8](repeating: 0, count: JSONScanner.padding),
    tape: JSONTape([JSONWord(.null, offset: 0, extent: 4).bits]))
  static let emptyArray = JSONDocument(
    bytes: Array("[]".utf8) + [UInt8](repeating: 0, count: JSONScanner.padding),
    tape: JSONTape([JSONWord(.array, offset: 0, extent: 2).bits, JSONExtent(count: 0, length: 2).bits]))
  static let emptyObject = JSONDocument(
    bytes: Array("{}".utf8) + [UInt8](repeating: 0, count: JSONScanner.padding),
    tape: JSONTape([JSONWord(.object, offset: 0, extent: 2).bits, JSONExtent(count: 0, length: 2).bits]))

  // MARK: Nodes

  func word(at index: Int) -> JSONWord { JSONWord(bits: tape[index]) }

  /// How many elements or fields a container has; duplicate keys count each time.
  func count(at index: Int) -> Int { JSONExtent(bits: tape[index + 1]).count }

  /// The index behind the node and all that is inside it.
  func next(after index: Int) -> Int {
    let word = word(at: index)
    return word.isContainer ? word.extent : index + 1
  }

  /// Where the node stands in the source, quotes and brackets included.
  func range(at index: Int) -> Range<Int> {
    let word = word(at: index)
    return switch word.tag {
    case .array, .object: word.offset..<word.offset + JSONExtent(bits: tape[index + 1]).length
    case .string, .escapedString: word.offset - 1..<word.offset + word.extent + 1
    default: word.offset..<word.offset + word.extent
    }
  }

  /// The source bytes of a number, or those between a string's quotes.
  func source(of word: JSONWord) -> ArraySlice<UInt8> { bytes[word.offset..<word.offset + word.extent] }

  /// As `source(of:)`, lent for the call.
  @inline(__always)
  func withSource<R>(of word: JSONWord, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    try bytes.withUnsafeBufferPointer { source in
      // The parser wrote the word and no text can make this fail; slices are checked in debug builds only.
      precondition(word.offset + word.extent <= source.count)
      return try body(UnsafeBufferPointer(rebasing: source[word.offset..<word.offset + word.extent]))
    }
  }

  /// A number's lexeme, lent for the call; nil for what is no number.
  @inline(__always)
  func withNumber<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R?) -> R? {
    let word = word(at: index)
    return word.tag == .number ? withSource(of: word, body) : nil
  }

  /// A string's bytes: lent from the source where it has no escapes, else decoded for the call.
  func withString<R>(at index: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
    let word = word(at: index)
    if word.tag == .escapedString {
      return try JSONText.unescape(source(of: word)).withUnsafeBufferPointer(body)
    }
    return try withSource(of: word, body)
  }

  // MARK: Fields

  /// Each field of the object at `index`: its key's UTF-8, lent for the call, and the tape index of the key, behind which
  /// the value stands.
  @inline(__always)
  func forEachField(in index: Int, _ body: (UnsafeBufferPointer<UInt8>, Int) throws -> Void) rethrows {
    var field = index + 2
    let end = word(at: index).extent
    while field < end {
      let key = word(at: field)
      if key.tag == .escapedString {
        try JSONText.unescape(source(of: key)).withUnsafeBufferPointer { try body($0, field) }
      } else {
        try withSource(of: key) { try body($0, field) }
      }
      field = next(after: field + 1)
    }
  }

  /// The value of the last field of the object at `index` whose key is `key`, RFC 8259 §4 leaving the choice open.
  func value(of key: UnsafeBufferPointer<UInt8>, in index: Int) -> Int? {
    var found: Int?
    forEachField(in: index) { candidate, field in
      if Self.areEqual(candidate, key) { found = field + 1 }
    }
    return found
  }

  @inline(__always)
  private static func areEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let mine = left.baseAddress, let its = right.baseAddress, left.count > 0 else { return true }
    // Keys of equal length mostly differ in their first byte; that spares the call.
    return mine.pointee == its.pointee && memcmp(mine, its, left.count) == 0
  }
}
