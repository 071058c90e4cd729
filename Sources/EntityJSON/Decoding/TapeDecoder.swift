/// A `Decoder` at one place of the tape. It has three words, so that an existential holds it without an allocation.
struct TapeDecoder: Decoder {
  let state: DecodingState
  let index: Int
  let path: CodingPathNode?

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { state.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedTapeContainer<Key>(state: state, index: index, path: path))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try UnkeyedTapeContainer(state: state, index: index, path: path)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

extension TapeDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { state.tag(at: index) == .null }

  func decode(_ type: Bool.Type) throws -> Bool { try state.bool(at: index) { path } }
  func decode(_ type: String.Type) throws -> String { try state.string(at: index) { path } }
  func decode(_ type: Double.Type) throws -> Double { try state.double(at: index) { path } }
  func decode(_ type: Float.Type) throws -> Float { try state.float(at: index) { path } }
  func decode(_ type: Int.Type) throws -> Int { try state.integer(at: index) { path } }
  func decode(_ type: Int8.Type) throws -> Int8 { try state.integer(at: index) { path } }
  func decode(_ type: Int16.Type) throws -> Int16 { try state.integer(at: index) { path } }
  func decode(_ type: Int32.Type) throws -> Int32 { try state.integer(at: index) { path } }
  func decode(_ type: Int64.Type) throws -> Int64 { try state.integer(at: index) { path } }
  func decode(_ type: Int128.Type) throws -> Int128 { try state.wide(at: index) { path } }
  func decode(_ type: UInt.Type) throws -> UInt { try state.integer(at: index) { path } }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try state.integer(at: index) { path } }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try state.integer(at: index) { path } }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try state.integer(at: index) { path } }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try state.integer(at: index) { path } }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try state.wide(at: index) { path } }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try state.decode(type, at: index) { path } }
}
