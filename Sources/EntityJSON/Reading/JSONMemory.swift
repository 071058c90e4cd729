package import Foundation

// This file has all pointers of the reader and the writer. The other files index arrays, and the types of this file.
//
// Why no access leaves its memory: each access compares its place with a length beside it. As unsigned numbers, places
// below zero are too large. A length is that of the array or allocation that the pointer comes from.
//
// Why no memory is used after its release: a `PaddedText` and `LentBytes` refer to bytes that an array or string lends
// for the length of a call, and none of them outlives the call. Only scanners have one as a property, and no closure
// that gets one returns or keeps it. The compiler does not check that. `Span` would make it check, but needs macOS 26.
// A tape releases its words when it is itself released, and in `grow`. Only the tape's writer calls `grow`: the writer
// holds the tape, is the only one, can't be copied, and takes the new words.
//
// Two functions get a buffer of lent bytes: the standard library's, and `ISO8601`, which itself compares each place
// with the count.

/// A text with zeros behind it, lent to a scanner.
struct PaddedText {
  /// As long as the longest load, so that a load may begin anywhere in the text and at its end.
  static let padding = 64

  private let base: UnsafeRawPointer
  /// In bytes, without the padding.
  let count: Int

  /// - Parameter padded: the text and its padding.
  @inline(__always)
  static func lend<R, E>(_ padded: [UInt8], _ body: (PaddedText) throws(E) -> R) throws(E) -> R {
    try padded.withUnsafeBufferPointer { buffer throws(E) in
      guard let base = buffer.baseAddress, buffer.count >= padding else { preconditionFailure("there is no padding") }
      // The scanner stops at the first zero.
      assert(buffer[buffer.count - padding] == 0, "the padding is not zero")
      return try body(PaddedText(base: UnsafeRawPointer(base), count: buffer.count - padding))
    }
  }

  @inline(__always)
  private func load<T: BitwiseCopyable>(_ place: Int, behind: Int = 0) -> T {
    precondition(UInt(bitPattern: place) <= UInt(bitPattern: count))
    precondition(UInt(bitPattern: behind) <= UInt(bitPattern: Self.padding - MemoryLayout<T>.size))
    return base.loadUnaligned(fromByteOffset: place &+ behind, as: T.self)
  }

  subscript(place: Int) -> UInt8 {
    @inline(__always) get { load(place) }
  }

  /// The byte at a distance behind the place. The distance is less than the padding, which the optimiser mostly knows.
  /// Then nothing must be checked where the place was checked.
  subscript(place: Int, behind distance: Int) -> UInt8 {
    @inline(__always) get { load(place, behind: distance) }
  }

  /// The integer whose lowest byte is the byte at the place.
  @inline(__always)
  func integer<T: FixedWidthInteger & BitwiseCopyable>(_ place: Int, as type: T.Type) -> T {
    T(littleEndian: load(place))
  }

  @inline(__always)
  func vector(_ place: Int, behind: Int = 0) -> SIMD16<UInt8> { load(place, behind: behind) }

  @inline(__always)
  func signedVector(_ place: Int, behind: Int = 0) -> SIMD16<Int8> { load(place, behind: behind) }

  func part(_ range: Range<Int>) -> LentBytes {
    LentBytes(base.assumingMemoryBound(to: UInt8.self), count: count).part(range)
  }
}

/// Bytes that are lent for the length of a call. They must not be kept.
package struct LentBytes: RandomAccessCollection {
  private let base: UnsafePointer<UInt8>?
  package let endIndex: Int
  package var startIndex: Int { 0 }

  @inline(__always)
  fileprivate init(_ base: UnsafePointer<UInt8>?, count: Int) { (self.base, endIndex) = (base, count) }

  package subscript(place: Int) -> UInt8 {
    @inline(__always) get {
      guard let base, UInt(bitPattern: place) < UInt(bitPattern: endIndex) else { preconditionFailure() }
      return base[place]
    }
  }

  /// The bytes in a range. The first of them has the index 0.
  @inline(__always)
  package func part(_ range: Range<Int>) -> LentBytes {
    // A range never ends before it begins.
    precondition(range.lowerBound >= 0 && range.upperBound <= endIndex)
    return LentBytes(base.map { $0 + range.lowerBound }, count: range.count)
  }

  @inline(__always)
  func isEqual(to other: LentBytes) -> Bool {
    guard endIndex == other.endIndex else { return false }
    guard let base, let its = other.base, endIndex > 0 else { return true }
    // Keys of equal length mostly differ in their first byte: comparing it first saves the call.
    return base.pointee == its.pointee && memcmp(base, its, endIndex) == 0
  }

  /// Whether the bytes may be a path, and not a key alone: it has a dot, a bracket or a backslash.
  @inline(__always)
  var mayBePath: Bool {
    guard let base else { return false }
    for place in 0..<endIndex {
      switch base[place] {
      case UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "\\"): return true
      default: continue
      }
    }
    return false
  }

  @inline(__always)
  func isEqual(to other: [UInt8]) -> Bool { other.lend(other.indices, isEqual) }

  /// For the standard library, which copies all bytes at once.
  package func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> R
  ) rethrows -> R? {
    try body(UnsafeBufferPointer(start: base, count: endIndex))
  }

  func hash(into hasher: inout Hasher) { hasher.combine(bytes: UnsafeRawBufferPointer(start: base, count: endIndex)) }

  var seconds: Double? { ISO8601.seconds(UnsafeBufferPointer(start: base, count: endIndex)) }
}

