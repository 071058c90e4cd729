extension SchemaModel {
  /// The index of the property that identifies a row on the server; `nil` for an entity without uid.
  ///
  /// - Throws: ``StoreError`` of kind `invalidSchema`.
  static func uid(of type: any ManagedEntity.Type, _ properties: [PropertyModel]) throws -> Int? {
    if let composite = properties.first(where: \.isComposite) { return composite.index }
    guard let key = type.uidKey else { return nil }
    guard let property = properties.first(where: { $0.name == key }) else {
      throw invalid("The uidKey of '\(type.entityName)' is '\(key)', which is none of its properties.")
    }
    guard property.isUnique else {
      throw invalid(
        "The uidKey of '\(type.entityName)' is '\(key)', which is not unique: several rows could answer to one uid. "
          + "Declare it as uid or unique.")
    }
    guard property.rules == nil else {
      throw invalid(
        "The uidKey of '\(type.entityName)' is '\(key)'. A uid is no enum, no JSON, and has no transformer: give it the "
          + "type that the server sends.")
    }
    guard case .attribute(let attribute, _) = property.kind, attribute.facts.canBeUID else {
      throw invalid(
        "The uidKey of '\(type.entityName)' is '\(key)'. A uid is an integer, a String or a UUID: other values have "
          + "several forms, or none that a URL can hold.")
    }
    return property.index
  }

  /// Adds the column of a composite uid to the properties of an entity that declares several uids.
  static func addComposite(_ type: any ManagedEntity.Type, _ properties: inout [PropertyModel]) throws {
    let parts = properties.filter { $0.isUID }
    guard parts.count > 1 else { return }
    let entity = type.entityName
    if let key = type.uidKey {
      throw invalid(
        "The uidKey of '\(entity)' is '\(key)', and the entity declares several uids: one of the two is too many.")
    }
    guard properties.count < ColumnMask.capacity else {
      throw invalid(
        "'\(entity)' has \(properties.count) properties; a uid of several needs one more than there can be.")
    }
    for part in parts {
      guard part.rules == nil, case .attribute(let type, _) = part.kind, type.facts.canBeUID else {
        throw invalid(
          "'\(entity).\(part.name)' is a part of the uid. A part is an integer, a String or a UUID, and has no transformer."
        )
      }
    }
    properties.append(.composite(properties.count, of: parts))
  }
}
