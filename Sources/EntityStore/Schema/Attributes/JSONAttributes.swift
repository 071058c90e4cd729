// Any other Codable type is stored as JSON. A `Set` in it, and a dictionary whose keys are neither String nor Int, is
// written in the order of its elements' texts, so that equal values have equal texts. There is one exception: where the
// type's own `encode(to:)` encodes such a collection as itself (`try tags.encode(to: encoder)`), the order follows from
// hashes, and changes with each response.

extension AttributeValue where Self: Codable {
  @inlinable public static var attributeType: AttributeType { .json }
  @inlinable public static var _form: _AttributeForm { .json }
  @inlinable public static func _value(_ stored: StoredValue) -> Self? { (try? _read(stored)) ?? nil }
  public static func _read(_ source: StoredValue) throws(AttributeError) -> Self? {
    guard case .text(let text) = source else { return nil }
    return try AttributeJSON.value(of: text)
  }
  public static func _stored(_ value: Self) throws(AttributeError) -> StoredValue {
    .text(try AttributeJSON.text(of: value))
  }
}

/// Empty by default.
extension Array: AttributeValue, NeutralAttributeValue where Element: Codable {
  public static var neutralValue: [Element] { [] }
}

/// Empty by default.
extension Set: AttributeValue, NeutralAttributeValue where Element: Codable {
  public static var neutralValue: Set<Element> { [] }
}

/// Empty by default.
extension Dictionary: AttributeValue, NeutralAttributeValue
where Key: Codable, Value: Codable {
  public static var neutralValue: [Key: Value] { [:] }
}
