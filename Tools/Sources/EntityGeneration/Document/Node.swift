/// A value of a document, whether it was written in JSON or in YAML. The keys of an object keep the order of the document.
public indirect enum Node: Sendable, Equatable {
  case null
  case bool(Bool)
  /// The digits as they were written.
  case number(String)
  case string(String)
  case array([Node])
  case object(Fields)

  public struct Fields: Sendable, Equatable {
    public private(set) var keys: [String] = []
    private var values: [String: Node] = [:]

    public init() {}

    public init(_ fields: some Sequence<(String, Node)>) {
      for (key, value) in fields { self[key] = value }
    }

    /// Setting `nil` takes the key out.
    public subscript(key: String) -> Node? {
      get { values[key] }
      set {
        if let newValue {
          if values.updateValue(newValue, forKey: key) == nil { keys.append(key) }
        } else if values.removeValue(forKey: key) != nil {
          keys.removeAll { $0 == key }
        }
      }
    }

    public var pairs: [(key: String, value: Node)] { keys.compactMap { key in values[key].map { (key, $0) } } }
    public var isEmpty: Bool { keys.isEmpty }
  }
}

extension Node {
  public var object: Fields? { if case .object(let fields) = self { fields } else { nil } }
  public var array: [Node]? { if case .array(let elements) = self { elements } else { nil } }
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  public var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
  public var isNull: Bool { self == .null }

  public subscript(key: String) -> Node? { object?[key] }

  /// The text of a scalar: an enum in YAML may have `1.0` or `on` where texts are meant.
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
  public init(stringLiteral value: String) { self = .string(value) }
  public init(arrayLiteral elements: Node...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, Node)...) { self = .object(Fields(elements)) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int) { self = .number(String(value)) }
}
