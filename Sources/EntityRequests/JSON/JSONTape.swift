/// What a word of the tape stands for. Strings with escapes have a tag of their own, so that all others can be lent out
/// as they stand in the source.
enum JSONTag: UInt64 {
  case null, `false`, `true`, number, string, escapedString, array, object
}

/// One word of the tape: 3 bits of tag, 30 of source offset, 31 of extent.
///
/// | node             | words | offset of          | extent                                |
/// |------------------|-------|--------------------|---------------------------------------|
/// | null, bool       | 1     | the literal        | its length                            |
/// | number           | 1     | the lexeme         | its length                            |
/// | string           | 1     | behind the quote   | its length in the source              |
/// | array, object    | 2     | the bracket        | the tape index behind its last member |
///
/// An array's or object's second word is a `JSONExtent`; its members follow, a key (a string word) before each value of
/// an object. A document of at most 2^30 bytes has offsets below 2^30, lengths up to 2^30, and fewer words than bytes,
/// for the shortest node of one word takes two bytes with its separator, and one of two words three.
struct JSONWord {
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  init(_ tag: JSONTag, offset: Int, extent: Int) {
    bits = tag.rawValue | UInt64(truncatingIfNeeded: offset) << 3 | UInt64(truncatingIfNeeded: extent) << 33
  }

  static let maximumBytes = 1 << 30

  /// Three bits have eight values and each is a tag: the default is never taken.
  var tag: JSONTag { JSONTag(rawValue: bits & 7) ?? .null }
  var offset: Int { Int(truncatingIfNeeded: bits >> 3) & (1 << 30 - 1) }
  var extent: Int { Int(truncatingIfNeeded: bits >> 33) }
  var isContainer: Bool { bits & 6 == 6 }
}

/// The second word of an array or object: how many members it has, and its length in the source.
struct JSONExtent {
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  init(count: Int, length: Int) {
    bits = UInt64(truncatingIfNeeded: count) & 0xFFFF_FFFF | UInt64(truncatingIfNeeded: length) << 32
  }

  var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
  var length: Int { Int(truncatingIfNeeded: bits >> 32) }
}
