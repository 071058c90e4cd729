// The names of entities and properties are also the names of tables and columns, in this version of the app and in
// earlier ones.

extension SchemaModel {
  /// Checks that each former name of an entity leads to one entity.
  static func checkFormerNames(_ types: [any ManagedEntity.Type]) throws {
    var heirs: [String: String] = [:]
    for type in types {
      for name in type.formerEntityNames {
        try checkName(name, "entity")
        guard name != type.entityName else { throw invalid("'\(name)' is said to be renamed from itself.") }
        if let other = heirs.updateValue(type.entityName, forKey: name) {
          throw invalid("'\(other)' and '\(type.entityName)' are both said to be renamed from '\(name)'.")
        }
      }
    }
  }

  /// Checks that each former name leads to one property, and a removed name to none.
  static func checkFormerNames(of type: any ManagedEntity.Type, _ properties: [PropertyDescriptor]) throws {
    let entity = type.entityName
    var heirs: [String: String] = [:]
    for property in properties {
      for name in property.facts.formerNames {
        try checkName(name, "property of '\(entity)'")
        guard name != property.name else { throw invalid("'\(entity).\(name)' is said to be renamed from itself.") }
        if let other = heirs.updateValue(property.name, forKey: name) {
          throw invalid(
            "'\(entity).\(other)' and '\(entity).\(property.name)' are both said to be renamed from '\(name)'.")
        }
      }
    }
    for name in type.removedProperties {
      try checkName(name, "property of '\(entity)'")
      guard !properties.contains(where: { $0.name == name }) else {
        throw invalid("'\(entity).\(name)' is said to be removed, and is declared.")
      }
      if let heir = heirs[name] {
        throw invalid("'\(entity).\(name)' is said to be removed, and to be '\(heir)' now.")
      }
    }
  }
}
