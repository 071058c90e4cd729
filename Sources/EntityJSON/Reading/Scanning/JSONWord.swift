/// The kind of a value on the tape. Strings with escapes have a tag of their own, so that all other strings can be lent
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
/// An array's or object's second word is a `JSONExtent`. Its members follow; in an object, a key (a string word) stands
/// before each value. A document of at most 2^30 bytes has offsets below 2^30, lengths up to 2^30, and no more words
/// than bytes: a node of one word takes at least one byte, and a node of two words at least two.
struct JSONWord {
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  @inline(__always)
  init(_ tag: JSONTag, offset: Int, extent: Int) {
    bits = tag.rawValue | UInt64(truncatingIfNeeded: offset) << 3 | UInt64(truncatingIfNeeded: extent) << 33
  }

  static let maximumBytes = 1 << 30
  /// The bits of the offset.
  static let offsets: UInt64 = (1 << 30 - 1) << 3

  /// All eight values of three bits are tags, so the default is never used.
  var tag: JSONTag {
    @inline(__always) get { JSONTag(rawValue: bits & 7) ?? .null }
  }
  var isObject: Bool { bits & 7 == JSONTag.object.rawValue }
  var isArray: Bool { bits & 7 == JSONTag.array.rawValue }
  var offset: Int { Int(truncatingIfNeeded: bits >> 3) & (1 << 30 - 1) }
  var extent: Int { Int(truncatingIfNeeded: bits >> 33) }
  var isContainer: Bool { bits & 6 == 6 }
  var isString: Bool { bits & 6 == 4 }
  /// Whether a string has escapes: the tags of strings with and without escapes differ in one bit.
  var isEscaped: Bool { bits & 1 != 0 }

  /// The place where the node begins in the source; a string begins with its quote.
  var beginning: Int { isString ? offset &- 1 : offset }
  /// The place where a node ends that is no container.
  var ending: Int { offset &+ extent &+ (isString ? 1 : 0) }

  /// The source of a node that is no container; for a string, the text between its quotes.
  var range: Range<Int> { offset..<offset + extent }

  func with(extent: Int) -> JSONWord {
    JSONWord(bits: bits & (1 << 33 - 1) | UInt64(truncatingIfNeeded: extent) << 33)
  }

  /// The same node at a later place in the source. The place must fit the bits of an offset.
  func moved(by distance: Int) -> JSONWord { JSONWord(bits: bits &+ UInt64(truncatingIfNeeded: distance) << 3) }

  /// The open array that is the first element of this open array, directly behind its bracket.
  var nested: JSONWord { JSONWord(bits: bits &+ (1 << 3 | 2 << 33)) }
}

/// The second word of an array or object: the number of its members, and its length in the source.
struct JSONExtent {
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  init(count: Int, length: Int) {
    bits = UInt64(truncatingIfNeeded: count) & 0xFFFF_FFFF | UInt64(truncatingIfNeeded: length) << 32
  }

  var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
  var length: Int { Int(truncatingIfNeeded: bits >> 32) }
}

/// The second word of an open array or object. It holds the state of the container around it. The first word of that
/// container is at the extent of this container's first word, less 1.
struct JSONFrame {
  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  /// - Parameter model: a tape index, which has 30 bits.
  @inline(__always)
  init(count: Int, isObject: Bool, model: Int) {
    bits =
      UInt64(truncatingIfNeeded: count) & 0xFFFF_FFFF | (isObject ? 1 << 32 : 0)
      | UInt64(truncatingIfNeeded: model) << 33
  }

  var count: Int { Int(truncatingIfNeeded: bits & 0xFFFF_FFFF) }
  var isObject: Bool { bits & 1 << 32 != 0 }
  var model: Int { Int(truncatingIfNeeded: bits >> 33) }

  /// The frame of the array that is the first element of this array.
  var nested: JSONFrame { JSONFrame(bits: bits &+ 2 << 33) }

  /// The frame with one more member.
  var next: JSONFrame { JSONFrame(bits: bits &+ 1) }

  func next(model: Int, members: Int = 1) -> JSONFrame {
    JSONFrame(
      bits: (bits & (1 << 33 - 1) | UInt64(truncatingIfNeeded: model) << 33) &+ UInt64(truncatingIfNeeded: members))
  }

  /// The same frame without a model and with fewer members.
  func without(members: Int = 0) -> JSONFrame { JSONFrame(count: count - members, isObject: isObject, model: 0) }
}
