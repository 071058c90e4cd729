import Foundation

/// The words of a document, in memory that grows without being cleared or copied twice.
///
/// Why no access leaves the memory: each is compared with `count` or `capacity` first. Why it may be shared: only the
/// parser that made a tape writes to it, through a `JSONTapeWriter`, and a tape is not written any more once a
/// `JSONDocument` holds it.
final class JSONTape: @unchecked Sendable {
  fileprivate(set) var count = 0
  fileprivate var capacity: Int
  fileprivate var words: UnsafeMutableRawPointer
  /// How long the text is that the words are for; 0 when that is not known.
  private let textLength: Int

  /// - Parameter textLength: in bytes, 0 when it is not known.
  init(textLength: Int) {
    self.textLength = textLength
    // One word in four bytes is much. For long texts the first ones show how much is needed.
    capacity = min(max(textLength / 4, 8), 1 << 15)
    words = JSONMemory.allocate(capacity * 8)
  }

  convenience init(_ words: [UInt64]) {
    self.init(textLength: words.count * 4)
    var writer = JSONTapeWriter(self)
    for word in words { writer.append(word, place: 0) }
    writer.finish()
  }

  deinit { free(words) }

  subscript(index: Int) -> UInt64 {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the index is outside the tape")
      return words.load(fromByteOffset: index &<< 3, as: UInt64.self)
    }
  }

  /// - Parameter place: how far in the text the words so far have come.
  fileprivate func grow(place: Int) {
    var needed = capacity * 2
    if textLength > 0, place > 0 {
      let expected = Double(count) * Double(textLength) / Double(place) * 1.05
      // No text has more words than bytes.
      needed = max(capacity + capacity / 4, min(Int(expected), textLength) + 8)
    }
    let larger = JSONMemory.allocate(needed * 8)
    larger.copyMemory(from: words, byteCount: count * 8)
    free(words)
    (words, capacity) = (larger, needed)
  }
}

/// Appends to a tape from local variables, which the optimiser keeps in registers. `finish` gives the count back. Whoever
/// makes a writer holds the tape for as long as it is used: a reference of its own would be counted with each copy.
struct JSONTapeWriter {
  private unowned(unsafe) let tape: JSONTape
  private var words: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count: Int

  init(_ tape: JSONTape) {
    self.tape = tape
    (words, capacity, count) = (tape.words, tape.capacity, tape.count)
  }

  /// Writes nothing where nothing was appended: the tape may be a document's by then.
  func finish() {
    if tape.count != count { tape.count = count }
  }

  @inline(__always)
  mutating func append(_ word: UInt64, place: Int) {
    if count == capacity { self = grown(place: place) }
    words.storeBytes(of: word, toByteOffset: count &<< 3, as: UInt64.self)
    count &+= 1
  }

  /// How many words fit without more memory.
  var room: Int { capacity &- count }

  /// Appends where there is room.
  @inline(__always)
  mutating func fill(_ word: UInt64) {
    precondition(count < capacity, "the tape has no room")
    words.storeBytes(of: word, toByteOffset: count &<< 3, as: UInt64.self)
    count &+= 1
  }

  /// As `fill(_:)`, the two words of a container.
  @inline(__always)
  mutating func fill(_ first: UInt64, _ second: UInt64) {
    precondition(count < capacity &- 1, "the tape has no room")
    words.storeBytes(of: first, toByteOffset: count &<< 3, as: UInt64.self)
    words.storeBytes(of: second, toByteOffset: (count &+ 1) &<< 3, as: UInt64.self)
    count &+= 2
  }

  /// Takes the words in that a copy of this writer has filled up to `place`.
  mutating func takeIn(to place: Int) {
    precondition(place >= count && place <= capacity, "the tape has no room")
    count = place
  }

  /// The two words of a container.
  @inline(__always)
  mutating func append(_ first: UInt64, _ second: UInt64, place: Int) {
    if count &+ 1 >= capacity { self = grown(place: place) }
    fill(first, second)
  }

  /// Whether there is an array or object at `index`, whichever is asked for, that has members.
  @inline(__always)
  func isFilled(_ index: Int, _ tag: JSONTag) -> Bool {
    let word = JSONWord(bits: self[index])
    return word.bits & 7 == tag.rawValue && word.extent > index &+ 2
  }

  /// The place of the first element of the array at `index`, if that is an array and the element an object; else 0.
  @inline(__always)
  func firstObject(inArray index: Int) -> Int {
    isFilled(index, .array) && JSONWord(bits: self[index &+ 2]).isObject ? index &+ 2 : 0
  }

  /// Writes over the state that the open container at `index` holds, and returns it.
  @inline(__always)
  func close(_ index: Int, count members: Int, end: Int) -> (JSONWord, JSONFrame) {
    let word = JSONWord(bits: self[index])
    let frame = JSONFrame(bits: self[index &+ 1])
    self[index] = word.with(extent: count).bits
    self[index &+ 1] = JSONExtent(count: members, length: end &- word.offset).bits
    return (word, frame)
  }

  @inline(never)
  private func grown(place: Int) -> JSONTapeWriter {
    tape.count = count
    tape.grow(place: place)
    return JSONTapeWriter(tape)
  }

  subscript(index: Int) -> UInt64 {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the index is outside the tape")
      return words.load(fromByteOffset: index &<< 3, as: UInt64.self)
    }
    @inline(__always) nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "the index is outside the tape")
      words.storeBytes(of: newValue, toByteOffset: index &<< 3, as: UInt64.self)
    }
  }
}

enum JSONMemory {
  /// Handing out memory in pages of 4 kB takes the kernel as long as the parser takes to fill them. So buffers of many
  /// megabytes, which are about to be written from end to end, are asked for in large pages.
  private static let large = 4 << 20
  private static let largePage = 2 << 20

  /// To be freed with `free`.
  static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer {
    #if os(Linux)
      var memory: UnsafeMutableRawPointer?
      if byteCount >= large, posix_memalign(&memory, largePage, byteCount) == 0, let memory {
        expectUse(of: UnsafeMutableRawBufferPointer(start: memory, count: byteCount))
        return memory
      }
    #endif
    guard let memory = malloc(byteCount) else {
      // As the standard library's collections do. The limit on a text's bytes bounds what is asked for.
      fatalError("no memory for \(byteCount) bytes")
    }
    return memory
  }

  static func expectUse(of buffer: UnsafeMutableRawBufferPointer) {
    #if os(Linux)
      guard buffer.count >= large, let start = buffer.baseAddress else { return }
      let page = 4096
      let skipped = (page - Int(bitPattern: start) % page) % page
      // Refused where the kernel has no large pages, which costs time and nothing else.
      _ = madvise(start + skipped, (buffer.count - skipped) / page * page, Int32(MADV_HUGEPAGE))
    #endif
  }
}
