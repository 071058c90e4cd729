extension SchemaIndex {
  /// The objects of a union that the value of one of their keys tells apart.
  struct Kinds {
    let key: String
    let types: [(value: String, id: ID)]
  }

  /// `nil` for objects of one kind, and for those that no key tells apart. A union in a property stays JSON.
  func kinds(at place: Place) -> Kinds? {
    guard let view = SchemaView(place), view.branches.count > 1 else { return nil }
    let branches = view.branches.compactMap { SchemaView($0)?.place }
    let discriminator = view.place["discriminator"]
    guard branches.count == view.branches.count,
      let key = discriminator?.node["propertyName"]?.string ?? Self.key(of: branches)
    else { return nil }
    var types: [(value: String, id: ID)] = []
    for branch in branches {
      let values = Self.values(of: branch, key, discriminator?["mapping"])
      for value in values {
        let name = Words.upperCamel(value)
        let ids = objects(at: branch, Context(name: name, stem: name, isTop: true))
        guard ids.count == 1, choice(ids[0]) != nil else { return nil }
        types.append((value, ids[0]))
      }
      if values.isEmpty { return nil }
    }
    // Variants of one entity need nothing that tells them apart.
    let entities = Set(types.map { "\(stem($0.id)) \(choice($0.id)?.key ?? "")" })
    guard entities.count > 1, Set(types.map(\.value)).count == types.count else { return nil }
    return Kinds(key: key, types: types)
  }

  /// The first key that has one value in each branch, and another one in each.
  private static func key(of branches: [Place]) -> String? {
    Shape(of: branches[0]).properties.first { property in
      let values = branches.map { constants(of: $0, property.key) }
      return values.allSatisfy { $0.count == 1 } && Set(values).count == values.count
    }?.key
  }

  private static func constants(of branch: Place, _ key: String) -> [String] {
    Shape(of: branch)[key].flatMap { SchemaView($0.place)?.enumeration } ?? []
  }

  /// The values of the key in a branch: those that the document maps to it, else those of its schema, else its name.
  private static func values(of branch: Place, _ key: String, _ mapping: Place?) -> [String] {
    let name = Self.name(of: branch)
    let mapped = (mapping?.entries ?? []).filter { entry in
      // The name of a schema, or a reference to it.
      entry.place.node.string?.split(separator: "/").last.map(String.init) == name
    }
    if !mapped.isEmpty { return mapped.map(\.key) }
    let constants = constants(of: branch, key)
    return constants.isEmpty ? [name].compactMap(\.self) : constants
  }
}
