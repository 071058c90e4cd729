import Foundation

// A uid as text: for URLs, and for naming the object of a skipped change.

extension StoredValue {
  /// A uid in the form for URLs: UUIDs in lower case (RFC 9562 §4).
  package func uidText(_ type: AttributeType) -> String? {
    switch self {
    case .integer(let integer): String(integer)
    case .text(let text):
      switch type {
      case .uuid: text.lowercased()
      // A value beyond Int64 is stored as text.
      case .integer: UInt64(text).map { String($0) } ?? text
      case .bool, .float, .double, .decimal, .string, .data, .date, .url, .json: text
      }
    case .null, .real, .blob: nil
    }
  }

  /// The uid in a URL; `nil` for text that is no uid of the type.
  package init?(uidText text: String, _ type: AttributeType) {
    switch type {
    case .integer:
      guard let integer = Int64(text), String(integer) == text else { return nil }
      self = .integer(integer)
    case .uuid:
      guard let uuid = UUID(uuidString: text) else { return nil }
      self = uuid.storedValue
    case .string: self = .text(text)
    case .bool, .float, .double, .decimal, .data, .date, .url, .json: return nil
    }
  }
}

extension EntityModel {
  /// The type of the uid; `nil` for an entity without uid.
  package var uidType: AttributeType? {
    guard let uid, case .attribute(let type, _) = properties[uid].kind else { return nil }
    return type
  }
}
