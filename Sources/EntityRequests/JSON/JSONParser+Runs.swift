/// What opens or closes right behind another, in loops of their own: of all that the pass keeps at hand they need a few
/// variables, which stay in registers.
extension JSONParser {
  /// What a run of brackets has changed.
  struct Run {
    var cursor: Int
    /// How many words the tape has, or which container is open.
    var place: Int
    /// The container that is open now.
    var state: JSONFrame
    var levels: Int
  }

  /// Goes into arrays that begin with an array or object, and objects whose first key is short or their models', up to the
  /// first value that is neither. The cursor is at a value before and after, and the words are filled in behind those of
  /// `words`.
  ///
  /// - Parameter limit: how many levels may be opened.
  @inline(never)
  static func open(
    _ start: JSONScanner, _ words: borrowing JSONTapeWriter, in container: Int, _ state: JSONFrame, limit: Int
  ) -> Run {
    var (scanner, end, frame, state) = (start, words.count, container, state)
    let limit = min(limit, (words.capacity &- words.count) / 3)
    var left = limit
    while left > 0 {
      let start = scanner.cursor
      let similar = state.similar
      let opened = end
      let outer = state.opening(at: opened)
      if scanner.takeBracketBeforeContainer() {
        words.fill(end, JSONWord(.array, offset: start, extent: frame &+ 1).bits, outer.bits)
        end &+= 2
        left &-= 1
        frame = opened
        let model = similar == 0 ? 0 : words.firstObject(inArray: similar)
        state = JSONFrame(count: 1, isObject: false, model: model)
        guard model == 0 else { continue }
        // As if this array were the first in one that begins before it.
        var word = JSONWord(.array, offset: start, extent: opened &- 1)
        var outer = JSONFrame(count: 1, isObject: false, model: opened)
        while left > 0, scanner.takeBracketBeforeContainer() {
          word = word.nested
          outer = outer.nested
          words.fill(end, word.bits, outer.bits)
          end &+= 2
          left &-= 1
        }
        frame = end &- 2
      } else {
        guard scanner.byte == UInt8(ascii: "{"),
          let (key, model) = words.takeFirstKey(likeAt: similar, with: &scanner)
        else { break }
        words.fill(end, JSONWord(.object, offset: start, extent: frame &+ 1).bits, outer.bits)
        words.fill(end &+ 2, key.bits)
        end &+= 3
        state = JSONFrame(count: 1, isObject: true, model: model)
        frame = opened
        left &-= 1
      }
    }
    return Run(cursor: scanner.cursor, place: end, state: state, levels: limit &- left)
  }

  /// Reads on in an object as long as its model goes on, commas first and then keys, and values are short. The words are
  /// filled in behind those of `words`.
  ///
  /// - Parameter nodesLeft: how many values may be read.
  /// - Returns: as the model the last key's that was met, or none where the model did not go on. `isAtValue` says
  ///   whether the cursor is at the value of the last key instead of behind it, `levels` how many keys were read.
  @inline(never)
  static func members(
    _ start: JSONScanner, _ words: borrowing JSONTapeWriter, in object: Int, _ state: JSONFrame, nodesLeft: Int
  ) -> (run: Run, isAtValue: Bool) {
    var (scanner, end, model) = (start, words.count, state.model)
    var keys = 0
    var isAtValue = false
    while scanner.byte == UInt8(ascii: ","), model != 0 {
      let last = JSONWord(bits: words[model &+ 1])
      let ending = last.isContainer ? last.offset &+ JSONExtent(bits: words[model &+ 2]).length : last.ending
      let next = last.isContainer ? last.extent : model &+ 2
      model = 0
      guard next &+ 1 < object, end &+ 2 <= words.capacity else { break }
      let key = JSONWord(bits: words[next])
      let value = JSONWord(bits: words[next &+ 1])
      let start = scanner.cursor
      guard scanner.skip(likeAt: ending, length: value.beginning &- ending) else { break }
      words.fill(end, key.moved(by: start &- ending).bits)
      end &+= 1
      model = next
      keys &+= 1
      guard keys <= nodesLeft, let word = scanner.shortScalar() else {
        isAtValue = true
        break
      }
      words.fill(end, word.bits)
      end &+= 1
    }
    let state = JSONFrame(count: state.count &+ keys, isObject: true, model: model)
    return (Run(cursor: scanner.cursor, place: end, state: state, levels: keys), isAtValue)
  }

  /// Reads on in an array as long as commas and short values come. The words are filled in behind those of `words`.
  ///
  /// - Parameter nodesLeft: how many values may be read.
  /// - Returns: `levels` says how many commas were passed, `isAtValue` whether the cursor is behind the last of them instead
  ///   of behind its value.
  @inline(never)
  static func elements(
    _ start: JSONScanner, _ words: borrowing JSONTapeWriter, nodesLeft: Int
  ) -> (cursor: Int, end: Int, commas: Int, isAtValue: Bool) {
    var (scanner, end) = (start, words.count)
    let limit = words.count &+ min(nodesLeft, words.capacity &- words.count)
    while scanner.take(UInt8(ascii: ",")) {
      scanner.skipWhitespace()
      guard end < limit, let word = scanner.shortScalar() else {
        return (scanner.cursor, end, end &- words.count &+ 1, true)
      }
      words.fill(end, word.bits)
      end &+= 1
    }
    return (scanner.cursor, end, end &- words.count, false)
  }

  /// Closes what ends at the cursor.
  @inline(never)
  static func close(_ start: JSONScanner, _ words: borrowing JSONTapeWriter, _ container: Int, _ state: JSONFrame)
    -> Run
  {
    var (scanner, frame, state) = (start, container, state)
    var levels = 0
    while frame >= 0, scanner.take(state.closingBracket) {
      let (first, second) = words.close(frame, count: state.count, end: scanner.cursor)
      (frame, state) = (first.extent &- 1, second)
      levels &+= 1
    }
    return Run(cursor: scanner.cursor, place: frame, state: state, levels: levels)
  }
}

extension JSONTapeWriter {
  /// Moves past the bracket of an object, its first key and the colon, if the key is that of a similar object or short.
  ///
  /// - Returns: the key, and its model or 0.
  @inline(__always)
  func takeFirstKey(likeAt similar: Int, with scanner: inout JSONScanner) -> (JSONWord, model: Int)? {
    let start = scanner.cursor
    if similar != 0, isFilled(similar, .object) {
      let before = JSONWord(bits: self[similar]).offset
      let value = JSONWord(bits: self[similar &+ 3])
      if scanner.skip(likeAt: before, length: value.beginning &- before) {
        return (JSONWord(bits: self[similar &+ 2]).moved(by: start &- before), similar &+ 2)
      }
    }
    let length = scanner.shortKey(behind: 1)
    return length < 0 ? nil : (JSONWord(.string, offset: start &+ 2, extent: length), 0)
  }
}

extension JSONFrame {
  /// The tape index of the value that one at this place is probably like; 0 when there is none.
  fileprivate var similar: Int { isObject && model != 0 ? model &+ 1 : model }

  /// What is kept of it while an array or object is open in it whose words are at `place`.
  fileprivate func opening(at place: Int) -> JSONFrame {
    isObject ? self : JSONFrame(count: count, isObject: false, model: place)
  }

  /// `}` is `]` and 0x20.
  fileprivate var closingBracket: UInt8 { UInt8(ascii: "]") | (isObject ? 0x20 : 0) }
}
