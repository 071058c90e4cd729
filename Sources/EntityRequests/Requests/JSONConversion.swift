import EntityStore
import Foundation

extension ResponseValue {
  /// The JSON of a value of any of the usual types.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` with the key path; never with the value.
  init(converting value: Any, at keyPath: String) throws {
    switch value {
    case let value as ResponseValue: self = value
    case let value as ResponseObject: self = value.value
    case let value as ResponseArray: self = value.value
    case let value as Bool: self.init(value)
    case let value as any FixedWidthInteger: self = Self.integer(value)
    case let value as String: self.init(value)
    case let value as Double:
      guard value.isFinite else { throw Self.unsupported("a number that is not finite", keyPath) }
      self.init(value)
    case let value as Float: try self.init(converting: Double("\(value)") ?? Double(value), at: keyPath)
    case let value as Decimal:
      guard value.isFinite else { throw Self.unsupported("a number that is not finite", keyPath) }
      self.init(composed: value.description)
    case let value as Date:
      guard let text = ISO8601Text.text(of: value) else {
        throw Self.unsupported("a date outside of the years 0 to 9999", keyPath)
      }
      self.init(text)
    case let value as UUID: self.init(value.uuidString.lowercased())
    case let value as Data: self.init(value.base64EncodedString())
    case let value as URL: self.init(value.absoluteString)
    case let value as [String: Any?]:
      self =
        try ResponseObject(
          fields: value.sorted { $0.key < $1.key }.map { key, value in
            (key, try Self.optional(value, at: keyPath.isEmpty ? key : "\(keyPath).\(key)"))
          }
        ).value
    case let value as [Any?]:
      self.init(try value.enumerated().map { try Self.optional($1, at: "\(keyPath)[\($0)]") })
    case is NSNull: self = .null
    case Optional<Any>.none: self = .null
    case let value as any RawRepresentable: try self.init(converting: value.rawValue, at: keyPath)
    case let value as any Encodable: try self.init(encoding: value, at: keyPath)
    default: throw Self.unsupported("a value of type '\(type(of: value))'", keyPath)
    }
  }

  /// As an attribute of the type would be sent.
  private init(encoding value: some Encodable, at keyPath: String) throws {
    do {
      self.init(composed: try AttributeJSON.text(of: value))
    } catch {
      throw RequestError(
        .invalidRequest,
        "The body has a value of type '\(type(of: value))' at '\(keyPath.prefix(200).escaped)', and \(error.reason).")
    }
  }

  private static func optional(_ value: Any?, at keyPath: String) throws -> ResponseValue {
    // An optional inside of Any casts to its content; an empty one to nothing at all.
    guard let value, !isNil(value) else { return .null }
    return try ResponseValue(converting: value, at: keyPath)
  }

  private static func isNil(_ value: Any) -> Bool {
    if case Optional<Any>.none = value { true } else { false }
  }

  private static func integer(_ value: some FixedWidthInteger) -> ResponseValue { ResponseValue(value) }

  private static func unsupported(_ what: String, _ keyPath: String) -> RequestError {
    RequestError(.invalidRequest, "The body has \(what) at '\(keyPath.prefix(200).escaped)', which JSON can't hold.")
  }
}
