/// The path of most bytes, in a loop of its own: the pass has more variables than a machine has registers, and this
/// loop needs few.
extension JSONParser {
  /// How far the parser has come.
  struct Reach: ~Copyable {
    var words: JSONTapeWriter
    var cursor: Int
    /// The container that is open.
    var frame: Int
    var state: JSONFrame
    var depth: Int
    var nodesLeft: Int
    /// Whether the cursor is at a value, and not behind one.
    var isAtValue: Bool
  }

  /// Reads on from a value in a container, as long as values are complete and keys are short or equal their models. It
  /// stops before anything else, such as a fault, a limit or the end of the bytes.
  @inline(never)
  static func readRegular(
    _ scanner: JSONScanner, _ words: consuming JSONTapeWriter, in container: Int, _ state: JSONFrame, depth: Int,
    nodesLeft: Int, watchedDepth: Int, _ limits: JSONLimits
  ) -> Reach {
    var (scanner, frame, state, depth, nodesLeft) = (scanner, container, state, depth, nodesLeft)
    let depthLimit = limits.depth
    let refusesTwins = limits.duplicateKeys == .refused
    var isAtValue = true
    text: while nodesLeft > 0 {
      let byte = scanner.byteBehindWhitespace()
      let start = scanner.cursor
      if byte | 0x20 == UInt8(ascii: "{") {
        // '{', or '[', which is 0x20 less.
        guard depth < depthLimit, depth >= watchedDepth else { break }
        let similar = state.similar
        let opened = words.count
        let outer = state.opening(at: opened)
        if byte == UInt8(ascii: "{") {
          guard let (key, model) = words.matchFirstKey(likeAt: similar, with: &scanner) else { break }
          words.append(JSONWord(.object, offset: start, extent: frame &+ 1).bits, outer.bits, place: start)
          words.append(key.bits, place: start)
          state = JSONFrame(count: 1, isObject: true, model: model)
        } else {
          guard scanner.skipBracketBeforeElement() else { break }
          words.append(JSONWord(.array, offset: start, extent: frame &+ 1).bits, outer.bits, place: start)
          state = JSONFrame(
            count: 1, isObject: false, model: similar == 0 ? 0 : words.firstObject(inArray: similar))
        }
        frame = opened
        depth &+= 1
        nodesLeft &-= 1
        if scanner.byte | 0x20 == UInt8(ascii: "{") {
          let run = open(scanner, words, in: frame, state, limit: min(depthLimit &- depth, nodesLeft))
          scanner.cursor = run.cursor
          words.include(to: run.end)
          (frame, state) = (run.frame, run.state)
          depth &+= run.levels
          nodesLeft &-= run.levels
        }
        continue text
      }
      guard let word = scanner.scalar() else { break }
      words.append(word.bits, place: start)
      nodesLeft &-= 1
      while true {
        if scanner.byte == UInt8(ascii: ",") {
          if state.isObject {
            if state.model != 0 {
              let run = readFields(scanner, words, in: frame, state, limit: nodesLeft)
              scanner.cursor = run.cursor
              let members = (run.end &- words.count) &>> 1
              nodesLeft &-= members
              words.include(to: run.end)
              state = run.state
              guard scanner.byte == UInt8(ascii: ",") else { continue }
            }
            guard let (key, model) = words.matchKey(likeBehind: state.model, in: frame, with: &scanner) else {
              isAtValue = false
              break text
            }
            words.append(key.bits, place: start)
            state = state.next(model: model)
          } else {
            _ = scanner.skip(UInt8(ascii: ","))
            state = state.next
          }
          continue text
        }
        // Keys that all equal their models are all different.
        guard scanner.byteBehindWhitespace() == state.closingBracket,
          !(refusesTwins && state.isObject && state.model == 0)
        else {
          isAtValue = false
          break text
        }
        _ = scanner.skip(state.closingBracket)
        let (first, second) = words.close(frame, count: state.count, end: scanner.cursor)
        (frame, state) = (first.extent &- 1, second)
        depth &-= 1
        if !refusesTwins, scanner.isAtEnds {
          let run = close(scanner, words, frame, state)
          (scanner.cursor, frame, state) = (run.cursor, run.frame, run.state)
          depth &-= run.levels
        }
        guard frame >= 0, !state.isObject || depth > watchedDepth else {
          isAtValue = false
          break text
        }
      }
    }
    return Reach(
      words: words, cursor: scanner.cursor, frame: frame, state: state, depth: depth, nodesLeft: nodesLeft,
      isAtValue: isAtValue)
  }
}

