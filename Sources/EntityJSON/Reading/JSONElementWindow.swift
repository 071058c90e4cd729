import Foundation

/// The part of an array that has arrived and was not handed out yet.
struct JSONElementWindow: Sendable {
  private(set) var bytes: [UInt8]
  private(set) var parser: JSONParser
  /// The place in the text where the bytes begin.
  private var position: JSONPosition
  /// The number of elements before the bytes.
  private var index = 0
  private(set) var peakMemory = 0

  /// - Parameter bytes: padded.
  init(parser: JSONParser, bytes: ArraySlice<UInt8>, at position: JSONPosition) {
    self.bytes = Array(bytes)
    self.parser = parser
    self.position = position
  }

  static func append(_ piece: Data, to bytes: inout [UInt8]) {
    bytes.removeLast(PaddedText.padding)
    bytes.append(contentsOf: piece)
    bytes.append(contentsOf: repeatElement(0, count: PaddedText.padding))
  }

  mutating func append(_ piece: Data) { Self.append(piece, to: &bytes) }

  var memory: Int { bytes.count + parser.tape.count * 8 }

  /// The place of the array's closing bracket, after it was read.
  var bracketPosition: JSONPosition {
    var position = position
    position.advance(over: 0..<parser.cursor - 1, of: bytes)
    return position
  }

  /// Continues to read, and hands out the elements that are complete.
  ///
  /// - Parameter outerPath: appends the key path of the array.
  /// - Returns: whether the array has ended.
  mutating func read(
    isFinal: Bool, limit: Int, into found: inout [JSONValue], outerPath: (inout String) -> Void
  ) throws(JSONError) -> Bool {
    var fault: JSONFault?
    do throws(JSONFault) {
      try parser.run(over: bytes, isFinal: isFinal)
    } catch {
      fault = error
    }
    peakMemory = max(peakMemory, memory)
    let isEnd = fault == nil && parser.step == .end
    let open = isEnd ? (word: parser.tape.count, place: 0) : parser.openElement
    let first = index
    try handOut(before: open.word, limit: limit, into: &found, outerPath)
    if !isEnd, parser.isInElement {
      // If the element had come in smaller pieces, a fault behind the limit would not have been met.
      let reached = fault.map { max(parser.cursor, $0.offset) } ?? bytes.count - PaddedText.padding
      if reached - open.place > limit { throw tooLarge(at: open.place, outerPath) }
    }
    if let fault { throw place(fault, elementsBefore: first, outerPath) }
    if !isEnd, index > first || open.place >= JSONElementReader.pieceLength {
      position.advance(over: 0..<open.place, of: bytes)
      bytes = Array(bytes[open.place...])
      parser = parser.movedToOpenElement(handedOut: index - first)
    }
    return isEnd
  }

  private mutating func handOut(
    before end: Int, limit: Int, into found: inout [JSONValue], _ outerPath: (inout String) -> Void
  ) throws(JSONError) {
    guard end > JSONParser.firstElement else { return }
    let document = JSONDocument(bytes: bytes, tape: parser.tape)
    let mayBeTooLarge = bytes.count - PaddedText.padding > limit
    var word = JSONParser.firstElement
    while word < end {
      if mayBeTooLarge, document.range(at: word).count > limit {
        throw tooLarge(at: document.range(at: word).lowerBound, outerPath)
      }
      found.append(JSONValue(document: document, index: word))
      word = document.next(after: word)
      index += 1
    }
  }

  // MARK: Errors

  private func tooLarge(at place: Int, _ outerPath: (inout String) -> Void) -> JSONError {
    var position = position
    position.advance(over: 0..<place, of: bytes)
    var path = ""
    outerPath(&path)
    return JSONError(
      fault: .refused(.tooLarge, "the element has more bytes than the limit", at: place), at: position, found: nil,
      path: path + "[\(index)]")
  }

  private func place(
    _ fault: JSONFault, elementsBefore: Int, _ outerPath: (inout String) -> Void
  ) -> JSONError {
    let count = bytes.count - PaddedText.padding
    let offset = min(fault.offset, count)
    var position = position
    position.advance(over: 0..<offset, of: bytes)
    var path = ""
    outerPath(&path)
    var frames = parser.frames
    // The parser does not count the elements that were handed out.
    if !frames.isEmpty { frames[0].count += elementsBefore }
    JSONError.append(frames, of: parser.tape, in: bytes, to: &path)
    return JSONError(fault: fault, at: position, found: offset == count ? nil : bytes[offset], path: path)
  }
}
