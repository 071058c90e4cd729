/// A collection whose elements are encoded in the order of their hashes, which differs in each process.
///
/// Where keys are sorted, equal values must be equal texts. So the elements of such a collection are sorted too:
/// numbers by their value, all others by their text.
protocol UnorderedElements {
  /// The number of encoded elements that belong together.
  static var encodedGroup: Int { get }
}

extension Set: UnorderedElements {
  static var encodedGroup: Int { 1 }
}

/// A dictionary whose keys are neither strings nor integers is encoded as an array of keys and values in turn.
extension Dictionary: UnorderedElements {
  static var encodedGroup: Int { 2 }
}

extension EncodedArray {
  /// Sorts the elements where their order has no meaning.
  func arrange() {
    guard let group, elements.count > group, elements.count % group == 0 else { return }
    // Only once: the array may be written again, to sort a collection around it.
    self.group = nil
    var groups = stride(from: 0, to: elements.count, by: group).map { start in
      let parts = Array(elements[start..<start + group])
      var writer = JSONWriter(format: .sorted)
      writer.beginArray()
      for part in parts { writer.part(part) }
      writer.endArray()
      return (parts: parts, number: parts[0].number, text: writer.bytes)
    }
    groups.sort { left, right in
      switch (left.number, right.number) {
      case (let mine?, let its?) where mine != its: mine < its
      case (nil, _?): false
      case (_?, nil): true
      default: left.text.lexicographicallyPrecedes(right.text)
      }
    }
    elements = groups.flatMap(\.parts)
  }
}

extension EncodedPart {
  fileprivate var number: Double? {
    if case .number(let text) = self { Double(text) } else { nil }
  }
}
