/// Lines of a plan, of which the lowest is taken first.
struct LineHeap {
  private var lines: [Int] = []

  var first: Int? { lines.first }

  mutating func insert(_ line: Int) {
    var place = lines.count
    lines.append(line)
    while place > 0, lines[(place - 1) / 2] > line {
      lines[place] = lines[(place - 1) / 2]
      place = (place - 1) / 2
    }
    lines[place] = line
  }

  mutating func popFirst() -> Int? {
    guard let first = lines.first, let last = lines.popLast() else { return nil }
    guard !lines.isEmpty else { return first }
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < lines.count else { break }
      if child + 1 < lines.count, lines[child + 1] < lines[child] { child += 1 }
      guard lines[child] < last else { break }
      lines[place] = lines[child]
      place = child
    }
    lines[place] = last
    return first
  }
}
