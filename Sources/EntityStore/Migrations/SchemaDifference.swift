/// What a file lacks of the declared schema, as the SQL that adds it.
struct SchemaDifference {
  private(set) var statements: [String] = []

  /// - Throws: ``StoreError`` of kind `schemaMismatch` that names the first difference that can't be added.
  init(from stored: StoredSchema, to schema: SchemaModel) throws {
    let declared = StoredSchema(schema)
    for old in stored.entities {
      guard let new = declared.entities.first(where: { $0.name == old.name }) else {
        throw Self.mismatch("the file holds the entity '\(old.name)', which is not among the store's entities")
      }
      for property in old.properties {
        guard let other = new.properties.first(where: { $0.name == property.name }) else {
          throw Self.mismatch("the file holds '\(old.name).\(property.name)', which the entity does not declare")
        }
        try Self.compare(property, other, old.name)
      }
    }
    for entity in schema.entities {
      guard let old = stored.entities.first(where: { $0.name == entity.name }) else {
        statements += DDL.table(entity, schema)
        continue
      }
      for property in entity.properties where property.isStored {
        if let known = old.properties.first(where: { $0.name == property.name }) {
          if property.isIndexed && !known.isIndexed && !known.isUnique { statements += DDL.index(entity, property) }
        } else {
          statements.append("ALTER TABLE \(entity.table) ADD COLUMN \(DDL.column(property, schema))")
          statements += DDL.index(entity, property)
        }
      }
    }
  }

  private static func compare(_ old: StoredSchema.Property, _ new: StoredSchema.Property, _ entity: String) throws {
    let name = "'\(entity).\(old.name)'"
    guard old.type == new.type else {
      throw mismatch("\(name) is \(old.type) in the file and \(new.type) in the entity")
    }
    guard old.isOptional == new.isOptional else {
      throw mismatch("\(name) is \(old.isOptional ? "" : "not ")optional in the file, unlike in the entity")
    }
    guard old.isUID == new.isUID else {
      throw mismatch("\(name) is \(old.isUID ? "the uid" : "no uid") in the file, unlike in the entity")
    }
    guard old.isUnique == new.isUnique else {
      throw mismatch("\(name) is \(old.isUnique ? "" : "not ")unique in the file, unlike in the entity")
    }
  }

  private static func mismatch(_ difference: String) -> StoreError {
    StoreError(
      .schemaMismatch,
      "The store can't be opened: \(difference). New entities, properties and indexes are added by themselves; any other "
        + "change needs another file, or the old declaration back. The file is untouched.")
  }
}
