/// Makes one array of the values that a path with brackets leads to.
///
/// The array is a document of its own: a new tape over the bytes of the response. Nothing is parsed again. Where entries
/// of objects get their keys, the document has a copy of the bytes of these objects, with the name of the key behind them.
struct JSONShaping {
  private let source: JSONDocument
  /// The name that the keys of entries get without a name of their own.
  private let uidKey: String?
  private var words: [UInt64] = []
  private var faults: [Int: JSONShapeFault] = [:]
  private var count = 0
  /// The distance from a place in the source to the same place in the new bytes.
  private var shift = 0
  /// The places of the names in the new bytes.
  private var names: [String: JSONWord] = [:]
  /// The way to the value that is being looked at.
  private var trail: [Stage] = []

  private enum Stage {
    case text(String)
    case key(String)
    case position(Int)
    /// The tape index of an entry's key.
    case entry(Int)
  }

  /// The key of the entry that a value stands in, and its name there.
  private struct Entry {
    let key: Int
    let name: JSONWord?
    let text: String?
  }

  private init(_ source: JSONDocument, _ uidKey: String?, at place: String) {
    self.source = source
    self.uidKey = uidKey
    if !place.isEmpty { trail.append(.text(place)) }
  }

  /// - Parameters:
  ///   - start: The place of the array or object that the first step leads through.
  ///   - steps: The rest of the path. Its first step is of many.
  ///   - place: The path to the value at `start`, for errors.
  static func list(
    _ source: JSONDocument, at start: Int, _ steps: ArraySlice<JSONKeyPath.Step>, uidKey: String?, place: String
  ) -> JSONValue {
    var shaping = JSONShaping(source, uidKey, at: place)
    let range = source.range(at: start)
    let bytes = shaping.bytes(
      of: source.holdsAll(at: start) ? range : 0..<source.bytes.count - PaddedText.padding, steps)
    let word = JSONWord(.array, offset: range.lowerBound + shaping.shift, extent: 0)
    shaping.words = [word.bits, 0]
    shaping.add(start, steps, nil)
    // A value that is neither an array nor an object of entries has no list.
    if shaping.count == 0, shaping.words.count > 2 {
      shaping.words.removeFirst(2)
      shaping.faults = shaping.faults[2].map { [0: $0] } ?? [:]
    } else {
      shaping.words[0] = word.with(extent: shaping.words.count).bits
      shaping.words[1] = JSONExtent(count: shaping.count, length: range.count).bits
    }
    let document = JSONDocument(
      bytes: bytes, tape: JSONTape(shaping.words), of: source, shift: shaping.shift, faults: shaping.faults)
    return JSONValue(document: document, index: 0)
  }

  /// An array of the values that a path leads to from a value.
  static func list(of value: JSONValue, _ steps: [JSONKeyPath.Step], place: String) -> JSONValue {
    var shaping = JSONShaping(value.document, nil, at: place)
    let range = value.document.range(at: value.index)
    shaping.words = [0, 0]
    shaping.add(value.index, steps[...], nil)
    shaping.words[0] = JSONWord(.array, offset: range.lowerBound, extent: shaping.words.count).bits
    let count = max(shaping.count, shaping.faults.isEmpty ? 0 : 1)
    shaping.words[1] = JSONExtent(count: count, length: range.count).bits
    let document = JSONDocument(
      bytes: value.document.bytes, tape: JSONTape(shaping.words), of: value.document, shift: 0, faults: shaping.faults)
    return JSONValue(document: document, index: 0)
  }

  /// An array whose only element is a value.
  static func list(of value: JSONValue) -> JSONValue {
    var shaping = JSONShaping(value.document, nil, at: "")
    let range = value.document.range(at: value.index)
    shaping.words = [0, JSONExtent(count: 1, length: range.count).bits]
    shaping.copy(value.index, to: value.document.next(after: value.index))
    shaping.words[0] = JSONWord(.array, offset: range.lowerBound, extent: shaping.words.count).bits
    if let fault = value.fault { shaping.faults[2] = fault }
    let document = JSONDocument(
      bytes: value.document.bytes, tape: JSONTape(shaping.words), of: value.document, shift: 0, faults: shaping.faults)
    return JSONValue(document: document, index: 0)
  }

