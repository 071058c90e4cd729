/// Reads the tokens of RFC 8259 from a buffer without a bounds check per byte. With `JSONTape` the only file of the
/// reader that holds pointers.
///
/// Why no read leaves the buffer: the bytes at `count ..< count + padding` are zero, which `init` checks, and
/// `cursor <= count` always holds. It holds at first, `seek` clamps, and else the cursor moves only
/// 1. by one, over a byte that was just seen not to be zero. Such a byte lies before `count`, so `cursor` ends at most
///    there; no token of the grammar and no part of a UTF-8 sequence contains a zero byte;
/// 2. over bytes of a loaded vector or word below the first that a test marked, where the test marks every zero byte;
/// 3. over bytes that `skip(likeAt:length:)` has checked to end at or before `count`.
/// A load of `padding` bytes at a place up to `count` ends inside the padding; longer steps and steps back compare with
/// `count` and with zero first. The methods that take a place instead of the cursor are private and get one that was
/// reached by the rules above.
/// The pointer comes from an array that `JSONParser.run` keeps borrowed for as long as the scanner lives.
struct JSONScanner {
  static let padding = 16

  private let base: UnsafePointer<UInt8>
  let count: Int
  private(set) var cursor = 0

  init?(padded buffer: UnsafeBufferPointer<UInt8>, cursor: Int) {
    guard let start = buffer.baseAddress, buffer.count >= Self.padding,
      buffer.suffix(Self.padding).allSatisfy({ $0 == 0 })
    else { return nil }
    base = start
    count = buffer.count - Self.padding
    self.cursor = max(0, min(cursor, count))
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

  mutating func seek(_ place: Int) { cursor = max(0, min(place, count)) }

  @inline(__always)
  private func load<T: BitwiseCopyable>(_ place: Int, as type: T.Type) -> T {
    UnsafeRawPointer(base + place).loadUnaligned(as: type)
  }

  func copy(_ range: Range<Int>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)])
  }

  // MARK: Whitespace and literals, RFC 8259 §2 and §3

  /// Space, tab, line feed and carriage return, and nothing else.
  @inline(__always)
  mutating func skipWhitespace() {
    // Compact text mostly stops here.
    guard base[cursor] <= 0x20 else { return }
    cursor = whitespaceEnd(cursor)
  }

  private func whitespaceEnd(_ start: Int) -> Int {
    var cursor = start
    while true {
      let byte = base[cursor]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return cursor }
      cursor &+= 1
      // What pretty-printing indents with.
      while true {
        let others = UInt64(littleEndian: load(cursor, as: UInt64.self)) ^ 0x2020_2020_2020_2020
        let spaces = others.trailingZeroBitCount &>> 3
        cursor &+= spaces
        guard spaces == 8 else { break }
      }
    }
  }

  /// What is wrong with the value at the cursor, which is none of those that are right.
  func faultInLiteral() -> JSONFault {
    for word: StaticString in ["true", "false", "null"] where word.utf8Start[0] == byte {
      var probe = self
      for index in 0..<word.utf8CodeUnitCount where !probe.take(word.utf8Start[index]) {
        return .expected(word, at: probe.cursor)
      }
    }
    return .expected("a value", at: cursor)
  }

  /// Takes up to eight bytes at once, the first one lowest in `wanted`.
  @inline(__always)
  mutating func take(_ wanted: UInt64, length: Int) -> Bool {
    let difference = UInt64(littleEndian: load(cursor, as: UInt64.self)) ^ wanted
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
        UInt64(littleEndian: load(place, as: UInt64.self)) ^ UInt64(littleEndian: load(cursor, as: UInt64.self))
      guard difference &<< UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0 else { return false }
    } else {
      var done = 0
      while done &+ 8 < length {
        guard load(place &+ done, as: UInt64.self) == load(cursor &+ done, as: UInt64.self) else { return false }
        done &+= 8
      }
      let last = length &- 8
      guard load(place &+ last, as: UInt64.self) == load(cursor &+ last, as: UInt64.self) else { return false }
    }
    cursor &+= length
    return true
  }

  // MARK: Numbers, RFC 8259 §6

  /// How far a number has been read; the part that the byte at the cursor may go on with.
  enum NumberPart {
    case sign, integer, zero, integerDigits, fraction, fractionDigits, exponentSign, exponent, exponentDigits
  }

  /// Moves past an integer or a decimal without exponent. All others, those at the end of the bytes and those that are
  /// wrong among them, are left to `number(from:)`.
  @inline(__always)
  mutating func shortNumber() -> Bool {
    var start = cursor
    if base[start] == UInt8(ascii: "-") { start &+= 1 }
    var end = digitsEnd(start)
    // 0 and another digit are for the other method to refuse.
    guard end != start, base[start] != UInt8(ascii: "0") || end == start &+ 1 else { return false }
    if base[end] == UInt8(ascii: ".") {
      let point = end &+ 1
      end = digitsEnd(point)
      guard end != point else { return false }
    }
    guard base[end] | 0x20 != UInt8(ascii: "e"), end != count else { return false }
    cursor = end
    return true
  }

  @inline(__always)
  private func digitsEnd(_ place: Int) -> Int {
    var end = place
    while true {
      let digits = Self.first((load(end, as: Bytes.self) &- all(0x30)) .> all(9))
      end &+= digits
      guard digits == 16 else { return end }
    }
  }

  /// Moves past the number whose `part` is at the cursor. After a fault the cursor and `part` say where to go on.
  mutating func number(from part: inout NumberPart) throws(JSONFault) {
    while true {
      let byte = base[cursor]
      let isDigit = byte &- 0x30 < 10
      switch part {
      case .sign:
        _ = take(UInt8(ascii: "-"))
        part = .integer
        continue
      case .integer:
        guard isDigit else { throw .expected("a digit after '-'", at: cursor, kind: .invalidNumber) }
        part = byte == UInt8(ascii: "0") ? .zero : .integerDigits
      case .zero, .integerDigits:
        if part == .zero, isDigit {
          throw .refused(.invalidNumber, "a number does not begin with 0 and another digit", at: cursor)
        }
        if byte == UInt8(ascii: ".") {
          part = .fraction
        } else if byte | 0x20 == UInt8(ascii: "e") {
          part = .exponentSign
        } else if !isDigit {
          return
        }
      case .fraction:
        guard isDigit else { throw .expected("a digit after '.'", at: cursor, kind: .invalidNumber) }
        part = .fractionDigits
      case .fractionDigits:
        if byte | 0x20 == UInt8(ascii: "e") {
          part = .exponentSign
        } else if !isDigit {
          return
        }
      case .exponentSign where byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-"):
        part = .exponent
      case .exponentSign, .exponent:
        guard isDigit else { throw .expected("a digit in the exponent", at: cursor, kind: .invalidNumber) }
        part = .exponentDigits
      case .exponentDigits:
        guard isDigit else { return }
      }
      cursor &+= 1
    }
  }

  private typealias Bytes = SIMD16<UInt8>

  /// Operators that take a vector and a number are not specialised by the compiler; those of two vectors are one instruction.
  @inline(__always)
  private func all(_ byte: UInt8) -> Bytes { Bytes(repeating: byte) }

  /// The first marked lane; 16 when there is none.
  @inline(__always)
  private static func first(_ mask: SIMDMask<SIMD16<Int8>>) -> Int {
    let lanes = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    let (low, high) = (UInt64(littleEndian: lanes[0]), UInt64(littleEndian: lanes[1]))
    return (low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount) &>> 3
  }

  @inline(__always)
  private static func isAny(_ mask: SIMDMask<SIMD16<Int8>>) -> Bool {
    let lanes = unsafeBitCast(mask, to: SIMD2<UInt64>.self)
    return lanes[0] | lanes[1] != 0
  }

  // MARK: Strings, RFC 8259 §7

  /// Moves past the rest of a string, its closing quote included, and notes whether there was an escape. After a fault
  /// the cursor says where to go on: at the beginning of the escape or character that the fault is in.
  @inline(__always)
  mutating func string(hasEscape: inout Bool) throws(JSONFault) {
    while true {
      let plain = plainRun(cursor)
      cursor &+= plain
      if plain == 16 {
        let second = plainRun(cursor)
        cursor &+= second
        if second == 16 {
          cursor = longRunEnd(cursor)
          continue
        }
      }
      let byte = base[cursor]
      if byte == UInt8(ascii: "\"") {
        cursor &+= 1
        return
      }
      if byte == UInt8(ascii: "\\") { hasEscape = true }
      cursor = try attentionEnd(cursor)
    }
  }

  /// How many of the next 16 bytes, from the first, need no attention: none is a quote, a backslash, a control
  /// character or outside ASCII (which is negative here).
  @inline(__always)
  private func plainRun(_ place: Int) -> Int { Self.first(attention(place)) }

  @inline(__always)
  private func attention(_ place: Int) -> SIMDMask<SIMD16<Int8>> {
    let bytes = load(place, as: SIMD16<Int8>.self)
    return (bytes .== SIMD16(repeating: 0x22)) .| (bytes .== SIMD16(repeating: 0x5C))
      .| (bytes .< SIMD16(repeating: 0x20))
  }

  /// Skips plain bytes in large steps, and stops anywhere among them.
  private func longRunEnd(_ start: Int) -> Int {
    var cursor = start
    while cursor &+ 64 <= count {
      let marks =
        attention(cursor) .| attention(cursor &+ 16) .| attention(cursor &+ 32) .| attention(cursor &+ 48)
      if Self.isAny(marks) { break }
      cursor &+= 64
    }
    return cursor
  }

  /// Moves past what needs attention at the place: an escape, or characters outside ASCII and what follows them.
  private func attentionEnd(_ start: Int) throws(JSONFault) -> Int {
    let byte = base[start]
    if byte == UInt8(ascii: "\\") {
      switch base[start &+ 1] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
        UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
        return start &+ 2
      default:
        var probe = self
        probe.cursor = start
        try probe.escape()
        return probe.cursor
      }
    }
    if byte >= 0x80 {
      let end = textRunEnd(start)
      if end > start { return end }
      var probe = self
      probe.cursor = start
      try probe.multibyte()
      return probe.cursor
    }
    if start == count { throw .expected("'\"' at the end of the string", at: start) }
    throw .refused(.controlCharacter, "a control character inside a string must be escaped", at: start)
  }

  /// Skips UTF-8 (RFC 3629 §4) up to a quote, a backslash or a control character, or stops at the beginning of a
  /// character: one that is not UTF-8, that is cut off, or any other.
  ///
  /// A byte must be a continuation exactly where one of the three bytes before it asks for it. Second bytes have a
  /// narrower range behind the leads E0, ED, F0 and F4.
  private func textRunEnd(_ start: Int) -> Int {
    guard start >= 3 else { return start }
    var cursor = start
    while true {
      let bytes = load(cursor, as: Bytes.self)
      let before = load(cursor &- 1, as: Bytes.self)
      let asked =
        (before .>= all(0xC0)) .| (load(cursor &- 2, as: Bytes.self) .>= all(0xE0))
        .| (load(cursor &- 3, as: Bytes.self) .>= all(0xF0))
      let continues = bytes & all(0xC0) .== all(0x80)
      var wrong = asked .^ continues
      let rare =
        (bytes .>= all(0xF0)) .| (before .>= all(0xF0)) .| (bytes & all(0xFE) .== all(0xC0)) .| (before .== all(0xE0))
        .| (before .== all(0xED))
      if Self.isAny(rare) {
        wrong =
          wrong .| (bytes & all(0xFE) .== all(0xC0)) .| (bytes .>= all(0xF5))
          .| ((before .== all(0xE0)) .& (bytes .< all(0xA0))) .| ((before .== all(0xED)) .& (bytes .> all(0x9F)))
          .| ((before .== all(0xF0)) .& (bytes .< all(0x90))) .| ((before .== all(0xF4)) .& (bytes .> all(0x8F)))
      }
      let ends = (bytes .== all(0x22)) .| (bytes .== all(0x5C)) .| (bytes .< all(0x20))
      if Self.isAny(wrong .| ends) {
        let end = Self.first(ends)
        if Self.first(wrong) > end { return cursor &+ end }
        break
      }
      cursor &+= 16
    }
    // All before the cursor is right but for the last character, which may be cut off by it.
    guard cursor > start else { return start }
    var beginning = cursor &- 1
    while beginning > start, base[beginning] & 0xC0 == 0x80 { beginning &-= 1 }
    return beginning
  }

  private mutating func escape() throws(JSONFault) {
    let start = cursor
    cursor &+= 1  // the backslash
    guard take(UInt8(ascii: "u")) else {
      throw .expected("one of \"\\/bfnrtu after '\\'", at: cursor, kind: .invalidEscape)
    }
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
