/// The elements of an array, one after the other.
struct UnkeyedTapeContainer: UnkeyedDecodingContainer {
  private let state: DecodingState
  private let index: Int
  private let path: CodingPathNode?
  /// The next element's place on the tape.
  private var place: Int
  private let end: Int
  let count: Int?
  private(set) var currentIndex = 0

  init(state: DecodingState, index: Int, path: CodingPathNode?) throws {
    self.state = state
    self.index = index
    self.path = path
    if state.tag(at: index) == .array {
      place = index + 2
      end = state.document.word(at: index).extent
      count = state.document.count(at: index)
    } else {
      guard let count = state.countOfList(at: index) else { throw state.mismatch([Any].self, at: index, path) }
      place = index
      end = index + count
      self.count = count
    }
  }

  var codingPath: [any CodingKey] { path.keys }
  var isAtEnd: Bool { place >= end }

  /// Moves past the element only after it was read: after an error, the same element can be read as another type.
  @inline(__always)
  private mutating func element<T>(
    _ type: Any.Type = T.self, _ read: (DecodingState, Int, () -> CodingPathNode?) throws -> T
  ) throws -> T {
    let (path, position) = (path, currentIndex)
    guard place < end else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(
          codingPath: CodingPathNode(path, position: position).keys,
          debugDescription: "The array\(state.mark(index)) has only \(position) elements."))
    }
    let value = try read(state, place) { CodingPathNode(path, position: position) }
    place = state.document.next(after: place)
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    if place < end, state.tag(at: place) != .null { return false }
    return try element(Never.self) { _, _, _ in true }
  }

  // MARK: Values

  mutating func decode(_ type: Bool.Type) throws -> Bool { try element { try $0.bool(at: $1, path: $2) } }
  mutating func decode(_ type: String.Type) throws -> String { try element { try $0.string(at: $1, path: $2) } }
  mutating func decode(_ type: Double.Type) throws -> Double { try element { try $0.double(at: $1, path: $2) } }
  mutating func decode(_ type: Float.Type) throws -> Float { try element { try $0.float(at: $1, path: $2) } }
  mutating func decode(_ type: Int.Type) throws -> Int { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try element { try $0.integer(at: $1, path: $2) } }
  mutating func decode(_ type: Int128.Type) throws -> Int128 { try element { try $0.wide(at: $1, path: $2) } }
  mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try element { try $0.wide(at: $1, path: $2) } }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try element { try $0.decode(type, at: $1, path: $2) }
  }

  // MARK: Nested containers

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try element {
      KeyedDecodingContainer(try KeyedTapeContainer<NestedKey>(state: $0, index: $1, path: $2()))
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try element((any UnkeyedDecodingContainer).self) { try UnkeyedTapeContainer(state: $0, index: $1, path: $2()) }
  }

  mutating func superDecoder() throws -> any Decoder {
    try element((any Decoder).self) { TapeDecoder(state: $0, index: $1, path: $2()) }
  }
}