  /// The bytes of the new document.
  private mutating func bytes(of range: Range<Int>, _ steps: ArraySlice<JSONKeyPath.Step>) -> [UInt8] {
    let wanted = Set(
      steps.compactMap { step -> String? in
        guard case .entries(let name) = step else { return nil }
        return (name ?? uidKey).flatMap { Self.plainKey($0) }
      })
    let length = wanted.reduce(range.count) { $0 + $1.utf8.count }
    // The places of a tape end there. Without the names, an object of the list lacks its uid, which is an error.
    guard !wanted.isEmpty, length < JSONWord.maximumBytes else { return source.bytes }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length + PaddedText.padding)
    bytes.append(contentsOf: source.bytes[range])
    shift = -range.lowerBound
    for name in wanted.sorted() {
      names[name] = JSONWord(.string, offset: bytes.count, extent: name.utf8.count)
      bytes.append(contentsOf: name.utf8)
    }
    bytes.append(contentsOf: repeatElement(0, count: PaddedText.padding))
    return bytes
  }

  /// A key path of one key; `nil` for any other.
  private static func plainKey(_ text: String) -> String? {
    let path = JSONKeyPath(text)
    return path.keys.count == 1 && !path.isShaped && !path.keys[0].isEmpty ? path.keys[0] : nil
  }

  // MARK: Going along the path

  private mutating func add(_ index: Int, _ steps: ArraySlice<JSONKeyPath.Step>, _ entry: Entry?) {
    guard let step = steps.first else { return append(index, entry) }
    let rest = steps.dropFirst()
    let word = source.word(at: index)
    switch step {
    case .key(let key):
      guard word.tag != .null else { return append(index, nil) }
      guard word.isObject else { return note(index, "an object with '\(key)' was expected, and there is", word) }
      guard let found = key.lend({ source.value(of: $0, in: index) }) else {
        // A list that is left out has no elements.
        return rest.first?.isOfMany == true ? () : note(index, "there is nothing under '\(key)'")
      }
      within(.key(key)) { $0.add(found, rest, entry) }
    case .index(let position):
      guard word.tag != .null else { return append(index, nil) }
      guard let found = source.element(position, of: index) else {
        return note(index, "there is no element \(position)")
      }
      within(.position(position)) { $0.add(found, rest, entry) }
    case .elements: addElements(index, word, rest, entry)
    case .entries(let name): addEntries(index, word, rest, name ?? uidKey)
    }
  }

  private mutating func addElements(
    _ index: Int, _ word: JSONWord, _ rest: ArraySlice<JSONKeyPath.Step>, _ entry: Entry?
  ) {
    guard word.isArray else {
      if word.tag == .null || source.isBlankUntyped(at: index) { return }
      // Without types, a list of one is written as its element.
      guard source.isUntyped else { return note(index, "an array was expected, and there is", word) }
      return within(.position(0)) { $0.add(index, rest, entry) }
    }
    var element = index + 2
    var position = 0
    while element < word.extent {
      within(.position(position)) { $0.add(element, rest, entry) }
      element = source.next(after: element)
      position += 1
    }
  }

  private mutating func addEntries(
    _ index: Int, _ word: JSONWord, _ rest: ArraySlice<JSONKeyPath.Step>, _ name: String?
  ) {
    guard word.isObject else {
      // Some servers write an object without entries as an empty array.
      let isEmpty = word.isArray && source.count(at: index) == 0
      if isEmpty || word.tag == .null || source.isBlankUntyped(at: index) { return }
      return note(index, "an object with an entry for each member was expected, and there is", word)
    }
    let key = name.flatMap(Self.plainKey)
    for field in source.fieldsThatCount(in: index) {
      let entry = Entry(key: field, name: key.flatMap { names[$0] }, text: key)
      within(.entry(field)) { $0.add(field + 1, rest, entry) }
    }
  }

  private mutating func within(_ stage: Stage, _ body: (inout JSONShaping) -> Void) {
    trail.append(stage)
    body(&self)
    trail.removeLast()
  }

  // MARK: The new tape

  private mutating func append(_ index: Int, _ entry: Entry?) {
    let word = source.word(at: index)
    let end = source.next(after: index)
    if let entry, let name = entry.name {
      switch word.tag {
      case .object where entry.text.map({ $0.lend { source.value(of: $0, in: index) == nil } }) == true:
        count += 1
        // The key of the entry is the first field.
        words.append(word.moved(by: shift).with(extent: words.count + 4 + end - index - 2).bits)
        let extent = JSONExtent(bits: source.tape[index + 1])
        words.append(JSONExtent(count: extent.count + 1, length: extent.length).bits)
        words.append(name.bits)
        words.append(source.word(at: entry.key).moved(by: shift).bits)
        return copy(index + 2, to: end)
      // The entry is a member by its key alone.
      case .true:
        count += 1
        return words.append(source.word(at: entry.key).moved(by: shift).bits)
      case .false, .null: return
      default: break
      }
    }
    count += 1
    copy(index, to: end)
  }

  private mutating func copy(_ start: Int, to end: Int) {
    let distance = words.count - start
    var index = start
    while index < end {
      let word = source.word(at: index)
      if word.isContainer {
        words.append(word.with(extent: word.extent + distance).moved(by: shift).bits)
        words.append(source.tape[index + 1])
        index += 2
      } else {
        words.append(word.moved(by: shift).bits)
        index += 1
      }
    }
  }

  /// Puts null in the place of a value that the path does not lead to, and notes why.
  private mutating func note(_ index: Int, _ reason: String, _ found: JSONWord? = nil) {
    let kind = found.map { _ in " " + JSONValue(document: source, index: index).kindName } ?? ""
    let isElement = trail.contains { if case .text = $0 { false } else { true } }
    if isElement { count += 1 }
    let last = JSONValue(document: source, index: index)
    faults[words.count] = JSONShapeFault(keyPath: path, reason: reason + kind, last: last)
    words.append(JSONWord(.null, offset: source.range(at: index).lowerBound + shift, extent: 0).bits)
  }

  /// The way so far, as a key path.
  private var path: String {
    trail.reduce(into: "") { path, stage in
      switch stage {
      case .text(let text): path += text
      case .key(let key): path += path.isEmpty ? key : "." + key
      case .position(let position): path += "[\(position)]"
      case .entry(let key): path += "{\((source.string(at: key) ?? "").prefix(60).escaped)}"
      }
    }
  }
}
