import EntityJSON

/// The schema as the file keeps it, to be compared with the declared one when the store is opened again.
struct StoredSchema: Codable, Equatable {
  var entities: [StoredEntity]

  init(_ schema: SchemaModel) {
    entities = schema.entities.map { entity in
      StoredEntity(
        name: entity.name,
        properties: entity.properties.compactMap { property in
          let type: String
          let isOptional: Bool
          switch property.kind {
          case .attribute(let attribute, let optional): (type, isOptional) = (attribute.name, optional)
          case .toOne(let target, _, _):
            (type, isOptional) = ("-> \(schema.entities[target].name)", !property.isRequired)
          case .toMany, .manyToMany: return nil
          }
          return StoredProperty(
            name: property.name, type: type, isOptional: isOptional || property.isUID, isUID: property.isUID,
            isUnique: property.isUnique, isIndexed: property.isIndexed)
        })
    }
  }

  func encoded() throws -> String {
    String(decoding: try JSONValueEncoder(format: .sorted).bytes(of: self), as: UTF8.self)
  }

  static func decode(_ text: String) throws -> StoredSchema {
    try JSONValueDecoder().decode(StoredSchema.self, from: text)
  }
}

/// An entity as the file keeps it.
struct StoredEntity: Codable, Equatable {
  let name: String
  let properties: [StoredProperty]
}

/// A column as the file keeps it.
struct StoredProperty: Codable, Equatable {
  let name: String
  /// The type of an attribute, or `-> Entity`.
  let type: String
  let isOptional: Bool
  let isUID: Bool
  let isUnique: Bool
  let isIndexed: Bool
}
