/// The part of a model that some entities need.
enum Only {
  /// - Parameter names: Names of entities, here or in the document; all are kept where there is none.
  /// - Throws: ``GenerationError`` for a name that no entity has.
  static func keep(_ names: [String], in model: inout SchemaModel) throws(GenerationError) {
    guard !names.isEmpty else { return }
    let known = model.entities
    var kept: Set<String> = []
    var queue: [String] = []
    for name in names {
      guard let entity = known.first(where: { $0.name == name || $0.documentName == name }) else {
        let all = known.map(\.name).prefix(40).joined(separator: ", ")
        throw GenerationError(
          "--only", "No entity is called '\(name)'. There are: \(all)\(known.count > 40 ? ", …" : "").")
      }
      queue.append(entity.name)
    }
    let types = Dictionary(
      known.map { ($0.name, Self.types(of: $0, inverses: false)) }
        + model.structs.map { ($0.name, $0.properties.map(\.type)) },
      uniquingKeysWith: { first, _ in first })
    while let next = queue.popLast() {
      guard kept.insert(next).inserted else { continue }
      queue += (types[next] ?? []).flatMap(SchemaModel.names)
    }
    model.entities.removeAll { !kept.contains($0.name) }
    model.structs.removeAll { !kept.contains($0.name) }
    // A list whose members are left out goes with them.
    for index in model.entities.indices {
      let gone = model.entities[index].properties.filter { $0.role == .toMany && !kept.contains($0.elementType) }.map(
        \.name)
      model.entities[index].properties.removeAll { gone.contains($0.name) }
      model.entities[index].requests?.routes.removeAll { gone.contains($0.name) }
      model.entities[index].requests?.writable.removeAll { gone.contains($0) }
      model.entities[index].requests?.requestKeys.removeAll { gone.contains($0.name) }
      var calls = model.entities[index].requests?.calls ?? []
      for call in calls.indices { keep(kept, in: &calls[call].parts) }
      model.entities[index].requests?.calls = calls
    }
    // At no entity, a response with chosen ones is of use.
    for call in model.requests.indices { keep(kept, in: &model.requests[call].parts) }
    model.requests.removeAll { $0.parts.isEmpty }
    let calls = model.entities.flatMap { $0.requests?.calls ?? [] } + model.requests
    let parameters = calls.flatMap(\.parameters).map(\.type)
    let used = Set(model.entities.flatMap(\.properties).map(\.elementType) + parameters)
    model.enums.removeAll { !used.contains($0.name) }
  }

  /// Leaves out entities of lists, and lists that have none left.
  static func keep(_ kept: Set<String>, in parts: inout [SchemaModel.Part]) {
    for index in parts.indices { parts[index].types.removeAll { !kept.contains($0.name) } }
    parts.removeAll { $0.types.isEmpty }
  }

  /// Removes the structs that no property and no function has: no function was written for the response that they are of.
  static func dropUnusedStructs(in model: inout SchemaModel) {
    var used: Set<String> = []
    var queue = model.entities.flatMap { types(of: $0, inverses: true) } + model.requests.compactMap(\.value)
    while let next = queue.popLast() {
      for name in SchemaModel.names(in: next) where used.insert(name).inserted {
        queue += model.structs.first { $0.name == name }?.properties.map(\.type) ?? []
      }
    }
    model.structs.removeAll { !used.contains($0.name) }
  }

  /// The types of an entity's properties and of the values that its functions return.
  private static func types(of entity: SchemaModel.Entity, inverses: Bool) -> [String] {
    entity.properties.filter { inverses || $0.inverse == nil }.map(\.type)
      + (entity.requests?.calls.compactMap(\.value) ?? [])
  }
}
