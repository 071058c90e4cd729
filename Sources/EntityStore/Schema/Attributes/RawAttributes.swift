// Enums, option sets and wrappers: stored as their raw values.

extension AttributeValue where Self: RawRepresentable, RawValue: ScalarValue {
  @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
  @inlinable public static var _form: _AttributeForm { .raw }
  @inlinable public static func _value(_ stored: StoredValue) -> Self? {
    RawValue(storedValue: stored).flatMap { _value(raw: $0) }
  }
  @inlinable public static func _stored(_ value: Self) -> StoredValue { value.rawValue.storedValue }
  @inlinable public static func _read(_ source: StoredValue) -> Self? { _value(source) }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Self? {
    RawValue._load(row, index).flatMap { _value(raw: $0) }
  }
  @inlinable public static func _isSame(_ left: Self, _ right: Self) -> Bool {
    RawValue._isSame(left.rawValue, right.rawValue)
  }
  @inlinable public static func _asStored(_ value: Self) -> Self? {
    switch RawValue.attributeType {
    case .float, .double, .date, .decimal, .url:
      guard let raw = RawValue._asStored(value.rawValue) else { return nil }
      return Self(rawValue: raw) ?? value
    default: return value
    }
  }

  @inlinable public static func _isNil(_ value: Self) -> Bool { RawValue._isNil(value.rawValue) }

  @inlinable static func _value(raw: RawValue) -> Self? {
    guard let value = Self(rawValue: raw) else { return nil }
    // Swift treats two spellings of one character as equal, and would find a case that the row does not have.
    let own = value.rawValue
    return own == raw && !RawValue._isSame(own, raw) ? nil : value
  }
}

/// A type that is also Codable is stored as its raw value.
extension AttributeValue where Self: RawRepresentable & Codable, RawValue: ScalarValue {
  @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
  @inlinable public static var _form: _AttributeForm { .raw }
  @inlinable public static func _value(_ stored: StoredValue) -> Self? {
    RawValue(storedValue: stored).flatMap { _value(raw: $0) }
  }
  @inlinable public static func _stored(_ value: Self) -> StoredValue { value.rawValue.storedValue }
  @inlinable public static func _read(_ source: StoredValue) -> Self? { _value(source) }
}

/// Empty by default.
extension AttributeValue where Self: OptionSet {
  @inlinable public static var _neutral: Self? { [] }
}

/// A type for the uids of one entity, so that uids of another entity don't compile in their place. It is stored as its
/// raw value.
///
/// ```swift
/// struct MemberID: RawRepresentable, UIDValue {
///   let rawValue: Int
///   static let neutralValue = MemberID(rawValue: 0)
/// }
/// ```
extension UIDValue where Self: RawRepresentable & Codable, RawValue: UIDValue {
  @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
  @inlinable public static var _form: _AttributeForm { .scalar }
  @inlinable public init?(storedValue: StoredValue) {
    guard let value = RawValue(storedValue: storedValue).flatMap({ Self(rawValue: $0) }) else { return nil }
    self = value
  }
  @inlinable public var storedValue: StoredValue { rawValue.storedValue }
  @inlinable public static func _value(_ stored: StoredValue) -> Self? { Self(storedValue: stored) }
  @inlinable public static func _stored(_ value: Self) -> StoredValue { value.storedValue }
  @inlinable public static func _read(_ source: StoredValue) -> Self? { Self(storedValue: source) }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Self? {
    RawValue._load(row, index).flatMap { Self(rawValue: $0) }
  }
  @inlinable public static func _isSame(_ left: Self, _ right: Self) -> Bool {
    RawValue._isSame(left.rawValue, right.rawValue)
  }
  @inlinable public static func _asStored(_ value: Self) -> Self? { value }
  @inlinable public static func _isNil(_ value: Self) -> Bool { false }
}
