public import Foundation

/// The rule that the integer types share: a number is read exactly, or refused.
public protocol IntegerAttributeValue: ScalarValue, FixedWidthInteger {}

extension IntegerAttributeValue {
  @inlinable public static var attributeType: AttributeType { .integer(bits: bitWidth, isSigned: isSigned) }
  @inlinable public static var neutralValue: Self { 0 }

  @inlinable public init?(storedValue: StoredValue) {
    switch storedValue {
    case .integer(let integer): self.init(exactly: integer)
    case .text(let text):
      guard !Self.isSigned, let large = UInt64(text) else { return nil }
      self.init(exactly: large)
    case .null, .real, .blob: return nil
    }
  }

  @inlinable public var storedValue: StoredValue {
    if let integer = Int64(exactly: self) { return .integer(integer) }
    let digits = String(self)
    return .text(String(repeating: "0", count: Swift.max(0, 20 - digits.count)) + digits)
  }

  @inlinable public static func _load(_ row: RowReader, _ index: Int) -> Self? {
    // Large values of an unsigned type are texts.
    if let integer = row.integer(index) { return Self(exactly: integer) }
    return isSigned || bitWidth < 64 ? nil : _value(row.value(index))
  }
  @inlinable public static func _isSame(_ left: Self, _ right: Self) -> Bool { left == right }
  @inlinable public static func _asStored(_ value: Self) -> Self? { value }
}

/// Integer types whose values SQLite can all store as integers.
public protocol SmallIntegerAttributeValue: IntegerAttributeValue {}

extension Int: SmallIntegerAttributeValue {}
extension Int8: SmallIntegerAttributeValue {}
extension Int16: SmallIntegerAttributeValue {}
extension Int32: SmallIntegerAttributeValue {}
extension Int64: SmallIntegerAttributeValue {}
extension UInt: IntegerAttributeValue {}
extension UInt8: SmallIntegerAttributeValue {}
extension UInt16: SmallIntegerAttributeValue {}
extension UInt32: SmallIntegerAttributeValue {}
extension UInt64: IntegerAttributeValue {}

/// A type that can identify a row of an entity, on the server and here.
public protocol UIDValue: ScalarValue, Hashable {}
extension Int: UIDValue {}
extension Int8: UIDValue {}
extension Int16: UIDValue {}
extension Int32: UIDValue {}
extension Int64: UIDValue {}
extension UInt: UIDValue {}
extension UInt8: UIDValue {}
extension UInt16: UIDValue {}
extension UInt32: UIDValue {}
extension UInt64: UIDValue {}
extension String: UIDValue {}
extension UUID: UIDValue {}
