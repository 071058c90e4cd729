// Checks that the properties in an entity's list are those of its class, each at its place.

extension SchemaModel {
  /// Compares the list of an entity's properties with the class, before anything is resolved.
  ///
  /// - Throws: ``StoreError`` of kind `invalidSchema` that names the property.
  static func check(_ properties: [PropertyDescriptor], of type: any ManagedEntity.Type) throws {
    let entity = type.entityName
    guard properties.count <= ColumnMask.capacity else {
      throw invalid("'\(entity)' has \(properties.count) properties; \(ColumnMask.capacity) is the most.")
    }
    var names: Set<String> = []
    for (index, property) in properties.enumerated() {
      guard property.index == index else {
        throw invalid("'\(entity).\(property.name)' has index \(property.index), but is listed as number \(index).")
      }
      try checkName(property.name, "property of '\(entity)'")
      guard names.insert(property.name.lowercased()).inserted else {
        throw invalid("'\(entity)' has two properties named '\(property.name)'; case does not tell them apart.")
      }
      if case .attribute(_, isOptional: false) = property.kind, property.defaultValue.isNull, !property.isUID {
        throw invalid("'\(entity).\(property.name)' is not optional, and its default can't be stored.")
      }
    }
    try checkFormerNames(of: type, properties)
    try checkColumns(of: type, properties)
    try checkDerivations(of: type, properties)
    try checkSearch(of: type, properties)
  }

  /// Accessors find a property by its column. A column that is not declared would have no value. A column that is
  /// declared at another place would have another property's value.
  private static func checkColumns<E: ManagedEntity>(of type: E.Type, _ properties: [PropertyDescriptor]) throws {
    for child in Mirror(reflecting: E.columns).children {
      guard let column = child.value as? any AnyColumn, column.entity == type else { continue }
      guard properties.indices.contains(column.index), properties[column.index].name == column.name else {
        throw invalid(
          "'\(type.entityName).\(column.name)' has a column with index \(column.index), and `properties` does not declare "
            + "it at that place. Add it there.")
      }
    }
  }

  /// Checks `_$store`: a property that it leaves out, or a property of a superclass, would lose its values without an
  /// error.
  static func checkStore(_ model: EntityModel) throws {
    let object = model.makeObject(ObjectState(model, pk: 0, context: nil, life: .saved))
    guard Mirror(reflecting: object).superclassMirror == nil else {
      throw invalid("'\(model.name)' has a superclass; an entity has none: share code in extensions and protocols.")
    }
    // A derived value would run the app's function, and nobody has asked for its value.
    let own = model.stored.subtracting(model.derived)
    let stored = object.values(own).mask
    guard let missing = own.subtracting(stored).indices.first(where: { _ in true }) else { return }
    throw invalid(
      "'\(model.name).\(model.properties[missing].name)' is not stored: add its line to `_$store(into:)` and to `_$load(_:)`."
    )
  }
}
