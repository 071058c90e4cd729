/// Reads the tokens of RFC 8259 from a text with zeros behind it. A zero belongs to no token, so most methods need not
/// check whether the text has ended.
struct JSONScanner {
  let text: PaddedText
  var cursor: Int

  /// - Parameter cursor: at most the length of the text.
  init(_ text: PaddedText, cursor: Int) { (self.text, self.cursor) = (text, cursor) }

  var count: Int { text.count }

  /// The byte at the cursor; zero at the end, and for a zero byte in the text.
  var byte: UInt8 {
    @inline(__always) get { text[cursor] }
  }

  @inline(__always)
  mutating func skip(_ wanted: UInt8) -> Bool {
    guard wanted != 0, text[cursor] == wanted else { return false }
    cursor &+= 1
    return true
  }

  /// Moves past a `[` that is directly before an array or object.
  @inline(__always)
  mutating func skipBracketBeforeContainer() -> Bool {
    // `{` is `[` plus 0x20.
    guard text.integer(cursor, as: UInt16.self) | 0x2000 == 0x7B5B else { return false }
    cursor &+= 1
    return true
  }

  /// Whether two closing brackets follow each other.
  var isAtEnds: Bool {
    @inline(__always) get { text.integer(cursor, as: UInt16.self) | 0x2020 == 0x7D7D }
  }

  /// Moves past whitespace, and returns the byte behind it.
  @inline(__always)
  mutating func byteBehindWhitespace() -> UInt8 {
    let byte = text[cursor]
    guard byte <= 0x20 else { return byte }
    cursor = whitespaceEnd(cursor)
    return text[cursor]
  }

  /// Moves past a `[` and the space behind it, up to a byte that may begin an element.
  @inline(__always)
  mutating func skipBracketBeforeElement() -> Bool {
    var probe = self
    guard probe.skip(UInt8(ascii: "[")) else { return false }
    probe.skipWhitespace()
    guard probe.byte > 0x20, probe.byte != UInt8(ascii: "]") else { return false }
    cursor = probe.cursor
    return true
  }

  /// The fault of the bytes at the cursor, which are not a valid value.
  func faultInLiteral() -> JSONFault {
    for word: StaticString in ["true", "false", "null"] where word.description.utf8.first == byte {
      var probe = self
      for letter in word.description.utf8 where !probe.skip(letter) { return .expected(word, at: probe.cursor) }
    }
    return .expected("a value", at: cursor)
  }

  /// Compares up to eight bytes at once; the first byte is the lowest in `wanted`.
  @inline(__always)
  mutating func skip(_ wanted: UInt64, length: Int) -> Bool {
    let difference = text.integer(cursor, as: UInt64.self) ^ wanted
    guard difference &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0 else { return false }
    cursor &+= length
    return true
  }

  /// Moves on by `length` if the bytes there equal those from `place`, which is before the cursor.
  @inline(__always)
  mutating func skip(likeAt place: Int, length: Int) -> Bool {
    guard isLike(place, length: length) else { return false }
    cursor &+= length
    return true
  }

  /// Whether the bytes at the cursor equal those from `place`, which is before it.
  @inline(__always)
  func isLike(_ place: Int, length: Int) -> Bool {
    guard length > 0 else { return false }
    // No byte between two values is zero, so nothing behind the text is equal to it.
    var done = 0
    while true {
      let same = JSONVector.firstOther(text.vector(place &+ done) .== text.vector(cursor &+ done))
      done &+= same
      if done >= length { return true }
      guard same == 16 else { return false }
    }
  }

  /// Moves past a complete string or number, or `true`, `false` or `null`.
  ///
  /// - Returns: its word; nil, without a move, where there is something else.
  @inline(__always)
  mutating func scalar() -> JSONWord? {
    let start = cursor
    let byte = text[start]
    if byte == UInt8(ascii: "\"") { return string(from: start &+ 1) }
    if byte &- 0x30 < 10 || byte == UInt8(ascii: "-") {
      if shortNumber() { return JSONWord(.number, offset: start, extent: cursor &- start) }
      guard let word = wholeNumber() else { return nil }
      cursor = word.ending
      return word
    }
    return literal()
  }

