// How derived properties differ between a file and the entities. The column of a removed derived property is dropped:
// its values can be computed again.

extension SchemaDifference {
  /// Drops the columns of derived properties that the entity does not declare, or whose name now belongs to a property
  /// of another type.
  func dropDerived(_ entity: EntityModel) throws {
    guard let stored = editor.schema[entity.name], !wasCurrent else { return }
    for property in stored.properties where property.derivation != nil {
      let new = declared[entity.name]?[property.name]
      if let new, new.type == property.type, new.isOptional == property.isOptional { continue }
      if let new, new.derivation == nil, isReadable(property, as: new) { continue }
      try editor.change(
        "'\(entity.name).\(property.name)' was derived, and is \(new == nil ? "dropped" : "made anew")",
        rows: "SELECT count(*) FROM \(entity.table)"
      ) { try editor.dropProperty(property.name, of: entity.name) }
    }
  }

  /// Whether an attribute can keep the values of a derived property.
  private func isReadable(_ derived: StoredProperty, as attribute: StoredProperty) -> Bool {
    guard derived.type != attribute.type else { return true }
    guard let from = AttributeType(name: derived.type), let to = AttributeType(name: attribute.type) else {
      return false
    }
    return from.isPart(of: to)
  }

  /// The difference of a property that is derived in the file, in the entity or in both; `nil` for none.
  func words(ofDerived old: StoredProperty, _ new: StoredProperty) -> String? {
    guard old.derivation != new.derivation else { return nil }
    if new.derivation == nil { return "is not derived any more" }
    return old.derivation == nil ? "is derived" : "is derived in another way"
  }
}
