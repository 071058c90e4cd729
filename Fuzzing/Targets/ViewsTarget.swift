@testable import EntityJSON

/// Views of a value, with key paths from the input: no question about one may trap, and all ways of asking must give
/// the same answer. The first line of the input is the key path, the rest the text.
@Sendable
func fuzzViews(_ input: [UInt8]) {
  let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
  guard lines.count == 2, let value = parse(lines[1]).success else { return }
  let keyPath = String(decoding: lines[0], as: UTF8.self)
  checkViews(of: value, keyPath: keyPath, rest: 20_000)
  checkWriting(of: value)
}

/// The written text is the same JSON, and writing that once more changes nothing.
private func checkWriting(of value: JSONValue) {
  let formats = [
    JSONFormat.compact, .sorted, .pretty, JSONFormat(sortsKeys: true, isPretty: true, escapesLineSeparators: true),
  ]
  for format in formats {
    let written = value.data(format: format)
    guard let again = parse(written).success else { fail("what is written is no JSON: \(value)") }
    check(again == value, "what is written is another value than \(value)")
    check(again.data(format: format) == written, "written twice it differs: \(value)")
    let keepsAll = !format.sortsKeys
    check(!keepsAll || Events(of: again).bytes == Events(of: value).bytes, "fields or digits are lost of \(value)")
  }
}

/// Visits values of `rest` bytes all together, for each is parsed anew, and is compared as often as it is nested.
@discardableResult
private func checkViews(of value: JSONValue, keyPath: String, rest: Int) -> Int {
  var rest = rest - value.rawBytes.count
  _ = (value.bool, value.int64, value.uint64, value.double, value.decimal, value.string, value.lexeme)
  checkDescription(of: value)

  guard let again = parse(value.rawBytes).success else { fail("the raw bytes of a value are no JSON: \(value)") }
  check(Events(of: again).bytes == Events(of: value).bytes, "the raw bytes are another value than \(value)")
  check(again == value, "a value is not equal to itself: \(value)")

  if let found = value[keyPath] {
    check(value.object?.contains(keyPath) == true, "\(keyPath) is there and is not")
    check(parse(found.rawBytes).success == found, "\(keyPath) is not its own bytes")
  }
  if let array = value.array {
    var count = 0
    for (position, element) in array.enumerated() where rest > 0 {
      check(position > 8 || array[position] == element, "element \(position) is another one by its number")
      rest = checkViews(of: element, keyPath: keyPath, rest: rest)
      count += 1
    }
    check(rest <= 0 || count == array.count, "the array has \(count) elements, not \(array.count)")
    check(array[array.count] == nil && array[-1] == nil, "there are elements outside the array")
  }
  if let object = value.object { rest = checkFields(of: object, keyPath: keyPath, rest: rest) }
  return rest
}

private func checkFields(of object: JSONObject, keyPath: String, rest: Int) -> Int {
  var rest = rest
  var last: [[UInt8]: JSONValue] = [:]
  var order: [[UInt8]] = []
  object.forEachField { key, value in
    if last.updateValue(value, forKey: Array(key)) == nil { order.append(Array(key)) }
  }
  check(object.count == order.count, "the object has \(order.count) keys, not \(object.count)")
  check(object.keys.map { Array($0.utf8) } == order, "the keys are \(order)")
  for (key, value) in object where rest > 0 {
    check(last[Array(key.utf8)] == value, "the last value of \(key) does not count")
    check(object[key: key] == value, "\(key) has another value by its name")
    check(object[key] == value, "\(key) has another value by its path")
    rest = checkViews(of: value, keyPath: keyPath, rest: rest)
  }
  return rest
}

/// The default length of a description, and the few bytes that the cut may cost.
private func checkDescription(of value: JSONValue) {
  check(value.description.count <= 510, "a description has \(value.description.count) characters")
}
