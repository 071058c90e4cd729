// Scalars are native, so that arrays and optionals of them need no container for each element.

extension Bool: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Bool {
    try state.bool(at: index, path: path)
  }
}

extension String: NativeDecodable {
  static var readsBlankText: Bool { true }

  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> String {
    try state.string(at: index, path: path)
  }
}

extension Double: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Double {
    try state.double(at: index, path: path)
  }
}

extension Float: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Float {
    try state.float(at: index, path: path)
  }
}

extension FixedWidthInteger where Self: NativeDecodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Self {
    if bitWidth > 64 { return try state.wide(at: index, path: path) }
    return try state.integer(at: index, path: path)
  }
}

extension Int: NativeDecodable {}
extension Int8: NativeDecodable {}
extension Int16: NativeDecodable {}
extension Int32: NativeDecodable {}
extension Int64: NativeDecodable {}
extension Int128: NativeDecodable {}
extension UInt: NativeDecodable {}
extension UInt8: NativeDecodable {}
extension UInt16: NativeDecodable {}
extension UInt32: NativeDecodable {}
extension UInt64: NativeDecodable {}
extension UInt128: NativeDecodable {}

extension Optional: NativeDecodable where Wrapped: Decodable {
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> Wrapped? {
    if state.tag(at: index) == .null || state.isNothing(Wrapped.self, at: index) { return nil }
    return try state.decode(Wrapped.self, at: index, path: path)
  }
}

extension Array: NativeDecodable where Element: Decodable {
  static var readsBlankText: Bool { true }

  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> [Element] {
    guard state.tag(at: index) == .array else {
      guard let count = state.countOfList(at: index) else { throw state.mismatch([Any].self, at: index, path()) }
      return count == 0 ? [] : [try state.decode(Element.self, at: index, path: path)]
    }
    let parent = path()
    if let native = state.native(Element.self),
      let elements = try natives(native, from: state, at: index, parent) as? [Element]
    {
      return elements
    }
    var node = CodingPathNode(parent, position: 0)
    return try read(from: state, at: index) { place, position in
      // A container that somebody kept must keep its path.
      if isKnownUniquelyReferenced(&node) {
        node.position = position
      } else {
        node = CodingPathNode(parent, position: position)
      }
      return try state.decodePlain(Element.self, at: place, path: node)
    }
  }

  /// An array of the native type. The caller knows that this type is `Element`.
  private static func natives<N: NativeDecodable>(
    _ type: N.Type, from state: DecodingState, at index: Int, _ parent: CodingPathNode?
  ) throws -> Any {
    try [N].read(from: state, at: index) { place, position in
      try N.decode(from: state, at: place) { CodingPathNode(parent, position: position) }
    }
  }
}

extension Array {
  fileprivate static func read(
    from state: DecodingState, at index: Int, _ element: (Int, Int) throws -> Element
  ) throws -> [Element] {
    var elements: [Element] = []
    // An element of two bytes may take kilobytes here, and the first element may be refused.
    elements.reserveCapacity(Swift.min(state.document.count(at: index), 10_000))
    var place = index + 2
    let end = state.document.word(at: index).extent
    while place < end {
      elements.append(try element(place, elements.count))
      place = state.document.next(after: place)
    }
    return elements
  }
}

extension Dictionary: NativeDecodable where Key == String, Value: Decodable {
  /// No keyed container is used: it would convert the keys.
  static func decode(from state: DecodingState, at index: Int, path: () -> CodingPathNode?) throws -> [String: Value] {
    guard state.tag(at: index) == .object else { throw state.mismatch([String: Any].self, at: index, path()) }
    let parent = path()
    var values: [String: Value] = [:]
    values.reserveCapacity(Swift.min(state.document.count(at: index), 10_000))
    var lastFields: [String: Int]?
    try state.document.forEachField(in: index) { name, field in
      let key = String(decoding: name, as: UTF8.self)
      do {
        values[key] = try state.decode(Value.self, at: field + 1) {
          CodingPathNode(parent, PlainCodingKey(dictionaryKey: key))
        }
      } catch {
        // Only the last one of several fields with the same key counts.
        let last = lastFields ?? state.document.lastFields(of: index)
        lastFields = last
        guard last[key] != field else { throw error }
      }
    }
    return values
  }
}
