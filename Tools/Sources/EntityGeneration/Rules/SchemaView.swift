/// A schema behind its references, and behind a union or an `allOf` that has one branch besides null.
struct SchemaView {
  let place: Place
  let isNullable: Bool

  /// The branches that a schema can be nested in.
  private static let deepest = 64

  /// `nil` for a reference that leads nowhere, and for a value that is no schema.
  init?(_ place: Place) {
    var isNullable = false
    var place = place
    for _ in 0..<Self.deepest {
      // 3.1 allows keys beside a reference, and many documents of 3.0 have them, too.
      isNullable = isNullable || place.node["nullable"]?.bool == true
      guard let resolved = place.resolved, resolved.node.object != nil else { return nil }
      isNullable = isNullable || Self.isNullable(resolved.node)
      guard let branch = Self.onlyBranch(of: resolved) else {
        (self.place, self.isNullable) = (resolved, isNullable)
        return
      }
      place = branch
    }
    place.document.findings.note(.broken, place.name, "The schema is nested too deeply, and was left out.")
    return nil
  }

  private static func isNullable(_ node: Node) -> Bool {
    if node["nullable"]?.bool == true { return true }
    if node["type"]?.array?.contains("null") == true { return true }
    if node["enum"]?.array?.contains(.null) == true { return true }
    return ["anyOf", "oneOf"].contains { key in node[key]?.array?.contains { isNull($0) } == true }
  }

  private static func isNull(_ node: Node) -> Bool {
    // A branch `{enum: [null]}` or `{const: null}` is how some generators of documents write it.
    node["type"]?.string == "null" || node["enum"]?.array == [.null] || node["const"]?.isNull == true
  }

  /// A part of an `allOf` that only describes: `allOf: [{$ref: User}, {description: Who made it.}]` is a `User`.
  private static func saysNothing(_ node: Node) -> Bool {
    guard let fields = node.object else { return true }
    return fields.keys.allSatisfy { key in
      ["description", "title", "example", "examples", "nullable", "default", "readOnly", "deprecated"].contains(key)
        || key.hasPrefix("x-") || key == "type" && fields[key] == "object"
    }
  }

  private static func onlyBranch(of place: Place) -> Place? {
    guard place.node["properties"] == nil, place.node["enum"] == nil else { return nil }
    for key in ["allOf", "anyOf", "oneOf"] {
      guard let union = place[key], let branches = union.node.array, !branches.isEmpty else { continue }
      var only: Int?
      for (index, branch) in branches.enumerated() where !isNull(branch) && !(key == "allOf" && saysNothing(branch)) {
        // The second says it: there may be very many.
        guard only == nil else { return nil }
        only = index
      }
      return only.flatMap { union.element($0) }
    }
    return nil
  }
}

extension SchemaView {
  var node: Node { place.node }

  /// The type besides null; `nil` for several, and for none.
  var type: String? {
    if let type = node["type"]?.string { return type }
    let types = (node["type"]?.array ?? []).compactMap(\.string).filter { $0 != "null" }
    if types.count == 1 { return types[0] }
    guard types.isEmpty else { return Set(types) == ["integer", "number"] ? "number" : nil }
    if node["items"] != nil { return "array" }
    if node["properties"] != nil { return "object" }
    if let values = node["enum"]?.array?.filter({ !$0.isNull }) ?? node["const"].map({ [$0] }) {
      if values.allSatisfy({ $0.string != nil }) { return "string" }
      if values.allSatisfy({ $0.int != nil }) { return "integer" }
    }
    return nil
  }

  var format: String? { node["format"]?.string }
  var description: String? { node["description"]?.string }
  var items: Place? { type == "array" ? place["items"] : nil }

  /// The branches of a union, without null; empty for any other schema.
  var branches: [Place] {
    for key in ["oneOf", "anyOf"] {
      if let branches = place[key]?.elements, !branches.isEmpty, node["properties"] == nil {
        return branches.filter { !Self.isNull($0.node) }
      }
    }
    return []
  }

  /// The values of an enum of texts; `const` is an enum of one. Branches that are all such enums are one enum.
  var enumeration: [String]? {
    if let values = node["enum"]?.array, type == "string" || node["type"] == nil {
      let texts = values.filter { !$0.isNull }.compactMap(\.string)
      guard texts.count == values.filter({ !$0.isNull }).count, !texts.isEmpty else { return nil }
      // The specification only says that values should be unique.
      var known: Set<String> = []
      return texts.filter { known.insert($0).inserted }
    }
    if let text = node["const"]?.string { return [text] }
    let branches = branches
    guard branches.count > 1 else { return nil }
    let lists = branches.compactMap { SchemaView($0) }.map { $0.branches.isEmpty ? $0.enumeration : nil }
    guard lists.count == branches.count else { return nil }
    var values: [String] = []
    for list in lists {
      guard let list else { return nil }
      values += list.filter { !values.contains($0) }
    }
    return values
  }
}
