/// Builds the tape in one pass that can stop at the end of any piece of the text and go on with more of it. Nesting costs
/// tape, never call stack: while a container is open, its two words hold the state of the one around it.
///
/// Objects that follow each other in an array mostly have the same keys in the same order and with the same spacing. The
/// object before serves as a model: what stands between the ends and beginnings of its values is compared with the
/// text as a whole, and where it is the same the key is known without being scanned.
struct JSONParser {
  /// What the grammar allows at the cursor.
  enum Step {
    case text, firstKey, key, keyString, colon, firstElement, value, valueString, number, after, end
  }

  let tape: JSONTape
  private(set) var step = Step.text
  private(set) var cursor = 0
  /// Where the string (behind its quote) or number began that the bytes ended in.
  private(set) var token = 0
  private var hasEscape = false
  private var numberPart = JSONScanner.NumberPart.sign

  /// The innermost open container's first word; -1 when there is none.
  private(set) var frame = -1
  /// Its elements begun, or keys read.
  private(set) var count = 0
  /// In an object, the model's key that was met last; in an array, the last element that is a container; else 0, which is neither.
  private var model = 0
  private(set) var depth = 0

  private let limits: JSONLimits
  private var nodesLeft: Int
  /// A run ends behind each key of an object at this depth or above it.
  var watchedDepth = 0

  init(limits: JSONLimits, textLength: Int) {
    self.limits = limits
    nodesLeft = limits.nodes
    tape = JSONTape(textLength: textLength)
  }

  /// The tape of a whole text, whose last `JSONScanner.padding` bytes are zero and not part of it.
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