  /// Moves past a complete string.
  ///
  /// - Parameter start: the place behind its first quote.
  /// - Returns: its word; nil, without a move, where there is something else.
  @inline(__always)
  mutating func string(from start: Int) -> JSONWord? {
    var place = start
    repeat {
      let plain = plainRun(place)
      if plain < 16 {
        guard text[place, behind: plain] == UInt8(ascii: "\"") else { break }
        place &+= plain
        cursor = place &+ 1
        return JSONWord(.string, offset: start, extent: place &- start)
      }
      place &+= 16
    } while place &- start < 64
    guard let word = wholeString(from: start, plainUpTo: place) else { return nil }
    cursor = word.ending
    return word
  }

  /// Moves past a value of the same kind as another value, which is no container.
  ///
  /// - Parameter start: the place where the value begins; for a string, behind its quote.
  /// - Returns: its word; nil, without a move, where there is something else.
  @inline(__always)
  mutating func scalar(like other: JSONWord, from start: Int) -> JSONWord? {
    if other.isString { return string(from: start) }
    var probe = JSONScanner(text, cursor: start)
    guard
      let word = other.bits & 7 == JSONTag.number.rawValue
        ? probe.shortNumber() ? JSONWord(.number, offset: start, extent: probe.cursor &- start) : nil
        : probe.literal()
    else { return nil }
    cursor = probe.cursor
    return word
  }

  @inline(__always)
  mutating func literal() -> JSONWord? {
    let start = cursor
    if skip(0x6575_7274, length: 4) { return JSONWord(.true, offset: start, extent: 4) }
    if skip(0x65_736C_6166, length: 5) { return JSONWord(.false, offset: start, extent: 5) }
    return skip(0x6C6C_756E, length: 4) ? JSONWord(.null, offset: start, extent: 4) : nil
  }

  /// The string that begins behind a quote, of any length; nil where it has a fault or may not have ended.
  @inline(never)
  private func wholeString(from start: Int, plainUpTo place: Int) -> JSONWord? {
    var scanner = JSONScanner(text, cursor: place)
    do throws(JSONFault) {
      var hasEscape = false
      try scanner.longString(hasEscape: &hasEscape)
      return JSONWord(hasEscape ? .escapedString : .string, offset: start, extent: scanner.cursor &- start &- 1)
    } catch {
      return nil
    }
  }

  /// The number at the cursor, of any length; nil where it has a fault or may not have ended.
  @inline(never)
  private func wholeNumber() -> JSONWord? {
    var scanner = self
    do throws(JSONFault) {
      var part = NumberPart.sign
      try scanner.number(from: &part)
      return scanner.cursor == count ? nil : JSONWord(.number, offset: cursor, extent: scanner.cursor &- cursor)
    } catch {
      return nil
    }
  }

  /// Moves past a comma or bracket, a key of fewer than 16 plain bytes in quotes, and a colon directly behind the
  /// quote.
  ///
  /// - Returns: the key; nil, without a move, where there is something else.
  @inline(__always)
  mutating func shortKey() -> JSONWord? {
    var probe = self
    probe.cursor &+= 1
    probe.skipWhitespace()
    let start = probe.cursor &+ 1
    guard probe.skip(UInt8(ascii: "\"")), case let length = plainRun(start), length < 16,
      text.integer(start &+ length, as: UInt16.self) == 0x3A22
    else { return nil }
    cursor = start &+ length &+ 2
    return JSONWord(.string, offset: start, extent: length)
  }

  // MARK: Whitespace and literals, RFC 8259 §2 and §3

  /// Space, tab, line feed and carriage return, and nothing else.
  @inline(__always)
  mutating func skipWhitespace() {
    // In compact text, the method mostly ends here.
    guard text[cursor] <= 0x20 else { return }
    cursor = whitespaceEnd(cursor)
  }

  private func whitespaceEnd(_ start: Int) -> Int {
    var cursor = start
    while true {
      let byte = text[cursor]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return cursor }
      cursor &+= 1
      // Pretty-printed text is indented with spaces.
      while true {
        let others = text.integer(cursor, as: UInt64.self) ^ 0x2020_2020_2020_2020
        let spaces = others.trailingZeroBitCount &>> 3
        cursor &+= spaces
        guard spaces == 8 else { break }
      }
    }
  }
}
