/// Builds the tape in one pass that can stop at the end of any piece of the text and continue with more of it. Nesting
/// costs tape, and never call stack: while a container is open, its two words hold the state of the container around
/// it.
///
/// Successive objects in an array mostly have the same keys in the same order and with the same spacing. The object
/// before serves as a model: the text between the end of one value and the beginning of the next is compared with the
/// model's as a whole. Where it is the same, the key is known without a scan.
struct JSONParser {
  /// The part of the grammar that is allowed at the cursor.
  enum Step {
    case text, firstKey, key, keyString, colon, firstElement, value, valueString, number, after, end
  }

  let tape: JSONTape
  var step = Step.text
  var cursor = 0
  /// The place where a string (behind its quote) or a number began, in which the bytes ended.
  var token = 0
  var hasEscape = false
  var numberPart = JSONScanner.NumberPart.sign

  /// The innermost open container's first word; -1 when there is none.
  var frame = -1
  /// The number of its elements begun, or of keys read.
  var count = 0
  /// In an object, the model's key that was met last. In an array, the last element that is a container. Otherwise 0,
  /// which is neither.
  private var model = 0
  var depth = 0

  let limits: JSONLimits
  var nodesLeft: Int
  /// A run ends behind each key of an object at this depth or a smaller one.
  var watchedDepth = 0
  private var isAtWatchedKey = false

  init(limits: JSONLimits, textLength: Int) {
    self.limits = limits
    nodesLeft = limits.nodes
    tape = JSONTape(textLength: textLength)
  }

