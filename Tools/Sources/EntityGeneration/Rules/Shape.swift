/// The properties of an object: those of all parts of its `allOf`, and of a union that has one branch besides null.
struct Shape {
  struct Property {
    let key: String
    let place: Place
    /// The key of the object that the property stands in, as `attributes` of JSON:API.
    var container: String?

    var keyPath: String {
      let own = Self.escaped(key)
      return container.map { "\(Self.escaped($0)).\(own)" } ?? own
    }

    /// The keys of a key path.
    static func keys(of keyPath: String) -> [String] {
      var keys = [""]
      var isEscaped = false
      for character in keyPath {
        if character == "\\", !isEscaped {
          isEscaped = true
          continue
        }
        if character == ".", !isEscaped { keys.append("") } else { keys[keys.count - 1].append(character) }
        isEscaped = false
      }
      return keyPath.isEmpty ? [] : keys
    }

    /// A dot is part of the key behind a backslash, and a bracket, too.
    private static func escaped(_ key: String) -> String {
      key.contains { ".[]{}".contains($0) }
        ? String(key.flatMap { ".[{".contains($0) ? ["\\", $0] : [$0] }) : key
    }
  }

  var properties: [Property] = []
  var required: Set<String> = []
  var description: String?

  var keys: Set<String> { Set(properties.map(\.key)) }

  subscript(key: String) -> Property? { properties.first { $0.key == key } }

  /// The parts that an object can have.
  private static let mostParts = 1000

  init(of place: Place) {
    var seen: Set<String> = []
    var parts = [place]
    var known: [String: Int] = [:]
    while let next = parts.popLast() {
      guard let view = SchemaView(next), seen.insert(view.place.name).inserted else { continue }
      guard seen.count <= Self.mostParts else {
        place.document.findings.note(.broken, place.name, "The object has more than \(Self.mostParts) parts.")
        return
      }
      description = description ?? view.description
      required.formUnion((view.node["required"]?.array ?? []).compactMap(\.string))
      for (key, property) in view.place["properties"]?.entries ?? [] {
        if key.isEmpty { continue }
        guard property.node.object != nil || property.node.bool != nil else {
          place.document.findings.note(.broken, property.name, "A property is a schema; it was left out.")
          continue
        }
        guard let earlier = known[key] else {
          known[key] = properties.count
          properties.append(Property(key: key, place: property))
          continue
        }
        // A part may only say that there is an array, and another one of what.
        if Self.isVague(properties[earlier].place), !Self.isVague(property) {
          properties[earlier] = Property(key: key, place: property)
        }
      }
      // Popped from the end: the first part comes first.
      parts += (view.place["allOf"]?.elements ?? []).reversed()
      if view.node["properties"] != nil, view.branches.count == 1 { parts += view.branches }
    }
  }

  /// Whether a schema says nothing about what is in a value.
  private static func isVague(_ place: Place) -> Bool {
    guard let view = SchemaView(place) else { return true }
    switch view.type {
    case "array":
      return view.items.flatMap { SchemaView($0) }.map {
        $0.node.object?.keys.allSatisfy { $0 == "type" || $0 == "description" } ?? true
      } ?? true
    case "object", nil:
      return ["properties", "allOf", "oneOf", "anyOf", "additionalProperties", "enum"].allSatisfy {
        view.node[$0] == nil
      }
    default: return false
    }
  }

  private init(_ properties: [Property], _ required: Set<String>, _ description: String?) {
    (self.properties, self.required, self.description) = (properties, required, description)
  }

  /// `{id, type, attributes: {…}}` as one object with the attributes; `nil` for any other object.
  var flattened: Shape? {
    guard keys.isSubset(of: ["id", "type", "attributes", "links", "relationships", "meta"]), let id = self["id"],
      let attributes = self["attributes"]
    else { return nil }
    let inner = Shape(of: attributes.place)
    guard !inner.properties.isEmpty else { return nil }
    let moved = inner.properties.map { Property(key: $0.key, place: $0.place, container: "attributes") }
    return Shape([id] + moved.filter { $0.key != "id" }, inner.required.union(["id"]), description ?? inner.description)
  }
}
