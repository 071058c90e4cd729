extension SchemaModel {
  /// The entity of a model of the run before that each of this model was, by name: that of its name, else the only one of its
  /// name in the document.
  func origins(in old: SchemaModel) -> [String: Entity] {
    var origins: [String: Entity] = [:]
    for entity in entities { origins[entity.name] = old.entities.first { $0.name == entity.name } }
    let others = old.entities.filter { origins[$0.name] == nil }
    for entity in entities where origins[entity.name] == nil {
      let alike = others.filter { $0.documentName == entity.documentName }
      let rivals = entities.count { origins[$0.name] == nil && $0.documentName == entity.documentName }
      if alike.count == 1, rivals == 1 { origins[entity.name] = alike[0] }
    }
    return origins
  }

  /// The model with the names that its entities have in a newer one.
  func renamed(as new: SchemaModel) -> SchemaModel {
    let names = Dictionary(
      new.origins(in: self).map { ($0.value.name, $0.key) }, uniquingKeysWith: { first, _ in first })
    func renamed(_ type: String) -> String {
      let element = Self.elementType(of: type)
      return type.replacing(element, with: names[element] ?? element)
    }
    var model = self
    for index in model.entities.indices {
      model.entities[index].name = renamed(model.entities[index].name)
      for property in model.entities[index].properties.indices {
        let made = model.entities[index].properties[property]
        if made.role != .attribute { model.entities[index].properties[property].type = renamed(made.type) }
        let inverse = made.inverse?.split(separator: ".").map(String.init) ?? []
        if inverse.count == 2 {
          model.entities[index].properties[property].inverse = "\(renamed(inverse[0])).\(inverse[1])"
        }
      }
    }
    return model
  }
}
