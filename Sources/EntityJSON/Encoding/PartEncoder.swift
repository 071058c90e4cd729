/// An `Encoder` of one value.
final class PartEncoder: Encoder {
  let state: EncodingState
  let path: CodingPathNode?
  /// The number of arrays and objects around the value.
  let depth: Int
  /// The encoded value; `nil` until there is one.
  private(set) var part: EncodedPart?

  init(state: EncodingState, depth: Int, path: CodingPathNode?) {
    self.state = state
    self.depth = depth
    self.path = path
  }

  var codingPath: [any CodingKey] { path.keys }
  var userInfo: [CodingUserInfoKey: Any] { state.options.userInfo }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedPartContainer(state: state, object: object(), depth: depth + 1, path: path))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    UnkeyedPartContainer(state: state, array: array(), depth: depth + 1, path: path)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  /// The one object of the value: a container that is asked for again adds to it.
  private func object() -> EncodedObject {
    if case .object(let object)? = part { return object }
    let object = EncodedObject()
    if part == nil { part = .object(object) } else { state.note(secondValue("an object")) }
    return object
  }

  private func array() -> EncodedArray {
    if case .array(let array)? = part { return array }
    let array = EncodedArray()
    if part == nil { part = .array(array) } else { state.note(secondValue("an array")) }
    return array
  }

  private func secondValue(_ value: Any) -> EncodingError {
    state.invalid(value, "There is a value already.") { path }
  }
}

extension PartEncoder: SingleValueEncodingContainer {
  private func set(_ value: Any?, _ part: EncodedPart?) throws {
    guard self.part == nil else { throw secondValue(value as Any) }
    self.part = part
  }

  /// Encodes a value that is already JSON.
  func encode(json value: JSONValue) throws {
    if value.nests(deeperThan: JSONLimits.standard.depth - depth) { throw state.tooDeep { path } }
    try set(value, .value(value))
  }

  func encodeNil() throws { try set(nil, .null) }
  func encode(_ value: Bool) throws { try set(value, .bool(value)) }
  func encode(_ value: String) throws { try set(value, .string(value)) }
  func encode(_ value: Double) throws { try set(value, state.number(value) { path }) }
  func encode(_ value: Float) throws { try set(value, state.number(value) { path }) }
  func encode(_ value: Int) throws { try set(value, state.integer(value)) }
  func encode(_ value: Int8) throws { try set(value, state.integer(value)) }
  func encode(_ value: Int16) throws { try set(value, state.integer(value)) }
  func encode(_ value: Int32) throws { try set(value, state.integer(value)) }
  func encode(_ value: Int64) throws { try set(value, state.integer(value)) }
  func encode(_ value: Int128) throws { try set(value, state.integer(value)) }
  func encode(_ value: UInt) throws { try set(value, state.integer(value)) }
  func encode(_ value: UInt8) throws { try set(value, state.integer(value)) }
  func encode(_ value: UInt16) throws { try set(value, state.integer(value)) }
  func encode(_ value: UInt32) throws { try set(value, state.integer(value)) }
  func encode(_ value: UInt64) throws { try set(value, state.integer(value)) }
  func encode(_ value: UInt128) throws { try set(value, state.integer(value)) }
  func encode<T: Encodable>(_ value: T) throws { try set(value, state.part(of: value, depth: depth) { path }) }
}
