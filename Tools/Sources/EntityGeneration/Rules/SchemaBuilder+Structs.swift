extension SchemaBuilder {
  /// A value in one column. It is decoded as a whole: one text that is no date would make the whole value unreadable. So
  /// its texts stay texts, and each property may be absent.
  func structure(_ number: Int) -> SchemaModel.Struct {
    let family = families.all[number]
    var made = SchemaModel.Struct(name: name(number))
    made.documentation = Self.documentation(
      family.variants.lazy.compactMap { self.families.index.shape($0).description }.first)
    var taken: Set<String> = []
    for property in families.properties(of: family) {
      let base = SwiftNames.property(property.key) ?? "unnamed"
      var name = base
      var count = 2
      while !taken.insert(name).inserted {
        name = "\(base)Value\(count == 2 ? "" : String(count))"
        count += 1
      }
      made.properties.append(.init(name: name, key: property.key, type: fieldType(property, of: number)))
    }
    return made
  }

  private func fieldType(_ property: Family.Property, of number: Int) -> String {
    guard let view = SchemaView(property.places[0]) else { return "JSONValue" }
    let found = scalars.evidence[property.places]
    let context = families.context(of: property)
    let target = families.number(at: view.items ?? property.places[0], context)
    if let target, kinds[target] == .value {
      if view.items != nil {
        let elements = scalars.evidence[[view.items].compactMap(\.self)]
        return found.fits("Array") && !elements.hasNull && elements.fits("Object") ? "[\(name(target))]" : "JSONValue"
      }
      // A struct can't contain itself.
      return found.fits("Object") && !cycles.contain(number, target) ? name(target) : "JSONValue"
    }
    if target != nil || !families.index.objects(at: view.items ?? property.places[0], context).isEmpty {
      return "JSONValue"
    }
    let scalar = scalars.type(of: property.places)
    if scalar.swift.hasPrefix("[") { return scalar.swift }
    let simple: String
    switch scalar.swift {
    case "Int", "Double", "Bool", "JSONObject": simple = scalar.swift
    case "JSONValue": return "JSONValue"
    default: simple = "String"
    }
    return found.fitsStrictly(simple == "JSONObject" ? "Object" : simple) ? simple : "JSONValue"
  }
}
