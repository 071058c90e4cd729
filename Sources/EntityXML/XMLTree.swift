/// The elements of a document, and what of them is a value.
///
/// A node is made when its element begins, and knows its members when the element has ended: elements of one name are
/// chained then, wherever they stood.
struct XMLTree {
  enum Content {
    /// An element that has not ended.
    case open
    /// A text, as a range of `texts`.
    case text(Range<Int32>)
    /// Pieces of a text with elements between them: the first, to which the others are chained.
    case pieces(Int32)
    /// The first of the members, 0 for none.
    case members(Int32)
    case null
    /// A list that has no element.
    case emptyList
  }

  struct Node {
    let name: Int32
    var content: Content
    /// The next node of the same name in the same parent; 0 for none.
    var same: Int32 = 0
    /// The first node of the next name in the same parent; 0 for none.
    var next: Int32 = 0
    /// Whether the node is in a list, which its elements begin.
    var isInList = false
  }

  /// An element that has not ended.
  struct OpenElement {
    let node: Int32
    /// Where its name stands in the document.
    let range: Range<Int>
    /// Its first node among `kids`.
    let firstKid: Int
    var hasElements = false
    var isNil = false
  }

  let format: XMLFormat
  private(set) var names: XMLNames
  /// 0 is none.
  private(set) var nodes: [Node] = [Node(name: 0, content: .null)]
  /// All texts, with their references resolved.
  private(set) var texts: [UInt8] = []
  private(set) var open: [OpenElement] = []
  /// The nodes in the elements that have not ended, in their order.
  private var kids: [Int32] = []
  /// By name: the element in which it was last seen, and the last node of the name there.
  private var last: [(parent: Int32, node: Int32)] = []

  init(_ format: XMLFormat) {
    self.format = format
    names = XMLNames(lists: format.lists)
  }

  /// The element at the top; 0 before there is one.
  private(set) var root: Int32 = 0

  // MARK: Building

  mutating func begin(_ name: ArraySlice<UInt8>) {
    let node = add(Node(name: names.element(name), content: .open))
    if open.isEmpty { root = node }
    if !open.isEmpty {
      open[open.count - 1].hasElements = true
      kids.append(node)
    }
    open.append(OpenElement(node: node, range: name.indices, firstKid: kids.count))
  }

  /// - Returns: `false` where the element has an attribute of the name.
  mutating func attribute(_ name: ArraySlice<UInt8>, _ value: Range<Int>) -> Bool {
    let number = names.attribute(name)
    let place = open.count - 1
    guard place >= 0, see(number, in: open[place].node) else { return false }
    let about = names.all[Int(number)]
    if about.isNil, ["true", "1"].contains(String(decoding: texts[value], as: UTF8.self)) { open[place].isNil = true }
    if about.isMarkup { return true }
    kids.append(add(Node(name: number, content: .text(Int32(value.lowerBound)..<Int32(value.upperBound)))))
    return true
  }

  mutating func append(_ bytes: ArraySlice<UInt8>) { texts.append(contentsOf: bytes) }
  mutating func append(_ byte: UInt8) { texts.append(byte) }

  /// The texts from `start` on are the next piece of the open element's text.
  mutating func piece(from start: Int) {
    guard start < texts.count else { return }
    kids.append(add(Node(name: XMLNames.text, content: .text(Int32(start)..<Int32(texts.count)))))
  }

  mutating func end() {
    guard let element = open.last else { return }
    let count = kids.count - element.firstKid
    defer {
      kids.removeLast(count)
      open.removeLast()
    }
    // Most elements are so.
    if count == 1, let piece = kids.last, nodes[Int(piece)].name == XMLNames.text,
      case .text(let range) = nodes[Int(piece)].content, !element.isNil, !format.trimsTexts, format.lists.isEmpty
    {
      nodes[Int(element.node)].content = .text(range)
      return
    }
    // A copy of its own: with a slice, the nodes of all open elements would be copied when some are removed.
    let inside = Array(kids.suffix(count))
    let pieces = inside.filter { nodes[Int($0)].name == XMLNames.text }
    var members = inside.filter { nodes[Int($0)].name != XMLNames.text }
    // The pieces of an element without elements follow one another.
    let text =
      element.hasElements
      ? 0..<0 : trimmed((range(pieces.first)?.lowerBound ?? 0)..<(range(pieces.last)?.upperBound ?? 0))
    if format.attributes == .leftOut || (format.attributes == .leftOutOfTexts && !element.hasElements) {
      members.removeAll { isAttribute($0) }
    }
    let node = Int(element.node)
    if element.isNil, text.isEmpty, !element.hasElements {
      nodes[node].content = .null
    } else if element.hasElements {
      addEmptyLists(to: &members, of: element)
      let isText = pieces.contains { piece in range(piece).map { !isBlank($0) } ?? false }
      nodes[node].content = .members(chain(members, in: element, text: isText ? .pieces(chain(pieces)) : nil))
    } else {
      let hasList = isBlank(text) && addEmptyLists(to: &members, of: element)
      let isText = !text.isEmpty && !hasList
      nodes[node].content =
        members.isEmpty ? .text(text) : .members(chain(members, in: element, text: isText ? .text(text) : nil))
    }
  }

