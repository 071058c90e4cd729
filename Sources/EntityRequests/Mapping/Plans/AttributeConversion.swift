import EntityJSON
import EntityStore
import Foundation

// The conversions of a value between a response and the store: JSON to stored, stored to JSON, and either to a
// description for people. The store itself has two further conversions, which know no response: a value and its column
// (ScalarValue.swift), and the text of a uid (UIDText.swift).

/// The stored value of an attribute for a value in a response. Properties, uids and links follow one rule: values that
/// read as the same uid are the same uid.
enum AttributeConversion {
  /// `nil` when the value does not fit the type: the wrong kind, malformed, or out of range. A null is
  /// ``StoredValue/null``.
  static func storedValue(_ value: JSONValue, _ type: AttributeType) -> StoredValue? {
    if value.isNull { return .null }
    if value.isBlankUntyped, type != .string, type != .data { return .null }
    switch type {
    case .bool: return bool(value)
    case .integer(let bits, let isSigned): return integer(value, bits: bits, isSigned: isSigned)
    case .float: return float(value)
    case .double: return double(value)
    case .decimal: return decimal(value)
    case .string: return string(value)
    case .data: return value.string.flatMap { Data(base64Encoded: $0) }.map(StoredValue.blob)
    case .date: return date(value)
    case .uuid: return value.string.flatMap(UUID.init(uuidString:)).map(\.storedValue)
    // URL escapes characters that a URL can't have, so the row gets the value that the property would write.
    case .url: return value.string.flatMap { URL(storedValue: .text($0)) }.map(\.storedValue)
    // The text as the server wrote it; the property's rules read it.
    case .json: return .text(value.sourceText)
    }
  }

  /// The stored value by the rules of an attribute.
  static func storedValue(_ value: JSONValue, _ rules: AttributeRules) throws(AttributeError) -> StoredValue {
    if value.isNull { return .null }
    guard let stored = storedValue(value, rules.source) else { throw AttributeError(mismatch(value, rules.source)) }
    guard !stored.isNull else { return .null }
    return try rules.read?(stored) ?? stored
  }

  static func mismatch(_ value: JSONValue, _ type: AttributeType) -> String {
    "\(type.facts.expectation) was expected, and there is \(finding(value, type))"
  }

  /// Describes the value that was found, for an error message. A number may be private, so the text only says why it
  /// does not fit the type.
  static func finding(_ value: JSONValue, _ type: AttributeType) -> String {
    let kind = value.kindName
    if type == .date { return findingOfDate(value) }
    guard let text = value.lexeme ?? number(in: value), let number = Double(text) else { return kind }
    let isText = value.kind == .string
    let named = isText ? "\(kind) with a number" : kind
    switch type {
    case .integer(let bits, let isSigned):
      let (lowest, end) = isSigned ? (-exp2(Double(bits - 1)), exp2(Double(bits - 1))) : (0, exp2(Double(bits)))
      guard lowest <= number, number < end else { return "\(named) out of range: it goes \(range(bits, isSigned))" }
      return isText ? kind : "\(kind) with a fraction"
    case .float:
      guard number.magnitude > Double(Float.greatestFiniteMagnitude) else { return kind }
      return "\(named) out of range: it goes to ±\(Float.greatestFiniteMagnitude)"
    case .double:
      return number.isFinite ? kind : "\(named) out of range: it goes to ±\(Double.greatestFiniteMagnitude)"
    case .decimal: return "\(named) of more, or out of its range"
    case .bool: return "\(named) other than 0 and 1"
    default: return kind
    }
  }

  /// Describes a value that is no date, with the declaration that reads it.
  private static func findingOfDate(_ value: JSONValue) -> String {
    let kind = value.kindName
    if let number = value.double ?? value.lexeme.flatMap(Double.init) {
      let transformer = isSeconds(number / 1000) ? "UnixMilliseconds" : "UnixMicroseconds"
      guard isSeconds(number / 1e6) else { return "\(kind) out of range: it goes over the years 0 to 2999" }
      return "\(kind) beyond the years 0 to 2999: `@Transformed(by: Transformers.\(transformer).self)` reads "
        + "\(transformer.dropFirst(4).lowercased())"
    }
    guard value.kind == .string else { return kind }
    guard number(in: value) == nil else {
      return "\(kind) with a number: `@Transformed(by: Transformers.AsText<Transformers.UnixSeconds>.self)` reads "
        + "seconds as text, and a `Transformers.DateFormat` a day such as 20260501"
    }
    return "\(kind) of another form, which a `Transformers.DateFormat` can read"
  }

  private static func range(_ bits: Int, _ isSigned: Bool) -> String {
    let unused = 64 - bits
    return isSigned ? "from \(Int64.min >> unused) to \(Int64.max >> unused)" : "from 0 to \(UInt64.max >> unused)"
  }

  /// Takes true, false, 1 and 0, each also as a string: databases that have no booleans send 1 and 0.
  private static func bool(_ value: JSONValue) -> StoredValue? {
    if let bool = value.bool { return bool.storedValue }
    if let integer = value.int64 { return integer == 0 || integer == 1 ? (integer == 1).storedValue : nil }
    guard let text = value.string else { return nil }
    switch text {
    case "true", "1": return true.storedValue
    case "false", "0": return false.storedValue
    default: return nil
    }
  }