/// Successive fields and brackets, in loops that need even fewer variables.
extension JSONParser {
  /// The state of the parser after a run.
  private struct Run {
    var cursor: Int
    var frame: Int
    var state: JSONFrame
    var levels = 0
    /// The number of words on the tape.
    var end = 0
  }

  /// Reads fields whose keys equal the model's, as long as their values are no containers and have the kind of the
  /// model's value. The cursor is at the comma before the first of these fields, and ends behind the last one's value.
  /// The words are filled in behind those of `words`.
  ///
  /// - Parameter limit: the most fields that may be read.
  @inline(never)
  private static func readFields(
    _ start: JSONScanner, _ words: borrowing JSONTapeWriter, in object: Int, _ state: JSONFrame, limit: Int
  ) -> Run {
    var (scanner, end) = (start, words.count)
    let limit = min(words.last, end &+ 2 &* min(limit, JSONWord.maximumBytes))
    var (next, place) = words.placeBehind(state.model)
    while end < limit, next &+ 1 < object {
      let (key, value) = words.pair(next)
      let model = JSONWord(bits: value)
      // The compared text has the quote before a string. So the value is a string too, without a check.
      let length = model.offset &- place
      let start = scanner.cursor
      guard !model.isContainer, scanner.isLike(place, length: length),
        let word = scanner.scalar(like: model, from: start &+ length)
      else { break }
      words.fill(end, JSONWord(bits: key).moved(by: start &- place).bits, word.bits)
      end &+= 2
      next &+= 2
      place = model.ending
      guard scanner.byte == UInt8(ascii: ",") else { break }
    }
    let members = (end &- words.count) &>> 1
    return Run(
      cursor: scanner.cursor, frame: object,
      state: members == 0 ? state : state.next(model: next &- 2, members: members), end: end)
  }

  /// Enters arrays that begin with an array or object, and objects whose first key is short or equals their model's, up
  /// to the first value that is neither. The cursor is at a value before and after, and the words are filled in behind
  /// those of `words`.
  ///
  /// - Parameter limit: the most levels that may be opened.
  @inline(never)
  private static func open(
    _ start: JSONScanner, _ words: borrowing JSONTapeWriter, in container: Int, _ state: JSONFrame, limit: Int
  ) -> Run {
    var (scanner, end, frame, state) = (start, words.count, container, state)
    let limit = min(limit, (words.last &- words.count) / 3)
    var left = limit
    while left > 0 {
      let start = scanner.cursor
      let similar = state.similar
      let opened = end
      let outer = state.opening(at: opened)
      if scanner.skipBracketBeforeContainer() {
        words.fill(end, JSONWord(.array, offset: start, extent: frame &+ 1).bits, outer.bits)
        end &+= 2
        left &-= 1
        frame = opened
        let model = similar == 0 ? 0 : words.firstObject(inArray: similar)
        state = JSONFrame(count: 1, isObject: false, model: model)
        guard model == 0 else { continue }
        // As if this array were the first element of an array that begins before it.
        var word = JSONWord(.array, offset: start, extent: opened &- 1)
        var outer = JSONFrame(count: 1, isObject: false, model: opened)
        while left > 0, scanner.skipBracketBeforeContainer() {
          word = word.nested
          outer = outer.nested
          words.fill(end, word.bits, outer.bits)
          end &+= 2
          left &-= 1
        }
        frame = end &- 2
      } else {
        guard scanner.byte == UInt8(ascii: "{"),
          let (key, model) = words.matchFirstKey(likeAt: similar, with: &scanner)
        else { break }
        words.fill(end, JSONWord(.object, offset: start, extent: frame &+ 1).bits, outer.bits)
        words.fill(end &+ 2, key.bits)
        end &+= 3
        state = JSONFrame(count: 1, isObject: true, model: model)
        frame = opened
        left &-= 1
      }
    }
    return Run(cursor: scanner.cursor, frame: frame, state: state, levels: limit &- left, end: end)
  }

