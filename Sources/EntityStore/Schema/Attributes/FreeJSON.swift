public import EntityJSON
import Foundation

// JSON of any shape as an attribute: `var extra: JSONValue?`. The row has it with sorted keys and without whitespace.
// For a key that stands twice, it has the last value. Numbers keep the digits that they came with: no number passes
// through Double.

extension JSONValue: AttributeValue {
  public static func _read(_ source: StoredValue) throws(AttributeError) -> JSONValue? {
    guard case .text(let text) = source else { return nil }
    do { return try JSONValue(parsing: Data(text.utf8)) } catch { throw AttributeError(error) }
  }

  /// Null is no value: it is `nil` in an optional property, and a property that is not optional refuses it.
  public static func _stored(_ value: JSONValue) throws(AttributeError) -> StoredValue {
    if value.isNull { return .null }
    // Such a text could not be read again.
    guard !value.nests(deeperThan: JSONLimits.standard.depth) else { throw AttributeError.tooDeep }
    return .text(value.sortedText)
  }

  public static func _isNil(_ value: JSONValue) -> Bool { value.isNull }
}

/// Empty by default.
extension JSONObject: AttributeValue, NeutralAttributeValue {
  public static var neutralValue: JSONObject { [:] }

  public static func _read(_ source: StoredValue) throws(AttributeError) -> JSONObject? {
    guard let value = try JSONValue._read(source) else { return nil }
    guard let object = value.object else {
      throw AttributeError("an object was expected, and there is \(value.kindName)")
    }
    return object
  }

  public static func _stored(_ value: JSONObject) throws(AttributeError) -> StoredValue {
    try JSONValue._stored(value.value)
  }
}

/// Empty by default.
extension JSONArray: AttributeValue, NeutralAttributeValue {
  public static var neutralValue: JSONArray { [] }

  public static func _read(_ source: StoredValue) throws(AttributeError) -> JSONArray? {
    guard let value = try JSONValue._read(source) else { return nil }
    guard let array = value.array else { throw AttributeError("an array was expected, and there is \(value.kindName)") }
    return array
  }

  public static func _stored(_ value: JSONArray) throws(AttributeError) -> StoredValue {
    try JSONValue._stored(value.value)
  }
}

extension AttributeError {
  /// An error of the reader. Its text may have keys of the value, so only its kind is used.
  fileprivate init(_ error: JSONError) {
    self = error.kind == .tooDeep ? .tooDeep : AttributeError("JSON was expected")
  }

  fileprivate static var tooDeep: AttributeError {
    AttributeError("at most \(JSONLimits.standard.depth) nested arrays and objects were expected")
  }
}
