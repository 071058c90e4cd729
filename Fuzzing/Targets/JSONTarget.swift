import Foundation

@testable import EntityJSON

/// Whole texts: RapidJSON and ours must agree on which texts are JSON and on all that is in them; an error must be
/// where it is said to be.
@Sendable
func fuzzJSON(_ text: [UInt8]) {
  let reference = text.withUnsafeBufferPointer { reference_read($0.baseAddress, $0.count) }
  switch parse(text) {
  case .success(let value):
    check(reference.accepted, "ours accepts what the reference refuses")
    check(reference.depth <= JSONLimits.standard.depth, "ours accepts \(reference.depth) levels")
    let events = Events(of: value).bytes
    check(
      events.elementsEqual(UnsafeBufferPointer(start: reference.events, count: reference.count)),
      "the values differ: \(value)")
    checkRange(of: value, in: text)
    checkNumbers(in: value)
    checkLimits(of: value, depth: reference.depth, in: text)
  case .failure(let error):
    check(
      !reference.accepted || error.kind == .tooDeep && reference.depth > JSONLimits.standard.depth,
      "ours refuses what the reference accepts: \(error)")
    checkPlace(of: error, in: text)
  }
}

/// The value's source is the text without the whitespace around it.
private func checkRange(of value: JSONValue, in text: [UInt8]) {
  let isBlank: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
  let start = text.prefix(while: isBlank).count
  let end = text.count - text.reversed().prefix(while: isBlank).count
  check(Array(value.rawBytes) == Array(text[start..<end]), "the raw bytes of the whole are others")
}

/// Limits are exact, and strict keys refuse an object that has one twice, whichever loop read it.
private func checkLimits(of value: JSONValue, depth: Int, in text: [UInt8]) {
  let survey = Survey(of: value)
  let exact = JSONLimits(
    depth: depth, nodes: survey.nodes, duplicateKeys: survey.hasTwins ? .lastWins : .refused)
  check(parse(text, exact).failure == nil, "the text is refused at its own size: \(exact)")
  let fewer = parse(text, JSONLimits(nodes: survey.nodes - 1)).failure
  check(fewer?.kind == .tooManyNodes, "\(survey.nodes) values pass for less: \(String(describing: fewer))")
  if depth > 0 {
    check(parse(text, JSONLimits(depth: depth - 1)).failure?.kind == .tooDeep, "\(depth) levels pass for less")
  }
  if survey.hasTwins {
    let error = parse(text, JSONLimits(duplicateKeys: .refused)).failure
    check(error?.kind == .duplicateKey, "a key that stands twice passes: \(String(describing: error))")
  }
}

private struct Survey {
  private(set) var nodes = 0
  private(set) var hasTwins = false

  init(of value: JSONValue) { add(value) }

  private mutating func add(_ value: JSONValue) {
    nodes += 1
    value.array?.forEach { add($0) }
    var keys: Set<[UInt8]> = []
    value.object?.forEachField { key, value in
      if !keys.insert(Array(key)).inserted { hasTwins = true }
      add(value)
    }
  }
}

// MARK: - Numbers

private func checkNumbers(in value: JSONValue) {
  switch value.kind {
  case .array: value.array?.forEach { checkNumbers(in: $0) }
  case .object: value.object?.forEachField { checkNumbers(in: $1) }
  case .number: checkNumber(value)
  default: break
  }
}

private func checkNumber(_ value: JSONValue) {
  let lexeme = value.lexeme ?? ""
  // glibc rounds to nearest, ties to even, at any length.
  let double = strtod(lexeme, nil)
  check(
    value.double?.bitPattern == (double.isFinite ? double.bitPattern : nil),
    "\(lexeme) is read as \(String(describing: value.double)), not \(double)")
  if lexeme.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0 &- 0x30 < 10 }) {
    check(value.int64 == Int64(lexeme), "\(lexeme) is read as \(String(describing: value.int64))")
    let unsigned = lexeme == "-0" ? 0 : UInt64(lexeme)
    check(value.uint64 == unsigned, "\(lexeme) is read as \(String(describing: value.uint64))")
  } else if let int = value.int64 {
    // Rounded once from an exact integer, both must be the same Double.
    check(Double(int) == double, "\(lexeme) is read as the integer \(int)")
  }
  if let decimal = value.decimal, let again = parse(Array("\(decimal)".utf8)).success {
    check(again == value, "\(lexeme) is read as the decimal \(decimal)")
  }
}

extension Result {
  var success: Success? { try? get() }

  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

// MARK: - Errors

/// An error is at the first byte that no JSON text could have there: the text before it is the beginning of one, and
/// with the byte itself the same error comes, with any text behind it.
private func checkPlace(of error: JSONError, in text: [UInt8]) {
  guard (0...text.count).contains(error.offset) else { fail("the offset is outside the text: \(error)") }
  checkLine(of: error, in: text)

  let before = parse(text[..<error.offset]).failure
  let isBeginning =
    before.map { ($0.kind == .unexpectedEnd || $0.kind == .emptyInput) && $0.offset == error.offset } ?? true
  check(isBeginning, "the fault is earlier than \(error): \(String(describing: before))")

  switch error.kind {
  case .unexpectedEnd, .emptyInput:
    check(error.offset == text.count, "this is not at the end: \(error)")
  case .loneSurrogate, .byteOrderMark:
    // These are at their beginning: two escapes have twelve bytes.
    checkSame(error, from: text.prefix(error.offset + 12))
  default:
    guard error.offset < text.count else { fail("an error at the end that is not about the end: \(error)") }
    checkSame(error, from: text.prefix(error.offset + 1))
  }
  if error.kind == .tooDeep {
    check(depth(of: text[..<error.offset]) == JSONLimits.standard.depth, "this is not the limit: \(error)")
  }
}

private func checkSame(_ error: JSONError, from text: ArraySlice<UInt8>) {
  let again = parse(text).failure
  check(again == error, "what follows the fault changes the error: \(error), \(String(describing: again))")
}

private func checkLine(of error: JSONError, in text: [UInt8]) {
  let before = String(decoding: text[..<error.offset], as: UTF8.self).unicodeScalars
  // CR LF is one Character, so the scalars are split by hand.
  var lines: [Int] = [0]
  var previous: Unicode.Scalar = " "
  for scalar in before {
    if scalar == "\n" && previous == "\r" {
      // Counted with the CR.
    } else if scalar == "\n" || scalar == "\r" {
      lines.append(0)
    } else {
      lines[lines.count - 1] += 1
    }
    previous = scalar
  }
  check(error.line == lines.count, "line \(lines.count), not as in \(error)")
  // No rule says how many characters a broken one is.
  let isWhole = String(validating: text[..<error.offset], as: UTF8.self) != nil
  check(
    !isWhole || error.column == lines[lines.count - 1] + 1, "column \(lines[lines.count - 1] + 1), not as in \(error)")
}

/// How many arrays and objects a beginning of a text leaves open.
private func depth(of text: ArraySlice<UInt8>) -> Int {
  var depth = 0
  var inString = false
  var escaped = false
  for byte in text {
    switch byte {
    case _ where escaped: escaped = false
    case UInt8(ascii: "\\"): escaped = inString
    case UInt8(ascii: "\""): inString.toggle()
    case UInt8(ascii: "["), UInt8(ascii: "{"): depth += inString ? 0 : 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= inString ? 0 : 1
    default: break
    }
  }
  return depth
}