  /// Closes the arrays and objects that end at the cursor.
  @inline(never)
  private static func close(
    _ start: JSONScanner, _ words: borrowing JSONTapeWriter, _ container: Int, _ state: JSONFrame
  ) -> Run {
    var (scanner, frame, state) = (start, container, state)
    var levels = 0
    while frame >= 0, scanner.skip(state.closingBracket) {
      let (first, second) = words.close(frame, count: state.count, end: scanner.cursor)
      (frame, state) = (first.extent &- 1, second)
      levels &+= 1
    }
    return Run(cursor: scanner.cursor, frame: frame, state: state, levels: levels)
  }
}

extension JSONTapeWriter {
  /// Moves past the bracket of an object, its first key and the colon, if the key equals that of a similar object or is
  /// short.
  ///
  /// - Returns: the key, and its model or 0.
  @inline(__always)
  func matchFirstKey(likeAt similar: Int, with scanner: inout JSONScanner) -> (JSONWord, model: Int)? {
    if similar != 0, isFilled(similar, .object) {
      let start = scanner.cursor
      let before = JSONWord(bits: self[similar]).offset
      let value = JSONWord(bits: self[similar &+ 3])
      if scanner.skip(likeAt: before, length: value.beginning &- before) {
        return (JSONWord(bits: self[similar &+ 2]).moved(by: start &- before), similar &+ 2)
      }
    }
    return scanner.shortKey().map { ($0, 0) }
  }

  /// Moves past a comma, a key of the object at `object` and the colon, if the key equals the key behind `model` or is
  /// short.
  ///
  /// - Returns: the key, and its model or 0.
  @inline(__always)
  func matchKey(likeBehind model: Int, in object: Int, with scanner: inout JSONScanner) -> (JSONWord, model: Int)? {
    if model != 0 {
      let (next, ending) = placeBehind(model)
      if next &+ 1 < object {
        let start = scanner.cursor
        let value = JSONWord(bits: self[next &+ 1])
        if scanner.skip(likeAt: ending, length: value.beginning &- ending) {
          return (JSONWord(bits: self[next]).moved(by: start &- ending), next)
        }
      }
    }
    return scanner.shortKey().map { ($0, 0) }
  }

  /// The end of the field whose key is at `model`: on the tape, and in the text.
  @inline(__always)
  fileprivate func placeBehind(_ model: Int) -> (index: Int, place: Int) {
    let (_, value) = pair(model)
    let last = JSONWord(bits: value)
    guard last.isContainer else { return (model &+ 2, last.ending) }
    return (last.extent, last.offset &+ JSONExtent(bits: self[model &+ 2]).length)
  }
}

extension JSONFrame {
  /// The tape index of the value that a value at this place probably resembles; 0 where there is none.
  fileprivate var similar: Int { isObject && model != 0 ? model &+ 1 : model }

  /// The frame to keep while an inner array or object is open whose words are at `place`.
  fileprivate func opening(at place: Int) -> JSONFrame {
    isObject ? self : JSONFrame(count: count, isObject: false, model: place)
  }

  /// `}` is `]` plus 0x20.
  fileprivate var closingBracket: UInt8 { UInt8(ascii: "]") | (isObject ? 0x20 : 0) }
}
