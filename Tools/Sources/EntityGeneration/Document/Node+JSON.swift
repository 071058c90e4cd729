import EntityJSON
import Foundation

extension Node {
  /// - Parameter value: JSON, whose depth the parser limits.
  init(_ value: JSONValue) {
    switch value.kind {
    case .null: self = .null
    case .bool: self = .bool(value.bool ?? false)
    case .number: self = .number(value.lexeme ?? "0")
    case .string: self = .string(value.string ?? "")
    case .array: self = .array((value.array ?? []).map(Node.init))
    case .object:
      var fields = Fields()
      for (key, value) in value.object ?? [:] { fields[key] = Node(value) }
      self = .object(fields)
    }
  }

  /// The same value as JSON. A number that JSON can't have, such as YAML's `.inf`, becomes a text.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .bool(let bool): JSONValue(bool)
    case .number(let digits): (try? JSONValue(parsing: Data(digits.utf8))) ?? JSONValue(digits)
    case .string(let text): JSONValue(text)
    case .array(let elements): JSONValue(elements.map(\.json))
    case .object(let fields): JSONObject(fields: fields.pairs.map { ($0.key, $0.value.json) }).value
    }
  }
}
