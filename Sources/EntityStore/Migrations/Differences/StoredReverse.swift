/// The name of a relationship that the rows of another entity hold: a to-many relationship, the counterpart of a link, the
/// second side of a many-to-many relationship.
///
/// The store itself never reads it. A change of a name alone is no change of the file's layout.
struct StoredReverse: Codable, Equatable {
  let name: String
  /// The entity that declares the other side.
  let entity: String
  /// The property of that entity: a link, or a list with a table.
  let property: String

  static func all(of entity: EntityModel, _ schema: SchemaModel) -> [StoredReverse] {
    entity.properties.compactMap { property in
      guard let list = property.list, let index = list.inverse, !property.hasPairs else { return nil }
      let other = schema.entities[list.target]
      return StoredReverse(name: property.name, entity: other.name, property: other.properties[index].name)
    }
  }
}

extension StoredSchema {
  /// Takes over the names that the app declares.
  ///
  /// - Returns: Whether any of them is another one.
  @discardableResult
  mutating func takeNames(of declared: StoredSchema) -> Bool {
    var isChanged = false
    for (number, entity) in entities.enumerated() {
      guard let other = declared[entity.name], other.reverse != entity.reverse else { continue }
      entities[number].reverse = other.reverse
      isChanged = true
    }
    return isChanged
  }
}
