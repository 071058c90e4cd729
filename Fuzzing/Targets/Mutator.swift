/// libFuzzer calls it to make an input of another. Half of the time its own mutations do, which know bytes and words of
/// the dictionary; else a value or field is copied, nested or replaced, which keeps most texts JSON.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ capacity: Int, _ seed: UInt32) -> Int {
  var random = Random(state: UInt64(seed))
  let input = UnsafeBufferPointer(start: data, count: size)
  guard random.below(2) == 0 else { return LLVMFuzzerMutate(data, size, capacity) }
  var text = Array(input)
  for _ in 0...random.below(3) { text = mutated(text, &random) ?? text }
  guard text.count <= capacity else { return LLVMFuzzerMutate(data, size, capacity) }
  for (place, byte) in text.enumerated() { data[place] = byte }
  return text.count
}

/// Values that are met seldom.
private let values = [
  #""\uDBFF\uDFFF""#, #""\ud83d\ude00é""#, #""\ude00""#, #""\u0061""#, #""a string of more than thirty-two bytes""#,
  #"{"a":1,"b":2}"#, #"{"\u0061":[],"a":{}}"#, "[[[[1]]]]", "{}", "[]", "null", "true", "-0", "1e23", "0.1e-50",
  "12345678901234567890", "9223372036854775808", "90071992547409935e1", "\r\n1\r", #""日本語😀""#,
].map { Array($0.utf8) }

private func mutated(_ text: [UInt8], _ random: inout Random) -> [UInt8]? {
  let starts = text.indices.filter { $0 > 0 && "[{,:\n".utf8.contains(text[$0 - 1]) }
  guard let start = random.element(of: starts), let other = random.element(of: starts) else { return nil }
  let part = text[start..<partEnd(in: text, from: start)]
  let new: [UInt8] =
    switch random.below(7) {
    case 0, 1: part + Array(",".utf8) + part
    case 2: Array(text[other..<partEnd(in: text, from: other)])
    case 3: Array("[".utf8) + part + Array("]".utf8)
    case 4: Array(#"{"a":"#.utf8) + part + Array("}".utf8)
    case 5: number(&random)
    default: random.element(of: values) ?? []
    }
  return text[..<part.startIndex] + new + text[part.endIndex...]
}

/// A number of any length, about where types end and rounding is hard among them.
private func number(_ random: inout Random) -> [UInt8] {
  var number = (0...random.below(22)).map { _ in UInt8(ascii: "0") + UInt8(random.below(10)) }
  if number[0] == UInt8(ascii: "0"), number.count > 1 { number[0] = UInt8(ascii: "1") }
  if number.count > 1, random.below(3) == 0 { number.insert(UInt8(ascii: "."), at: 1 + random.below(number.count - 1)) }
  if random.below(2) == 0 { number += Array("e\(random.below(121) - 60)".utf8) }
  return number
}

/// The end of the value or field that begins at a place: before the next comma or bracket that is not in it.
private func partEnd(in text: [UInt8], from start: Int) -> Int {
  var depth = 0
  var isString = false
  var place = start
  while place < text.count {
    let byte = text[place]
    if isString {
      if byte == UInt8(ascii: "\\") { place += 1 }
      isString = byte != UInt8(ascii: "\"")
    } else if byte == UInt8(ascii: "\"") {
      isString = true
    } else if byte | 0x20 == UInt8(ascii: "{") {
      depth += 1
    } else if depth == 0, "]},".utf8.contains(byte) {
      return place
    } else if byte | 0x20 == UInt8(ascii: "}") {
      depth -= 1
    }
    place += 1
  }
  return text.count
}

/// SplitMix64.
private struct Random {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((bits ^ bits >> 31) % UInt64(limit))
  }

  mutating func element<C: RandomAccessCollection>(of collection: C) -> C.Element? where C.Index == Int {
    collection.isEmpty ? nil : collection[collection.startIndex + below(collection.count)]
  }
}