  /// Reads on from the cursor: to the end of the value, a watched key, or the end of the bytes. What the bytes end in is
  /// only known to be wrong or complete if they are final; else the same step goes on with more of them.
  mutating func run(over bytes: [UInt8], isFinal: Bool) throws(JSONFault) {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONFault) in
      guard let scanner = JSONScanner(padded: buffer, cursor: cursor) else {
        throw .refused(.emptyInput, "the text is empty", at: 0)
      }
      do throws(JSONFault) {
        try run(scanner, isFinal: isFinal)
      } catch {
        guard !isFinal, error.offset == scanner.count else { throw error }
      }
    }
  }

  /// Nothing but whitespace may follow the value.
  mutating func end(of bytes: [UInt8]) throws(JSONFault) {
    try bytes.withUnsafeBufferPointer { buffer throws(JSONFault) in
      guard var scanner = JSONScanner(padded: buffer, cursor: cursor) else { return }
      scanner.skipWhitespace()
      cursor = scanner.cursor
      guard cursor == scanner.count else {
        throw .expected("nothing more after the value", at: cursor, kind: .trailingContent)
      }
    }
  }

  /// State that every byte needs is in local variables while it runs, and is given back at its one exit.
  private mutating func run(_ start: JSONScanner, isFinal: Bool) throws(JSONFault) {
    var scanner = start
    var words = JSONTapeWriter(tape)
    var (step, frame, count, model, depth, nodesLeft) = (step, frame, count, model, depth, nodesLeft)
    var isObject = frame >= 0 && JSONWord(bits: words[frame]).isObject
    var (token, hasEscape) = (token, hasEscape)
    var failure: JSONFault?

    do throws(JSONFault) {
      if step == .text {
        try beginText(&scanner, isFinal: isFinal)
        step = .value
      }
      text: while step != .end {
        if step == .firstKey {
          scanner.skipWhitespace()
          if scanner.byte == UInt8(ascii: "}") {
            step = .after
          } else {
            guard scanner.take(UInt8(ascii: "\"")) else {
              throw .expected("a key in quotes or '}'", at: scanner.cursor)
            }
            (token, hasEscape, step) = (scanner.cursor, false, .keyString)
          }
        }
        if step == .key {
          scanner.skipWhitespace()
          guard scanner.take(UInt8(ascii: "\"")) else {
            throw .expected("a key in quotes after ','", at: scanner.cursor)
          }
          (token, hasEscape, step) = (scanner.cursor, false, .keyString)
        }
        if step == .keyString {
          try scanner.string(hasEscape: &hasEscape)
          words.append(
            JSONWord(hasEscape ? .escapedString : .string, offset: token, extent: scanner.cursor &- token &- 1).bits,
            place: scanner.cursor)
          count &+= 1
          step = .colon
          if depth <= watchedDepth { break text }
        }
        if step == .colon {
          scanner.skipWhitespace()
          guard scanner.take(UInt8(ascii: ":")) else { throw .expected("':' after the key", at: scanner.cursor) }
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
        if step == .value {
          scanner.skipWhitespace()
          let start = scanner.cursor
          guard nodesLeft > 0 else { throw .refused(.tooManyNodes, "more values than the limit", at: start) }
          let byte = scanner.byte
          if byte == UInt8(ascii: "\"") {
            _ = scanner.take(UInt8(ascii: "\""))
            (token, hasEscape, step) = (scanner.cursor, false, .valueString)
          } else if byte &- 0x30 < 10 || byte == UInt8(ascii: "-") {
            if scanner.shortNumber() {
              words.append(
                JSONWord(.number, offset: start, extent: scanner.cursor &- start).bits, place: scanner.cursor)
              nodesLeft &-= 1
              step = .after
            } else {
              (token, numberPart, step) = (start, .sign, .number)
            }
          } else if byte == UInt8(ascii: "{") {
            let similar = isObject ? (model == 0 ? 0 : model &+ 1) : model
            guard depth < limits.depth else { throw Self.tooDeep(start) }
            depth &+= 1
            let opened = words.count
            words.append(JSONWord(.object, offset: start, extent: frame &+ 1).bits, place: scanner.cursor)
            words.append(JSONFrame.bits(count: count, model: isObject ? model : opened), place: scanner.cursor)
            nodesLeft &-= 1
            (frame, isObject, count, model) = (opened, true, 0, 0)
            if similar != 0 {
              let before = JSONWord(bits: words[similar])
              if before.isObject, before.extent > similar &+ 2 {
                let key = JSONWord(bits: words[similar &+ 2])
                let value = JSONWord(bits: words[similar &+ 3])
                if scanner.skip(likeAt: before.offset, length: value.beginning &- before.offset) {
                  words.append(key.moved(by: start &- before.offset).bits, place: scanner.cursor)
                  (count, model) = (1, similar &+ 2)
                  continue text
                }
              }
            }
            _ = scanner.take(UInt8(ascii: "{"))
            step = .firstKey
            continue text
          } else if byte == UInt8(ascii: "[") {
            let similar = isObject ? (model == 0 ? 0 : model &+ 1) : model
            guard depth < limits.depth else { throw Self.tooDeep(start) }
            depth &+= 1
            let opened = words.count
            words.append(JSONWord(.array, offset: start, extent: frame &+ 1).bits, place: scanner.cursor)
            words.append(JSONFrame.bits(count: count, model: isObject ? model : opened), place: scanner.cursor)
            nodesLeft &-= 1
            (frame, isObject, count, model) = (opened, false, 0, 0)
            if similar != 0 {
              let before = JSONWord(bits: words[similar])
              if before.isArray, before.extent > similar &+ 2 { model = similar &+ 2 }
            }
            _ = scanner.take(UInt8(ascii: "["))
            step = .firstElement
            continue text
          } else {
            if scanner.take(0x6575_7274, length: 4) {
              words.append(JSONWord(.true, offset: start, extent: 4).bits, place: scanner.cursor)
            } else if scanner.take(0x65_736C_6166, length: 5) {
              words.append(JSONWord(.false, offset: start, extent: 5).bits, place: scanner.cursor)
            } else if scanner.take(0x6C6C_756E, length: 4) {
              words.append(JSONWord(.null, offset: start, extent: 4).bits, place: scanner.cursor)
            } else {
              throw scanner.faultInLiteral()
            }
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
          (scanner, fault) = longNumber(scanner)
          if let fault { throw fault }
          if !isFinal, scanner.cursor == scanner.count { break text }
          words.append(JSONWord(.number, offset: token, extent: scanner.cursor &- token).bits, place: scanner.cursor)
          nodesLeft &-= 1
          step = .after
        }
        // A value is complete. Close what ends here, and go on to the next one.
        while true {
          guard frame >= 0 else {
            step = .end
            break text
          }
          if isObject, model != 0, scanner.byte == UInt8(ascii: ",") {
            let last = JSONWord(bits: words[model &+ 1])
            let end = last.isContainer ? last.offset &+ JSONExtent(bits: words[model &+ 2]).length : last.ending
            let next = last.isContainer ? last.extent : model &+ 2
            model = 0
            if next &+ 1 < frame {
              let key = JSONWord(bits: words[next])
              let value = JSONWord(bits: words[next &+ 1])
              let start = scanner.cursor
              if scanner.skip(likeAt: end, length: value.beginning &- end) {
                words.append(key.moved(by: start &- end).bits, place: scanner.cursor)
                count &+= 1
                model = next
                step = .value
                continue text
              }
            }
          }
          scanner.skipWhitespace()
          if scanner.take(UInt8(ascii: ",")) {
            if isObject {
              model = 0
              step = .key
            } else {
              count &+= 1
              step = .value
            }
            continue text
          }
          if isObject {
            guard scanner.byte == UInt8(ascii: "}") else { throw .expected("',' or '}'", at: scanner.cursor) }
            if limits.duplicateKeys == .refused, model == 0 {
              try checkKeys(of: frame, in: words, of: scanner, count: &count)
            }
            _ = scanner.take(UInt8(ascii: "}"))
          } else {
            guard scanner.take(UInt8(ascii: "]")) else { throw .expected("',' or ']'", at: scanner.cursor) }
          }
          let word = JSONWord(bits: words[frame])
          let outer = JSONFrame(bits: words[frame &+ 1])
          words[frame] = word.with(extent: words.count).bits
          words[frame &+ 1] = JSONExtent(count: count, length: scanner.cursor &- word.offset).bits
          (frame, count, model) = (word.extent &- 1, outer.count, outer.model)
          isObject = frame >= 0 && JSONWord(bits: words[frame]).isObject
          depth &-= 1
        }
      }
    } catch {
      failure = error
    }
    words.finish()
    cursor = scanner.cursor
    (self.step, self.frame, self.count, self.model, self.depth) = (step, frame, count, model, depth)
    (self.nodesLeft, self.token, self.hasEscape) = (nodesLeft, token, hasEscape)
    if let failure { throw failure }
  }
}

extension JSONParser {
  private static func tooDeep(_ offset: Int) -> JSONFault {
    .refused(.tooDeep, "arrays and objects are nested deeper than the limit", at: offset)
  }

  private mutating func longNumber(_ start: JSONScanner) -> (JSONScanner, JSONFault?) {
    var scanner = start
    do throws(JSONFault) {
      try scanner.number(from: &numberPart)
      return (scanner, nil)
    } catch {
      return (scanner, error)
    }
  }

  /// Up to the first byte of the value.
  private func beginText(_ scanner: inout JSONScanner, isFinal: Bool) throws(JSONFault) {
    if scanner.cursor == 0 {
      let marks: [(bytes: [UInt8], refusal: StaticString)] = [
        ([0xEF, 0xBB, 0xBF], "the text begins with a UTF-8 byte order mark; JSON has none"),
        ([0xFE, 0xFF], "the text begins with a UTF-16 byte order mark; JSON is UTF-8"),
        ([0xFF, 0xFE], "the text begins with a UTF-16 or UTF-32 byte order mark; JSON is UTF-8"),
      ]
      for mark in marks where scanner.byte == mark.bytes[0] {
        var probe = scanner
        if mark.bytes.allSatisfy({ probe.take($0) }) { throw .refused(.byteOrderMark, mark.refusal, at: 0) }
        if !isFinal, probe.cursor == probe.count { throw .expected("a value", at: probe.cursor) }
      }
    }
    scanner.skipWhitespace()
    guard scanner.cursor < scanner.count else {
      throw .refused(
        .emptyInput, scanner.count == 0 ? "the text is empty" : "the text has only whitespace", at: scanner.cursor)
    }
  }

  /// The open containers from the outermost to the innermost.
  var frames: [JSONOpenContainer] {
    var frames: [JSONOpenContainer] = []
    var (start, count) = (frame, count)
    while start >= 0 {
      let word = JSONWord(bits: tape[start])
      frames.append(JSONOpenContainer(start: start, count: count, isObject: word.tag == .object))
      count = JSONFrame(bits: tape[start + 1]).count
      start = word.extent - 1
    }
    return frames.reversed()
  }

  /// Refuses an object that has a key twice; `count` then says which key that is. Objects whose keys are all those of
  /// their model need no look, for the model had it.
  @inline(never)
  private func checkKeys(
    of object: Int, in words: JSONTapeWriter, of scanner: JSONScanner, count: inout Int
  ) throws(JSONFault) {
    guard count > 1 else { return }
    var seen = Set<[UInt8]>(minimumCapacity: count)
    var index = object + 2
    for ordinal in 1...count {
      let key = JSONWord(bits: words[index])
      let written = scanner.copy(key.offset..<key.offset + key.extent)
      guard seen.insert(key.tag == .escapedString ? JSONText.unescape(written[...]) : written).inserted else {
        count = ordinal
        throw .refused(.duplicateKey, "the object has this key already", at: key.beginning)
      }
      let value = JSONWord(bits: words[index + 1])
      index = value.isContainer ? value.extent : index + 2
    }
  }
}

/// An array or object whose end has not been read.
struct JSONOpenContainer {
  /// Its first word on the tape.
  var start: Int
  /// Elements begun, or keys read.
  var count: Int
  var isObject: Bool
}
