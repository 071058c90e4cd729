public import Foundation

/// A type with its own form of column: SQLite stores its values as they are, and compares them as Swift does.
///
/// Types that are stored as a raw value or as JSON conform to ``AttributeValue`` instead.
public protocol ScalarValue: NeutralAttributeValue, Codable, Equatable, Sendable {
  /// `nil` when this type does not have the stored value: it is of the wrong kind, or out of range.
  init?(storedValue: StoredValue)
  var storedValue: StoredValue { get }
}

extension ScalarValue {
  @inlinable public static var _form: _AttributeForm { .scalar }
  @inlinable public static func _value(_ stored: StoredValue) -> Self? { Self(storedValue: stored) }
  @inlinable public static func _stored(_ value: Self) -> StoredValue { value.storedValue }
  /// A value in the form of its column, which differs from that of other Codable types.
  @inlinable public static func _read(_ source: StoredValue) -> Self? { Self(storedValue: source) }
}

extension Optional: ScalarValue where Wrapped: ScalarValue {
  @inlinable public init?(storedValue: StoredValue) {
    if storedValue.isNull {
      self = .none
    } else if let value = Wrapped(storedValue: storedValue) {
      self = .some(value)
    } else {
      return nil
    }
  }

  @inlinable public var storedValue: StoredValue { self?.storedValue ?? .null }
}

extension Bool: ScalarValue {
  @inlinable public static var attributeType: AttributeType { .bool }
  @inlinable public static var neutralValue: Bool { false }
  @inlinable public init?(storedValue: StoredValue) {
    guard case .integer(let integer) = storedValue else { return nil }
    self = integer != 0
  }
  @inlinable public var storedValue: StoredValue { .integer(self ? 1 : 0) }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Bool? { row.integer(index).map { $0 != 0 } }
  @inlinable public static func _isSame(_ left: Bool, _ right: Bool) -> Bool { left == right }
  @inlinable public static func _asStored(_ value: Bool) -> Bool? { value }
}

extension Double: ScalarValue {
  @inlinable public static var attributeType: AttributeType { .double }
  @inlinable public static var neutralValue: Double { 0 }
  @inlinable public init?(storedValue: StoredValue) {
    switch storedValue {
    case .real(let double): self = double
    case .integer(let integer): self = Double(integer)
    case .null, .text, .blob: return nil
    }
  }
  /// NaN is stored as NULL, because SQLite has no NaN; a non-optional attribute refuses it. SQLite does not keep the
  /// sign of zero either. The sign is removed here, else a row would differ from the value that was written.
  @inlinable public var storedValue: StoredValue { isNaN ? .null : .real(self == 0 ? 0 : self) }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Double? { row.double(index) }
  @inlinable public static func _isSame(_ left: Double, _ right: Double) -> Bool {
    left == right || (left.isNaN && right.isNaN)
  }
  @inlinable public static func _asStored(_ value: Double) -> Double? { value.isNaN ? nil : value == 0 ? 0 : value }
}

extension Float: ScalarValue {
  @inlinable public static var attributeType: AttributeType { .float }
  @inlinable public static var neutralValue: Float { 0 }
  @inlinable public init?(storedValue: StoredValue) {
    guard let double = Double(storedValue: storedValue) else { return nil }
    self.init(double)
  }
  /// NaN and the sign of zero as for Double.
  @inlinable public var storedValue: StoredValue { Double(self).storedValue }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Float? { row.double(index).map { Float($0) } }
  @inlinable public static func _isSame(_ left: Float, _ right: Float) -> Bool {
    left == right || (left.isNaN && right.isNaN)
  }
  @inlinable public static func _asStored(_ value: Float) -> Float? { value.isNaN ? nil : value == 0 ? 0 : value }
}

extension String: ScalarValue {
  @inlinable public static var attributeType: AttributeType { .string }
  @inlinable public static var neutralValue: String { "" }
  @inlinable public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    self = text
  }
  @inlinable public var storedValue: StoredValue { .text(self) }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> String? { row.text(index) }
  @inlinable public static func _isSame(_ left: String, _ right: String) -> Bool { left.isIdentical(to: right) }
  @inlinable public static func _asStored(_ value: String) -> String? { value }
}

extension Data: ScalarValue {
  @inlinable public static var attributeType: AttributeType { .data }
  @inlinable public static var neutralValue: Data { Data() }
  @inlinable public init?(storedValue: StoredValue) {
    guard case .blob(let data) = storedValue else { return nil }
    self = data
  }
  @inlinable public var storedValue: StoredValue { .blob(self) }
  @inlinable public static func _isSame(_ left: Data, _ right: Data) -> Bool { left == right }
  @inlinable public static func _asStored(_ value: Data) -> Data? { value }
}

extension Date: ScalarValue {
  @inlinable public static var attributeType: AttributeType { .date }
  @inlinable public static var neutralValue: Date { Date(timeIntervalSince1970: 0) }
  @inlinable public init?(storedValue: StoredValue) {
    guard let seconds = Double(storedValue: storedValue) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }
  @inlinable public var storedValue: StoredValue { timeIntervalSince1970.storedValue }
  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Date? {
    row.double(index).map { Date(timeIntervalSince1970: $0) }
  }
  @inlinable public static func _isSame(_ left: Date, _ right: Date) -> Bool {
    Double._isSame(left.timeIntervalSince1970, right.timeIntervalSince1970)
  }
  @inlinable public static func _asStored(_ value: Date) -> Date? {
    Double._asStored(value.timeIntervalSince1970).map { Date(timeIntervalSince1970: $0) }
  }
}

extension UUID: ScalarValue {
  public static var attributeType: AttributeType { .uuid }
  public static var neutralValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    self.init(uuidString: text)
  }
  public var storedValue: StoredValue { .text(uuidString) }
  @inlinable public static func _isSame(_ left: UUID, _ right: UUID) -> Bool { left == right }
  @inlinable public static func _asStored(_ value: UUID) -> UUID? { value }
}

extension URL: ScalarValue {
  public static var attributeType: AttributeType { .url }
  /// The empty reference (RFC 3986 §4.4).
  public static var neutralValue: URL { URLComponents().url ?? URL(fileURLWithPath: "/") }
  public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    // Foundation makes no URL from an empty string, but has empty URLs.
    if text.isEmpty { self = .neutralValue } else { self.init(string: text) }
  }
  public var storedValue: StoredValue { .text(absoluteString) }
}
