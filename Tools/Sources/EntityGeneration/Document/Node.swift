/// A value of a document, whether it was written in JSON or in YAML. The keys of an object keep the order of the document.
indirect enum Node: Sendable, Equatable {
  case null
  case bool(Bool)
  /// The digits as they were written.
  case number(String)
  case string(String)
  case array([Node])
  case object(Fields)

  struct Fields: Sendable, Equatable {
    private(set) var keys: [String] = []
    private var values: [String: Node] = [:]

    init() {}

    init(_ fields: some Sequence<(String, Node)>) {
      for (key, value) in fields { self[key] = value }
    }

    /// Setting `nil` takes the key out.
    subscript(key: String) -> Node? {
      get { values[key] }
      set {
        if let newValue {
          if values.updateValue(newValue, forKey: key) == nil { keys.append(key) }
        } else if values.removeValue(forKey: key) != nil {
          keys.removeAll { $0 == key }
        }
      }
    }

    var pairs: [(key: String, value: Node)] { keys.compactMap { key in values[key].map { (key, $0) } } }
    var isEmpty: Bool { keys.isEmpty }
  }
}

extension Node {
  var object: Fields? { if case .object(let fields) = self { fields } else { nil } }
  var array: [Node]? { if case .array(let elements) = self { elements } else { nil } }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
  var isNull: Bool { self == .null }

  subscript(key: String) -> Node? { object?[key] }

  /// The text of a scalar: YAML has a number in `version: 1.0`.
  var scalarText: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let bool): bool ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// The word for people.
  var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension Node: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral
{
  init(stringLiteral value: String) { self = .string(value) }
  init(arrayLiteral elements: Node...) { self = .array(elements) }
  init(dictionaryLiteral elements: (String, Node)...) { self = .object(Fields(elements)) }
  init(booleanLiteral value: Bool) { self = .bool(value) }
  init(integerLiteral value: Int) { self = .number(String(value)) }
}
