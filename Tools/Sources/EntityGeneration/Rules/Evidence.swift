import EntityJSON
import Foundation

/// The values that a property has in the examples of a document, or in recorded responses.
struct Evidence {
  var hasNull = false
  var hasArray = false
  var hasObject = false
  var hasBool = false
  var hasInteger = false
  var hasFraction = false
  /// Some of the texts.
  var texts: Set<String> = []

  private static let mostTexts = 200

  mutating func note(_ value: Node) {
    switch value {
    case .null: hasNull = true
    case .array: hasArray = true
    case .object: hasObject = true
    case .bool: hasBool = true
    case .number(let digits):
      if Int64(digits) != nil { hasInteger = true } else { hasFraction = true }
    case .string(let text): if texts.count < Self.mostTexts { texts.insert(text) }
    }
  }

  mutating func merge(_ other: Evidence) {
    hasNull = hasNull || other.hasNull
    hasArray = hasArray || other.hasArray
    hasObject = hasObject || other.hasObject
    hasBool = hasBool || other.hasBool
    hasInteger = hasInteger || other.hasInteger
    hasFraction = hasFraction || other.hasFraction
    texts.formUnion(other.texts)
  }

  var isScalar: Bool { !hasArray && !hasObject }
  var hasNumber: Bool { hasInteger || hasFraction }

  /// Whether a property of a type reads all the values; `false` for a value of which the library would make an error.
  func fits(_ type: String) -> Bool {
    switch type {
    case "Int":
      return isScalar && !hasBool && !hasFraction && texts.allSatisfy { Int64($0) != nil }
    case "Double":
      return isScalar && !hasBool && texts.allSatisfy { Double($0).map(\.isFinite) ?? false }
    case "Decimal":
      return isScalar && !hasBool && texts.allSatisfy { $0.wholeMatch(of: /-?[0-9]+(\.[0-9]+)?/) != nil }
    case "Bool":
      return isScalar && !hasNumber && texts.allSatisfy { ["true", "false", "0", "1"].contains($0) }
    case "String": return isScalar && !hasBool
    case "Date": return isScalar && !hasBool && texts.allSatisfy(Self.isDate)
    case "DateOnly": return isScalar && !hasBool && !hasNumber && texts.allSatisfy(Self.isDay)
    case "RFC2822Date":
      return isScalar && !hasBool && !hasNumber
        && texts.allSatisfy {
          $0.wholeMatch(of: /[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} [+-][0-9]{4}/) != nil
        }
    case "UUID": return isScalar && !hasBool && !hasNumber && texts.allSatisfy { UUID(uuidString: $0) != nil }
    case "URL":
      return isScalar && !hasBool && !hasNumber && texts.allSatisfy { !$0.isEmpty && URL(string: $0) != nil }
    case "Data": return isScalar && !hasBool && !hasNumber && texts.allSatisfy { Data(base64Encoded: $0) != nil }
    case "Array": return !hasBool && !hasNumber && !hasObject && texts.isEmpty
    case "Object": return !hasBool && !hasNumber && !hasArray && texts.isEmpty
    // An object, or the uid of one.
    case "Link": return !hasBool && !hasFraction && !hasArray && !texts.contains("")
    default: return true
    }
  }

  /// The same for a property of a struct, which is decoded as Codable types are.
  func fitsStrictly(_ type: String) -> Bool {
    guard fits(type) else { return false }
    switch type {
    case "Int": return texts.isEmpty
    case "Double", "Bool": return texts.isEmpty
    case "String": return !hasNumber
    default: return true
    }
  }

  private static func isDate(_ text: String) -> Bool {
    var decoder = JSONValueDecoder()
    decoder.dateDecodingStrategy = .iso8601OrSeconds
    return (try? decoder.decode(Date.self, from: JSONValue(text))) != nil
  }

