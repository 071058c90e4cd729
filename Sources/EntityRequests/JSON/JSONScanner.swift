/// Reads the tokens of RFC 8259 from a buffer without a bounds check per byte. The only file of the reader that does.
///
/// Why no read leaves the buffer: the bytes at `count ..< count + padding` are zero, which `init` checks, and
/// `cursor <= count` always holds. It holds at first, and the cursor moves only
/// 1. by one, over a byte that was just seen not to be zero. Such a byte lies before `count`, so `cursor` ends at most
///    there; every token of the grammar and every part of a UTF-8 sequence is read in this way, and no token contains
///    a zero byte;
/// 2. over the bytes of a loaded word that `plainPrefix` found plain. A plain byte is not zero, so it lies before
///    `count` as well.
/// A load of eight bytes at `cursor` ends at or before `count + 8`, inside the padding.
/// The pointer comes from an array that `JSONParser.parse` keeps borrowed for as long as the scanner lives.
struct JSONScanner {
  static let padding = 8

  private let base: UnsafePointer<UInt8>
  let count: Int
  private(set) var cursor = 0

  init?(padded buffer: UnsafeBufferPointer<UInt8>) {
    guard let start = buffer.baseAddress, buffer.count >= Self.padding,
      buffer.suffix(Self.padding).allSatisfy({ $0 == 0 })
    else { return nil }
    base = start
    count = buffer.count - Self.padding
  }

  /// The byte at the cursor; zero at the end, and for a zero byte in the text.
  var byte: UInt8 {
    @inline(__always) get { base[cursor] }
  }

  @inline(__always)
  mutating func take(_ wanted: UInt8) -> Bool {
    guard wanted != 0, base[cursor] == wanted else { return false }
    cursor &+= 1
    return true
  }

  /// RFC 8259 §2: space, tab, line feed and carriage return, and nothing else.
  @inline(__always)
  mutating func skipWhitespace() {
    while true {
      let byte = base[cursor]
      // Compact text mostly stops here.
      guard byte <= 0x20 else { return }
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      cursor &+= 1
    }
  }

  mutating func literal(_ rest: StaticString, named expectation: StaticString) throws(JSONFault) {
    for index in 0..<rest.utf8CodeUnitCount {
      guard take(rest.utf8Start[index]) else { throw .expected(expectation, at: cursor) }
    }
  }

  // MARK: Numbers, RFC 8259 §6

  @inline(__always)
  private mutating func digits() -> Bool {
    let start = cursor
    while base[cursor] &- 0x30 < 10 { cursor &+= 1 }
    return cursor != start
  }

  /// Moves past the number that begins at the cursor.
  mutating func number() throws(JSONFault) {
    _ = take(UInt8(ascii: "-"))
    if take(UInt8(ascii: "0")) {
      guard byte &- 0x30 >= 10 else {
        throw .refused(.invalidNumber, "a number does not begin with 0 and another digit", at: cursor)
      }
    } else {
      guard digits() else { throw .expected("a digit after '-'", at: cursor, kind: .invalidNumber) }
    }
    if take(UInt8(ascii: ".")) {
      guard digits() else { throw .expected("a digit after '.'", at: cursor, kind: .invalidNumber) }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() else { throw .expected("a digit in the exponent", at: cursor, kind: .invalidNumber) }
    }
  }

  // MARK: Strings, RFC 8259 §7

  /// Moves past the string whose opening quote was just taken, its closing quote included.
  /// - Returns: whether it contains an escape.
  mutating func string() throws(JSONFault) -> Bool {
    var escaped = false
    while true {
      let plain = plainPrefix()
      cursor &+= plain
      if plain == 8 { continue }
      let byte = base[cursor]
      if byte == UInt8(ascii: "\"") {
        cursor &+= 1
        return escaped
      } else if byte == UInt8(ascii: "\\") {
        escaped = true
        try escape()
      } else if byte >= 0x80 {
        repeat { try multibyte() } while base[cursor] >= 0x80
      } else if cursor == count {
        throw .expected("'\"' at the end of the string", at: cursor)
      } else {
        throw .refused(.controlCharacter, "a control character inside a string must be escaped", at: cursor)
      }
    }
  }

  /// How many of the next eight bytes, from the first, need no attention: none is a quote, a backslash, a control
  /// character or outside ASCII.
  ///
  /// Each test marks the top bit of a byte that it finds. A borrow may mark bytes above a found one wrongly, never
  /// below, so the lowest mark is right, and only that one is used.
  @inline(__always)
  private func plainPrefix() -> Int {
    let word = UInt64(
      littleEndian: UnsafeRawPointer(base + cursor).loadUnaligned(as: UInt64.self))
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let marks =
      ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word | word) & tops
    return marks.trailingZeroBitCount &>> 3
  }

  private mutating func escape() throws(JSONFault) {
    let start = cursor
    cursor &+= 1  // the backslash
    switch base[cursor] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      cursor &+= 1
    case UInt8(ascii: "u"):
      cursor &+= 1
      let unit = try hex4()
      if unit & 0xFC00 == 0xDC00 {
        throw .refused(.loneSurrogate, "the second half of a surrogate pair has no first", at: start)
      }
      if unit & 0xFC00 == 0xD800 {
        let lone = JSONFault.refused(.loneSurrogate, "the first half of a surrogate pair has no second", at: start)
        if cursor == count { throw .expected("the second half of a surrogate pair", at: cursor) }
        guard take(UInt8(ascii: "\\")) else { throw lone }
        if cursor == count { throw .expected("the second half of a surrogate pair", at: cursor) }
        guard take(UInt8(ascii: "u")) else { throw lone }
        guard try hex4() & 0xFC00 == 0xDC00 else { throw lone }
      }
    default:
      throw .expected("one of \"\\/bfnrtu after '\\'", at: cursor, kind: .invalidEscape)
    }
  }

  private mutating func hex4() throws(JSONFault) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = JSONText.hexDigit(base[cursor]) else {
        throw .expected("four hexadecimal digits after '\\u'", at: cursor, kind: .invalidEscape)
      }
      unit = unit &<< 4 | UInt16(digit)
      cursor &+= 1
    }
    return unit
  }

  /// One sequence of RFC 3629 §4, whose table leaves out overlong forms, surrogates and all above U+10FFFF.
  @inline(__always)
  private mutating func multibyte() throws(JSONFault) {
    let lead = base[cursor]
    var low: UInt8 = 0x80
    var high: UInt8 = 0xBF
    var following: Int
    switch lead {
    case 0xC2...0xDF: following = 1
    case 0xE0: (following, low) = (2, 0xA0)
    case 0xED: (following, high) = (2, 0x9F)
    case 0xE1...0xEF: following = 2
    case 0xF0: (following, low) = (3, 0x90)
    case 0xF4: (following, high) = (3, 0x8F)
    case 0xF1...0xF3: following = 3
    default: throw .refused(.invalidUTF8, "not UTF-8: no character begins with this byte", at: cursor)
    }
    cursor &+= 1
    repeat {
      let byte = base[cursor]
      guard byte >= low, byte <= high else {
        if cursor == count { throw .expected("the rest of a UTF-8 character", at: cursor) }
        throw .refused(.invalidUTF8, "not UTF-8: this byte does not go on with the character before it", at: cursor)
      }
      cursor &+= 1
      (low, high) = (0x80, 0xBF)
      following &-= 1
    } while following > 0
  }
}
