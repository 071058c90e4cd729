/// The fields of an object.
struct KeyedPartContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let state: EncodingState
  private let object: EncodedObject
  /// The number of arrays and objects around the fields.
  private let depth: Int
  private let path: CodingPathNode?

  init(state: EncodingState, object: EncodedObject, depth: Int, path: CodingPathNode?) {
    self.state = state
    self.object = object
    self.depth = depth
    self.path = path
    state.checkDepth(depth, path)
  }

  var codingPath: [any CodingKey] { path.keys }

  private func set(_ key: any CodingKey, _ part: EncodedPart) {
    object.fields.append((key.stringValue, part))
  }

  private func node(_ key: any CodingKey) -> CodingPathNode? { CodingPathNode(path, key) }

  // MARK: Values

  func encodeNil(forKey key: Key) { set(key, .null) }
  func encode(_ value: Bool, forKey key: Key) { set(key, .bool(value)) }
  func encode(_ value: String, forKey key: Key) { set(key, .string(value)) }
  func encode(_ value: Double, forKey key: Key) throws { set(key, try state.number(value) { node(key) }) }
  func encode(_ value: Float, forKey key: Key) throws { set(key, try state.number(value) { node(key) }) }
  func encode(_ value: Int, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: Int8, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: Int16, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: Int32, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: Int64, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: Int128, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: UInt, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: UInt8, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: UInt16, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: UInt32, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: UInt64, forKey key: Key) { set(key, state.integer(value)) }
  func encode(_ value: UInt128, forKey key: Key) { set(key, state.integer(value)) }
  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    set(key, try state.part(of: value, depth: depth) { node(key) } ?? .object(EncodedObject()))
  }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) -> KeyedEncodingContainer<NestedKey> {
    let nested: EncodedObject
    if case .object(let object)? = object.part(of: key.stringValue) {
      nested = object
    } else {
      nested = EncodedObject()
      set(key, .object(nested))
    }
    return KeyedEncodingContainer(
      KeyedPartContainer<NestedKey>(state: state, object: nested, depth: depth + 1, path: node(key)))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let nested: EncodedArray
    if case .array(let array)? = object.part(of: key.stringValue) {
      nested = array
    } else {
      nested = EncodedArray()
      set(key, .array(nested))
    }
    return UnkeyedPartContainer(state: state, array: nested, depth: depth + 1, path: node(key))
  }

  func superEncoder() -> any Encoder { superEncoder(PlainCodingKey.super) }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder(key) }

  private func superEncoder(_ key: any CodingKey) -> any Encoder {
    let encoder = PartEncoder(state: state, depth: depth, path: node(key))
    set(key, .encoder(encoder))
    return encoder
  }
}
