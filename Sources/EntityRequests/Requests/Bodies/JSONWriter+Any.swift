import EntityJSON
import EntityStore
import Foundation

extension JSONWriter {
  /// The JSON of a value of any of the usual types: keys sorted, `nil` and `NSNull` as null, dates in ISO 8601, data in
  /// base64, UUIDs in upper case.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the key path; never with the value.
  static func bytes(ofAny value: Any) throws -> [UInt8] {
    var writer = JSONWriter()
    var path = AnyPath()
    try writer.any(value, at: &path)
    return writer.bytes
  }

  private mutating func any(_ value: Any, at path: inout AnyPath) throws {
    // NSNumber comes first, because it can be taken for a Bool or for any number that has its value. The type is
    // checked before the cast, because the cast would copy all of an array or dictionary.
    if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return try finite(foundation(number), path) }
    switch value {
    case let value as JSONValue: self.value(value)
    case let value as JSONObject: self.value(value.value)
    case let value as JSONArray: self.value(value.value)
    case let value as Bool: bool(value)
    case let value as any FixedWidthInteger: integer(value)
    case let value as String: string(value)
    case let value as Double: try finite(number(value), path)
    case let value as Float: try finite(number(value), path)
    case let value as Decimal: try finite(decimal(value), path)
    case let value as Date:
      guard let text = ISO8601Text.text(of: value) else {
        throw path.unsupported("a date outside of the years 0 to 9999")
      }
      string(text)
    case let value as UUID: string(value.uuidString)
    case let value as Data: string(value.base64EncodedString())
    case let value as URL: string(value.absoluteString)
    case let value as [String: Any?]:
      try path.checkDepth()
      beginObject()
      for (key, value) in value.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        self.key(key)
        try nested(value, at: &path, .key(key))
      }
      endObject()
    case let value as [Any?]:
      try path.checkDepth()
      beginArray()
      for (position, value) in value.enumerated() { try nested(value, at: &path, .position(position)) }
      endArray()
    case is NSNull: null()
    case Optional<Any>.none: null()
    case let value as any RawRepresentable: try any(value.rawValue, at: &path)
    case let value as any Encodable: try encoded(value, path)
    default: throw path.unsupported("a value of type '\(type(of: value))'")
    }
  }

  /// Writes the number as it was made. NSNumber has one instance each for `true` and `false`, which are equal to its 1
  /// and 0.
  private mutating func foundation(_ value: NSNumber) -> Bool {
    if value === NSNumber(value: true) || value === NSNumber(value: false) {
      bool(value.boolValue)
    } else if let value = value as? NSDecimalNumber {
      return decimal(value.decimalValue)
    } else {
      switch value.encoding {
      case UInt8(ascii: "d"): return number(value.doubleValue)
      case UInt8(ascii: "f"): return number(value.floatValue)
      case UInt8(ascii: "Q"): integer(value.uint64Value)
      default: integer(value.int64Value)
      }
    }
    return true
  }

  /// Writes the value as an attribute of its type is sent.
  private mutating func encoded(_ value: some Encodable, _ path: AnyPath) throws {
    do {
      literal(try AttributeJSON.text(of: value))
    } catch {
      throw path.refused("a value of type '\(type(of: value))'", "and \(error.reason)")
    }
  }

  private mutating func nested(_ value: Any?, at path: inout AnyPath, _ step: AnyPath.Step) throws {
    // An Optional inside of Any casts to its content; an empty one casts to no type.
    guard let value, !Self.isNil(value) else { return null() }
    path.steps.append(step)
    try any(value, at: &path)
    path.steps.removeLast()
  }

  private static func isNil(_ value: Any) -> Bool {
    if case Optional<Any>.none = value { true } else { false }
  }

  private func finite(_ isWritten: Bool, _ path: AnyPath) throws {
    guard isWritten else { throw path.unsupported("a number that is not finite") }
  }
}

/// The place of the writer in a body.
private struct AnyPath {
  enum Step {
    case key(String)
    case position(Int)
  }

  var steps: [Step] = []
  private var stack = StackRoom()

  /// Checks that an array or object may begin here: no reader takes deeper nesting.
  mutating func checkDepth() throws {
    guard steps.count < JSONLimits.standard.depth else {
      throw unsupported("more than \(JSONLimits.standard.depth) nested arrays and objects")
    }
    guard !stack.isShort(at: steps.count) else {
      throw unsupported("\(steps.count) nested arrays and objects, more than the stack of this thread has room for")
    }
  }

  func unsupported(_ what: String) -> RequestError { refused(what, "which can't be sent as JSON") }

  func refused(_ what: String, _ why: String) -> RequestError {
    var text = ""
    for step in steps {
      switch step {
      case .key(let key): text += text.isEmpty ? key : ".\(key)"
      case .position(let position): text += "[\(position)]"
      }
      if text.utf8.count > 1000 { break }
    }
    return RequestError(
      .invalidRequest, "The body has \(what) at '\(text.prefix(200).escaped)', \(why).")
  }
}
