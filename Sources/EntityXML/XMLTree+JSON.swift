import EntityJSON

extension XMLTree {
  private enum Step {
    /// A member and those behind it.
    case members(Int32)
    /// An element of a list and those behind it.
    case elements(Int32)
    case endOfObject
    case endOfArray
  }

  /// The document as JSON. Nested as deep as it may be, that costs no call stack.
  func json() -> [UInt8] {
    var writer = JSONWriter(format: .compact, capacity: texts.count + 16 * nodes.count)
    var steps: [Step] = [.endOfObject, .members(root)]
    writer.beginObject()
    while let step = steps.popLast() {
      switch step {
      case .endOfObject: writer.endObject()
      case .endOfArray: writer.endArray()
      case .members(let number):
        guard number != 0 else { continue }
        let node = nodes[Int(number)]
        if node.next != 0 { steps.append(.members(node.next)) }
        let key = names.all[Int(node.name)].key
        key.lend(key.indices) { writer.key($0) }
        if node.isInList || node.same != 0 {
          writer.beginArray()
          steps.append(.endOfArray)
          steps.append(.elements(number))
        } else {
          write(node, &writer, &steps)
        }
      case .elements(let number):
        let node = nodes[Int(number)]
        if node.same != 0 { steps.append(.elements(node.same)) }
        write(node, &writer, &steps)
      }
    }
    return writer.bytes
  }

  private func write(_ node: Node, _ writer: inout JSONWriter, _ steps: inout [Step]) {
    switch node.content {
    case .text(let range): texts.lend(Int(range.lowerBound)..<Int(range.upperBound)) { writer.string($0) }
    case .pieces(let first):
      let text = pieces(from: first)
      text.lend(text.indices) { writer.string($0) }
    case .members(let first):
      writer.beginObject()
      steps.append(.endOfObject)
      steps.append(.members(first))
    case .emptyList:
      writer.beginArray()
      writer.endArray()
    case .null, .open: writer.null()
    }
  }

  private func pieces(from first: Int32) -> [UInt8] {
    var text: [UInt8] = []
    var number = first
    while number != 0 {
      if case .text(let range) = nodes[Int(number)].content {
        text += texts[Int(range.lowerBound)..<Int(range.upperBound)]
      }
      number = nodes[Int(number)].same
    }
    guard format.trimsTexts else { return text }
    let start = text.firstIndex { !XMLScanner.isWhitespace($0) } ?? 0
    let end = text.lastIndex { !XMLScanner.isWhitespace($0) } ?? 0
    return text.isEmpty ? [] : Array(text[start...end])
  }
}
