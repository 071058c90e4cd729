public import Foundation

/// A type that an attribute can have.
public protocol AttributeValue: Equatable, Sendable {
  static var attributeType: AttributeType { get }
  static var isOptional: Bool { get }
  /// What a property reads as when there is nothing to read: for Optionals `nil`, else zero or empty.
  static var neutralValue: Self { get }
  /// `nil` when the stored value is none of this type: the wrong kind, or out of range.
  init?(storedValue: StoredValue)
  var storedValue: StoredValue { get }
}

extension AttributeValue {
  public static var isOptional: Bool { false }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public static var attributeType: AttributeType { Wrapped.attributeType }
  public static var isOptional: Bool { true }
  public static var neutralValue: Self { nil }

  public init?(storedValue: StoredValue) {
    if storedValue.isNull {
      self = .none
    } else if let value = Wrapped(storedValue: storedValue) {
      self = .some(value)
    } else {
      return nil
    }
  }

  public var storedValue: StoredValue { self?.storedValue ?? .null }
}

extension Bool: AttributeValue {
  public static var attributeType: AttributeType { .bool }
  public static var neutralValue: Bool { false }
  public init?(storedValue: StoredValue) {
    guard case .integer(let integer) = storedValue else { return nil }
    self = integer != 0
  }
  public var storedValue: StoredValue { .integer(self ? 1 : 0) }
}

extension Double: AttributeValue {
  public static var attributeType: AttributeType { .double }
  public static var neutralValue: Double { 0 }
  public init?(storedValue: StoredValue) {
    switch storedValue {
    case .real(let double): self = double
    case .integer(let integer): self = Double(integer)
    default: return nil
    }
  }
  /// NaN is stored as NULL, as SQLite has none; a non-optional attribute refuses it.
  /// Neither does it keep the sign of zero; without it here, a row would differ from the value it was written with.
  public var storedValue: StoredValue { isNaN ? .null : .real(self == 0 ? 0 : self) }
}

extension Float: AttributeValue {
  public static var attributeType: AttributeType { .float }
  public static var neutralValue: Float { 0 }
  public init?(storedValue: StoredValue) {
    guard let double = Double(storedValue: storedValue) else { return nil }
    self.init(double)
  }
  /// NaN and the sign of zero as for Double.
  public var storedValue: StoredValue { Double(self).storedValue }
}

extension String: AttributeValue {
  public static var attributeType: AttributeType { .string }
  public static var neutralValue: String { "" }
  public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    self = text
  }
  public var storedValue: StoredValue { .text(self) }
}

extension Data: AttributeValue {
  public static var attributeType: AttributeType { .data }
  public static var neutralValue: Data { Data() }
  public init?(storedValue: StoredValue) {
    guard case .blob(let data) = storedValue else { return nil }
    self = data
  }
  public var storedValue: StoredValue { .blob(self) }
}

extension Date: AttributeValue {
  public static var attributeType: AttributeType { .date }
  public static var neutralValue: Date { Date(timeIntervalSince1970: 0) }
  public init?(storedValue: StoredValue) {
    guard let seconds = Double(storedValue: storedValue) else { return nil }
    self.init(timeIntervalSince1970: seconds)
  }
  public var storedValue: StoredValue { timeIntervalSince1970.storedValue }
}

extension UUID: AttributeValue {
  public static var attributeType: AttributeType { .uuid }
  public static var neutralValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    self.init(uuidString: text)
  }
  public var storedValue: StoredValue { .text(uuidString) }
}

extension URL: AttributeValue {
  public static var attributeType: AttributeType { .url }
  /// The empty reference (RFC 3986 §4.4).
  public static var neutralValue: URL { URLComponents().url ?? URL(fileURLWithPath: "/") }
  public init?(storedValue: StoredValue) {
    guard case .text(let text) = storedValue else { return nil }
    // Foundation makes no URL of an empty string, but has empty URLs.
    if text.isEmpty { self = .neutralValue } else { self.init(string: text) }
  }
  public var storedValue: StoredValue { .text(absoluteString) }
}
