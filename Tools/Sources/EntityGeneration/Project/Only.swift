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
      known.map { ($0.name, $0.properties.filter { $0.inverse == nil }.map(\.elementType)) }
        + model.structs.map { ($0.name, $0.properties.map { $0.elementType }) },
      uniquingKeysWith: { first, _ in first })
    while let next = queue.popLast() {
      guard kept.insert(next).inserted else { continue }
      queue += types[next] ?? []
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
      for call in model.entities[index].requests?.calls.indices ?? 0..<0 {
        model.entities[index].requests?.calls[call].parts.removeAll { !kept.contains($0.type) }
      }
    }
    let parameters = model.entities.flatMap { $0.requests?.calls ?? [] }.flatMap(\.parameters).map(\.type)
    let used = Set(model.entities.flatMap(\.properties).map(\.elementType) + parameters)
    model.enums.removeAll { !used.contains($0.name) }
  }
}