  /// The tape of a whole text. Its last `PaddedText.padding` bytes are zero and do not belong to the text.
  static func parse(padded bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSONTape {
    var parser = JSONParser(limits: limits, textLength: bytes.count)
    do throws(JSONFault) {
      try parser.run(over: bytes, isFinal: true)
      try parser.end(of: bytes)
    } catch {
      throw JSONError(fault: error, in: bytes, frames: parser.frames, tape: parser.tape)
    }
    return parser.tape
  }

  /// Reads on from the cursor: to the end of the value, a watched key, or the end of the bytes. Only with final bytes
  /// is it known whether the part at their end is wrong or complete. Otherwise the same step continues with more bytes.
  ///
  /// - Returns: whether it stopped at a watched key, the last word of the tape.
  @discardableResult
  mutating func run(over bytes: [UInt8], isFinal: Bool) throws(JSONFault) -> Bool {
    isAtWatchedKey = false
    try PaddedText.lend(bytes) { text throws(JSONFault) in
      do throws(JSONFault) {
        try run(JSONScanner(text, cursor: cursor), isFinal: isFinal)
      } catch {
        guard !isFinal, error.offset == text.count else { throw error }
      }
    }
    return isAtWatchedKey
  }

  /// Checks that only whitespace follows the value.
  mutating func end(of bytes: [UInt8]) throws(JSONFault) {
    try PaddedText.lend(bytes) { text throws(JSONFault) in
      var scanner = JSONScanner(text, cursor: cursor)
      scanner.skipWhitespace()
      cursor = scanner.cursor
      guard cursor == scanner.count else {
        throw .expected("nothing more after the value", at: cursor, kind: .trailingContent)
      }
    }
  }

  /// The state that every byte needs is in local variables while this runs, and is written back at its one exit.
  private mutating func run(_ start: JSONScanner, isFinal: Bool) throws(JSONFault) {
    var scanner = start
    var words = JSONTapeWriter(tape)
    var (step, frame, count, model, depth, nodesLeft) = (step, frame, count, model, depth, nodesLeft)
    var isObject = frame >= 0 && JSONWord(bits: words[frame]).isObject
    var (token, hasEscape) = (token, hasEscape)
    var failure: JSONFault?
    var isAtWatchedKey = false

    do throws(JSONFault) {
      if step == .text {
        let fault: JSONFault?
        (scanner, fault) = beginText(scanner, isFinal: isFinal)
        if let fault { throw fault }
        step = .value
      }
      text: while step != .end {
        // Most values are met where the one before ended: one test covers all other cases.
        if step != .value {
          if step == .firstKey || step == .key {
            scanner.skipWhitespace()
            if step == .firstKey, scanner.byte == UInt8(ascii: "}") {
              step = .after
            } else {
              guard scanner.skip(UInt8(ascii: "\"")) else {
                throw .expected(
                  step == .key ? "a key in quotes after ','" : "a key in quotes or '}'", at: scanner.cursor)
              }
              (token, hasEscape, step) = (scanner.cursor, false, .keyString)
            }
          }
          if step == .keyString {
            try scanner.string(hasEscape: &hasEscape)
            words.append(
              JSONWord(hasEscape ? .escapedString : .string, offset: token, extent: scanner.cursor &- token &- 1).bits,
              place: scanner.cursor)
            count &+= 1
            step = .colon
            if depth <= watchedDepth {
              isAtWatchedKey = true
              break text
            }
          }
          if step == .colon {
            scanner.skipWhitespace()
            guard scanner.skip(UInt8(ascii: ":")) else { throw .expected("':' after the key", at: scanner.cursor) }
            step = .value
          }
          if step == .firstElement {
            scanner.skipWhitespace()
            if scanner.byte == UInt8(ascii: "]") {
              step = .after
            } else {
              if !isFinal, scanner.cursor == scanner.count { break text }
              count = 1
              step = .value
            }
          }
        }
        if step == .value, frame >= 0, !isObject || depth > watchedDepth {
          let reach = Self.readRegular(
            scanner, words, in: frame, JSONFrame(count: count, isObject: isObject, model: model), depth: depth,
            nodesLeft: nodesLeft, watchedDepth: watchedDepth, limits)
          (scanner.cursor, frame, depth, nodesLeft) = (reach.cursor, reach.frame, reach.depth, reach.nodesLeft)
          (count, isObject, model) = (reach.state.count, reach.state.isObject, reach.state.model)
          if !reach.isAtValue { step = .after }
          words = reach.words
        }
        if step == .value {
          scanner.skipWhitespace()
          let start = scanner.cursor
          let byte = scanner.byte
          guard nodesLeft > 0 || !Self.beginsValue(byte) else {
            throw .refused(.tooManyNodes, "more values than the limit", at: start)
          }
          if byte | 0x20 == UInt8(ascii: "{") {
            // '{', or '[', which is 0x20 less.
            guard depth < limits.depth else { throw Self.tooDeep(start) }
            depth &+= 1
            nodesLeft &-= 1
            let similar = isObject && model != 0 ? model &+ 1 : model
            let place = words.count
            words.append(
              JSONWord(byte == UInt8(ascii: "{") ? .object : .array, offset: start, extent: frame &+ 1).bits,
              JSONFrame(count: count, isObject: isObject, model: isObject ? model : place).bits,
              place: start)
            isObject = byte == UInt8(ascii: "{")
            (frame, count, model) = (place, 0, isObject || similar == 0 ? 0 : words.firstObject(inArray: similar))
            _ = scanner.skip(byte)
            step = isObject ? .firstKey : .firstElement
            continue text
          } else if byte == UInt8(ascii: "\"") {
            _ = scanner.skip(byte)
            (token, hasEscape, step) = (scanner.cursor, false, .valueString)
          } else if byte &- 0x30 < 10 || byte == UInt8(ascii: "-") {
            (token, numberPart, step) = (start, .sign, .number)
          } else {
            guard let word = scanner.literal() else { throw scanner.faultInLiteral() }
            words.append(word.bits, place: scanner.cursor)
            nodesLeft &-= 1
            step = .after
          }
        }
        if step == .valueString {
          try scanner.string(hasEscape: &hasEscape)
          words.append(
            JSONWord(hasEscape ? .escapedString : .string, offset: token, extent: scanner.cursor &- token &- 1).bits,
            place: scanner.cursor)
          nodesLeft &-= 1
          step = .after
        }
        if step == .number {
          let fault: JSONFault?
          (scanner, fault, numberPart) = Self.longNumber(scanner, from: numberPart)
          if let fault { throw fault }
          if !isFinal, scanner.cursor == scanner.count { break text }
          words.append(JSONWord(.number, offset: token, extent: scanner.cursor &- token).bits, place: scanner.cursor)
          nodesLeft &-= 1
          step = .after
        }
        // A value is complete. Close the containers that end here, and go on to the next value.
        while true {
          guard frame >= 0 else {
            step = .end
            break text
          }
          scanner.skipWhitespace()
          let byte = scanner.byte
          if byte == UInt8(ascii: ",") {
            _ = scanner.skip(byte)
            if isObject {
              model = 0
              step = .key
            } else {
              count &+= 1
              step = .value
            }
            continue text
          }
          guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
            throw .expected(isObject ? "',' or '}'" : "',' or ']'", at: scanner.cursor)
          }
          if isObject, limits.duplicateKeys == .refused, model == 0 {
            let fault: JSONFault?
            (fault, count) = checkKeys(of: frame, in: words, of: scanner.text, count: count)
            if let fault { throw fault }
          }
          _ = scanner.skip(byte)
          let (first, second) = words.close(frame, count: count, end: scanner.cursor)
          (frame, count, model, isObject) = (first.extent &- 1, second.count, second.model, second.isObject)
          depth &-= 1
        }
      }
    } catch {
      failure = error
    }
    self.isAtWatchedKey = isAtWatchedKey
    cursor = scanner.cursor
    (self.step, self.frame, self.count, self.model, self.depth) = (step, frame, count, model, depth)
    (self.nodesLeft, self.token, self.hasEscape) = (nodesLeft, token, hasEscape)
    if let failure { throw failure }
  }
}
