/// Merges a person's changes of a text and those of a document, line by line.
struct TextMerge: Equatable {
  /// Lines that both changed, each otherwise.
  struct Conflict: Equatable {
    /// The first line in the person's text, from 1.
    let line: Int
    let own: [String]
    let new: [String]
  }

  /// With the person's lines where both changed.
  private(set) var text = ""
  private(set) var conflicts: [Conflict] = []

  /// - Parameters:
  ///   - base: The text that the last run wrote.
  ///   - own: The text that is there.
  ///   - new: The text that this run would write.
  init(base: String, own: String, new: String) {
    let newline = own.contains("\r\n") ? "\r\n" : "\n"
    let (base, own, new) = (Self.lines(base), Self.lines(own), Self.lines(new))
    let inOwn = Self.matches(base, own)
    let inNew = Self.matches(base, new)
    var (b, o, n) = (0, 0, 0)
    var merged: [String] = []
    while b < base.count || o < own.count || n < new.count {
      // The next line of the base that both have.
      let next = (b..<base.count).first { inOwn[$0] != nil && inNew[$0] != nil }
      let ends = (next ?? base.count, next.flatMap { inOwn[$0] } ?? own.count, next.flatMap { inNew[$0] } ?? new.count)
      settle(Array(base[b..<ends.0]), Array(own[o..<ends.1]), Array(new[n..<ends.2]), at: o + 1, &merged)
      guard let next else { break }
      merged.append(base[next])
      (b, o, n) = (ends.0 + 1, ends.1 + 1, ends.2 + 1)
    }
    text = merged.isEmpty ? "" : merged.joined(separator: newline) + newline
  }

  private mutating func settle(
    _ base: [String], _ own: [String], _ new: [String], at line: Int, _ merged: inout [String]
  ) {
    if own == new || new == base {
      merged += own
    } else if own == base {
      merged += new
    } else if let both = Self.both(base, own, new) {
      merged += both
    } else {
      conflicts.append(Conflict(line: line, own: own, new: new))
      merged += own
    }
  }

  /// The lines of both, where one of them has only added to the base; `nil` where each has changed it.
  private static func both(_ base: [String], _ own: [String], _ new: [String]) -> [String]? {
    guard !base.isEmpty else {
      // Properties before functions.
      return isWhole(own) && isWhole(new) && areApart(own, new) ? new + own : nil
    }
    if let (before, behind) = additions(to: base, in: new), areApart(own, before + behind) {
      return before + own + behind
    }
    if let (before, behind) = additions(to: base, in: own), areApart(new, before + behind) {
      return before + new + behind
    }
    return nil
  }

  /// The lines before and behind the base, where a text has it whole.
  private static func additions(to base: [String], in text: [String]) -> (before: [String], behind: [String])? {
    guard let ends = text.firstRange(of: base) else { return nil }
    let (before, behind) = (Array(text[..<ends.lowerBound]), Array(text[ends.upperBound...]))
    return isWhole(before) && isWhole(behind) ? (before, behind) : nil
  }

  /// Whether lines can stand between any others: a brace that they open they close.
  private static func isWhole(_ lines: [String]) -> Bool {
    var open = 0
    for character in lines.joined() {
      if character == "{" { open += 1 }
      if character == "}" { open -= 1 }
      if open < 0 { return false }
    }
    return open == 0
  }

  /// Whether no declaration is in both: a person may have pasted a line that the document adds.
  private static func areApart(_ left: [String], _ right: [String]) -> Bool {
    let declarations = { (lines: [String]) in Set(lines.filter { $0.contains(where: \.isLetter) }) }
    return declarations(left).isDisjoint(with: declarations(right))
  }

  private static func lines(_ text: String) -> [String] {
    // Both are one character of Swift.
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }

  /// For lines of the base their places in another text, which grow.
  private static func matches(_ base: [String], _ other: [String]) -> [Int: Int] {
    let difference = other.difference(from: base)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    let kept = base.indices.filter { !removed.contains($0) }
    let places = other.indices.filter { !inserted.contains($0) }
    return Dictionary(zip(kept, places), uniquingKeysWith: { first, _ in first })
  }
}