extension [UInt8] {
  @inline(__always)
  package func lend<R, E>(_ range: Range<Int>, _ body: (LentBytes) throws(E) -> R) throws(E) -> R {
    try withUnsafeBufferPointer { bytes throws(E) in
      try body(LentBytes(bytes.baseAddress, count: bytes.count).part(range))
    }
  }

  /// The bytes with a scanner's padding behind them.
  init(padded data: Data) {
    let count = data.count
    self.init(unsafeUninitializedCapacity: count + PaddedText.padding) { buffer, initialized in
      JSONTape.expectUse(of: UnsafeMutableRawBufferPointer(buffer))
      // `copyBytes(to:count:)` uses generic regions, which costs more than the bytes of a small text.
      data.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      buffer[count...].initialize(repeating: 0)
      initialized = buffer.count
    }
  }
}

extension String {
  /// Lends the string's UTF-8.
  @inline(__always)
  func lend<R>(_ body: (LentBytes) throws -> R) rethrows -> R {
    // A string that has its bytes is not copied. A string of Objective-C may not have them.
    let result = try utf8.withContiguousStorageIfAvailable {
      try body(LentBytes($0.baseAddress, count: $0.count))
    }
    if let result { return result }
    var string = self
    return try string.withUTF8 { try body(LentBytes($0.baseAddress, count: $0.count)) }
  }
}

extension NSNumber {
  /// The type from which the number was made, as Objective-C's letter.
  package var encoding: UInt8 { UInt8(bitPattern: objCType.pointee) }
}

/// Each lane has eight bits, all set or none.
extension SIMDMask<SIMD16<Int8>> {
  var bytes: SIMD16<UInt8> {
    @inline(__always) get { unsafeBitCast(self, to: SIMD16<UInt8>.self) }
  }

  var halves: SIMD2<Int64> {
    @inline(__always) get { unsafeBitCast(self, to: SIMD2<Int64>.self) }
  }
}

/// The words of a document, in memory that grows without being cleared or copied twice.
///
/// Why it may be shared: only the parser that made a tape writes to it, and once a `JSONDocument` holds the tape there
/// is no writer any more.
final class JSONTape: @unchecked Sendable {
  fileprivate(set) var count = 0
  fileprivate(set) var capacity: Int
  fileprivate var words: UnsafeMutableRawPointer
  /// Whether a writer may be made: not while there is another writer, nor for the tape of a document.
  fileprivate var isOpen = true
  /// The length of the text for the words; 0 when it is not known.
  let textLength: Int

  init(textLength: Int, capacity: Int) {
    self.capacity = max(1, capacity)
    (self.textLength, words) = (textLength, Self.allocate(words: self.capacity))
  }

  deinit { words.deallocate() }

