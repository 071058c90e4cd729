import EntityStore
import Foundation

/// How a value in a response becomes the stored value of an attribute. One rule for properties, uids and links: what
/// reads as the same uid is the same uid.
enum AttributeConversion {
  /// `nil` when the value is none of the type: the wrong kind, malformed, or out of range. A null is ``StoredValue/null``.
  static func storedValue(_ value: ResponseValue, _ type: AttributeType) -> StoredValue? {
    if value.isNull { return .null }
    switch type {
    case .bool: return bool(value)
    case .integer(let bits, let isSigned): return integer(value, bits: bits, isSigned: isSigned)
    case .double: return double(value)
    case .string: return string(value)
    case .data: return value.string.flatMap { Data(base64Encoded: $0) }.map(StoredValue.blob)
    case .date: return date(value)
    case .uuid: return value.string.flatMap(UUID.init(uuidString:)).map(\.storedValue)
    }
  }

  /// What a property of the type is read from, for an error message.
  static func expectation(_ type: AttributeType) -> String {
    switch type {
    case .bool: "true or false"
    case .integer(let bits, let isSigned): "an integer of \(bits) bits\(isSigned ? "" : ", not negative")"
    case .double: "a number"
    case .string: "a string or a number"
    case .data: "a string in base64"
    case .date: "a date as in 2024-03-01T12:00:00Z, or seconds since 1970"
    case .uuid: "a UUID"
    }
  }

  /// 0 and 1 too, and each of these as a string: databases that have no booleans send those.
  private static func bool(_ value: ResponseValue) -> StoredValue? {
    if let bool = value.bool { return bool.storedValue }
    switch value.int64 {
    case 0: return false.storedValue
    case 1: return true.storedValue
    default: break
    }
    switch value.string {
    case "false", "0": return false.storedValue
    case "true", "1": return true.storedValue
    default: return nil
    }
  }

  /// 5, "5" and 5.0 are one integer; none of them passes through Double.
  private static func integer(_ value: ResponseValue, bits: Int, isSigned: Bool) -> StoredValue? {
    if isSigned {
      guard let integer = value.int64 ?? value.withUTF8(Self.int64) ?? nil else { return nil }
      let isInRange = bits >= 64 || (integer >= -(1 << (bits - 1)) && integer < 1 << (bits - 1))
      return isInRange ? .integer(integer) : nil
    }
    guard let integer = value.uint64 ?? value.string.flatMap({ UInt64($0) }) else { return nil }
    return bits >= 64 || integer < 1 << bits ? integer.storedValue : nil
  }

  private static func int64(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    Int64(String(decoding: text, as: UTF8.self))
  }

  private static func double(_ value: ResponseValue) -> StoredValue? {
    // Swift reads hexadecimal too, which no server means by it.
    let text = value.string.flatMap { $0.contains { "xX".contains($0) } ? nil : $0 }
    guard let double = value.double ?? text.flatMap(Double.init), double.isFinite else { return nil }
    // As the property would store it: a row may not differ from the value it was written with.
    return double.storedValue
  }

  /// Identifiers come as numbers from one endpoint and as strings from another: an integer reads as its digits.
  private static func string(_ value: ResponseValue) -> StoredValue? {
    if let string = value.string { return .text(string) }
    if let integer = value.int64 { return .text(String(integer)) }
    if let integer = value.uint64 { return .text(String(integer)) }
    return value.lexeme.map(StoredValue.text)
  }

  private static func date(_ value: ResponseValue) -> StoredValue? {
    guard let seconds = value.double ?? value.withUTF8({ ISO8601.seconds($0) }) ?? nil else { return nil }
    // Through Date, which counts from 2001: what a property holds and what the row has are then the same to the bit.
    return Date(timeIntervalSince1970: seconds).storedValue
  }
}
