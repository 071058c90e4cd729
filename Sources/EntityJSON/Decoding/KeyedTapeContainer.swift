/// The fields of an object. The container is one word in size, because the standard library copies it for each value.
struct KeyedTapeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let object: ObjectCursor

  init(state: DecodingState, index: Int, path: CodingPathNode?) throws {
    object = try ObjectCursor(state: state, index: index, path: path)
  }

  var codingPath: [any CodingKey] { object.path.keys }

  var allKeys: [Key] { object.keys(as: Key.self) }

  func contains(_ key: Key) -> Bool { object.place(of: key) != nil }

  private var state: DecodingState {
    @inline(__always) get { object.state }
  }

  /// The tape index of the value of a key.
  @inline(__always)
  private func place(of key: Key) throws -> Int {
    if let place = object.place(of: key) { return place }
    throw DecodingError.keyNotFound(
      key,
      DecodingError.Context(
        codingPath: codingPath,
        debugDescription:
          "No value associated with key \(key.stringValue.quotedForError) in the object\(state.mark(object.index))."))
  }

  /// The same as `place(of:)`, but also nil for a null.
  @inline(__always)
  private func presentPlace<T>(of key: Key, _ type: T.Type) -> Int? {
    guard let place = object.place(of: key), state.tag(at: place) != .null, !state.isNothing(type, at: place) else {
      return nil
    }
    return place
  }

  @inline(__always)
  private func node(_ key: Key) -> CodingPathNode { CodingPathNode(object.path, key) }

  func decodeNil(forKey key: Key) throws -> Bool { state.tag(at: try place(of: key)) == .null }

  // MARK: Values

  // These read straight from the document. Only other kinds of values, and errors, go through the shared state.

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    let place = try place(of: key)
    return try object.document.bool(at: place) ?? state.bool(at: place) { node(key) }
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    let place = try place(of: key)
    return try object.document.string(at: place) ?? state.string(at: place) { node(key) }
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    let place = try place(of: key)
    return try object.document.double(at: place) ?? state.double(at: place) { node(key) }
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try state.float(at: place(of: key)) { node(key) }
  }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try state.decode(type, at: place(of: key)) { node(key) }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
    try presentPlace(of: key, type).map { try state.bool(at: $0) { node(key) } }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
    try presentPlace(of: key, type).map { try state.string(at: $0) { node(key) } }
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
    try presentPlace(of: key, type).map { try state.double(at: $0) { node(key) } }
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
    try presentPlace(of: key, type).map { try state.float(at: $0) { node(key) } }
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
    try presentPlace(of: key, type).map { try state.decode(type, at: $0) { node(key) } }
  }

  // MARK: Integers

  @inline(__always)
  private func integer<I: FixedWidthInteger>(_ key: Key) throws -> I {
    let place = try place(of: key)
    return try object.document.integer(at: place) ?? state.integer(at: place) { node(key) }
  }

  @inline(__always)
  private func integerIfPresent<I: FixedWidthInteger>(_ key: Key) throws -> I? {
    try presentPlace(of: key, I.self).map { try state.integer(at: $0) { node(key) } }
  }

  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

  func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integerIfPresent(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integerIfPresent(key) }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try state.wide(at: place(of: key)) { node(key) }
  }
  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try state.wide(at: place(of: key)) { node(key) }
  }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    KeyedDecodingContainer(
      try KeyedTapeContainer<NestedKey>(state: state, index: place(of: key), path: node(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try UnkeyedTapeContainer(state: state, index: place(of: key), path: node(key))
  }

  func superDecoder() throws -> any Decoder { superDecoder(PlainCodingKey.super) }

  func superDecoder(forKey key: Key) throws -> any Decoder { superDecoder(key) }

  /// A decoder of null where the key is missing, as in Foundation's decoder: a superclass may need nothing.
  private func superDecoder(_ key: some CodingKey) -> any Decoder {
    TapeDecoder(
      state: state, index: object.place(of: key) ?? DecodingState.absent, path: CodingPathNode(object.path, key))
  }
}
