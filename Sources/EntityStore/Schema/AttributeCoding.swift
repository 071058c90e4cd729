/// How the values of a property's type become stored values: which one it is follows from the type, by overload.
package protocol AttributeCoding<Value>: SendableMetatype {
  associatedtype Value
  associatedtype Failure: Error
  static var attributeType: AttributeType { get }
  static var isOptional: Bool { get }
  /// Whether rows may hold values that are none of the type's: they are kept.
  static var keepsUnrecognized: Bool { get }
  /// `nil` when the stored value is none of the type's.
  static func value(_ stored: StoredValue) -> Value?
  static func stored(_ value: Value) throws(Failure) -> StoredValue
  /// The value of what a response has, in the form of the attribute's type; `nil` when it is none of the type's.
  static func read(_ source: StoredValue) throws(AttributeError) -> Value?
  /// What a property reads as when it has neither value nor default; `nil` where there is no such value.
  static var neutral: Value? { get }
}

extension AttributeCoding {
  package static func read(_ source: StoredValue) throws(AttributeError) -> Value? { value(source) }

  /// A value as it is when it is read from its row again: a NaN is `nil`, a URL has no base, a date is as exact as seconds
  /// since 1970. One that its property can't have stays what it is, and the save refuses it.
  package static func asStored(_ value: Value, _ stored: StoredValue) -> Value {
    switch stored {
    case .integer, .blob: return value
    case .text:
      // The text of any other type is the value.
      guard attributeType == .url || attributeType == .decimal else { return value }
    case .real, .null: break
    }
    return self.value(stored) ?? value
  }
}

/// A type that is an attribute's by itself, or the Optional of one.
package enum PlainCoding<V: AttributeValue>: AttributeCoding {
  package static var attributeType: AttributeType { V.attributeType }
  package static var isOptional: Bool { V.isOptional }
  package static var keepsUnrecognized: Bool { false }
  package static func value(_ stored: StoredValue) -> V? { V(storedValue: stored) }
  package static func stored(_ value: V) -> StoredValue { value.storedValue }
  package static var neutral: V? { V.neutralValue }
}

/// An enum, an option set or a wrapper: stored as its raw value.
package enum RawCoding<V: RawRepresentable & SendableMetatype>: AttributeCoding where V.RawValue: AttributeValue {
  package static var attributeType: AttributeType { V.RawValue.attributeType }
  package static var isOptional: Bool { false }
  package static var keepsUnrecognized: Bool { true }
  package static func value(_ stored: StoredValue) -> V? {
    guard let value = V.RawValue(storedValue: stored).flatMap(V.init(rawValue:)) else { return nil }
    // Swift takes two spellings of one character for equal, and would find a case that the row does not have.
    if case .text(let text) = stored, case .text(let own) = self.stored(value), text == own,
      self.stored(value) != stored
    {
      return nil
    }
    return value
  }
  package static func stored(_ value: V) -> StoredValue { value.rawValue.storedValue }
  package static var neutral: V? { nil }
}

/// Any other Codable: stored as JSON.
package enum JSONCoding<V: Codable & SendableMetatype>: AttributeCoding {
  package static var attributeType: AttributeType { .json }
  package static var isOptional: Bool { false }
  package static var keepsUnrecognized: Bool { false }
  package static func value(_ stored: StoredValue) -> V? {
    (try? read(stored)) ?? nil
  }
  package static func read(_ source: StoredValue) throws(AttributeError) -> V? {
    guard case .text(let text) = source else { return nil }
    return try AttributeJSON.value(of: text)
  }
  package static func stored(_ value: V) throws(AttributeError) -> StoredValue {
    .text(try AttributeJSON.text(of: value))
  }
  package static var neutral: V? { nil }
}

/// The Optional of another one: NULL is `nil`.
package enum OptionalCoding<C: AttributeCoding>: AttributeCoding {
  package static var attributeType: AttributeType { C.attributeType }
  package static var isOptional: Bool { true }
  package static var keepsUnrecognized: Bool { C.keepsUnrecognized }
  package static func value(_ stored: StoredValue) -> C.Value?? {
    stored.isNull ? .some(nil) : C.value(stored).map { .some($0) }
  }
  package static func read(_ source: StoredValue) throws(AttributeError) -> C.Value?? {
    source.isNull ? .some(nil) : try C.read(source).map { .some($0) }
  }
  package static func stored(_ value: C.Value?) throws(C.Failure) -> StoredValue {
    guard let value else { return .null }
    return try C.stored(value)
  }
  package static var neutral: C.Value?? { .some(nil) }
}
