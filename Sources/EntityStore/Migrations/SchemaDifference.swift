/// The parts of the declared schema that a file lacks, as the SQL that adds them.
struct SchemaDifference {
  struct Step {
    let sql: String
    /// The things that it adds.
    let name: String
    /// A query that finds rows which the addition would leave without a value that they must have.
    var hole: String?
  }

  private(set) var steps: [Step] = []

  /// - Throws: ``StoreError`` of kind `schemaMismatch` that names the first difference that can't be added.
  init(from stored: StoredSchema, to schema: SchemaModel) throws {
    let declared = StoredSchema(schema)
    for old in stored.entities {
      guard let new = declared.entities.first(where: { $0.name == old.name }) else {
        guard let comma = old.name.firstIndex(of: ",") else {
          throw Self.mismatch("the file holds the entity '\(old.name)', which is not among the store's entities")
        }
        throw Self.mismatch(
          "the file holds '\(old.name[..<comma]).\(old.name[old.name.index(after: comma)...])' as a many-to-many "
            + "relationship of the side that names no inverse, unlike the entity")
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
        steps += DDL.table(entity, schema).map { Step(sql: $0, name: "'\(entity.name)'") }
        continue
      }
      for property in entity.properties where property.isStored {
        let name = "'\(entity.name).\(property.name)'"
        if let known = old.properties.first(where: { $0.name == property.name }) {
          guard property.isIndexed && !known.isIndexed && !known.isUnique else { continue }
          steps += DDL.index(entity, property).map { Step(sql: $0, name: name) }
        } else {
          steps.append(
            Step(
              sql: "ALTER TABLE \(entity.table) ADD COLUMN \(DDL.column(property, schema))", name: name,
              hole: property.isRequired ? "SELECT 1 FROM \(entity.table) WHERE _placeholder = 0 LIMIT 1" : nil))
          steps += DDL.index(entity, property).map { Step(sql: $0, name: name) }
        }
      }
    }
  }

  private static func compare(_ old: StoredProperty, _ new: StoredProperty, _ entity: String) throws {
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
    guard !old.isIndexed || new.isIndexed else {
      throw mismatch("\(name) is indexed in the file, unlike in the entity")
    }
    guard old.isUnique == new.isUnique else {
      throw mismatch("\(name) is \(old.isUnique ? "" : "not ")unique in the file, unlike in the entity")
    }
  }

  static func mismatch(_ difference: String) -> StoreError {
    StoreError(
      .schemaMismatch,
      "The store can't be opened: \(difference). New entities, properties and indexes are added by themselves; any other "
        + "change needs another file, or the old declaration back. The file is untouched.")
  }
}