  /// 5, "5" and 5.0 are one integer; none of them passes through Double.
  private static func integer(_ value: JSONValue, bits: Int, isSigned: Bool) -> StoredValue? {
    if isSigned {
      guard let integer = value.int64 ?? value.string.flatMap({ Int64($0) }) else { return nil }
      let isInRange = bits >= 64 || (integer >= -(1 << (bits - 1)) && integer < 1 << (bits - 1))
      return isInRange ? .integer(integer) : nil
    }
    guard let integer = value.uint64 ?? value.string.flatMap({ UInt64($0) }) else { return nil }
    return bits >= 64 || integer < 1 << bits ? integer.storedValue : nil
  }

  private static func double(_ value: JSONValue) -> StoredValue? {
    // `Double.init` also reads hexadecimal text, which no server means as a number.
    let text = value.string.flatMap { $0.contains { "xX".contains($0) } ? nil : $0 }
    guard let double = value.double ?? text.flatMap(Double.init), double.isFinite else { return nil }
    // The same form as a write of the property, so that the row and the value are equal.
    return double.storedValue
  }

  /// The nearest Float; rounded once, from the digits.
  private static func float(_ value: JSONValue) -> StoredValue? {
    guard let text = value.lexeme ?? number(in: value), let float = Float(text), float.isFinite else { return nil }
    return float.storedValue
  }

  /// Exact or nothing. Amounts of money come as strings as often as not.
  private static func decimal(_ value: JSONValue) -> StoredValue? {
    let decimal = value.decimal ?? number(in: value).flatMap(JSONNumber.decimal)
    return decimal.map(\.storedValue)
  }

  /// The text of a string that is a JSON number. Leading zeros are allowed.
  private static func number(in value: JSONValue) -> String? {
    guard let text = value.string, text.utf8.count <= 400 else { return nil }
    var rest = Substring(text).utf8
    func digits() -> Bool {
      let count = rest.prefix { (48...57).contains($0) }.count
      rest = rest.dropFirst(count)
      return count > 0
    }
    func skip(_ characters: String) -> Bool {
      guard let first = rest.first, characters.utf8.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    _ = skip("-")
    guard digits(), !skip(".") || digits() else { return nil }
    if skip("eE") {
      _ = skip("+-")
      guard digits() else { return nil }
    }
    return rest.isEmpty ? text : nil
  }

  /// Identifiers are numbers at one endpoint and strings at another: an integer reads as its digits.
  private static func string(_ value: JSONValue) -> StoredValue? {
    if let string = value.string { return .text(string) }
    if let integer = value.int64 { return .text(String(integer)) }
    if let integer = value.uint64 { return .text(String(integer)) }
    return value.lexeme.map(StoredValue.text)
  }

  private static func date(_ value: JSONValue) -> StoredValue? {
    let number = value.double
    guard number.map(isSeconds) != false, let seconds = number ?? value.secondsOfDate else { return nil }
    // Through Date, which counts from 2001: the values of the property and the row are then the same to the bit.
    return Date(timeIntervalSince1970: seconds).storedValue
  }

  /// Whether a number counts seconds: up to the year 2999, or on the last day of 9999, which means "never". A greater one counts
  /// milliseconds, which a plain date does not mean.
  private static func isSeconds(_ number: Double) -> Bool {
    ISO8601.isDate(number) && (number < 32_503_680_000 || number >= 253_402_214_400)
  }
}

// MARK: Stored to JSON

extension StoredValue {
  /// The value of an attribute as JSON.
  ///
  /// - Parameter name: The property, for errors.
  /// - Throws: ``RequestError`` of kind `invalidRequest` for a value that JSON can't hold.
  func exported(as type: AttributeType, _ name: String) throws -> JSONValue {
    switch self {
    case .null: return .null
    case .integer(let integer): return type == .bool ? JSONValue(integer != 0) : JSONValue(integer)
    case .real(let double):
      if type == .date {
        guard let text = ISO8601Text.text(secondsSince1970: double) else {
          throw RequestError(.invalidRequest, "'\(name)' is a date outside of the years 0 to 9999.")
        }
        return JSONValue(text)
      }
      guard double.isFinite else {
        throw RequestError(.invalidRequest, "'\(name)' is infinite, which JSON can't hold.")
      }
      // The digits of the Float, and not those of the Double in its column.
      return type == .float ? JSONValue { _ = $0.number(Float(double)) } : JSONValue(double)
    case .text(let text):
      switch type {
      // An integer beyond Int64 is stored as text.
      case .integer: return UInt64(text).map { JSONValue($0) } ?? .null
      case .decimal: return decimalNumber.map { JSONValue(composed: Array($0.utf8)) } ?? .null
      case .json:
        guard let value = try? JSONValue(parsing: Data(text.utf8)) else {
          throw RequestError(.invalidRequest, "The row's '\(name)' is not JSON: it was changed by something else.")
        }
        return value
      default: return JSONValue(text)
      }
    case .blob(let data): return JSONValue(data.base64EncodedString())
    }
  }

  /// A uid that the caller gave, in the form of a response. An Int and a String with the same digits are the same uid.
  var uidInResponse: JSONValue {
    switch self {
    case .integer(let integer): JSONValue(integer)
    case .real(let double): JSONValue(double)
    case .text(let text): JSONValue(text)
    case .null, .blob: .null
    }
  }

  // MARK: Stored to a description

  /// The value as text for people, at most 200 characters of it.
  var excerpt: String {
    let text =
      switch self {
      case .null: "null"
      case .integer(let integer): "\(integer)"
      case .real(let double): "\(double)"
      case .text(let text): decimalNumber ?? text
      case .blob(let data): data.prefix(200).base64EncodedString()
      }
    return String(text.prefix(200))
  }
}
