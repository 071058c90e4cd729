package import Foundation

/// Reads a text that arrives in pieces, and hands out the elements of one of its arrays as soon as each is complete.
///
/// ```swift
/// var reader = JSONElementReader(elementsAt: "data.users")
/// for try await piece in body {
///   for user in try reader.append(piece) { … }
/// }
/// let rest = try reader.finish()
/// ```
///
/// Memory holds the rest of the text, the element that is arriving, and the piece of 64 kB in which it ends. Elements
/// that were complete in the same piece share its bytes. The time is in proportion to the text, for pieces of any size.
///
/// Errors are those of ``JSONValue/init(parsing:duplicateKeys:byteOrderMark:)``, at the same places. Only the limits of
/// length differ: an element, and the text without its elements, may each be as long as a whole text, and all together
/// as long as `totalBytes`.
///
/// The elements are those under the same key path of the whole text, by the rule of ``JSONObject/subscript(_:)``: a
/// longer key counts before shorter keys, and the last of equal keys counts. A later key may mean that elements which
/// were handed out no longer count, or that an object counts which was skipped. Then the text is refused with the kind
/// `duplicateKey`.
package struct JSONElementReader: ~Copyable, Sendable {
  /// The kind of value that stands under the key path.
  package enum Target: Sendable, Equatable {
    case array
    /// The value is not an array, so there are no elements.
    case other(JSONValue.Kind)
    case nothing
  }

  package struct Rest: Sendable {
    /// The text with the array emptied.
    package let envelope: JSONValue
    package let target: Target
  }

  private enum Phase { case before, inside, after }

  private let limits: JSONLimits
  private let totalBytes: Int
  private var received = 0
  /// The error behind the last elements that were handed out: the next ``append(_:)`` or ``finish()`` throws it.
  package private(set) var failure: JSONError?
  private var phase = Phase.before
  private var target = Target.nothing

  /// The text without the array's elements, with the padding behind it.
  private var bytes = [UInt8](repeating: 0, count: PaddedText.padding)
  private var parser: JSONParser
  private var watch: JSONKeyPathWatch?
  /// Whether the next value is the one under the path, or one through which the path goes.
  private var awaited: JSONKeyPathWatch.Finding
  /// The place where the key of that value begins.
  private var awaitedKey = 0
  /// The place in `bytes` where the text goes on behind the elements. `seamPosition` is its place in the text.
  private var seam = Int.max
  private var seamPosition = JSONPosition()

  private var elements: JSONElementWindow?
  /// The most bytes of text and tape that were held at the same time.
  package private(set) var peakMemory = 0

  /// - Parameters:
  ///   - keyPath: the keys that lead to the array, separated by dots; nil for the array at the top level.
  ///   - limits: for depth and values of the text as a whole, and for the bytes of each element and of the rest.
  package init(
    elementsAt keyPath: String? = nil, limits: JSONLimits = JSONLimits(nodes: .max), totalBytes: Int = .max
  ) {
    var limits = limits
    // A window is longer than its contents by a piece, and all its places must fit the tape.
    limits.bytes = min(limits.bytes, JSONWord.maximumBytes - 2 * Self.pieceLength)
    self.limits = limits
    self.totalBytes = totalBytes
    parser = JSONParser(limits: limits, textLength: 0)
    watch = keyPath.map { JSONKeyPathWatch($0) }
    awaited = keyPath == nil ? .whole : .other
    parser.watchedDepth = watch?.depth ?? 0
  }

  static let pieceLength = 1 << 16

  // MARK: Pieces

  /// Takes the next bytes of the text.
  ///
  /// - Returns: the elements that the bytes complete. Elements before an error are handed out first: then the next call
  ///   throws.
  /// - Throws: the first error of the text. Every later call throws it again.
  package mutating func append(_ data: Data) throws(JSONError) -> [JSONValue] {
    if let failure { throw failure }
    var found: [JSONValue] = []
    var rest = data[...]
    do throws(JSONError) {
      // Elements that are complete within the limit are handed out, wherever the text is cut.
      rest = rest.prefix(totalBytes - received)
      received += rest.count
      let isTooLong = rest.count < data.count
      while !rest.isEmpty {
        try read(rest.prefix(Self.pieceLength), into: &found)
        rest = rest.dropFirst(Self.pieceLength)
      }
      if isTooLong { throw JSONError.tooLarge }
    } catch {
      failure = error
      if found.isEmpty { throw error }
    }
    return found
  }

  /// Ends the text.
  ///
  /// - Throws: the errors of ``append(_:)``, and an error if the text is incomplete.
  package consuming func finish() throws(JSONError) -> Rest {
    if let failure { throw failure }
    var found: [JSONValue] = []
    try read(isFinal: true, into: &found)
    return Rest(
      envelope: JSONValue(document: JSONDocument(bytes: bytes, tape: parser.tape), index: 0), target: target)
  }

  private mutating func read(_ piece: Data, into found: inout [JSONValue]) throws(JSONError) {
    if phase == .inside {
      elements?.append(piece)
    } else {
      JSONElementWindow.append(piece, to: &bytes)
    }
    try read(isFinal: false, into: &found)
  }

  private mutating func read(isFinal: Bool, into found: inout [JSONValue]) throws(JSONError) {
    if phase == .before { try readEnvelope(isFinal: isFinal) }
    if phase == .inside { try readInside(isFinal: isFinal, into: &found) }
    if phase == .after { try readEnvelope(isFinal: isFinal) }
    notePeak()
    guard bytes.count - PaddedText.padding <= limits.bytes else { throw JSONError.tooLarge }
  }

  private mutating func notePeak() {
    peakMemory = max(peakMemory, bytes.count + parser.tape.count * 8 + (elements?.memory ?? 0))
  }

  // MARK: The envelope

  /// Reads the text before and after the elements, or the whole text where there are none.
  private mutating func readEnvelope(isFinal: Bool) throws(JSONError) {
    do throws(JSONFault) {
      while phase != .inside {
        if awaited != .other {
          if let byte = try parser.approachValue(in: bytes, isFinal: isFinal) {
            try meetValue(beginningWith: byte)
          } else if isFinal {
            awaited = .other
          } else {
            return
          }
        } else if try parser.run(over: bytes, isFinal: isFinal) {
          try meetKey()
        } else {
          break
        }
      }
      if phase != .inside, parser.step == .end { try parser.end(of: bytes) }
    } catch {
      // In smaller pieces, the text would have been too large before the fault.
      throw error.offset <= limits.bytes ? place(error) : .tooLarge
    }
  }

  private mutating func meetKey() throws(JSONFault) {
    let word = JSONWord(bits: parser.tape[parser.tape.count - 1])
    let source = bytes[word.range]
    let key = word.tag == .escapedString ? JSONText.unescape(source) : Array(source)
    awaited = watch?.meet(key: key, atDepth: parser.depth, wasFound: target == .array) ?? .other
    parser.watchedDepth = watch?.depth ?? 0
    awaitedKey = word.beginning
    if awaited == .again { throw foundBefore }
  }

  private var foundBefore: JSONFault {
    .refused(
      .duplicateKey, "elements were looked for under a key before, and this one may take its place", at: awaitedKey)
  }

  private mutating func meetValue(beginningWith byte: UInt8) throws(JSONFault) {
    let finding = awaited
    awaited = .other
    if finding == .part {
      switch watch?.meetValue(isObject: byte == UInt8(ascii: "{"), wasFound: target == .array) ?? .same {
      case .same: break
      case .again: throw foundBefore
      case .loss, .descent: target = .nothing
      }
      parser.watchedDepth = watch?.depth ?? 0
    } else if byte == UInt8(ascii: "[") {
      let start = parser.cursor + 1
      let inner = try parser.leaveOutArray()
      seamPosition.advance(over: 0..<start, of: bytes)
      elements = JSONElementWindow(parser: inner, bytes: bytes[start...], at: seamPosition)
      bytes.removeLast(bytes.count - start)
      target = .array
      phase = .inside
    } else {
      target = .other(Self.kind(of: byte))
    }
  }

  private static func kind(of byte: UInt8) -> JSONValue.Kind {
    switch byte {
    case UInt8(ascii: "{"): .object
    case UInt8(ascii: "\""): .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    case UInt8(ascii: "n"): .null
    default: .number
    }
  }

  /// The error of a fault in the envelope.
  private func place(_ fault: JSONFault) -> JSONError {
    let count = bytes.count - PaddedText.padding
    let offset = min(fault.offset, count)
    var position = offset < seam ? JSONPosition() : seamPosition
    position.advance(over: (offset < seam ? 0 : seam)..<offset, of: bytes)
    var path = ""
    JSONError.append(parser.frames, of: parser.tape, in: bytes, to: &path)
    return JSONError(fault: fault, at: position, found: offset == count ? nil : bytes[offset], path: path)
  }

  // MARK: Elements

  private mutating func readInside(isFinal: Bool, into found: inout [JSONValue]) throws(JSONError) {
    guard var window = elements.take() else { return }
    let isEnd = try window.read(isFinal: isFinal, limit: limits.bytes, into: &found) { path in
      JSONError.append(parser.frames, of: parser.tape, in: bytes, to: &path)
    }
    peakMemory = max(peakMemory, bytes.count + parser.tape.count * 8 + window.peakMemory)
    guard isEnd else {
      elements = window
      return
    }
    // The bracket closes the array that was left out. The tape already has the array's words.
    seam = bytes.count
    seamPosition = window.bracketPosition
    bytes += window.bytes[(window.parser.cursor - 1)...]
    parser.restoreNodes(from: window.parser)
    phase = .after
  }
}
