/// The keys of a key path, from the outermost: `address.city` is the key `city` of the object under `address`. A dot
/// after a backslash is part of its key: `lamp\.enabled` is one key, `lamp.enabled`.
///
/// Brackets behind a key lead on: `tags[0]` to an element of an array, `edges[].node` to the `node` of each element, and
/// `users{}` to the value of each entry of an object. A bracket after a backslash is part of its key, and so is one that
/// is none of these: `filter[name]` is one key.
package struct JSONKeyPath: Hashable, Sendable {
  package enum Step: Hashable, Sendable {
    case key(String)
    /// An element of an array, from 0.
    case index(Int)
    /// All elements of an array.
    case elements
    /// All entries of an object. In an object that an entry holds, the entry's key gets the name.
    case entries(String?)

    var isOfMany: Bool {
      switch self {
      case .key, .index: false
      case .elements, .entries: true
      }
    }
  }

  /// The text between the dots, with its brackets.
  package let keys: [String]
  /// The steps of a path with brackets; empty for a path of keys alone.
  package let steps: [Step]

  /// Whether the path has brackets.
  package var isShaped: Bool { !steps.isEmpty }
  /// Whether the path leads to many values, which are then read as one array.
  package var isOfMany: Bool { steps.contains(where: \.isOfMany) }

  package init(_ text: String) {
    guard text.utf8.contains(where: { Self.marks.contains($0) }) else {
      keys = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      steps = []
      return
    }
    let segments = Self.segments(of: text)
    keys = segments.map { Self.text($0[...]) }
    let led = segments.map(Self.steps)
    steps = led.contains { $0 != nil } ? zip(keys, led).flatMap { key, steps in steps ?? [.key(key)] } : []
  }

  package init(keys: [String]) {
    self.keys = keys
    steps = []
  }

  private init(steps: some Sequence<Step>) {
    keys = []
    self.steps = Array(steps)
  }

  /// For a path to all elements of an array: the keys that lead to the array, and the path from an element; else `nil`.
  package var elements: (keys: [String], element: JSONKeyPath)? {
    guard let first = steps.firstIndex(where: \.isOfMany), steps[first] == .elements else { return nil }
    let keys = steps[..<first].compactMap { if case .key(let key) = $0 { key } else { nil } }
    return keys.count == first ? (keys, JSONKeyPath(steps: steps[(first + 1)...])) : nil
  }

  /// The paths through which this one leads, from the shortest.
  package var ancestors: [JSONKeyPath] { (1..<max(1, keys.count)).map { JSONKeyPath(keys: Array(keys.prefix($0))) } }

  // MARK: Reading

  /// The characters that a path of keys alone lacks: a backslash and the opening brackets.
  private static let marks: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "["), UInt8(ascii: "{")]

  /// Whether a text may be a path with brackets.
  package static func mayBeShaped(_ text: String) -> Bool {
    text.utf8.contains { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
  }

  private struct Sign {
    let scalar: Unicode.Scalar
    let isEscaped: Bool

    func isOpen(_ bracket: Unicode.Scalar) -> Bool { scalar == bracket && !isEscaped }
  }

  private static func segments(of text: String) -> [[Sign]] {
    var segments: [[Sign]] = [[]]
    func append(_ scalar: Unicode.Scalar, isEscaped: Bool) {
      segments[segments.count - 1].append(Sign(scalar: scalar, isEscaped: isEscaped))
    }
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if scalar == ".", !isEscaped {
        segments.append([])
        continue
      }
      let isMark = ".[]{}".unicodeScalars.contains(scalar)
      if isEscaped, !isMark { append("\\", isEscaped: true) }
      let isLiteral = isEscaped && isMark
      isEscaped = scalar == "\\" && !isEscaped
      if !isEscaped { append(scalar, isEscaped: isLiteral) }
    }
    if isEscaped { append("\\", isEscaped: true) }
    return segments
  }

  private static func text(_ signs: ArraySlice<Sign>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: signs.map(\.scalar))
    return String(text)
  }

  /// The steps of a key and the brackets behind it; `nil` where the text is a key alone.
  private static func steps(of segment: [Sign]) -> [Step]? {
    guard let open = segment.firstIndex(where: { $0.isOpen("[") || $0.isOpen("{") }) else { return nil }
    var steps: [Step] = open > 0 ? [.key(text(segment[..<open]))] : []
    var rest = segment[open...]
    while let first = rest.first {
      let isArray = first.isOpen("[")
      guard isArray || first.isOpen("{"), let close = rest.firstIndex(where: { $0.isOpen(isArray ? "]" : "}") }) else {
        return nil
      }
      let content = text(rest[(rest.startIndex + 1)..<close])
      if !isArray {
        steps.append(.entries(content.isEmpty ? nil : content))
      } else if content.isEmpty {
        steps.append(.elements)
      } else {
        guard content.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let index = Int(content) else { return nil }
        steps.append(.index(index))
      }
      rest = rest[(close + 1)...]
    }
    return steps
  }
}
