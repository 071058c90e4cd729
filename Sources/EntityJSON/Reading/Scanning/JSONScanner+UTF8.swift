/// Characters outside ASCII.
extension JSONScanner {
  /// Moves past characters outside ASCII and the text that follows them.
  func multibyteEnd(_ start: Int) throws(JSONFault) -> Int {
    let end = textRunEnd(start)
    if end > start { return end }
    var probe = self
    probe.cursor = start
    try probe.multibyte()
    return probe.cursor
  }

  /// Skips UTF-8 (RFC 3629 §4) up to a quote, a backslash or a control character. It may also stop at the beginning of
  /// a character, which may be invalid UTF-8, cut off, or valid.
  ///
  /// A byte must be a continuation exactly where one of the three bytes before it requires it. Second bytes have a
  /// narrower range behind the leads E0, ED, F0 and F4. Each vector gets all tests: the leads differ from one vector to
  /// the next, and branches that are often predicted wrongly would cost more.
  func textRunEnd(_ start: Int) -> Int {
    guard start >= 3 else { return start }
    var cursor = start
    while true {
      let third = cursor &- 3
      let bytes = text.vector(third, behind: 3)
      let before = text.vector(third, behind: 2)
      // As signed numbers, for which there is an instruction: 80 is the lowest, and the numbers below C0, A0 and 90 are
      // one range.
      let signed = text.signedVector(third, behind: 3)
      let asked =
        (before .>= JSONVector.all(0xC0)) .| (text.vector(third, behind: 1) .>= JSONVector.all(0xE0))
        .| (text.vector(third) .>= JSONVector.all(0xF0))
      let c0 = SIMD16<Int8>(repeating: -0x40)
      let a0 = SIMD16<Int8>(repeating: -0x60)
      let x90 = SIMD16<Int8>(repeating: -0x70)
      let continues = signed .< c0
      let wrong =
        (asked .^ continues) .| (bytes & JSONVector.all(0xFE) .== JSONVector.all(0xC0))
        .| (bytes .>= JSONVector.all(0xF5))
        .| ((before .== JSONVector.all(0xE0)) .& (signed .< a0))
        .| ((before .== JSONVector.all(0xED)) .& (a0 .<= signed))
        .| ((before .== JSONVector.all(0xF0)) .& (signed .< x90))
        .| ((before .== JSONVector.all(0xF4)) .& (x90 .<= signed))
      let ends = (bytes .== JSONVector.all(0x22)) .| (bytes .== JSONVector.all(0x5C)) .| (bytes .< JSONVector.all(0x20))
      if JSONVector.isAny(wrong .| ends) {
        let end = JSONVector.first(ends)
        if JSONVector.first(wrong) > end { return cursor &+ end }
        break
      }
      cursor &+= 16
    }
    // Everything before the cursor is valid, except perhaps the last character, which the cursor may cut off.
    guard cursor > start else { return start }
    var beginning = cursor &- 1
    while beginning > start, text[beginning] & 0xC0 == 0x80 { beginning &-= 1 }
    return beginning
  }

  /// One sequence of RFC 3629 §4, whose table excludes overlong forms, surrogates and values above U+10FFFF.
  mutating func multibyte() throws(JSONFault) {
    let lead = text[cursor]
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
      let byte = text[cursor]
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
