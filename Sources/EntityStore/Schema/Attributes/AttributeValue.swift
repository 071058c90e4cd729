/// A type that an attribute can have. The conformance decides how its values are stored.
///
/// ```swift
/// enum Role: String, AttributeValue { case guest, admin }      // as its raw value
/// struct Rights: OptionSet, AttributeValue { let rawValue: Int }
/// struct Settings: Codable, AttributeValue { var isDark = false }   // as JSON
/// ```
/// A type with a raw value is stored as that value, and any other Codable type as JSON. An enum that is both is stored
/// as its raw value. The protocol's members come with the conformance: a type declares nothing more. Numbers, texts,
/// dates and similar types are attributes by themselves, see ``ScalarValue``. So are arrays, sets and dictionaries of
/// Codable values, as JSON, and JSON of any shape, as `JSONValue`, `JSONObject` or `JSONArray`. So is the Optional of
/// every attribute's type.
///
/// A raw value that the type does not have stays in the row, and the property reads as its default. JSON is decoded
/// when it is first read.
public protocol AttributeValue: SendableMetatype {
  static var attributeType: AttributeType { get }
  static var isOptional: Bool { get }

  // Only the store uses the members below.

  /// The type without its Optional: a condition compares values of `Int` and `Int?`.
  associatedtype _Unwrapped: AttributeValue = Self
  static var _form: _AttributeForm { get }
  /// The value of a property that has neither value nor default; `nil` where the type has no neutral value.
  static var _neutral: Self? { get }
  /// `nil` when the type does not have the stored value.
  static func _value(_ stored: StoredValue) -> Self?
  static func _stored(_ value: Self) throws(AttributeError) -> StoredValue
  /// The property's value for a response's value, which is in the form of the attribute's type; `nil` when the type
  /// does not have the value.
  static func _read(_ source: StoredValue) throws(AttributeError) -> Self?
  /// The value in a row; `nil` when the type does not have it.
  static func _load(_ row: RowReader, _ index: Int) -> Self?
  /// Whether both have the same stored form.
  static func _isSame(_ left: Self, _ right: Self) -> Bool
  /// The value as it is read from its row again: a URL has no base, and a date is as exact as seconds since 1970. `nil`
  /// for a value that is stored as NULL: a NaN.
  static func _asStored(_ value: Self) -> Self?
  /// Whether the value is `nil`. A NaN is not, though it is stored as NULL too.
  static func _isNil(_ value: Self) -> Bool
}

/// The form in which the values of a type are stored.
public enum _AttributeForm: Sendable {
  /// In the column's own form.
  case scalar
  /// As a raw value. Rows may hold raw values that the type does not have: they are kept.
  case raw
  /// As text, which is decoded when it is first read.
  case json
}

/// A type that an attribute can have without a declared default.
public protocol NeutralAttributeValue: AttributeValue {
  /// The value of a property without a value: for Optionals `nil`, else zero or empty.
  static var neutralValue: Self { get }
}

extension AttributeValue {
  @inlinable public static var isOptional: Bool { false }
  @inlinable public static var _neutral: Self? { nil }
  @inlinable public static func _read(_ source: StoredValue) throws(AttributeError) -> Self? { _value(source) }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Self? { _value(row.value(index)) }

  @inlinable public static func _isNil(_ value: Self) -> Bool { false }

  @inlinable public static func _isSame(_ left: Self, _ right: Self) -> Bool {
    guard let left = try? _stored(left), let right = try? _stored(right) else { return false }
    return left.isIdentical(to: right)
  }

  @inlinable public static func _asStored(_ value: Self) -> Self? {
    // A value that its property can't have stays as it is. The save refuses it.
    guard let stored = try? _stored(value) else { return value }
    return stored.isNull ? nil : _value(stored) ?? value
  }
}

extension NeutralAttributeValue {
  @inlinable public static var _neutral: Self? { neutralValue }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public typealias _Unwrapped = Wrapped._Unwrapped

  @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }
  @inlinable public static var isOptional: Bool { true }
  @inlinable public static var _form: _AttributeForm { Wrapped._form }

  @inlinable public static func _value(_ stored: StoredValue) -> Wrapped?? {
    stored.isNull ? .some(nil) : Wrapped._value(stored).map { .some($0) }
  }

  @inlinable public static func _stored(_ value: Wrapped?) throws(AttributeError) -> StoredValue {
    guard let value else { return .null }
    return try Wrapped._stored(value)
  }

  @inlinable public static func _read(_ source: StoredValue) throws(AttributeError) -> Wrapped?? {
    if source.isNull { return .some(nil) }
    return try Wrapped._read(source).map { .some($0) }
  }

  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Wrapped?? {
    if let value = Wrapped._load(row, index) { return .some(value) }
    return row.isNull(index) ? .some(nil) : nil
  }

  @inlinable public static func _isSame(_ left: Wrapped?, _ right: Wrapped?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): Wrapped._isSame(left, right)
    case (let value?, nil), (nil, let value?): Wrapped._asStored(value) == nil
    }
  }

  @inlinable public static func _asStored(_ value: Wrapped?) -> Wrapped?? {
    .some(value.flatMap { Wrapped._asStored($0) })
  }

  @inlinable public static func _isNil(_ value: Wrapped?) -> Bool { value.map { Wrapped._isNil($0) } ?? true }
}

extension Optional: NeutralAttributeValue where Wrapped: AttributeValue {
  @inlinable public static var neutralValue: Wrapped? { nil }
}
