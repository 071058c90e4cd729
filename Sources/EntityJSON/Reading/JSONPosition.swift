/// A place in a text. It is computed by reading the text before it, in any number of pieces.
struct JSONPosition: Equatable {
  private(set) var line = 1
  private(set) var column = 1
  private(set) var offset = 0
  private var previous: UInt8 = 0

  /// - Parameter padded: has a scanner's padding behind it.
  mutating func advance(over range: Range<Int>, of padded: [UInt8]) {
    guard !range.isEmpty else { return }
    let counts = PaddedText.lend(padded) { Self.lines(in: $0, range) }
    let (first, last) = (padded[range.lowerBound], padded[range.upperBound - 1])
    line += counts.breaks
    // The second half of a CR LF that is divided between two pieces.
    if previous == 0x0D, first == 0x0A { line -= 1 }
    column = (counts.breaks == 0 ? column : 1) + counts.lastLine
    offset += range.count
    previous = last
  }

  /// The number of line breaks (LF, CR and CR LF), and of characters after the last one.
  private static func lines(in text: PaddedText, _ range: Range<Int>) -> (breaks: Int, lastLine: Int) {
    var breaks = 0
    var lineStart = range.lowerBound
    let block = 16 * 255
    var start = range.lowerBound
    while start < range.upperBound {
      let end = min(start + block, range.upperBound)
      let returns = count(in: text, start..<end) { byte in byte .== JSONVector.all(0x0D) }
      let found = returns + count(in: text, start..<end) { byte in byte .== JSONVector.all(0x0A) }
      if found > 0 {
        breaks += found
        var place = end
        while place > start {
          place -= 1
          let byte = text[place]
          if byte == 0x0A || byte == 0x0D {
            lineStart = max(lineStart, place + 1)
            break
          }
        }
        // CR LF is one line break. Its halves may be in two blocks.
        if returns > 0 || (start > range.lowerBound && text[start - 1] == 0x0D) {
          for place in max(start, range.lowerBound + 1)..<end where text[place] == 0x0A && text[place - 1] == 0x0D {
            breaks -= 1
          }
        }
      }
      start = end
    }
    var characters = 0
    start = lineStart
    while start < range.upperBound {
      let end = min(start + block, range.upperBound)
      characters += count(in: text, start..<end) { byte in byte & JSONVector.all(0xC0) .!= JSONVector.all(0x80) }
      start = end
    }
    return (breaks, characters)
  }

  /// The number of bytes that the test marks in a range of at most 255 vectors.
  @inline(__always)
  private static func count(
    in text: PaddedText, _ range: Range<Int>, where test: (JSONVector.Bytes) -> JSONVector.Mask
  ) -> Int {
    var sums = JSONVector.all(0)
    var place = range.lowerBound
    while place &+ 16 <= range.upperBound {
      sums &-= test(text.vector(place)).bytes
      place &+= 16
    }
    var total = 0
    for lane in 0..<16 { total += Int(sums[lane]) }
    while place < range.upperBound {
      if test(JSONVector.all(text[place]))[0] { total += 1 }
      place &+= 1
    }
    return total
  }
}
