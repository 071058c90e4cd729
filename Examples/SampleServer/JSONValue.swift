import Foundation

/// Any JSON value: the body of a client, or a user that a client changed.
enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(json: some DataProtocol) throws {
    self = try JSONDecoder().decode(JSONValue.self, from: Data(json))
  }

  /// JSON text with sorted keys, so that one value has one text.
  func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try [UInt8](encoder.encode(self))
  }

  /// This value with a patch laid over it, in the way of RFC 7396, but a null of the patch stays as a null.
  ///
  /// RFC 7396 takes the member away. A server with a schema has no such users: it answers a cleared attribute as null,
  /// and a client must tell that from an absent one.
  func merging(_ patch: JSONValue) -> JSONValue {
    guard case .object(let changes) = patch, case .object(var members) = self else { return patch }
    for (key, value) in changes {
      members[key] = members[key]?.merging(value) ?? value
    }
    return .object(members)
  }
}

extension JSONValue: Codable {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}
