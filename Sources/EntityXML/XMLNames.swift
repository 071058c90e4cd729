/// The names of a document's elements and attributes, each once.
struct XMLNames {
  struct Name {
    /// As a key of JSON: with `@` before that of an attribute.
    let key: [UInt8]
    /// The lists that elements of the name may be, as names of the elements that they must be in, the innermost first.
    let lists: [[String]]
    /// The elements of which an element of the name has a list, with the names of the elements that it must be in.
    let listsInside: [(name: [UInt8], outside: [String])]
    /// Whether the attribute says that its element is null.
    let isNil: Bool
    /// Whether the attribute is no value: a declaration of a namespace, or `xsi:nil`.
    let isMarkup: Bool
    /// The entry of another name with the same hash.
    let other: Int32
  }

  /// The name of texts beside elements and attributes.
  static let text: Int32 = 0

  private(set) var all: [Name] = []
  private var elements: [Int: Int32] = [:]
  private var attributes: [Int: Int32] = [:]
  /// The elements that are always a list, as paths.
  private let lists: [[String]]

  init(lists: [String]) {
    self.lists = lists.map { $0.split(separator: ".").map(String.init) }.filter { !$0.isEmpty }
    all.append(
      Name(key: Array("#text".utf8), lists: [], listsInside: [], isNil: false, isMarkup: false, other: 0))
  }

  mutating func element(_ name: ArraySlice<UInt8>) -> Int32 {
    let hash = Self.hash(name)
    if let known = find(name, from: elements[hash] ?? 0, behind: 0) { return known }
    let text = String(decoding: name, as: UTF8.self)
    let found = lists.filter { $0.last == text }.map { Array($0.dropLast().reversed()) }
    let inside = lists.filter { $0.dropLast().last == text }.map { list in
      (name: Array(list[list.count - 1].utf8), outside: Array(list.dropLast(2).reversed()))
    }
    let other = elements[hash] ?? 0
    elements[hash] = Int32(all.count)
    all.append(
      Name(key: Array(name), lists: found, listsInside: inside, isNil: false, isMarkup: false, other: other))
    return Int32(all.count - 1)
  }

  mutating func attribute(_ name: ArraySlice<UInt8>) -> Int32 {
    let hash = Self.hash(name)
    if let known = find(name, from: attributes[hash] ?? 0, behind: 1) { return known }
    let text = String(decoding: name, as: UTF8.self)
    let isNil = text == "nil" || text.hasSuffix(":nil")
    let other = attributes[hash] ?? 0
    attributes[hash] = Int32(all.count)
    all.append(
      Name(
        key: [UInt8(ascii: "@")] + name, lists: [], listsInside: [], isNil: isNil,
        isMarkup: text == "xmlns" || text.hasPrefix("xmlns:") || (isNil && text != "nil"), other: other))
    return Int32(all.count - 1)
  }

  /// - Parameter prefix: How many bytes of a key are before the name.
  private func find(_ name: ArraySlice<UInt8>, from first: Int32, behind prefix: Int) -> Int32? {
    var number = first
    while number != 0 {
      if all[Int(number)].key.dropFirst(prefix).elementsEqual(name) { return number }
      number = all[Int(number)].other
    }
    return nil
  }

  /// With the seed of the process: no document can choose names that collide.
  private static func hash(_ name: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    name.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
