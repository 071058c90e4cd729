/// A response to read: an example of the document, or one that was made from its schema.
struct ExampleCase {
  let entity: String
  let operation: String
  /// Empty for the whole body; `nil` for a response whose lists are all parts.
  let envelope: String?
  /// The lists that stand beside that of the entity.
  let parts: [SchemaModel.Part]
  let body: Node
  let isOfDocument: Bool
}

struct ExampleCases {
  let model: SchemaModel
  let requests: RequestBuilder
  let findings: Findings

  var all: [ExampleCase] {
    var cases: [ExampleCase] = []
    let kept = Set(model.entities.map(\.name))
    func chosen(_ parts: [SchemaModel.Part]) -> [SchemaModel.Part] {
      var parts = parts
      Only.keep(kept, in: &parts)
      return parts
    }
    let numbers = requests.operations.keys.map(Optional.some) + requests.documents.keys
    for number in Set(numbers).sorted(by: { $0 ?? .max < $1 ?? .max }) {
      let name = number.map(requests.builder.name)
      guard name.map(kept.contains) != false else { continue }
      for operation in number.flatMap({ requests.operations[$0] }) ?? [] where operation.raw.method == "get" {
        cases += self.cases(of: name, operation, chosen(requests.parts(beside: operation)))
      }
      for (list, parts) in requests.documents[number] ?? [] { cases += self.cases(of: name, list, chosen(parts)) }
    }
    return cases
  }

  /// - Parameter name: The entity of the operation's own list or item; `nil` where all lists are parts.
  private func cases(
    of name: String?, _ operation: AnsweredOperation, _ parts: [SchemaModel.Part]
  ) -> [ExampleCase] {
    guard let answer = operation.raw.answer, name != nil || !parts.isEmpty else { return [] }
    let own = answer.media.examples.map(\.node).filter { $0.object != nil || $0.array != nil }
    let made = own.isEmpty ? ExampleMaker.example(of: answer.schema, uidKeys: uidKeys) : nil
    if own.isEmpty, made == nil {
      findings.note(
        .broken, operation.raw.place.name, "No example of '\(operation.raw.name)' could be made, and so it has no test."
      )
    }
    return (own + [made].compactMap(\.self)).compactMap { body in
      let main = name.flatMap { name in Self.objects(of: body, at: operation.keyPath)?.map { (name, $0) } }
      let beside = parts.flatMap { part in
        (Self.objects(of: body, at: part.keyPath) ?? []).compactMap { object in
          Self.entity(of: object, in: part).map { ($0, object) }
        }
      }
      let missing = ((main ?? []) + beside).lazy.compactMap { missingUID(in: $1, of: $0) }.first
      // One that was cut off has no object.
      let hasObjects = !own.isEmpty || !(main ?? beside).isEmpty
      if missing == nil, hasObjects, name == nil || main != nil {
        return ExampleCase(
          entity: name ?? "EntityDocument", operation: operation.raw.name,
          envelope: name == nil ? nil : operation.keyPath, parts: parts, body: body, isOfDocument: !own.isEmpty)
      }
      let what = missing ?? name.map(uids)?.joined(separator: "' with '") ?? "\(parts[0].keyPath)"
      findings.note(
        .broken, operation.raw.place.name,
        "An example of '\(operation.raw.name)' has no '\(what)', and was passed over.")
      return nil
    }
  }

  /// The entity of an object in a list with several; `nil` for an object of another kind, which is not read.
  private static func entity(of object: Node, in part: SchemaModel.Part) -> String? {
    guard let key = part.key else { return part.types.first?.name }
    return part.types.first { $0.key == object[key]?.string }?.name
  }

  private func uids(of entity: String) -> [String] {
    model.entities.first { $0.name == entity }?.properties.filter { $0.role == .uid }.map(\.keyPath) ?? ["id"]
  }

  /// The keys of all uids.
  private var uidKeys: Set<String> {
    Set(requests.builder.families.all.flatMap { $0.uid?.parts ?? [] }).union(UIDRule.names)
  }

  /// The objects at a key path; `nil` where there is no value.
  private static func objects(of body: Node, at keyPath: String) -> [Node]? {
    value(of: body, at: keyPath).map { $0.array ?? [$0] }
  }

  private static func value(of node: Node, at keyPath: String) -> Node? {
    var value: Node? = node
    for key in Shape.Property.keys(of: keyPath) { value = value?[key] }
    return value
  }

  /// The uid that an object lacks: without it nobody could know the object again.
  private func missingUID(in object: Node, of entity: String) -> String? {
    let uids = uids(of: entity)
    let isWhole = uids.allSatisfy { Self.value(of: object, at: $0).map { !$0.isNull } ?? false }
    return isWhole ? nil : uids.joined(separator: "' with '")
  }
}

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