  static func isDay(_ text: String) -> Bool { text.wholeMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/) != nil && isDate(text) }

  /// A text such as `12.50`.
  var areDecimals: Bool {
    !texts.isEmpty && !hasNumber && texts.allSatisfy { $0.wholeMatch(of: /-?[0-9]+\.[0-9]+/) != nil }
  }
}

/// The evidence of all properties, by their places.
final class EvidenceBook {
  private var evidence: [String: Evidence] = [:]
  /// An example can be as large as a document.
  private var left = 5_000_000

  subscript(places: [Place]) -> Evidence {
    var merged = Evidence()
    for place in places { if let known = evidence[place.name] { merged.merge(known) } }
    return merged
  }

  /// Goes through the example of a response. The library reads one object where a list stands, and the other way around.
  func note(_ example: Node, of schema: Place) {
    let items = SchemaView(schema)?.items
    if items == nil, let elements = example.array {
      for element in elements { note(element, at: schema) }
    } else {
      note(example, at: example.object == nil ? schema : items ?? schema)
    }
  }

  /// Goes through a value along its schema, and along each branch of a union once.
  func note(_ value: Node, at schema: Place, depth: Int = 0) {
    var schemas = [schema]
    var seen: Set<String> = []
    while let next = schemas.popLast() {
      guard depth < 64, left > 0, let view = SchemaView(next), seen.insert(view.place.name).inserted else { continue }
      left -= 1
      schemas += note(value, view, depth).reversed()
    }
  }

  /// - Returns: The branches that the value may be of.
  private func note(_ value: Node, _ view: SchemaView, _ depth: Int) -> [Place] {
    if let items = view.items {
      for element in value.array ?? [] {
        evidence[items.name, default: Evidence()].note(element)
        note(element, at: items, depth: depth + 1)
      }
      return []
    }
    guard let fields = value.object else { return [] }
    let shape = Shape(of: view.place)
    for property in (shape.flattened ?? shape).properties {
      let found = property.container.map { fields[$0]?[property.key] } ?? fields[property.key]
      guard let found else { continue }
      evidence[property.place.name, default: Evidence()].note(found)
      note(found, at: property.place, depth: depth + 1)
    }
    return shape.properties.isEmpty ? view.branches : []
  }

  /// The example that stands in a property itself.
  func noteOwnExamples(of schema: Place) {
    guard let view = SchemaView(schema) else { return }
    let shape = Shape(of: view.place)
    for property in (shape.flattened ?? shape).properties {
      guard let inner = SchemaView(property.place) else { continue }
      for example in Self.examples(inner.node) {
        evidence[property.place.name, default: Evidence()].note(example)
        note(example, at: property.place)
      }
      if let items = inner.items, let node = SchemaView(items)?.node {
        for example in Self.examples(node) { evidence[items.name, default: Evidence()].note(example) }
      }
    }
    for example in Self.examples(view.node) { note(example, at: view.place) }
  }

  private static func examples(_ node: Node) -> [Node] {
    (node["example"].map { [$0] } ?? []) + (node["examples"]?.array ?? [])
  }
}

extension Place {
  /// The examples of a media type and of its schema.
  var examples: [Place] {
    var found: [Place] = []
    if let example = self["example"] { found.append(example) }
    for (_, example) in self["examples"]?.entries ?? [] {
      if let value = example.resolved?["value"] { found.append(value) }
    }
    if found.isEmpty, let example = self["schema"]?.resolved?["example"] { found.append(example) }
    return found.map(parsed)
  }

  /// Some documents have their examples as texts of JSON. That of a text stays one.
  private func parsed(_ example: Place) -> Place {
    guard let text = example.node.string, self["schema"].flatMap({ SchemaView($0) })?.type != "string",
      let value = try? JSONValue(parsing: Data(text.utf8))
    else { return example }
    let node = Node(value)
    guard node.object != nil || node.array != nil else { return example }
    return Place(document: document, file: example.file, pointer: example.pointer, node: node)
  }
}
