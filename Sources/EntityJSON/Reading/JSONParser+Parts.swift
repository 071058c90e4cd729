/// Parts of the pass that are seldom needed.
extension JSONParser {
  static func tooDeep(_ offset: Int) -> JSONFault {
    .refused(.tooDeep, "arrays and objects are nested deeper than the limit", at: offset)
  }

  @inline(never)
  static func longNumber(
    _ scanner: JSONScanner, from start: JSONScanner.NumberPart
  ) -> (JSONScanner, JSONFault?, JSONScanner.NumberPart) {
    var (scanner, part) = (scanner, start)
    do throws(JSONFault) {
      try scanner.number(from: &part)
      return (scanner, nil, part)
    } catch {
      return (scanner, error, part)
    }
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Moves to the first byte of the value.
  func beginText(_ start: JSONScanner, isFinal: Bool) -> (JSONScanner, JSONFault?) {
    var scanner = start
    if scanner.cursor == 0, scanner.byte >= 0xEF {
      let marks: [(bytes: [UInt8], refusal: StaticString)] = [
        (Self.byteOrderMark, "the text begins with a UTF-8 byte order mark; JSON has none"),
        ([0xFE, 0xFF], "the text begins with a UTF-16 byte order mark; JSON is UTF-8"),
        ([0xFF, 0xFE], "the text begins with a UTF-16 or UTF-32 byte order mark; JSON is UTF-8"),
      ]
      for mark in marks where scanner.byte == mark.bytes[0] {
        var probe = scanner
        if mark.bytes.allSatisfy({ probe.skip($0) }) {
          guard limits.byteOrderMark == .skipped, mark.bytes == Self.byteOrderMark else {
            return (scanner, .refused(.byteOrderMark, mark.refusal, at: 0))
          }
          scanner = probe
          break
        }
        if !isFinal, probe.cursor == probe.count { return (scanner, .expected("a value", at: probe.cursor)) }
      }
    }
    scanner.skipWhitespace()
    guard scanner.cursor < scanner.count else {
      let refusal: StaticString = scanner.count == 0 ? "the text is empty" : "the text has only whitespace"
      return (scanner, .refused(.emptyInput, refusal, at: scanner.cursor))
    }
    return (scanner, nil)
  }

  /// Whether a value may begin with a byte. At the limit of values, a byte that begins no value is another error.
  @inline(never)
  static func beginsValue(_ byte: UInt8) -> Bool {
    byte | 0x20 == UInt8(ascii: "{") || byte &- 0x30 < 10 || "\"-tfn".utf8.contains(byte)
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

  /// Refuses an object with a key that stands twice; `count` is then the number of that key. Objects whose keys all
  /// equal their model's need no check, because the model was checked.
  @inline(never)
  func checkKeys(
    of object: Int, in words: borrowing JSONTapeWriter, of text: PaddedText, count: Int
  ) -> (JSONFault?, count: Int) {
    guard count > 1 else { return (nil, count) }
    var seen = Set<[UInt8]>(minimumCapacity: count)
    var index = object + 2
    for ordinal in 1...count {
      let key = JSONWord(bits: words[index])
      let written = Array(text.part(key.range))
      guard seen.insert(key.tag == .escapedString ? JSONText.unescape(written[...]) : written).inserted else {
        return (.refused(.duplicateKey, "the object has this key already", at: key.beginning), ordinal)
      }
      let value = JSONWord(bits: words[index + 1])
      index = value.isContainer ? value.extent : index + 2
    }
    return (nil, count)
  }
}

/// An array or object whose end was not read yet.
struct JSONOpenContainer {
  /// Its first word on the tape.
  var start: Int
  /// The number of elements begun, or of keys read.
  var count: Int
  var isObject: Bool
}
