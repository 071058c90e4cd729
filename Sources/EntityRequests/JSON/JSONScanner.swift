/// Reads the tokens of RFC 8259 from a text with zeros behind it, which belong to no token: so most methods need not ask
/// whether the text has ended.
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
  mutating func take(_ wanted: UInt8) -> Bool {
    guard wanted != 0, text[cursor] == wanted else { return false }
    cursor &+= 1
    return true
  }

  /// Moves past a `[` that an array or object follows at once.
  @inline(__always)
  mutating func takeBracketBeforeContainer() -> Bool {
    // `{` is `[` and 0x20.
    guard text.integer(cursor, as: UInt16.self) | 0x2000 == 0x7B5B else { return false }
    cursor &+= 1
    return true
  }

  /// What is wrong with the value at the cursor, which is none of those that are right.
  func faultInLiteral() -> JSONFault {
    for word: StaticString in ["true", "false", "null"] where word.description.utf8.first == byte {
      var probe = self
      for letter in word.description.utf8 where !probe.take(letter) { return .expected(word, at: probe.cursor) }
    }
    return .expected("a value", at: cursor)
  }

  /// Takes up to eight bytes at once, the first one lowest in `wanted`.
  @inline(__always)
  mutating func take(_ wanted: UInt64, length: Int) -> Bool {
    let difference = text.integer(cursor, as: UInt64.self) ^ wanted
    guard difference &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0 else { return false }
    cursor &+= length
    return true
  }

  /// Moves on by `length` if the bytes there are those that begin at `place`, before the cursor.
  @inline(__always)
  mutating func skip(likeAt place: Int, length: Int) -> Bool {
    guard place >= 0, length > 0, place &+ length <= cursor, cursor &+ length <= count else { return false }
    if length < 8 {
      let difference =
        text.integer(place, as: UInt64.self) ^ text.integer(cursor, as: UInt64.self)
      guard difference &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0 else { return false }
    } else {
      var done = 0
      while done &+ 8 < length {
        guard text.integer(place &+ done, as: UInt64.self) == text.integer(cursor &+ done, as: UInt64.self) else {
          return false
        }
        done &+= 8
      }
      let last = length &- 8
      guard text.integer(place &+ last, as: UInt64.self) == text.integer(cursor &+ last, as: UInt64.self) else {
        return false
      }
    }
    cursor &+= length
    return true
  }

  /// Moves past a string of less than 32 plain bytes, an integer or decimal without exponent, `true`, `false` or `null`.
  ///
  /// - Returns: its word; nil, not having moved, where there is something else.
  @inline(__always)
  mutating func shortScalar() -> JSONWord? {
    let start = cursor
    let byte = text[start]
    if byte == UInt8(ascii: "\"") {
      var end = start &+ 1
      let first = plainRun(end)
      end &+= first
      if first == 16 {
        let second = plainRun(end)
        guard second < 16 else { return nil }
        end &+= second
      }
      guard text[end] == UInt8(ascii: "\"") else { return nil }
      cursor = end &+ 1
      return JSONWord(.string, offset: start &+ 1, extent: end &- start &- 1)
    }
    if byte &- 0x30 < 10 || byte == UInt8(ascii: "-") {
      return shortNumber() ? JSONWord(.number, offset: start, extent: cursor &- start) : nil
    }
    if take(0x6575_7274, length: 4) { return JSONWord(.true, offset: start, extent: 4) }
    if take(0x65_736C_6166, length: 5) { return JSONWord(.false, offset: start, extent: 5) }
    return take(0x6C6C_756E, length: 4) ? JSONWord(.null, offset: start, extent: 4) : nil
  }

  /// Moves past `skipped` bytes, none of them zero, a key of less than 16 plain bytes in quotes and a colon, where nothing
  /// stands between them.
  ///
  /// - Returns: the length of the key; -1, not having moved, where there is something else.
  @inline(__always)
  mutating func shortKey(behind skipped: Int) -> Int {
    let start = cursor &+ skipped
    guard text[start] == UInt8(ascii: "\"") else { return -1 }
    let length = plainRun(start &+ 1)
    guard length < 16, text.integer(start &+ 1 &+ length, as: UInt16.self) == 0x3A22 else { return -1 }
    cursor = start &+ length &+ 3
    return length
  }

  // MARK: Whitespace and literals, RFC 8259 §2 and §3

  /// Space, tab, line feed and carriage return, and nothing else.
  @inline(__always)
  mutating func skipWhitespace() {
    // Compact text mostly stops here.
    guard text[cursor] <= 0x20 else { return }
    cursor = whitespaceEnd(cursor)
  }

  private func whitespaceEnd(_ start: Int) -> Int {
    var cursor = start
    while true {
      let byte = text[cursor]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return cursor }
      cursor &+= 1
      // What pretty-printing indents with.
      while true {
        let others = text.integer(cursor, as: UInt64.self) ^ 0x2020_2020_2020_2020
        let spaces = others.trailingZeroBitCount &>> 3
        cursor &+= spaces
        guard spaces == 8 else { break }
      }
    }
  }
}
