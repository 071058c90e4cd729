/// Builds the tape in one pass, with an explicit stack: nesting costs heap, never call stack.
struct JSONParser {
  private var scanner: JSONScanner
  private let limits: JSONLimits
  private var tape: [UInt64] = []
  private var nodes = 0
  /// The containers around the innermost one.
  private var outer: [JSONFrame] = []
  /// The innermost open container.
  private var open: JSONFrame?

  /// The tape of `bytes`, whose last `JSONScanner.padding` bytes are zero and not part of the text.
  static func parse(padded bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> [UInt64] {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONError) in
      guard let scanner = JSONScanner(padded: buffer) else {
        throw JSONError(fault: .refused(.emptyInput, "the text is empty", at: 0), in: bytes, tape: [], frames: [])
      }
      var parser = JSONParser(scanner: scanner, limits: limits)
      do throws(JSONFault) {
        try parser.document()
      } catch {
        let frames = parser.open.map { parser.outer + [$0] } ?? []
        throw JSONError(fault: error, in: bytes, tape: parser.tape, frames: frames)
      }
      return parser.tape
    }
  }

  private init(scanner: JSONScanner, limits: JSONLimits) {
    self.scanner = scanner
    self.limits = limits
    // Responses have about one word in ten bytes. Pages that stay untouched cost nothing.
    tape.reserveCapacity(scanner.count / 8 + 2)
  }

  private mutating func document() throws(JSONFault) {
    if let mark = byteOrderMark() { throw mark }
    scanner.skipWhitespace()
    guard scanner.cursor < scanner.count else {
      throw .refused(
        .emptyInput, scanner.count == 0 ? "the text is empty" : "the text has only whitespace", at: scanner.cursor)
    }
    try values()
    scanner.skipWhitespace()
    guard scanner.cursor == scanner.count else {
      throw .expected("nothing more after the value", at: scanner.cursor, kind: .trailingContent)
    }
  }

  private func byteOrderMark() -> JSONFault? {
    var probe = scanner
    if probe.take(0xEF), probe.take(0xBB), probe.take(0xBF) {
      return .refused(.byteOrderMark, "the text begins with a UTF-8 byte order mark; JSON has none", at: 0)
    }
    probe = scanner
    if probe.take(0xFE) && probe.take(0xFF) {
      return .refused(.byteOrderMark, "the text begins with a UTF-16 byte order mark; JSON is UTF-8", at: 0)
    }
    probe = scanner
    if probe.take(0xFF) && probe.take(0xFE) {
      return .refused(.byteOrderMark, "the text begins with a UTF-16 or UTF-32 byte order mark; JSON is UTF-8", at: 0)
    }
    return nil
  }

  /// One value with all that is inside it. The cursor is at its first byte.
  private mutating func values() throws(JSONFault) {
    while true {
      let opened = try value()
      if opened { continue }
      // A value is complete. Close what ends here, and go on to the next one.
      while true {
        guard let frame = open else { return }
        scanner.skipWhitespace()
        if scanner.take(UInt8(ascii: ",")) {
          scanner.skipWhitespace()
          if frame.isObject { try key(expecting: "a key in quotes after ','") } else { open?.count &+= 1 }
          break
        }
        if frame.isObject {
          guard scanner.take(UInt8(ascii: "}")) else { throw .expected("',' or '}'", at: scanner.cursor) }
        } else {
          guard scanner.take(UInt8(ascii: "]")) else { throw .expected("',' or ']'", at: scanner.cursor) }
        }
        close()
      }
    }
  }

  /// A scalar or an empty container, whole, or the beginning of another container up to its first value.
  /// - Returns: whether a container was opened, so that a value follows.
  private mutating func value() throws(JSONFault) -> Bool {
    let start = scanner.cursor
    nodes &+= 1
    guard nodes <= limits.nodes else { throw .refused(.tooManyNodes, "more values than the limit", at: start) }
    switch scanner.byte {
    case UInt8(ascii: "\""):
      try string()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try scanner.number()
      append(.number, from: start)
    case UInt8(ascii: "{"):
      try begin(.object, at: start)
      _ = scanner.take(UInt8(ascii: "{"))
      scanner.skipWhitespace()
      if scanner.take(UInt8(ascii: "}")) {
        close()
        return false
      }
      try key(expecting: "a key in quotes or '}'")
      return true
    case UInt8(ascii: "["):
      try begin(.array, at: start)
      _ = scanner.take(UInt8(ascii: "["))
      scanner.skipWhitespace()
      if scanner.take(UInt8(ascii: "]")) {
        close()
        return false
      }
      open?.count = 1
      return true
    case UInt8(ascii: "t"):
      try scanner.literal("true", named: "true")
      append(.true, from: start)
    case UInt8(ascii: "f"):
      try scanner.literal("false", named: "false")
      append(.false, from: start)
    case UInt8(ascii: "n"):
      try scanner.literal("null", named: "null")
      append(.null, from: start)
    default:
      throw .expected("a value", at: start)
    }
    return false
  }
  // MARK: Words

  private mutating func append(_ tag: JSONTag, from start: Int) {
    tape.append(JSONWord(tag, offset: start, extent: scanner.cursor &- start).bits)
  }

  /// The string whose opening quote is at the cursor.
  private mutating func string() throws(JSONFault) {
    _ = scanner.take(UInt8(ascii: "\""))
    let start = scanner.cursor
    let escaped = try scanner.string()
    tape.append(
      JSONWord(escaped ? .escapedString : .string, offset: start, extent: scanner.cursor &- start &- 1).bits)
  }

  /// A member's key and colon, up to the first byte of its value.
  private mutating func key(expecting expectation: StaticString) throws(JSONFault) {
    guard scanner.byte == UInt8(ascii: "\"") else { throw .expected(expectation, at: scanner.cursor) }
    try string()
    open?.count &+= 1
    scanner.skipWhitespace()
    guard scanner.take(UInt8(ascii: ":")) else { throw .expected("':' after the key", at: scanner.cursor) }
    scanner.skipWhitespace()
  }

  private mutating func begin(_ tag: JSONTag, at start: Int) throws(JSONFault) {
    let depth = outer.count + (open == nil ? 0 : 1)
    guard depth < limits.depth else {
      throw .refused(.tooDeep, "arrays and objects are nested deeper than the limit", at: start)
    }
    if let open { outer.append(open) }
    open = JSONFrame(start: tape.count, count: 0, isObject: tag == .object)
    // Both words are completed by `close`.
    tape.append(JSONWord(tag, offset: start, extent: 0).bits)
    tape.append(0)
  }

  private mutating func close() {
    guard let frame = open else { return }
    let word = JSONWord(bits: tape[frame.start])
    tape[frame.start] = JSONWord(word.tag, offset: word.offset, extent: tape.count).bits
    tape[frame.start + 1] = JSONExtent(count: frame.count, length: scanner.cursor - word.offset).bits
    open = outer.popLast()
  }
}

/// An array or object whose end has not been read.
struct JSONFrame {
  /// Its first word on the tape.
  var start: Int
  /// Elements begun, or keys read.
  var count: Int
  var isObject: Bool
}
