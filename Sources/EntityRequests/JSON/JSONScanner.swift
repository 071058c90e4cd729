/// Reads the tokens of RFC 8259 from a buffer without a bounds check per byte. With `JSONTape` the only file of the
/// reader that holds pointers.
///
/// Why no read leaves the buffer: the bytes at `count ..< count + padding` are zero, which `init` checks, and
/// `cursor <= count` always holds. It holds at first, `seek` clamps, and else the cursor moves only
/// 1. over bytes that were just seen not to be zero, one behind the other. Such a byte lies before `count`, so `cursor`
///    ends at most there; no token of the grammar and no part of a UTF-8 sequence contains a zero byte. For the same
///    reason the byte behind such a byte may be looked at, and may be where a load begins;
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

  /// Moves past a `[` that an array or object follows at once.
  @inline(__always)
  mutating func takeBracketBeforeContainer() -> Bool {
    guard isAtBracketBeforeContainer else { return false }
    cursor &+= 1
    return true
  }

  /// `{` is `[` and 0x20. What is behind a bracket lies in the padding at most.
  var isAtBracketBeforeContainer: Bool {
    @inline(__always) get {
      base[cursor] == UInt8(ascii: "[") && base[cursor &+ 1] | 0x20 == UInt8(ascii: "{")
    }
  }

  mutating func seek(_ place: Int) { cursor = max(0, min(place, count)) }

  @inline(__always)
  private func load<T: BitwiseCopyable>(_ place: Int, as type: T.Type) -> T {
    UnsafeRawPointer(base + place).loadUnaligned(as: type)
  }

  func copy(_ range: Range<Int>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)])
  }

  /// How many line breaks there are (LF, CR and CR LF), and how many characters behind the last one.
  static func lines(in bytes: UnsafeBufferPointer<UInt8>) -> (breaks: Int, lastLine: Int) {
    var breaks = 0
    var lineStart = 0
    let block = 16 * 255
    var start = 0
    while start < bytes.count {
      let end = min(start + block, bytes.count)
      let returns = count(in: bytes, start..<end) { byte in byte .== all(0x0D) }
      let found = returns + count(in: bytes, start..<end) { byte in byte .== all(0x0A) }
      if found > 0 {
        breaks += found
        var place = end
        while place > start {
          place -= 1
          let byte = bytes[place]
          if byte == 0x0A || byte == 0x0D {
            lineStart = max(lineStart, place + 1)
            break
          }
        }
        // CR LF is one. Its halves may be in two blocks.
        if returns > 0 || (start > 0 && bytes[start - 1] == 0x0D) {
          for place in start..<end where bytes[place] == 0x0A && place > 0 && bytes[place - 1] == 0x0D { breaks -= 1 }
        }
      }
      start = end
    }
    var characters = 0
    start = lineStart
    while start < bytes.count {
      let end = min(start + block, bytes.count)
      characters += count(in: bytes, start..<end) { byte in byte & all(0xC0) .!= all(0x80) }
      start = end
    }
    return (breaks, characters)
  }

  /// How many bytes of a range, of at most 255 vectors, the test marks.
  @inline(__always)
  private static func count(
    in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, where test: (Bytes) -> SIMDMask<SIMD16<Int8>>
  ) -> Int {
    guard let base = bytes.baseAddress, range.upperBound <= bytes.count, range.lowerBound >= 0 else { return 0 }
    var sums = Bytes(repeating: 0)
    var place = range.lowerBound
    while place &+ 16 <= range.upperBound {
      let vector = UnsafeRawPointer(base + place).loadUnaligned(as: Bytes.self)
      sums &-= unsafeBitCast(test(vector), to: Bytes.self)
      place &+= 16
    }
    var total = 0
    for lane in 0..<16 { total += Int(sums[lane]) }
    while place < range.upperBound {
      if test(all(bytes[place]))[0] { total += 1 }
      place &+= 1
    }
    return total
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
      let digits = Self.first((load(end, as: Bytes.self) &- Self.all(0x30)) .> Self.all(9))
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
  private static func all(_ byte: UInt8) -> Bytes { Bytes(repeating: byte) }

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
      guard skipPlain() else { continue }
      guard base[cursor] == UInt8(ascii: "\"") else { break }
      cursor &+= 1
      return
    }
    // Copies, for what another function may write to does not stay in a register.
    var rest = self
    var isEscaped = hasEscape
    defer { (cursor, hasEscape) = (rest.cursor, isEscaped) }
    try rest.longString(hasEscape: &isEscaped)
  }

  /// Skips bytes that need no attention, and returns whether it has met one that does.
  @inline(__always)
  private mutating func skipPlain() -> Bool {
    let first = plainRun(cursor)
    cursor &+= first
    guard first == 16 else { return true }
    let second = plainRun(cursor)
    cursor &+= second
    guard second == 16 else { return true }
    cursor = longRunEnd(cursor)
    return false
  }

  @inline(never)
  private mutating func longString(hasEscape: inout Bool) throws(JSONFault) {
    while true {
      guard skipPlain() else { continue }
      // As long as escapes follow each other.
      while base[cursor] == UInt8(ascii: "\\") {
        hasEscape = true
        let name = base[cursor &+ 1]
        if Self.isShortEscape(name) {
          cursor &+= 2
        } else if name == UInt8(ascii: "u"), let unit = hex4(at: cursor &+ 2), unit & 0xF800 != 0xD800 {
          cursor &+= 6
        } else {
          var probe = self
          try probe.escape()
          cursor = probe.cursor
        }
      }
      let byte = base[cursor]
      if byte == UInt8(ascii: "\"") {
        cursor &+= 1
        return
      }
      if byte >= 0x80 {
        cursor = try multibyteEnd(cursor)
      } else if byte < 0x20 {
        if cursor == count { throw .expected("'\"' at the end of the string", at: cursor) }
        throw .refused(.controlCharacter, "a control character inside a string must be escaped", at: cursor)
      }
    }
  }

  /// One of `"\/bfnrt`.
  @inline(__always)
  private static func isShortEscape(_ name: UInt8) -> Bool {
    let low: UInt64 = 1 << 0x22 | 1 << 0x2F
    let high: UInt64 = 1 << 0x1C | 1 << 0x22 | 1 << 0x26 | 1 << 0x2E | 1 << 0x32 | 1 << 0x34
    return name < 0x80 && (name < 0x40 ? low : high) &>> UInt64(name & 0x3F) & 1 != 0
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

  /// Moves past a string of less than 32 plain bytes, an integer or decimal without exponent, `true`, `false` or `null`.
  ///
  /// - Returns: its word; nil, not having moved, where there is something else.
  @inline(__always)
  mutating func shortScalar() -> JSONWord? {
    let start = cursor
    let byte = base[start]
    if byte == UInt8(ascii: "\"") {
      var end = start &+ 1
      let first = plainRun(end)
      end &+= first
      if first == 16 {
        let second = plainRun(end)
        guard second < 16 else { return nil }
        end &+= second
      }
      guard base[end] == UInt8(ascii: "\"") else { return nil }
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
    guard base[start] == UInt8(ascii: "\"") else { return -1 }
    let length = plainRun(start &+ 1)
    guard length < 16, load(start &+ 1 &+ length, as: UInt16.self) == UInt16(littleEndian: 0x3A22) else { return -1 }
    cursor = start &+ length &+ 3
    return length
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

  /// Moves past characters outside ASCII and what follows them.
  private func multibyteEnd(_ start: Int) throws(JSONFault) -> Int {
    let end = textRunEnd(start)
    if end > start { return end }
    var probe = self
    probe.cursor = start
    try probe.multibyte()
    return probe.cursor
  }

  /// Skips UTF-8 (RFC 3629 §4) up to a quote, a backslash or a control character, or stops at the beginning of a
  /// character: one that is not UTF-8, that is cut off, or any other.
  ///
  /// A byte must be a continuation exactly where one of the three bytes before it asks for it. Second bytes have a
  /// narrower range behind the leads E0, ED, F0 and F4. All is tested of each vector: which leads a text has differs from
  /// one vector to the next, and a branch that is often taken wrongly costs more.
  private func textRunEnd(_ start: Int) -> Int {
    guard start >= 3 else { return start }
    var cursor = start
    while true {
      let bytes = load(cursor, as: Bytes.self)
      let before = load(cursor &- 1, as: Bytes.self)
      // As signed numbers, for which there is an instruction: 80 is the lowest, and those below C0, A0 and 90 are one range.
      let signed = load(cursor, as: SIMD16<Int8>.self)
      let asked =
        (before .>= Self.all(0xC0)) .| (load(cursor &- 2, as: Bytes.self) .>= Self.all(0xE0))
        .| (load(cursor &- 3, as: Bytes.self) .>= Self.all(0xF0))
      let c0 = SIMD16<Int8>(repeating: -0x40)
      let a0 = SIMD16<Int8>(repeating: -0x60)
      let x90 = SIMD16<Int8>(repeating: -0x70)
      let continues = signed .< c0
      let wrong =
        (asked .^ continues) .| (bytes & Self.all(0xFE) .== Self.all(0xC0)) .| (bytes .>= Self.all(0xF5))
        .| ((before .== Self.all(0xE0)) .& (signed .< a0)) .| ((before .== Self.all(0xED)) .& (a0 .<= signed))
        .| ((before .== Self.all(0xF0)) .& (signed .< x90)) .| ((before .== Self.all(0xF4)) .& (x90 .<= signed))
      let ends = (bytes .== Self.all(0x22)) .| (bytes .== Self.all(0x5C)) .| (bytes .< Self.all(0x20))
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
    if let unit = hex4(at: cursor) {
      cursor &+= 4
      return unit
    }
    while JSONText.hexDigit(base[cursor]) != nil { cursor &+= 1 }
    throw .expected("four hexadecimal digits after '\\u'", at: cursor, kind: .invalidEscape)
  }

  /// The value of four hexadecimal digits; nil if that is not what is at the place.
  @inline(__always)
  private func hex4(at place: Int) -> UInt16? {
    let digits = UInt32(littleEndian: load(place, as: UInt32.self))
    let letters = digits | 0x2020_2020
    // The sums set a byte's highest bit from 30 and from 3A on, and from 61 and 67 on. Bytes below 80 carry nothing over.
    let isDigit = (digits &+ 0x5050_5050) & ~(digits &+ 0x4646_4646)
    let isLetter = (letters &+ 0x1F1F_1F1F) & ~(letters &+ 0x1919_1919)
    guard (digits & 0x8080_8080 == 0) && ((isDigit | isLetter) & 0x8080_8080 == 0x8080_8080) else { return nil }
    let values = ((digits & 0x0F0F_0F0F) &+ (digits &>> 6 & 0x0101_0101) &* 9).byteSwapped
    let pairs = (values | values &>> 4) & 0x00FF_00FF
    return UInt16(truncatingIfNeeded: pairs | pairs &>> 8)
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