  subscript(index: Int) -> UInt64 {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the index is outside the tape")
      return words.load(fromByteOffset: index &<< 3, as: UInt64.self)
    }
  }

  /// The place of the first key, from `start` to the end of an object, that is as long as the wanted key or has
  /// escapes. Each field is checked once, instead of each word, and nothing is called on the way.
  @inline(__always)
  func place(ofKeyLike wanted: JSONWord, from start: Int, to end: Int) -> Int? {
    let (words, count) = (words, count)
    var field = start
    while field < end {
      // A value stands behind each key. Where the value is inside the tape, the key is too. A place is not negative.
      precondition(UInt(bitPattern: field &+ 1) < UInt(bitPattern: count), "the index is outside the tape")
      let key = JSONWord(bits: words.load(fromByteOffset: field &<< 3, as: UInt64.self))
      if key.isEscaped || key.bits & ~JSONWord.offsets == wanted.bits { return field }
      let value = JSONWord(bits: words.load(fromByteOffset: (field &+ 1) &<< 3, as: UInt64.self))
      field = value.isContainer ? value.extent : field &+ 2
    }
    return nil
  }

  /// For the document that holds the tape from now on.
  func seal() {
    precondition(isOpen)
    isOpen = false
  }

  fileprivate func grow(to larger: Int) {
    precondition(larger > count)
    let old = words
    (words, capacity) = (Self.allocate(words: larger), larger)
    words.copyMemory(from: old, byteCount: count * 8)
    old.deallocate()
  }

  /// Handing out memory in pages of 4 kB takes the kernel as long as the parser takes to fill the pages. So buffers of
  /// many megabytes, which are about to be written from end to end, ask for large pages.
  private static let (large, largePage, page) = (4 << 20, 2 << 20, 4096)

  private static func allocate(words: Int) -> UnsafeMutableRawPointer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: words * 8, alignment: words * 8 >= large ? largePage : 8)
    expectUse(of: bytes)
    return bytes.baseAddress.unsafelyUnwrapped
  }

  fileprivate static func expectUse(of buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard buffer.count >= large, let start = buffer.baseAddress else { return }
      let skipped = (page - Int(bitPattern: start) % page) % page
      // The call is refused where the kernel has no large pages, which only costs time.
      _ = madvise(start + skipped, (buffer.count - skipped) / page * page, Int32(MADV_HUGEPAGE))
    #endif
  }
}

/// Appends to a tape from local variables, which the optimiser keeps in registers. When the writer ends, it puts them
/// into the tape.
struct JSONTapeWriter: ~Copyable {
  private let tape: JSONTape
  private var words: UnsafeMutableRawPointer
  /// The last place for which there is room.
  private(set) var last: Int
  private(set) var count: Int

  init(_ tape: JSONTape) {
    precondition(tape.isOpen)
    tape.isOpen = false
    (self.tape, words, last, count) = (tape, tape.words, tape.capacity - 1, tape.count)
  }

  deinit {
    tape.count = count
    tape.isOpen = true
  }

  /// - Parameter place: how far in the text the words so far have come.
  @inline(__always)
  mutating func append(_ word: UInt64, place: Int) {
    if UInt(bitPattern: count) >= UInt(bitPattern: last) { (words, last) = grown(place: place) }
    words.storeBytes(of: word, toByteOffset: count &<< 3, as: UInt64.self)
    count &+= 1
  }

  /// The two words of a container.
  @inline(__always)
  mutating func append(_ first: UInt64, _ second: UInt64, place: Int) {
    if UInt(bitPattern: count) >= UInt(bitPattern: last) { (words, last) = grown(place: place) }
    words.storeBytes(of: first, toByteOffset: count &<< 3, as: UInt64.self)
    words.storeBytes(of: second, toByteOffset: (count &+ 1) &<< 3, as: UInt64.self)
    count &+= 2
  }

  /// Makes room for at least two more words.
  @inline(never)
  private func grown(place: Int) -> (UnsafeMutableRawPointer, Int) {
    tape.count = count
    tape.grow(to: tape.expectedCount(at: place))
    precondition(count >= 0 && count <= tape.capacity - 2)
    return (tape.words, tape.capacity - 1)
  }

  /// Writes where there is room. Words behind the last one count only after `include(to:)`.
  @inline(__always)
  func fill(_ index: Int, _ word: UInt64) {
    precondition(UInt(bitPattern: index) <= UInt(bitPattern: last), "the tape has no room")
    words.storeBytes(of: word, toByteOffset: index &<< 3, as: UInt64.self)
  }

  @inline(__always)
  func fill(_ index: Int, _ first: UInt64, _ second: UInt64) {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: last), "the tape has no room")
    words.storeBytes(of: first, toByteOffset: index &<< 3, as: UInt64.self)
    words.storeBytes(of: second, toByteOffset: (index &+ 1) &<< 3, as: UInt64.self)
  }

  /// Two successive words.
  @inline(__always)
  func pair(_ index: Int) -> (UInt64, UInt64) {
    precondition(UInt(bitPattern: index &+ 1) < UInt(bitPattern: count) && index >= 0, "the index is outside the tape")
    return (
      words.load(fromByteOffset: index &<< 3, as: UInt64.self),
      words.load(fromByteOffset: (index &+ 1) &<< 3, as: UInt64.self)
    )
  }

  /// Includes the words that were filled in up to `end`.
  mutating func include(to end: Int) {
    precondition(end >= count && end <= last + 1, "the tape has no room")
    count = end
  }

  subscript(index: Int) -> UInt64 {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the index is outside the tape")
      return words.load(fromByteOffset: index &<< 3, as: UInt64.self)
    }
  }
}
