/// The elements of an array.
struct UnkeyedPartContainer: UnkeyedEncodingContainer {
  private let state: EncodingState
  private let array: EncodedArray
  /// The number of arrays and objects around the elements.
  private let depth: Int
  private let path: CodingPathNode?

  init(state: EncodingState, array: EncodedArray, depth: Int, path: CodingPathNode?) {
    self.state = state
    self.array = array
    self.depth = depth
    self.path = path
    state.checkDepth(depth, path)
  }

  var codingPath: [any CodingKey] { path.keys }
  var count: Int { array.elements.count }

  private func append(_ part: EncodedPart) { array.elements.append(part) }

  private func node() -> CodingPathNode? { CodingPathNode(path, position: count) }

  // MARK: Values

  func encodeNil() { append(.null) }
  func encode(_ value: Bool) { append(.bool(value)) }
  func encode(_ value: String) { append(.string(value)) }
  func encode(_ value: Double) throws { append(try state.number(value, path: node)) }
  func encode(_ value: Float) throws { append(try state.number(value, path: node)) }
  func encode(_ value: Int) { append(state.integer(value)) }
  func encode(_ value: Int8) { append(state.integer(value)) }
  func encode(_ value: Int16) { append(state.integer(value)) }
  func encode(_ value: Int32) { append(state.integer(value)) }
  func encode(_ value: Int64) { append(state.integer(value)) }
  func encode(_ value: Int128) { append(state.integer(value)) }
  func encode(_ value: UInt) { append(state.integer(value)) }
  func encode(_ value: UInt8) { append(state.integer(value)) }
  func encode(_ value: UInt16) { append(state.integer(value)) }
  func encode(_ value: UInt32) { append(state.integer(value)) }
  func encode(_ value: UInt64) { append(state.integer(value)) }
  func encode(_ value: UInt128) { append(state.integer(value)) }
  func encode<T: Encodable>(_ value: T) throws {
    append(try state.part(of: value, depth: depth, path: node) ?? .object(EncodedObject()))
  }

  // MARK: Nested containers

  func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
    let (nested, path) = (EncodedObject(), node())
    append(.object(nested))
    return KeyedEncodingContainer(
      KeyedPartContainer<NestedKey>(state: state, object: nested, depth: depth + 1, path: path))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let (nested, path) = (EncodedArray(), node())
    append(.array(nested))
    return UnkeyedPartContainer(state: state, array: nested, depth: depth + 1, path: path)
  }

  func superEncoder() -> any Encoder {
    let encoder = PartEncoder(state: state, depth: depth, path: node())
    append(.encoder(encoder))
    return encoder
  }
}