  private mutating func add(_ node: Node) -> Int32 {
    nodes.append(node)
    return Int32(nodes.count - 1)
  }

  /// - Returns: Whether the name is seen in the element for the first time.
  private mutating func see(_ name: Int32, in parent: Int32) -> Bool {
    while last.count < names.all.count { last.append((0, 0)) }
    guard last[Int(name)].parent != parent else { return false }
    last[Int(name)] = (parent, 0)
    return true
  }

  private func isAttribute(_ node: Int32) -> Bool {
    names.all[Int(nodes[Int(node)].name)].key.first == UInt8(ascii: "@")
  }

  private func isEmptyList(_ node: Int32) -> Bool {
    if case .emptyList = nodes[Int(node)].content { true } else { false }
  }

  private func range(_ node: Int32?) -> Range<Int32>? {
    guard let node, case .text(let range) = nodes[Int(node)].content else { return nil }
    return range
  }

  private func isBlank(_ range: Range<Int32>) -> Bool {
    texts[Int(range.lowerBound)..<Int(range.upperBound)].allSatisfy(XMLScanner.isWhitespace)
  }

  private func trimmed(_ range: Range<Int32>) -> Range<Int32> {
    guard format.trimsTexts else { return range }
    let text = texts[Int(range.lowerBound)..<Int(range.upperBound)]
    guard let first = text.firstIndex(where: { !XMLScanner.isWhitespace($0) }),
      let last = text.lastIndex(where: { !XMLScanner.isWhitespace($0) })
    else { return range.lowerBound..<range.lowerBound }
    return Int32(first)..<Int32(last + 1)
  }

  // MARK: Members

  /// Chains the members of an element by their names.
  ///
  /// - Returns: The first one; 0 for none.
  private mutating func chain(_ members: [Int32], in element: OpenElement, text: Content?) -> Int32 {
    var first: Int32 = 0
    var previous: Int32 = 0
    func link(_ node: Int32, _ nodes: inout [Node]) {
      if previous == 0 { first = node } else { nodes[Int(previous)].next = node }
      previous = node
    }
    for member in members {
      let name = nodes[Int(member)].name
      // An attribute's name was seen before, and stands once.
      if isAttribute(member) || see(name, in: element.node) {
        link(member, &nodes)
        nodes[Int(member)].isInList = !isEmptyList(member) && isList(name, in: element)
      } else {
        let before = last[Int(name)].node
        nodes[Int(before)].same = member
      }
      last[Int(name)].node = member
    }
    if let text { link(add(Node(name: XMLNames.text, content: text)), &nodes) }
    return first
  }

  private mutating func chain(_ pieces: [Int32]) -> Int32 {
    for (piece, next) in zip(pieces, pieces.dropFirst()) { nodes[Int(piece)].same = next }
    return pieces.first ?? 0
  }

  // MARK: Lists

  /// Whether elements of a name in an element are a list also where there is one.
  private func isList(_ name: Int32, in element: OpenElement) -> Bool {
    let lists = names.all[Int(name)].lists
    return !lists.isEmpty && lists.contains { isInside($0, from: open.count - 1) }
  }

  /// Whether the elements from a place on outwards have these names.
  private func isInside(_ wanted: [String], from place: Int) -> Bool {
    guard !wanted.isEmpty else { return true }
    guard wanted.count <= place + 1 else { return false }
    return zip(wanted, open[...place].reversed()).allSatisfy { name, element in
      names.all[Int(nodes[Int(element.node)].name)].key.elementsEqual(name.utf8)
    }
  }

  /// Adds the lists that an element has in any case.
  ///
  /// - Returns: Whether there are any.
  @discardableResult
  private mutating func addEmptyLists(to members: inout [Int32], of element: OpenElement) -> Bool {
    let count = members.count
    for list in names.all[Int(nodes[Int(element.node)].name)].listsInside
    where isInside(list.outside, from: open.count - 2) {
      let name = names.element(list.name[...])
      if members.contains(where: { nodes[Int($0)].name == name }) { continue }
      members.append(add(Node(name: name, content: .emptyList)))
    }
    return members.count > count
  }
}
