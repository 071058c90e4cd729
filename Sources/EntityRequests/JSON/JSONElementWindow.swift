import Foundation

/// The part of an array that has arrived and has not been handed out.
struct JSONElementWindow: Sendable {
  private(set) var bytes: [UInt8]
  private(set) var parser: JSONParser
  /// Where in the text the bytes begin.
  private var position: JSONPosition
  private(set) var peakMemory = 0

  /// - Parameter bytes: padded.
  init(parser: JSONParser, bytes: ArraySlice<UInt8>, at position: JSONPosition) {
    self.bytes = Array(bytes)
    self.parser = parser
    self.position = position
  }

  static func append(_ piece: Data, to bytes: inout [UInt8]) {
    bytes.removeLast(JSONScanner.padding)
    bytes.append(contentsOf: piece)
    bytes.append(contentsOf: repeatElement(0, count: JSONScanner.padding))
  }

  mutating func append(_ piece: Data) { Self.append(piece, to: &bytes) }

  var memory: Int { bytes.count + parser.tape.count * 8 }

  /// Where the array's closing bracket is, once it was read.
  var bracketPosition: JSONPosition {
    var position = position
    position.advance(over: bytes[..<(parser.cursor - 1)])
    return position
  }

  /// Reads on, and hands out what is complete.
  ///
  /// - Parameter outerPath: appends the key path of the array.
  /// - Returns: whether the array has ended.
  mutating func read(
    isFinal: Bool, limit: Int, into found: inout [ResponseValue], outerPath: (inout String) -> Void
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
    let count = found.count
    if parser.tape.count > JSONParser.firstElement, open.word > JSONParser.firstElement {
      try handOut(before: open.word, limit: limit, into: &found, outerPath: outerPath)
    }
    if fault != nil || parser.isInElement {
      // The fault may lie where an element of this length is not read any more.
      let reached = max(parser.cursor, fault?.offset ?? 0)
      if !isEnd, parser.isInElement, (fault == nil ? bytes.count - JSONScanner.padding : reached) - open.place > limit {
        throw tooLarge(at: open.place, index: parser.arrayCount - 1, outerPath)
      }
    }
    if let fault { throw place(fault, outerPath) }
    if !isEnd, found.count > count || open.place > 1 << 16 {
      position.advance(over: bytes[..<open.place])
      bytes = Array(bytes[open.place...])
      parser = parser.movedToOpenElement()
    }
    return isEnd
  }

  private func handOut(
    before end: Int, limit: Int, into found: inout [ResponseValue], outerPath: (inout String) -> Void
  ) throws(JSONError) {
    let document = JSONDocument(bytes: bytes, tape: parser.tape)
    var index = JSONParser.firstElement
    while index < end {
      if bytes.count - JSONScanner.padding > limit, document.range(at: index).count > limit {
        var rest = index
        var behind = 0
        while rest < end {
          rest = document.next(after: rest)
          behind += 1
        }
        let complete = parser.arrayCount - (end < parser.tape.count || parser.isInElement ? 1 : 0)
        throw tooLarge(at: document.range(at: index).lowerBound, index: complete - behind, outerPath)
      }
      found.append(ResponseValue(document: document, index: index))
      index = document.next(after: index)
    }
  }

  // MARK: Errors

  private func tooLarge(at place: Int, index: Int, _ outerPath: (inout String) -> Void) -> JSONError {
    var position = position
    position.advance(over: bytes[..<place])
    var path = ""
    outerPath(&path)
    return JSONError(
      fault: .refused(.tooLarge, "the element has more bytes than the limit", at: place), at: position, found: nil,
      path: path + "[\(index)]")
  }

  private func place(_ fault: JSONFault, _ outerPath: (inout String) -> Void) -> JSONError {
    let count = bytes.count - JSONScanner.padding
    let offset = min(fault.offset, count)
    var position = position
    position.advance(over: bytes[..<offset])
    var path = ""
    outerPath(&path)
    JSONError.append(parser.frames, of: parser.tape, in: bytes, to: &path)
    return JSONError(fault: fault, at: position, found: offset == count ? nil : bytes[offset], path: path)
  }
}
