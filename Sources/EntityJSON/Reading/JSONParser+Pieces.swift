/// Reading a text in pieces, apart from the pass itself.
extension JSONParser {
  /// Moves to the first byte of the next value, at the top level or behind a key.
  ///
  /// - Returns: that byte; nil where the bytes end before it.
  mutating func approachValue(in bytes: [UInt8], isFinal: Bool) throws(JSONFault) -> UInt8? {
    try PaddedText.lend(bytes) { text throws(JSONFault) in
      var scanner = JSONScanner(text, cursor: cursor)
      do throws(JSONFault) {
        if step == .text {
          let fault: JSONFault?
          (scanner, fault) = beginText(scanner, isFinal: isFinal)
          if let fault { throw fault }
        } else if step == .colon {
          scanner.skipWhitespace()
          guard scanner.skip(UInt8(ascii: ":")) else { throw .expected("':' after the key", at: scanner.cursor) }
        }
      } catch {
        cursor = scanner.cursor
        guard !isFinal, error.offset == scanner.count else { throw error }
        return nil
      }
      step = .value
      scanner.skipWhitespace()
      cursor = scanner.cursor
      return cursor < scanner.count ? scanner.byte : nil
    }
  }

  /// Puts an empty array on the tape in place of the array whose bracket is at the cursor. When this parser continues,
  /// its bytes must have both brackets of the empty array.
  ///
  /// - Returns: the parser that reads the array, from behind its bracket; its bytes begin there.
  mutating func leaveOutArray() throws(JSONFault) -> JSONParser {
    guard nodesLeft > 0 else { throw .refused(.tooManyNodes, "more values than the limit", at: cursor) }
    guard depth < limits.depth else { throw Self.tooDeep(cursor) }
    var words = JSONTapeWriter(tape)
    words.append(JSONWord(.array, offset: cursor, extent: words.count + 2).bits, place: 0)
    words.append(JSONExtent(count: 0, length: 2).bits, place: 0)
    nodesLeft -= 1
    cursor += 2
    step = frame < 0 ? .end : .after
    return JSONParser(inArrayAtDepth: depth + 1, count: 0, step: .firstElement, nodesLeft: nodesLeft, limits: limits)
  }

  mutating func restoreNodes(from elements: JSONParser) { nodesLeft = elements.nodesLeft }

  /// A parser inside an array whose bracket and earlier elements are not among its bytes and words. Its tape still has
  /// the array's two words, so that the state of the grammar is as always.
  private init(inArrayAtDepth depth: Int, count: Int, step: Step, nodesLeft: Int, limits: JSONLimits) {
    self.init(limits: limits, textLength: 0)
    var words = JSONTapeWriter(tape)
    words.append(JSONWord(.array, offset: 0, extent: 0).bits, place: 0)
    words.append(JSONFrame(count: 0, isObject: false, model: 0).bits, place: 0)
    (self.frame, self.count, self.depth, self.step, self.nodesLeft) = (0, count, depth, step, nodesLeft)
  }

  /// The tape index of the first element, for a parser inside an array.
  static let firstElement = 2

  /// The beginning of the incomplete element: on the tape, and in the bytes. Where there is none, both are where the
  /// next element will begin, or somewhere in the space before it.
  var openElement: (word: Int, place: Int) {
    // An array or object that was open before this run stands first, because a run that completes elements ends with a
    // move. So no search from inside is needed, which would take as many steps as the element is deep.
    if frame > 0, let first = openContainer(at: Self.firstElement) { return first }
    var start = frame
    while start > 0 {
      if let element = openContainer(at: start) { return element }
      start = JSONWord(bits: tape[start]).extent - 1
    }
    let place =
      switch step {
      case .valueString: token - 1
      case .number: token
      default: cursor
      }
    return (tape.count, place)
  }

  /// The element at an index, if it is an open array or object: then its extent is the place of the array around it.
  private func openContainer(at index: Int) -> (word: Int, place: Int)? {
    let word = JSONWord(bits: tape[index])
    return word.isContainer && word.extent == 1 ? (index, word.offset) : nil
  }

  /// Whether an element has begun and is not complete.
  var isInElement: Bool { frame > 0 || step == .valueString || step == .number }

  /// This parser with only the incomplete element. Its bytes begin at that element's `place`, and its count of the
  /// array's elements leaves out those that were `handedOut`.
  func movedToOpenElement(handedOut: Int) -> JSONParser {
    let (first, place) = openElement
    var moved = JSONParser(
      inArrayAtDepth: depth, count: frame > 0 ? count : count - handedOut, step: step, nodesLeft: nodesLeft,
      limits: limits)
    let shift = first - Self.firstElement
    var open: [Int] = []
    var start = frame
    while start > 0 {
      open.append(start)
      start = JSONWord(bits: tape[start]).extent - 1
    }
    var words = JSONTapeWriter(moved.tape)
    var index = first
    while index < tape.count {
      let word = JSONWord(bits: tape[index]).moved(by: -place)
      guard word.isContainer else {
        words.append(word.bits, place: 0)
        index += 1
        continue
      }
      if open.last == index {
        open.removeLast()
        // The extent of an open container is the place of the container around it. The array stays where it is.
        let isElement = word.extent == 1
        let outer = JSONFrame(bits: tape[index + 1]).without(members: isElement ? handedOut : 0)
        words.append((isElement ? word : word.with(extent: word.extent - shift)).bits, outer.bits, place: 0)
      } else {
        words.append(word.with(extent: word.extent - shift).bits, tape[index + 1], place: 0)
      }
      index += 2
    }
    moved.cursor = cursor - place
    moved.token = token - place
    (moved.hasEscape, moved.numberPart) = (hasEscape, numberPart)
    if frame > 0 { moved.frame = frame - shift }
    return moved
  }
}
