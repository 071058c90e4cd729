/// Strings, RFC 8259 §7.
extension JSONScanner {
  /// Moves past the rest of a string with its closing quote, and notes whether there was an escape. After a fault, the
  /// cursor tells where to continue: at the beginning of the escape or character with the fault.
  @inline(__always)
  mutating func string(hasEscape: inout Bool) throws(JSONFault) {
    while true {
      guard skipPlain() else { continue }
      guard text[cursor] == UInt8(ascii: "\"") else { break }
      cursor &+= 1
      return
    }
    // Copies, because a variable to which another function may write does not stay in a register.
    var rest = self
    var isEscaped = hasEscape
    defer { (cursor, hasEscape) = (rest.cursor, isEscaped) }
    try rest.longString(hasEscape: &isEscaped)
  }

  /// Skips bytes that need no attention, and returns whether it met a byte that does.
  @inline(__always)
  mutating func skipPlain() -> Bool {
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
  mutating func longString(hasEscape: inout Bool) throws(JSONFault) {
    while true {
      guard skipPlain() else { continue }
      // The loop goes on as long as escapes follow each other.
      while text[cursor] == UInt8(ascii: "\\") {
        hasEscape = true
        let name = text[cursor &+ 1]
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
      let byte = text[cursor]
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

  /// The number of the next 16 bytes, from the first, that need no attention: none of them is a quote, a backslash, a
  /// control character, or outside ASCII (which is negative here).
  @inline(__always)
  func plainRun(_ place: Int) -> Int { JSONVector.first(attention(place)) }

  @inline(__always)
  func attention(_ place: Int, behind distance: Int = 0) -> JSONVector.Mask {
    // With that bit flipped, the quote is 20, the first number above the control characters. A space and `!` are above
    // 20.
    let bytes = text.signedVector(place, behind: distance) ^ SIMD16(repeating: 0x02)
    return (bytes .< SIMD16(repeating: 0x21)) .| (bytes .== SIMD16(repeating: 0x5E))
  }

  /// Skips plain bytes in large steps, and stops anywhere among them.
  func longRunEnd(_ start: Int) -> Int {
    var cursor = start
    while true {
      // The zeros behind the text need attention, so no step goes past the end of the text.
      let marks =
        attention(cursor) .| attention(cursor, behind: 16) .| attention(cursor, behind: 32)
        .| attention(cursor, behind: 48)
      guard !JSONVector.isAny(marks) else { return cursor }
      cursor &+= 64
    }
  }

  /// One of `"\/bfnrt`.
  @inline(__always)
  static func isShortEscape(_ name: UInt8) -> Bool {
    let low: UInt64 = 1 << 0x22 | 1 << 0x2F
    let high: UInt64 = 1 << 0x1C | 1 << 0x22 | 1 << 0x26 | 1 << 0x2E | 1 << 0x32 | 1 << 0x34
    return name < 0x80 && (name < 0x40 ? low : high) &>> UInt64(name & 0x3F) & 1 != 0
  }

  mutating func escape() throws(JSONFault) {
    let start = cursor
    cursor &+= 1  // the backslash
    guard skip(UInt8(ascii: "u")) else {
      throw .expected("one of \"\\/bfnrtu after '\\'", at: cursor, kind: .invalidEscape)
    }
    let unit = try hex4()
    if unit & 0xFC00 == 0xDC00 {
      throw .refused(.loneSurrogate, "the second half of a surrogate pair has no first", at: start)
    }
    if unit & 0xFC00 == 0xD800 {
      let lone = JSONFault.refused(.loneSurrogate, "the first half of a surrogate pair has no second", at: start)
      if cursor == count { throw .expected("the second half of a surrogate pair", at: cursor) }
      guard skip(UInt8(ascii: "\\")) else { throw lone }
      if cursor == count { throw .expected("the second half of a surrogate pair", at: cursor) }
      guard skip(UInt8(ascii: "u")) else { throw lone }
      guard try hex4() & 0xFC00 == 0xDC00 else { throw lone }
    }
  }

  mutating func hex4() throws(JSONFault) -> UInt16 {
    if let unit = hex4(at: cursor) {
      cursor &+= 4
      return unit
    }
    while JSONText.hexDigit(text[cursor]) != nil { cursor &+= 1 }
    throw .expected("four hexadecimal digits after '\\u'", at: cursor, kind: .invalidEscape)
  }

  /// The value of four hexadecimal digits; nil if other bytes are at the place.
  @inline(__always)
  func hex4(at place: Int) -> UInt16? {
    let digits = text.integer(place, as: UInt32.self)
    let letters = digits | 0x2020_2020
    // The sums set a byte's highest bit from 30 and from 3A on, and from 61 and 67 on. Bytes below 80 carry nothing
    // over.
    let isDigit = (digits &+ 0x5050_5050) & ~(digits &+ 0x4646_4646)
    let isLetter = (letters &+ 0x1F1F_1F1F) & ~(letters &+ 0x1919_1919)
    guard (digits & 0x8080_8080 == 0) && ((isDigit | isLetter) & 0x8080_8080 == 0x8080_8080) else { return nil }
    let values = ((digits & 0x0F0F_0F0F) &+ (digits &>> 6 & 0x0101_0101) &* 9).byteSwapped
    let pairs = (values | values &>> 4) & 0x00FF_00FF
    return UInt16(truncatingIfNeeded: pairs | pairs &>> 8)
  }
}
