import Foundation

/// The objects that a document describes, each under its place, with a name.
final class SchemaIndex {
  /// The place of an object's schema, behind all references.
  typealias ID = String

  let document: Document
  private var objects: [ID: Place] = [:]
  private var names: [ID: String] = [:]
  private var stems: [ID: String] = [:]
  private var shapes: [ID: Shape] = [:]
  private var choices: [ID: UIDRule.Choice?] = [:]
  /// The last parameters of the paths by which an object is asked for.
  private var parameters: [ID: Set<String>] = [:]
  private let decisions: Decisions
  /// The objects of the unions that were followed, by the place of each.
  private var unions: [String: [ID]] = [:]

  init(_ document: Document, _ decisions: Decisions) {
    (self.document, self.decisions) = (document, decisions)
  }

  /// Whether the document was made from a recording, in which no schema has a name.
  var isRecorded: Bool { document.root["x-recorded"]?.bool == true }
  /// The names of the objects that recorded responses consist of.
  private var resources: Set<String> = []

  /// The origin of an inline object's name.
  struct Context {
    let name: String
    let stem: String
    /// Whether variants of other names may be the same entity.
    var isTop = false
  }

  /// The objects that a schema stands for: one, or variants of one as the branches of a union; none for all other values.
  func objects(at place: Place, _ context: Context, depth: Int = 0) -> [ID] {
    guard depth < 8, let view = SchemaView(place) else { return [] }
    let id = view.place.name
    if objects[id] != nil { return [id] }
    let shape = Shape(of: view.place)
    if shape.properties.isEmpty {
      if let known = unions[id] { return known }
      // A union that leads back to itself adds nothing there.
      unions[id] = []
      let each = view.branches.map { objects(at: $0, context, depth: depth + 1) }
      var known: Set<ID> = []
      let branches = each.flatMap(\.self).filter { known.insert($0).inserted }
      // A text or an object is a value of its own, and so are different objects. Variants are their entity.
      guard !each.contains([]) else { return [] }
      let areVariants = Set(branches.map { "\(stem($0)) \(uid($0)?.key ?? "")" }).count == 1
      unions[id] = areVariants ? branches : []
      return unions[id] ?? []
    }
    objects[id] = view.place
    shapes[id] = shape.flattened ?? shape
    let (name, isNamed) = Self.name(of: view.place).map { ($0, true) } ?? (context.name, false)
    names[id] = name
    if context.isTop { resources.insert(Stem.of(name)) }
    // `allOf: [{$ref: User}, {properties: …}]` is a variant of a user.
    let parents = isNamed ? [] : (view.place["allOf"]?.elements ?? []).compactMap { $0.resolved.flatMap(Self.name) }
    stems[id] = parents.count == 1 ? Stem.of(parents[0]) : isNamed || context.isTop ? Stem.of(name) : context.stem
    return [id]
  }

  func shape(_ id: ID) -> Shape { shapes[id] ?? Shape(of: objects[id] ?? document.place) }
  func place(_ id: ID) -> Place? { objects[id] }
  func name(_ id: ID) -> String { names[id] ?? "Object" }
  func stem(_ id: ID) -> String { stems[id] ?? name(id) }

  func note(parameter: String, of id: ID) { parameters[id, default: []].insert(parameter) }

  func uid(_ id: ID) -> UIDRule.Choice? {
    if let known = choices[id] { return known }
    let choice = choice(id)
    choices[id] = .some(choice)
    return choice
  }

  /// The uid of an object as far as its parameters are known.
  func choice(_ id: ID) -> UIDRule.Choice? {
    let shape = shape(id)
    func properties(_ keys: String) -> [Shape.Property]? {
      let keys = keys.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      let properties = keys.compactMap { shape[$0] }
      return properties.isEmpty || properties.count < keys.count ? nil : properties
    }
    let chosen = [name(id), stem(id)].lazy.compactMap {
      self.decisions.choice("\($0).uid") { properties($0) != nil }
    }.first
    if let chosen = chosen.flatMap(properties), let first = chosen.first {
      return UIDRule.Choice(keyPath: first.keyPath, key: first.key, others: chosen.dropFirst().map(\.keyPath))
    }
    return UIDRule.choice(shape, name: stem(id), parameters: parameters[id] ?? [], isScalar: Self.isScalar)
  }

  /// Whether an object has a uid that needs no paths, for the rule of envelopes.
  func hasUID(_ shape: Shape) -> Bool {
    UIDRule.choice(shape, name: "", parameters: [], isScalar: Self.isScalar) != nil
  }

  /// Whether an object has plain values and nothing else.
  func isPlain(_ id: ID) -> Bool {
    shape(id).properties.allSatisfy { property in
      ["string", "integer", "number", "boolean"].contains(SchemaView(property.place)?.type)
    }
  }

  static func isScalar(_ property: Shape.Property) -> Bool {
    guard let view = SchemaView(property.place) else { return false }
    switch view.type {
    case "string", "integer", "number": return true
    case nil: return view.branches.allSatisfy { ["string", "integer"].contains(SchemaView($0)?.type) }
    default: return false
    }
  }

  /// The name of a schema that stands where schemas have names.
  static func name(of place: Place) -> String? {
    let parts = place.pointer.split(separator: "/").map {
      String($0).replacing("~1", with: "/").replacing("~0", with: "~")
    }
    switch (parts.count, parts.first) {
    case (3, "components"): return parts[2]
    case (2, "definitions"), (2, "$defs"): return parts[1]
    case (1, _) where parts[0] != "schema": return parts[0]
    case (0, _):
      return place.file.split(separator: "/").last?.split(separator: ".").first.map(String.init)
    default: return nil
    }
  }
}

extension SchemaIndex {
  /// The objects that the properties of an object lead to.
  func related(to id: ID) -> [ID] {
    shape(id).properties.flatMap { related(by: $0, of: id) }
  }

  func related(by property: Shape.Property, of id: ID) -> [ID] {
    guard let view = SchemaView(property.place) else { return [] }
    let context = context(of: property.key, isList: view.items != nil, in: id)
    if let items = view.items { return objects(at: items, context) }
    return objects(at: property.place, context)
  }

  /// The name of an inline object: that of its owner, and the key.
  func context(of key: String, isList: Bool, in owner: ID) -> Context {
    let words = Words.split(key)
    let last = words.last.map { isList ? Words.singular($0) : $0 } ?? ""
    let own = Words.upperCamel((words.dropLast() + [last]).joined(separator: "_"))
    // The `account` of a recorded status is one of the accounts that the server lists.
    if isRecorded, resources.contains(own) { return Context(name: own, stem: own) }
    return Context(name: name(owner) + own, stem: stem(owner) + own)
  }
}
