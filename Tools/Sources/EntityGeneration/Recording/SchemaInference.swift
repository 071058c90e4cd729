import Foundation

/// Makes a schema that a number of values fit.
struct SchemaInference {
  /// An object with more keys is a map by keys that are values themselves, and these do not belong into code.
  private static let mostKeys = 60

  func schema(of values: [Node]) -> Node {
    let present = values.filter { !$0.isNull }
    var schema = present.isEmpty ? Node.Fields() : fields(of: present)
    if present.count < values.count, let type = schema["type"] { schema["type"] = [type, "null"] }
    return .object(schema)
  }

  private func fields(of values: [Node]) -> Node.Fields {
    if values.allSatisfy({ $0.object != nil }) { return object(values.compactMap(\.object)) }
    if values.allSatisfy({ $0.array != nil }) {
      return Node.Fields([("type", "array"), ("items", schema(of: values.flatMap { $0.array ?? [] }))])
    }
    if values.allSatisfy({ $0.bool != nil }) { return Node.Fields([("type", "boolean")]) }
    let numbers = values.filter { if case .number = $0 { true } else { false } }
    if numbers.count == values.count {
      return Node.Fields([("type", values.allSatisfy { $0.int != nil } ? "integer" : "number")])
    }
    let texts = values.compactMap(\.string)
    guard texts.count == values.count else { return Node.Fields() }
    var fields = Node.Fields([("type", "string")])
    if let format = Self.format(of: texts) { fields["format"] = .string(format) }
    return fields
  }

  private func object(_ objects: [Node.Fields]) -> Node.Fields {
    var keys: [String] = []
    var values: [String: [Node]] = [:]
    for object in objects {
      for (key, value) in object.pairs {
        if values[key] == nil { keys.append(key) }
        values[key, default: []].append(value)
      }
    }
    guard keys.count <= Self.mostKeys || !Self.isMap(keys), !keys.allSatisfy(Self.isValue) || keys.isEmpty else {
      let any: Node = ["description": "by keys of the response"]
      return Node.Fields([("type", "object"), ("additionalProperties", any)])
    }
    let properties = keys.map { key in (key, schema(of: values[key] ?? [])) }
    let required = keys.filter { values[$0]?.count == objects.count }.map(Node.string)
    var fields = Node.Fields([("type", "object"), ("properties", .object(Node.Fields(properties)))])
    if !required.isEmpty { fields["required"] = .array(required) }
    return fields
  }

  private static func isMap(_ keys: [String]) -> Bool { keys.count(where: isValue) * 2 > keys.count }

  /// Whether a key is a number, a UUID, an address or a long text: a value, and no name.
  private static func isValue(_ key: String) -> Bool {
    key.contains("@") || key.contains("/") || key.count > 40 || UUID(uuidString: key) != nil
      || !key.isEmpty && key.allSatisfy(\.isNumber)
  }

  private static func format(of texts: [String]) -> String? {
    if texts.allSatisfy({ UUID(uuidString: $0) != nil }) { return "uuid" }
    if texts.allSatisfy(Evidence.isDay) { return "date" }
    var evidence = Evidence()
    for text in texts { evidence.note(.string(text)) }
    if texts.allSatisfy({ $0.contains("T") && $0.contains(":") }), evidence.fits("Date") { return "date-time" }
    let isURL = { (text: String) in text.hasPrefix("https://") || text.hasPrefix("http://") }
    return texts.allSatisfy(isURL) && evidence.fits("URL") ? "uri" : nil
  }
}
