/// Makes a value that a schema describes.
struct ExampleMaker {
  private var next = 7
  private var open: Set<String> = []
  private let deepest: Int
  /// Objects that link to one another are written out, and each level can have ten times as many.
  private var left = 2000

  /// The keys of uids: two objects with one uid would be one.
  private let uidKeys: Set<String>

  private init(deepest: Int, uidKeys: Set<String>) { (self.deepest, self.uidKeys) = (deepest, uidKeys) }

  /// An example with as many levels as there is room for; `nil` where no value can be made.
  static func example(of schema: Place, uidKeys: Set<String>) -> Node? {
    for deepest in [8, 5, 3, 2] {
      var maker = ExampleMaker(deepest: deepest, uidKeys: uidKeys)
      let example = maker.value(of: schema)
      if maker.left > 0 { return example }
    }
    return nil
  }

  private mutating func value(of schema: Place, key: String = "", depth: Int = 0) -> Node? {
    guard left > 0, let view = SchemaView(schema) else { return nil }
    left -= 1
    // An object that is cut off would lack its uid.
    guard depth < deepest || view.type != "array" && view.type != "object" && view.type != nil else { return nil }
    if let example = view.node["example"] ?? view.node["examples"]?.array?.first, example.object == nil,
      example.array == nil, !uidKeys.contains(key)
    {
      return example
    }
    if let values = view.enumeration { return values.first.map(Node.string) }
    switch view.type {
    case "array": return .array([view.items.flatMap { value(of: $0, depth: depth + 1) }].compactMap(\.self))
    case "integer":
      next += 1
      return .number(String(next))
    case "number": return .number("1.5")
    case "boolean": return true
    case "string": return text(view)
    default: return object(view, depth)
    }
  }

  private mutating func object(_ view: SchemaView, _ depth: Int) -> Node? {
    let shape = Shape(of: view.place)
    guard !shape.properties.isEmpty else {
      return view.branches.first.flatMap { value(of: $0, depth: depth + 1) } ?? [:]
    }
    guard open.insert(view.place.name).inserted else { return nil }
    defer { open.remove(view.place.name) }
    var fields = Node.Fields()
    for property in shape.properties {
      if SchemaView(property.place)?.node["writeOnly"]?.bool == true { continue }
      if let value = value(of: property.place, key: property.key, depth: depth + 1) { fields[property.key] = value }
    }
    return .object(fields)
  }

  private mutating func text(_ view: SchemaView) -> Node {
    next += 1
    switch view.format {
    case "date-time": return "2026-01-02T03:04:05Z"
    case "date": return "2026-01-02"
    case "date-time-rfc-2822": return "Thu, 30 Jul 2015 20:00:00 +0000"
    case "uuid": return .string("6F9619FF-8B86-D011-B42D-00CF4FC9\(String(next + 4096, radix: 16).uppercased())")
    case "uri", "url": return "https://example.com/a"
    case "byte": return "AAAA"
    default: return .string("text \(next)")
    }
  }
}
