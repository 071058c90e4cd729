extension JSONTape {
  /// - Parameter textLength: in bytes, 0 when it is not known.
  convenience init(textLength: Int) {
    // One word for four bytes is much. For long texts, the first words show how many are needed.
    self.init(textLength: textLength, capacity: min(max(textLength / 4, 8), 1 << 15))
  }

  convenience init(_ words: [UInt64]) {
    self.init(textLength: 0, capacity: words.count + 2)
    var writer = JSONTapeWriter(self)
    for word in words { writer.append(word, place: 0) }
  }

  /// The number of words to make room for when the tape is full.
  ///
  /// - Parameter place: how far in the text the words so far have come.
  func expectedCount(at place: Int) -> Int {
    guard textLength > 0, place > 0 else { return capacity * 2 + 2 }
    let expected = Double(count) * Double(textLength) / Double(place) * 1.05
    // No text has more words than bytes.
    return max(capacity + capacity / 4, min(Int(expected), textLength) + 8)
  }
}

/// Words by their meaning.
extension JSONTapeWriter {
  /// Whether there is a container with members at `index`: an array or an object, as `tag` says.
  @inline(__always)
  func isFilled(_ index: Int, _ tag: JSONTag) -> Bool {
    let word = JSONWord(bits: self[index])
    return word.bits & 7 == tag.rawValue && word.extent > index &+ 2
  }

  /// The place of the first element of the array at `index`, if there is an array and the element is an object; else 0.
  @inline(__always)
  func firstObject(inArray index: Int) -> Int {
    isFilled(index, .array) && JSONWord(bits: self[index &+ 2]).isObject ? index &+ 2 : 0
  }

  /// Replaces the state that the open container at `index` holds, and returns it.
  @inline(__always)
  func close(_ index: Int, count members: Int, end: Int) -> (JSONWord, JSONFrame) {
    let word = JSONWord(bits: self[index])
    let frame = JSONFrame(bits: self[index &+ 1])
    fill(index, word.with(extent: count).bits, JSONExtent(count: members, length: end &- word.offset).bits)
    return (word, frame)
  }
}
